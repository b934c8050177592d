/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/rules.h"

#include <string.h>

#include "base/buf.h"

#define REJECT SA_VERDICT_REJECT, SA_VERDICT_REJECT, false
#define UNRESOLVED SA_VERDICT_UNRESOLVED, SA_VERDICT_UNRESOLVED, false
#define WARN SA_VERDICT_WARN, SA_VERDICT_WARN, false
#define RISK SA_VERDICT_WARN, SA_VERDICT_REJECT, false
#define FIXED SA_VERDICT_REJECT, SA_VERDICT_REJECT, true
#define FIXED_UNRESOLVED SA_VERDICT_UNRESOLVED, SA_VERDICT_UNRESOLVED, true

static const struct sa_rule rules[] = {
#define SA_RULE(id, policy, message, why, hint) \
	{ id, policy, message, why, hint },
#include "guard/rules.def"
#undef SA_RULE
};

#define RULES (sizeof(rules) / sizeof(rules[0]))
_Static_assert(RULES < SA_RULES_MAX, "a policy has no room for every rule");

const struct sa_rule *
sa_rule_find(const char *id)
{
	for (size_t i = 0; i < RULES; i++)
		if (strcmp(rules[i].id, id) == 0)
			return &rules[i];
	return NULL;
}

const struct sa_rule *
sa_rule_next(const struct sa_rule *rule)
{
	if (rule == NULL)
		return &rules[0];
	return rule + 1 < rules + RULES ? rule + 1 : NULL;
}

size_t
sa_rule_index(const struct sa_rule *rule)
{
	return (size_t)(rule - rules);
}

#define NEAR 3
#define NAME_MAX_READ 48

/* How many letters must change to make one text of the other; of long texts
 * the beginning counts. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_READ + 1], n = strnlen(a, NAME_MAX_READ),
				       m = strnlen(b, NAME_MAX_READ);

	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t corner = row[0];
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t best = corner + (a[i - 1] != b[j - 1]);
			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m];
}

/* A part of an id is as good as an id with two letters wrong. */
static size_t
unlike(const char *text, const char *id)
{
	size_t d = distance(text, id);

	return *text != '\0' && strstr(id, text) != NULL && d > 2 ? 2 : d;
}

char *
sa_rule_near(const char *text)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	bool taken[RULES] = { false };

	for (size_t n = 0; n < NEAR; n++) {
		size_t best = RULES;
		for (size_t i = 0; i < RULES; i++)
			if (!taken[i] &&
			    (best == RULES ||
				unlike(text, rules[i].id) <
				    unlike(text, rules[best].id)))
				best = i;
		taken[best] = true;
		sa_buf_addf(&b, "%s%s", n > 0 ? ", " : "", rules[best].id);
	}
	return sa_buf_steal(&b);
}
