/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/rules.h"

#include <stddef.h>
#include <string.h>

static const struct sa_rule rules[] = {
#define SA_RULE(id_, message_, why_, hint_) \
	{ .id = (id_), .message = (message_), .why = (why_), .hint = (hint_) },
#include "guard/rules.def"
#undef SA_RULE
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

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
