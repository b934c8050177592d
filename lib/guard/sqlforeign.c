/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/sqlforeign.h"

#include <string.h>
#include <strings.h>

#include "guard/sqlhead.h"

enum rule { R_WRITE, R_INTO, R_LOCK, R_FUNCTION };

static const char *const rules[] = {
	[R_WRITE] = "sql-foreign-write",
	[R_INTO] = "sql-foreign-into",
	[R_LOCK] = "sql-foreign-lock",
	[R_FUNCTION] = "sql-foreign-function",
};

/* Functions of PostgreSQL, MySQL, SQL Server, Oracle, SQLite and others that
 * reach files, programs, other servers or statements in strings; a name that
 * ends in '_' is a prefix. */
static const char *const functions[] = { "dblink", "dblink_", "http_request",
	"httpuritype", "load_extension", "load_file", "lo_", "nextval",
	"opendatasource", "openquery", "openrowset", "pg_cancel_backend",
	"pg_file_", "pg_ls_", "pg_read_", "pg_reload_conf", "pg_rotate_logfile",
	"pg_terminate_backend", "pg_write_", "query_to_xml",
	"query_to_xmlschema", "readfile", "remote_query", "set_config",
	"setval", "sys_eval", "sys_exec", "writefile", "xp_" };

/* Oracle's packages. */
static const char *const packages[] = { "dbms_", "utl_" };

static bool
matches(const char *s, size_t n, const char *name)
{
	size_t len = strlen(name);

	return (name[len - 1] == '_' ? n > len : n == len) &&
	    strncasecmp(s, name, len) == 0;
}

/* Whether what the token names is called and must not be. */
static bool
is_function(const struct sa_sql_lex *lx, size_t i, size_t to)
{
	const struct sa_sql_token *t = &lx->tokens[i];
	const char *s = lx->text + t->start;
	size_t n = t->end - t->start;

	if (t->kind != SA_SQL_NAME) {
		s++;
		n -= 2;
	}
	if (sa_sql_is_op(lx, i + 1, to, '('))
		for (size_t k = 0; k < sizeof(functions) / sizeof(char *); k++)
			if (matches(s, n, functions[k]))
				return true;
	if (sa_sql_is_op(lx, i + 1, to, '.'))
		for (size_t k = 0; k < sizeof(packages) / sizeof(char *); k++)
			if (matches(s, n, packages[k]))
				return true;
	return false;
}

static bool
is_verb(uint8_t code)
{
	switch (code) {
	case SA_W_ALTER:
	case SA_W_BACKUP:
	case SA_W_CALL:
	case SA_W_COPY:
	case SA_W_CREATE:
	case SA_W_DELETE:
	case SA_W_DENY:
	case SA_W_DROP:
	case SA_W_EXEC:
	case SA_W_EXECUTE:
	case SA_W_GRANT:
	case SA_W_INSERT:
	case SA_W_KILL:
	case SA_W_MERGE:
	case SA_W_RESTORE:
	case SA_W_REVOKE:
	case SA_W_SHUTDOWN:
	case SA_W_TRUNCATE:
	case SA_W_UPDATE:
		return true;
	default:
		return false;
	}
}

/* Whether the word at i can only be a name or a function: t.delete, AS
 * delete, delete = 1, insert(a, 1, 1, 'x'). EXEC('...') is a statement. */
static bool
is_name(const struct sa_sql_lex *lx, size_t i, size_t from, size_t to)
{
	static const char after[] = ",).=<>+*/%";
	const struct sa_sql_token *t = &lx->tokens[i + 1];

	if (i > from &&
	    (sa_sql_is_op(lx, i - 1, to, '.') ||
		sa_sql_is_word(lx, i - 1, to, SA_W_AS)))
		return true;
	if (i + 1 >= to)
		return i > from && sa_sql_is_op(lx, i - 1, to, ',');
	if (t->kind != SA_SQL_OP)
		return false;
	if (t->code == '(')
		return lx->tokens[i].code != SA_W_EXEC &&
		    lx->tokens[i].code != SA_W_EXECUTE;
	return strchr(after, t->code) != NULL;
}

static void
once(unsigned int *seen, enum rule r, size_t first, size_t last,
    sa_sql_foreign_fn *fn, void *arg)
{
	if ((*seen & 1U << r) != 0)
		return;
	*seen |= 1U << r;
	fn(arg, rules[r], first, last);
}

void
sa_sql_foreign(const struct sa_sql_lex *lx, size_t from, size_t to,
    sa_sql_foreign_fn *fn, void *arg)
{
	unsigned int seen = 0;

	for (size_t i = from; i < to; i++) {
		const struct sa_sql_token *t = &lx->tokens[i];

		if (t->kind == SA_SQL_OP || t->kind == SA_SQL_UNKNOWN)
			continue;
		if (is_function(lx, i, to))
			once(&seen, R_FUNCTION, i, i + 1, fn, arg);
		if (t->kind != SA_SQL_NAME)
			continue;
		if (t->code == SA_W_INTO)
			once(&seen, R_INTO, i, i, fn, arg);
		else if (sa_sql_is_word(lx, i, to, SA_W_FOR) &&
		    (sa_sql_is_word(lx, i + 1, to, SA_W_UPDATE) ||
			sa_sql_is_word(lx, i + 1, to, SA_W_SHARE)))
			once(&seen, R_LOCK, i, i + 1, fn, arg);
		else if (is_verb(t->code) && !is_name(lx, i, from, to) &&
		    (i == from || !sa_sql_is_word(lx, i - 1, to, SA_W_FOR)))
			once(&seen, R_WRITE, i, i, fn, arg);
	}
}
