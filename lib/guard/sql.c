/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/sql.h"

#include <string.h>
#include <strings.h>

#include "guard/sqlforeign.h"
#include "guard/sqlhead.h"
#include "guard/sqllex.h"

/* One text under judgement, and in it one statement, the tokens [from, to). */
struct check {
	const struct sa_sql_lex *lx;
	enum sa_sql_mode mode;
	sa_sql_hit_fn *hit;
	sa_sql_statement_fn *statement;
	void *arg;
	enum sa_verdict worst;

	size_t from, to;
	struct sa_sql_head head;
	enum sa_verdict verdict;
	char text[48];
	size_t columns;	   /* the '(' of an INSERT's column list */
	unsigned int seen; /* rules of scan_rules that had their hit */
};

static void
report(struct check *c, const char *rule, enum sa_verdict verdict,
    size_t offset, size_t end)
{
	struct sa_sql_hit h = { .rule = rule,
		.verdict = verdict,
		.offset = offset,
		.end = end };

	c->verdict = sa_verdict_worse(c->verdict, verdict);
	memcpy(h.head, c->text, sizeof(h.head));
	if (c->hit != NULL)
		c->hit(c->arg, &h);
}

/* What the words of a statement can break, once each. */
enum scan_rule {
	R_TRANSFORM,
	R_JAVA,
	R_IDENTIFIER,
	R_HOLE_CALL,
	R_HOLE_USING,
	R_HOLE_TARGET,
	R_DIRECTORY,
	R_OVERWRITE,
	R_REPLACE,
	R_FILE,
	R_REMOTE
};

static const struct {
	const char *rule;
	enum sa_verdict verdict;
} scan_rules[] = {
	[R_TRANSFORM] = { "sql-transform-using", SA_VERDICT_REJECT },
	[R_JAVA] = { "sql-java-call", SA_VERDICT_REJECT },
	[R_IDENTIFIER] = { "sql-identifier-call", SA_VERDICT_REJECT },
	[R_HOLE_CALL] = { "sql-hole-call", SA_VERDICT_UNRESOLVED },
	[R_HOLE_USING] = { "sql-hole-using", SA_VERDICT_UNRESOLVED },
	[R_HOLE_TARGET] = { "sql-hole-target", SA_VERDICT_UNRESOLVED },
	[R_DIRECTORY] = { "sql-insert-directory", SA_VERDICT_REJECT },
	[R_OVERWRITE] = { "sql-insert-overwrite", SA_VERDICT_WARN },
	[R_REPLACE] = { "sql-insert-replace", SA_VERDICT_WARN },
	[R_FILE] = { "sql-file-relation", SA_VERDICT_WARN },
	[R_REMOTE] = { "sql-remote-function", SA_VERDICT_WARN },
};

/* Tokens from first to last break the rule. */
static void
found(struct check *c, enum scan_rule r, size_t first, size_t last)
{
	if ((c->seen & 1U << r) != 0)
		return;
	c->seen |= 1U << r;
	report(c, scan_rules[r].rule, scan_rules[r].verdict,
	    c->lx->tokens[first].start, c->lx->tokens[last].end);
}

static bool
is_op(const struct check *c, size_t i, uint8_t code)
{
	return sa_sql_is_op(c->lx, i, c->to, code);
}

static bool
is_word(const struct check *c, size_t i, enum sa_sql_word w)
{
	return sa_sql_is_word(c->lx, i, c->to, w);
}

/* Whether a hole is in the token, or touches it on either side. */
static bool
holed(const struct check *c, size_t i)
{
	const struct sa_sql_token *t = &c->lx->tokens[i];

	if (t->kind == SA_SQL_UNKNOWN)
		return true;
	if ((t->flags & SA_SQL_HOLED) != 0 && t->kind != SA_SQL_STRING)
		return true;
	return t->kind == SA_SQL_NAME && i > c->from &&
	    (t->flags & SA_SQL_GLUED) != 0 &&
	    c->lx->tokens[i - 1].kind == SA_SQL_UNKNOWN;
}

/* Whether the token is one of the words, in any case. */
static bool
is_among(const struct sa_sql_lex *lx, const struct sa_sql_token *t,
    const char *const *words)
{
	size_t n = t->end - t->start;

	for (; *words != NULL; words++)
		if (strlen(*words) == n &&
		    strncasecmp(*words, lx->text + t->start, n) == 0)
			return true;
	return false;
}

/* Databricks' functions; Spark itself has none of them. */
static bool
is_remote(const struct check *c, size_t i)
{
	static const char *const names[] = { "ai_query", "cloud_files",
		"http_request", "list_secrets", "read_files", "read_kafka",
		"read_kinesis", "read_pubsub", "read_pulsar", "remote_query",
		"secret", "try_secret", NULL };

	return c->mode != SA_SQL_FOREIGN &&
	    is_among(c->lx, &c->lx->tokens[i], names);
}

/* FROM parquet.`/data/x`; i is the name in backquotes. */
static void
check_relation(struct check *c, size_t i)
{
	static const char *const formats[] = { "avro", "binaryFile", "csv",
		"delta", "hudi", "iceberg", "json", "orc", "parquet", "text",
		"xml", NULL };
	static const char *const before[] = { "from", "join", "table", NULL };
	const struct sa_sql_lex *lx = c->lx;
	const struct sa_sql_token *t = &lx->tokens[i];

	if (c->mode == SA_SQL_FOREIGN || i < c->from + 3 ||
	    !is_op(c, i - 1, '.') || lx->tokens[i - 2].kind != SA_SQL_NAME ||
	    !is_among(lx, &lx->tokens[i - 3], before))
		return;
	if (memchr(lx->text + t->start, '/', t->end - t->start) != NULL ||
	    is_among(lx, &lx->tokens[i - 2], formats))
		found(c, R_FILE, i - 2, i);
}

/* The call of a function that runs code, or may; i is before a '('. */
static void
check_call(struct check *c, size_t i)
{
	const struct sa_sql_token *t = &c->lx->tokens[i];

	if (t->kind == SA_SQL_NAME || t->kind == SA_SQL_BACKQ ||
	    t->kind == SA_SQL_DQUOTE) {
		switch (t->code) {
		case SA_W_REFLECT:
		case SA_W_JAVA_METHOD:
		case SA_W_TRY_REFLECT:
			found(c, R_JAVA, i, i + 1);
			return;
		default:
			break;
		}
	}
	if (holed(c, i))
		found(c, R_HOLE_CALL, i, i + 1);
	if (t->kind != SA_SQL_NAME)
		return;
	if (t->code == SA_W_NONE && is_remote(c, i))
		found(c, R_REMOTE, i, i + 1);
	if (t->code != SA_W_IDENTIFIER)
		return;
	uint32_t close = c->lx->tokens[i + 1].match;
	if (close != SA_SQL_NO_MATCH && (size_t)close + 1 != c->columns &&
	    is_op(c, (size_t)close + 1, '('))
		found(c, R_IDENTIFIER, i, (size_t)close + 1);
}

/* USING and a string or parameter is the program of a TRANSFORM; a join has
 * a parenthesis there, a data source a name. */
static void
check_using(struct check *c, size_t i)
{
	if (i >= c->to)
		return;
	const struct sa_sql_token *t = &c->lx->tokens[i];
	if (t->kind == SA_SQL_STRING || t->kind == SA_SQL_DQUOTE ||
	    is_op(c, i, ':') || is_op(c, i, '?'))
		found(c, R_TRANSFORM, i - 1, i);
	else if (t->kind == SA_SQL_UNKNOWN)
		found(c, R_HOLE_USING, i - 1, i);
}

/* What follows DIRECTORY where it is the name of a table. */
static bool
names_table(const struct check *c, size_t i)
{
	if (is_op(c, i, '.') || is_op(c, i, '('))
		return true;
	if (i >= c->to || c->lx->tokens[i].kind != SA_SQL_NAME)
		return false;
	switch (c->lx->tokens[i].code) {
	case SA_W_PARTITION:
	case SA_W_BY:
	case SA_W_AS:
	case SA_W_WITH:
	case SA_W_SELECT:
	case SA_W_TABLE:
	case SA_W_VALUES:
	case SA_W_MAP:
	case SA_W_REDUCE:
	case SA_W_FROM:
		return true;
	default:
		return false;
	}
}

/* Past the name of a table, and past TABLE before it: what follows may be a
 * list of columns, which is no call. */
static size_t
skip_target(const struct check *c, size_t i)
{
	if (is_word(c, i, SA_W_TABLE))
		i++;
	if (is_word(c, i, SA_W_IDENTIFIER) && is_op(c, i + 1, '(')) {
		uint32_t close = c->lx->tokens[i + 1].match;

		return close == SA_SQL_NO_MATCH ? i : (size_t)close + 1;
	}
	for (bool name = false; i < c->to; i++) {
		const struct sa_sql_token *t = &c->lx->tokens[i];
		bool dot = is_op(c, i, '.');

		if (!dot && t->kind == SA_SQL_OP)
			break;
		if (!dot && name && (t->flags & SA_SQL_GLUED) == 0)
			break;
		name = !dot;
	}
	return i;
}

/* Whether a hole is at i, or in a comment before it, or could end the word
 * there as LOCAL or DIRECTORY. */
static bool
may_be_directory(const struct check *c, size_t i)
{
	static const char local[] = "LOCAL", directory[] = "DIRECTORY";
	char folded[SA_SQL_WORD_MAX];

	if (i < c->to &&
	    ((c->lx->tokens[i].flags & SA_SQL_COMMENT) != 0 ||
		c->lx->tokens[i].kind == SA_SQL_UNKNOWN))
		return true;
	if (!sa_sql_is_hole(c->lx, i + 1, c->to) ||
	    (c->lx->tokens[i + 1].flags & SA_SQL_GLUED) == 0 ||
	    c->lx->tokens[i].kind != SA_SQL_NAME)
		return false;
	const struct sa_sql_token *t = &c->lx->tokens[i];
	size_t n =
	    sa_sql_fold(c->lx->text + t->start, t->end - t->start, folded);
	return n > 0 &&
	    ((n < sizeof(local) && memcmp(folded, local, n) == 0) ||
		(n < sizeof(directory) && memcmp(folded, directory, n) == 0));
}

/* An INSERT at i that is a branch of the statement; gives the token that
 * follows its target. */
static size_t
check_insert(struct check *c, size_t i)
{
	size_t k = i + (is_word(c, i + 1, SA_W_WITH) ? 4 : 1);

	if (is_word(c, k, SA_W_OVERWRITE)) {
		size_t d = k + 1 + is_word(c, k + 1, SA_W_LOCAL);

		if (is_word(c, d, SA_W_DIRECTORY) && !names_table(c, d + 1)) {
			found(c, R_DIRECTORY, i, d);
			return d + 1;
		}
		if (may_be_directory(c, k + 1) || may_be_directory(c, d))
			found(c, R_HOLE_TARGET, i, d);
		found(c, R_OVERWRITE, i, k);
	}
	return skip_target(c, k + 1);
}

/* Every word of a statement, or of an expression. */
static void
scan(struct check *c)
{
	bool inserts =
	    c->mode == SA_SQL_STATEMENT && c->head.class == SA_SQL_INSERT;
	size_t depth = 0;

	for (size_t i = c->from; i < c->to; i++) {
		const struct sa_sql_token *t = &c->lx->tokens[i];

		if (t->kind == SA_SQL_OP) {
			depth += t->code == '(';
			depth -= t->code == ')' && depth > 0;
			continue;
		}
		if (is_op(c, i + 1, '(') && i + 1 != c->columns)
			check_call(c, i);
		if (t->kind == SA_SQL_BACKQ)
			check_relation(c, i);
		if (t->kind != SA_SQL_NAME)
			continue;
		if (t->code == SA_W_USING)
			check_using(c, i + 1);
		if (!inserts || depth > 0)
			continue;
		if (sa_sql_is_insert(c->lx, i, c->to))
			c->columns = check_insert(c, i);
		else if (t->code == SA_W_REPLACE &&
		    (is_word(c, i + 1, SA_W_WHERE) ||
			is_word(c, i + 1, SA_W_ON) ||
			is_word(c, i + 1, SA_W_USING)))
			found(c, R_REPLACE, i, i + 1);
	}
}

static void
report_foreign(void *arg, const char *rule, size_t first, size_t last)
{
	struct check *c = arg;

	report(c, rule, SA_VERDICT_REJECT, c->lx->tokens[first].start,
	    c->lx->tokens[last].end);
}

static void
judge(struct check *c, size_t from, size_t to)
{
	const struct sa_sql_lex *lx = c->lx;

	c->from = from;
	c->to = to;
	c->seen = 0;
	c->columns = to;
	c->verdict = SA_VERDICT_ALLOW;
	c->text[0] = '\0';
	if (c->mode != SA_SQL_EXPRESSION) {
		sa_sql_head(lx, from, to, &c->head);
		sa_sql_head_text(lx, to, &c->head, c->text, sizeof(c->text));
		if (c->head.rule != NULL)
			report(c, c->head.rule, c->head.verdict,
			    lx->tokens[c->head.at].start,
			    lx->tokens[c->head.at_end <= to ? c->head.at_end - 1
							    : to - 1]
				.end);
	}
	/* what is refused for its head needs no second reason */
	if (c->verdict < SA_VERDICT_REJECT) {
		scan(c);
		if (c->mode == SA_SQL_FOREIGN)
			sa_sql_foreign(lx, from, to, report_foreign, c);
	}
	c->worst = sa_verdict_worse(c->worst, c->verdict);
	if (c->mode == SA_SQL_EXPRESSION || c->statement == NULL)
		return;
	struct sa_sql_statement st = {
		.offset = lx->tokens[from].start,
		.end = lx->tokens[to - 1].end,
		.verdict = c->verdict,
	};
	memcpy(st.head, c->text, sizeof(st.head));
	c->statement(c->arg, &st);
}

/* Whether it is a parenthesis that a hole may hold the other one of. */
static bool
hole_may_pair(const struct check *c)
{
	const struct sa_sql_lex *lx = c->lx;
	size_t at = lx->trouble_at;

	if (c->mode == SA_SQL_FOREIGN || at >= lx->len)
		return false;
	if (lx->text[at] == ')')
		return memchr(lx->text, SA_SQL_HOLE, at) != NULL;
	return lx->text[at] == '(' &&
	    memchr(lx->text + at, SA_SQL_HOLE, lx->len - at) != NULL;
}

/* What the lexer found wrong, in whatever statement. */
static void
report_trouble(struct check *c)
{
	const struct sa_sql_lex *lx = c->lx;

	c->verdict = SA_VERDICT_ALLOW;
	c->text[0] = '\0';
	if (hole_may_pair(c))
		report(c, "sql-hole-parenthesis", SA_VERDICT_UNRESOLVED,
		    lx->trouble_at, lx->trouble_end);
	else
		report(c, lx->trouble, SA_VERDICT_REJECT, lx->trouble_at,
		    lx->trouble_end);
	c->worst = sa_verdict_worse(c->worst, c->verdict);
}

static void
check_statements(struct check *c)
{
	const struct sa_sql_lex *lx = c->lx;
	size_t from = 0;
	bool any = false;

	for (size_t i = lx->many ? 0 : lx->count; i <= lx->count; i++) {
		if (i < lx->count && !sa_sql_is_op(lx, i, lx->count, ';'))
			continue;
		if (i > from) {
			any = true;
			/* the statements of a script are its own */
			if (sa_sql_is_word(lx, from, i, SA_W_BEGIN) &&
			    c->mode == SA_SQL_STATEMENT)
				i = lx->count;
			judge(c, from, i);
		}
		from = i + 1;
	}
	if (any)
		return;
	c->text[0] = '\0';
	report(c, "sql-empty", SA_VERDICT_REJECT, 0, lx->len);
	c->worst = SA_VERDICT_REJECT;
}

static void
check_tokens(struct check *c)
{
	if (c->mode == SA_SQL_EXPRESSION && c->lx->count > 0)
		judge(c, 0, c->lx->count);
	else
		check_statements(c);
}

static const char *
find_variable(const char *s, size_t len)
{
	const char *end = s + len;

	while ((s = memchr(s, '$', (size_t)(end - s))) != NULL) {
		if (++s < end && *s == '{')
			return s - 1;
	}
	return NULL;
}

enum sa_verdict
sa_sql_check(const char *text, size_t len, enum sa_sql_mode mode,
    sa_sql_hit_fn *hit, sa_sql_statement_fn *statement, void *arg)
{
	struct sa_sql_lex lx;
	struct check c = {
		.lx = &lx,
		.mode = mode,
		.hit = hit,
		.statement = statement,
		.arg = arg,
	};

	if (len > SA_SQL_MAX) {
		report(&c, "sql-too-large", SA_VERDICT_REJECT, 0, len);
		return c.verdict;
	}
	int r = sa_sql_lex(&lx, text, len, mode == SA_SQL_FOREIGN);
	const char *variable = find_variable(text, len);
	if (variable != NULL && mode != SA_SQL_FOREIGN) {
		/* the statement that runs is another one */
		size_t at = (size_t)(variable - text);

		report(&c, "sql-variable", SA_VERDICT_UNRESOLVED, at, at + 2);
		c.worst = c.verdict;
	} else {
		/* first, since it may be why a statement looks as it does */
		if (lx.trouble != NULL)
			report_trouble(&c);
		if (r == 0)
			check_tokens(&c);
	}
	sa_sql_lex_release(&lx);
	return c.worst;
}
