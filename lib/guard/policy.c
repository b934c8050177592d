/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/policy.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/text.h"

#define RULES_VERSION "1" /* of what the rules find */
#define BLANKS " \t\r"

enum { PERSON, AGENT };

void
sa_policy_init(struct sa_policy *p)
{
	*p = (struct sa_policy){ 0 };
	for (const struct sa_rule *r = NULL; (r = sa_rule_next(r)) != NULL;) {
		unsigned char *v = p->verdict[sa_rule_index(r)];
		v[PERSON] = (unsigned char)r->person;
		v[AGENT] = (unsigned char)r->agent;
	}
}

/* A file that is being applied. */
struct reading {
	struct sa_policy *p;
	const char *path;
	int line;
	bool loosen;
	bool named[SA_RULES_MAX];
};

static int
wrong(const struct reading *r, struct sa_err *err, const char *what,
    const char *text)
{
	cleanup_free char *file = sa_text_visible(r->path);
	cleanup_free char *shown = sa_text_visible(text);

	return sa_err_set(err, SA_CONFIG, "%s:%d: %s '%s'", file, r->line, what,
	    shown);
}

static char *
trim(char *s)
{
	s += strspn(s, BLANKS);
	size_t n = strlen(s);
	while (n > 0 && strchr(BLANKS, s[n - 1]) != NULL)
		n--;
	s[n] = '\0';
	return s;
}

static int
verdict(const struct reading *r, const char *word, enum sa_verdict *v,
    struct sa_err *err)
{
	if (sa_verdict_parse(word, v))
		return 0;
	wrong(r, err, "unknown verdict", word);
	return sa_err_hint(err, "it is one of allow, warn, unresolved, reject");
}

/* "VERDICT" or "VERDICT, agent VERDICT". */
static int
verdicts(const struct reading *r, char *text, enum sa_verdict v[2],
    struct sa_err *err)
{
	char *agent = strchr(text, ',');

	if (agent != NULL)
		*agent++ = '\0';
	if (verdict(r, trim(text), &v[PERSON], err) < 0)
		return -1;
	v[AGENT] = v[PERSON];
	if (agent == NULL)
		return 0;
	agent = trim(agent);
	if (strncmp(agent, "agent", 5) != 0 || agent[5] == '\0' ||
	    strchr(BLANKS, agent[5]) == NULL) {
		wrong(r, err, "behind the comma stands", agent);
		return sa_err_hint(err, "write 'agent' and a verdict there");
	}
	return verdict(r, trim(agent + 5), &v[AGENT], err);
}

static int
set_rule(struct reading *r, const struct sa_rule *rule,
    const enum sa_verdict v[2], struct sa_err *err)
{
	unsigned char *now = r->p->verdict[sa_rule_index(rule)];
	const enum sa_verdict standard[2] = { rule->person, rule->agent };

	if (r->named[sa_rule_index(rule)])
		return wrong(r, err, "a second line for the rule", rule->id);
	r->named[sa_rule_index(rule)] = true;
	for (int who = PERSON; who <= AGENT; who++) {
		if (rule->fixed && v[who] < standard[who]) {
			wrong(r, err, "no policy may loosen", rule->id);
			return sa_err_hint(err,
			    "what the guard could not read it cannot let pass; "
			    "the default is '%s'",
			    sa_verdict_name(standard[who]));
		}
		if (r->loosen || (unsigned)v[who] > now[who])
			now[who] = (unsigned char)v[who];
	}
	return 0;
}

static int
read_line(struct reading *r, char *line, struct sa_err *err)
{
	const struct sa_rule *rule;
	enum sa_verdict v[2];

	line[strcspn(line, "#")] = '\0';
	line = trim(line);
	if (*line == '\0')
		return 0;
	char *eq = strchr(line, '=');
	if (eq == NULL) {
		wrong(r, err, "a line is no rule", line);
		return sa_err_hint(err, "write it as 'rule = verdict'");
	}
	*eq = '\0';
	line = trim(line);
	rule = sa_rule_find(line);
	if (rule == NULL) {
		cleanup_free char *near = sa_rule_near(line);
		wrong(r, err, "unknown rule", line);
		return sa_err_hint(err, "near it are %s", near);
	}
	if (verdicts(r, eq + 1, v, err) < 0)
		return -1;
	return set_rule(r, rule, v, err);
}

int
sa_policy_load(struct sa_policy *p, const char *path, bool loosen,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_POLICY_FILE_MAX);
	cleanup_free char *shown = sa_text_visible(path);
	cleanup_free char *name = sa_xasprintf("policy '%s'", shown);
	struct reading r = { .p = p, .path = path, .loosen = loosen };

	if (sa_io_read_file(AT_FDCWD, path, &b, name, err) < 0) {
		if (err != NULL)
			err->kind = SA_CONFIG;
		return -1;
	}
	if (memchr(sa_buf_str(&b), '\0', b.len) != NULL)
		return sa_err_set(err, SA_CONFIG, "%s holds a NUL byte", name);
	for (char *rest = b.s, *line; (line = strsep(&rest, "\n")) != NULL;) {
		r.line++;
		if (read_line(&r, line, err) < 0)
			return -1;
	}
	return 0;
}

int
sa_policy_settings(struct sa_policy *p, const struct sa_settings *s,
    struct sa_err *err)
{
	cleanup_free char *paths =
	    sa_xstrdup(sa_settings_get(s, SA_SET_GUARD_POLICY));
	bool loosen = sa_settings_by_policy(s, SA_SET_GUARD_POLICY);

	sa_policy_init(p);
	for (char *rest = paths, *path; (path = strsep(&rest, ":")) != NULL;) {
		if (*path != '\0' && sa_policy_load(p, path, loosen, err) < 0)
			return -1;
		loosen = false;
	}
	return 0;
}

enum sa_verdict
sa_policy_judge(const struct sa_policy *p, const char *id, bool agent,
    enum sa_verdict v)
{
	const struct sa_rule *rule = p != NULL ? sa_rule_find(id) : NULL;

	if (rule == NULL)
		return v;
	enum sa_verdict standard = agent ? rule->agent : rule->person;
	enum sa_verdict now =
	    (enum sa_verdict)
		p->verdict[sa_rule_index(rule)][agent ? AGENT : PERSON];
	if (now > standard)
		return sa_verdict_worse(now, v);
	return now < standard && v > now ? now : v;
}

static void
add_row(struct sa_buf *b, const struct sa_policy *p, const struct sa_rule *rule)
{
	const unsigned char *v = p->verdict[sa_rule_index(rule)];

	sa_buf_addf(b, "%s = %s", rule->id,
	    sa_verdict_name((enum sa_verdict)v[PERSON]));
	if (v[AGENT] != v[PERSON])
		sa_buf_addf(b, ", agent %s",
		    sa_verdict_name((enum sa_verdict)v[AGENT]));
	sa_buf_addch(b, '\n');
}

char *
sa_policy_text(const struct sa_policy *p)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_buf_adds(&b,
	    "# What the guard's rules come to: allow, warn, unresolved or "
	    "reject, and\n"
	    "# where another one holds for an agent, ', agent' and that one. "
	    "A rule that is\n"
	    "# left out keeps what it had.\n");
	for (const struct sa_rule *r = NULL; (r = sa_rule_next(r)) != NULL;) {
		sa_buf_addf(&b, "\n# %s%s\n", r->message,
		    r->fixed ? " (may not be loosened)" : "");
		add_row(&b, p, r);
	}
	return sa_buf_steal(&b);
}

void
sa_policy_version(const struct sa_policy *p, char out[SA_POLICY_VERSION_SIZE])
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	char hash[SA_SHA256_SIZE];

	for (const struct sa_rule *r = NULL; (r = sa_rule_next(r)) != NULL;)
		add_row(&b, p, r);
	sa_hash_sha256(sa_buf_str(&b), b.len, hash);
	snprintf(out, SA_POLICY_VERSION_SIZE, RULES_VERSION "-%.12s", hash);
}
