/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/sql.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "guard/rules.h"
#include "guard/sqllex.h"
#include "tap.h"

#define H "\xff" /* a hole */

/* What one text gave. */
struct answer {
	enum sa_verdict verdict;
	size_t hits, statements;
	struct sa_sql_hit first;
	struct sa_sql_statement last;
};

static void
on_hit(void *arg, const struct sa_sql_hit *hit)
{
	struct answer *a = arg;

	if (a->hits++ == 0)
		a->first = *hit;
}

static void
on_statement(void *arg, const struct sa_sql_statement *st)
{
	struct answer *a = arg;

	a->statements++;
	a->last = *st;
}

static struct answer
ask(const char *text, size_t len, enum sa_sql_mode mode)
{
	struct answer a = { .verdict = SA_VERDICT_ALLOW };

	a.verdict = sa_sql_check(text, len, mode, on_hit, on_statement, &a);
	return a;
}

/* A text, and what must come of it; rule is the first hit's, or NULL. */
struct row {
	const char *name, *text;
	enum sa_verdict verdict;
	const char *rule;
};
#define ALLOW SA_VERDICT_ALLOW, NULL
#define WARN SA_VERDICT_WARN
#define OPEN SA_VERDICT_UNRESOLVED
#define REJECT SA_VERDICT_REJECT

static void
rows(const struct row *row, size_t n, enum sa_sql_mode mode)
{
	for (size_t i = 0; i < n; i++, row++) {
		struct answer a = ask(row->text, strlen(row->text), mode);
		const char *rule = a.hits == 0 ? NULL : a.first.rule;

		ok(a.verdict == row->verdict &&
			(rule == NULL) == (row->rule == NULL) &&
			(rule == NULL || strcmp(rule, row->rule) == 0),
		    row->name);
		if (a.verdict != row->verdict ||
		    (rule != NULL && row->rule != NULL &&
			strcmp(rule, row->rule) != 0))
			printf("# %s, %s\n", sa_verdict_name(a.verdict),
			    rule == NULL ? "no rule" : rule);
	}
}

#define ROWS(table, mode) \
	rows((table), sizeof(table) / sizeof((table)[0]), (mode))

/* Ways past guards that read SQL differently from Spark. */
static const struct row bypasses[] = {
	{ "backslash carries a comment on",
	    "-- note \\\nSELECT 1\nDROP TABLE t", REJECT, "sql-statement" },
	{ "nested comment", "/* /* */ SELECT 1 -- */\nDROP TABLE t", REJECT,
	    "sql-statement" },
	{ "a lone CR ends a comment", "-- x\rDROP TABLE t", REJECT,
	    "sql-statement" },
	{ "comment before the verb", "/* hi */ DELETE FROM t", REJECT,
	    "sql-statement" },
	{ "DELETE behind WITH", "WITH c AS (SELECT 1) DELETE FROM t", REJECT,
	    "sql-statement" },
	{ "raw string in a WITH list",
	    "WITH c AS (SELECT r'\\' AS x) DELETE FROM t WHERE ''=')'", REJECT,
	    "sql-statement" },
	{ "parenthesis in a quoted name",
	    "WITH `)` AS (SELECT 1) MERGE INTO t USING u ON 1=1", REJECT,
	    "sql-statement" },
	{ "script", "BEGIN IF 1=1 THEN TRUNCATE TABLE t; END IF; END", REJECT,
	    "sql-script" },
	{ "EXECUTE IMMEDIATE", "EXECUTE IMMEDIATE 'DR' || 'OP TABLE t'", REJECT,
	    "sql-dynamic" },
	{ "dotless i",
	    "EXECUTE \xc4\xb1MMED\xc4\xb1"
	    "ATE \"DROP TABLE t\"",
	    REJECT, "sql-dynamic" },
	{ "long s",
	    "\xc5\xbf"
	    "ET spark.x=y",
	    REJECT, "sql-statement" },
	{ "no-break space", "DROP\xc2\xa0TABLE t", REJECT, "sql-statement" },
	{ "line separator",
	    "\xe2\x80\xa8"
	    "DROP TABLE t",
	    REJECT, "sql-statement" },
	{ "variable", "${a.b}", OPEN, "sql-variable" },
	{ "TRANSFORM", "SELECT TRANSFORM(a) USING 'x' FROM t", REJECT,
	    "sql-transform-using" },
	{ "MAP", "MAP a USING 'x' AS b FROM t", REJECT, "sql-transform-using" },
	{ "FROM ... REDUCE", "FROM t REDUCE a USING \"x\"", REJECT,
	    "sql-transform-using" },
	{ "TRANSFORM with a parameter", "SELECT TRANSFORM(a) USING ? FROM t",
	    REJECT, "sql-transform-using" },
	{ "reflect", "SELECT reflect('java.lang.Runtime', 'x')", REJECT,
	    "sql-java-call" },
	{ "quoted reflect", "SELECT `reflect`('a', 'b')", REJECT,
	    "sql-java-call" },
	{ "double-quoted reflect", "SELECT \"reflect\" ('a', 'b')", REJECT,
	    "sql-java-call" },
	{ "qualified java_method",
	    "SELECT system.builtin.java_method/**/('a', 'b')", REJECT,
	    "sql-java-call" },
	{ "folded reflect",
	    "SELECT REFL\xc4\xb1"
	    "ECT(1), reflect(2)",
	    REJECT, "sql-java-call" },
	{ "IDENTIFIER names a function",
	    "SELECT IDENTIFIER('ref' || 'lect')('a', 'b')", REJECT,
	    "sql-identifier-call" },
	{ "second statement", "SELECT 1; DROP TABLE t", REJECT,
	    "sql-statement" },
	{ "first statement", "DROP TABLE t; SELECT 1", REJECT,
	    "sql-statement" },
	{ "files by their path",
	    "SELECT * FROM t JOIN Text.`/etc/passwd` ON true", WARN,
	    "sql-file-relation" },
	{ "names that are no paths",
	    "SELECT json.`a/b`, `c/d` FROM db.`t`, json.`e/f`", ALLOW },
	{ "a function of Databricks", "SELECT * FROM Read_Files('/d')", WARN,
	    "sql-remote-function" },
	{ "columns of such names", "SELECT secret, read_files FROM t", ALLOW },
	{ "INSERT OVERWRITE", "INSERT OVERWRITE TABLE t SELECT 1", WARN,
	    "sql-insert-overwrite" },
	{ "INSERT ... REPLACE WHERE",
	    "INSERT INTO t REPLACE WHERE true SELECT 1", WARN,
	    "sql-insert-replace" },
	{ "INSERT OVERWRITE DIRECTORY",
	    "INSERT OVERWRITE DIRECTORY '/d' USING parquet SELECT 1", REJECT,
	    "sql-insert-directory" },
	{ "LOCAL DIRECTORY behind WITH",
	    "WITH c AS (SELECT 1) INSERT OVERWRITE LOCAL DIRECTORY '/d' TABLE "
	    "c",
	    REJECT, "sql-insert-directory" },
	{ "DIRECTORY as a second branch",
	    "FROM s INSERT INTO t SELECT a INSERT OVERWRITE DIRECTORY '/d' "
	    "SELECT b",
	    REJECT, "sql-insert-directory" },
	{ "procedure", "CALL cat.system.expire_snapshots('t')", REJECT,
	    "sql-dynamic" },
	{ "statement of an extension", "VACUUM t RETAIN 0 HOURS", REJECT,
	    "sql-statement" },
	{ "statement nobody knows", "FROBNICATE t", REJECT, "sql-statement" },
	{ "EXPLAIN", "EXPLAIN SELECT 1", REJECT, "sql-statement" },
	{ "WITH body is no query", "WITH x AS (DROP TABLE t) SELECT * FROM x",
	    REJECT, "sql-cte-body" },
	{ "parenthesis is no query", "((DROP TABLE t))", REJECT,
	    "sql-cte-body" },
	{ "second WITH body is no query",
	    "WITH x AS (SELECT 1), y (a) AS (UPDATE t SET a = 1) SELECT 1",
	    REJECT, "sql-cte-body" },
	{ "columns named as a query begins",
	    "WITH c (select) (SELECT 1) DELETE FROM t", REJECT,
	    "sql-statement" },
	{ "parentheses behind WITH are no query",
	    "WITH c AS (SELECT 1) (DROP TABLE t)", REJECT, "sql-cte-body" },
	{ "unclosed WITH body", "WITH c AS (SELECT 1", REJECT, "sql-lexical" },
	{ "unclosed parentheses behind WITH", "WITH c AS (SELECT 1) (SELECT 1",
	    REJECT, "sql-lexical" },
	{ "WITH without body", "WITH c AS SELECT 1", REJECT, "sql-statement" },
	{ "WITH without name", "WITH (SELECT 1) SELECT 1", REJECT,
	    "sql-statement" },
	{ "WITH without end", "WITH c AS (SELECT 1)", REJECT, "sql-statement" },
	{ "URL as a hint",
	    "WITH c AS (SELECT /*+ x://a-- */ 1) DELETE FROM t WHERE (a,\n b) "
	    "| 1 = 1",
	    REJECT, "sql-uri-token" },
	{ "raw string behind @v", "SELECT * FROM t@vr'x'", REJECT,
	    "sql-lexical" },
	{ "raw string behind a number", "SELECT 1e+5r'\\'", REJECT,
	    "sql-lexical" },
	{ "dollar quote", "SELECT $$ ' $$", REJECT, "sql-lexical" },
	{ "hint inside a comment does not nest", "/* /*+ */ DROP TABLE t",
	    REJECT, "sql-statement" },
	{ "slash does not close a comment", "/*/ SELECT 1 */ DROP TABLE t",
	    REJECT, "sql-statement" },
	{ "end of a hint is no comment", "SELECT 2 */* 3 /* ; DROP TABLE t",
	    REJECT, "sql-lexical" },
	{ "string over a semicolon", "SELECT 'a\\'; DROP TABLE t --'", ALLOW },
	{ "backquote over a semicolon", "SELECT `;` FROM t; SET x", REJECT,
	    "sql-statement" },
	{ "zero-width space is no blank", "\xe2\x80\x8bSELECT 1", REJECT,
	    "sql-statement" },
	{ "full-width letters are no keyword",
	    "\xef\xbc\xb3"
	    "ELECT 1",
	    REJECT, "sql-statement" },
	{ "INSERT of no form", "INSERT t SELECT 1", REJECT, "sql-insert-form" },
	{ "nothing", "", REJECT, "sql-empty" },
	{ "only comments", " -- x\n/* y */ ;;", REJECT, "sql-empty" },
	{ "unclosed string", "SELECT 'x", REJECT, "sql-lexical" },
	{ "unclosed comment", "SELECT 1 /* /* */", REJECT, "sql-lexical" },
	{ "unclosed name", "SELECT `x``", REJECT, "sql-lexical" },
	{ "unclosed parenthesis", "SELECT (1", REJECT, "sql-lexical" },
	{ "stray parenthesis", "SELECT 1)", REJECT, "sql-lexical" },
	{ "not UTF-8", "SELECT '\xc0\xaf'", REJECT, "sql-lexical" },
	{ "surrogate", "SELECT '\xed\xa0\x80'", REJECT, "sql-lexical" },
};

/* What guards refuse although it only reads or inserts. */
static const struct row innocent[] = {
	{ "verbs inside names",
	    "SELECT updated_at, created_at FROM t WHERE deleted_at IS NULL",
	    ALLOW },
	{ "verbs in a string", "SELECT 'drop and attach the item' AS note",
	    ALLOW },
	{ "verbs as functions",
	    "SELECT replace(name,'a','b'), truncate(x,2), insert(s,1,1,'z')",
	    ALLOW },
	{ "verb in a comment", "SELECT 1 -- then delete the rest", ALLOW },
	{ "WITH", "WITH roles AS (SELECT 1) SELECT * FROM roles", ALLOW },
	{ "a table called drop", "WITH drop AS (SELECT 1) TABLE drop", ALLOW },
	{ "columns before AS",
	    "WITH a (x) MAX RECURSION LEVEL 9 AS (SELECT 1), b (y) (SELECT 2) "
	    "TABLE a",
	    ALLOW },
	{ "IDENTIFIER names a WITH table",
	    "WITH IDENTIFIER('x') AS (SELECT 1) SELECT 1", ALLOW },
	{ "parenthesised union", "(SELECT 1) UNION (SELECT 2)", ALLOW },
	{ "WITH and parenthesised union",
	    "WITH a(x) AS (SELECT 1), b (SELECT 2) (TABLE a) UNION (TABLE b)",
	    ALLOW },
	{ "recursive WITH",
	    "WITH RECURSIVE r(n) MAX RECURSION LEVEL 5 AS (VALUES 1 UNION ALL "
	    "SELECT n + 1 FROM r) SELECT * FROM r",
	    ALLOW },
	{ "a recursive table called as",
	    "WITH RECURSIVE as AS (SELECT 1) TABLE as", ALLOW },
	{ "a table called recursive",
	    "WITH recursive AS (SELECT 1) SELECT * FROM recursive", ALLOW },
	{ "pipe operators", "FROM t |> DROP a |> SET b = a + 1", ALLOW },
	{ "single pipe", "FROM t | DROP a | SET b = 1", ALLOW },
	{ "TABLE", "TABLE t", ALLOW },
	{ "VALUES", "VALUES (1)", ALLOW },
	{ "FROM first", "FROM t SELECT a", ALLOW },
	{ "multi-insert",
	    "FROM s INSERT INTO t SELECT a INSERT INTO u SELECT b", ALLOW },
	{ "semicolon and comment at the end", "SELECT 1; -- done", ALLOW },
	{ "semicolon in a string", "SELECT * FROM t WHERE c RLIKE '\\\\d;'",
	    ALLOW },
	{ "MINUS", "SELECT * FROM t MINUS SELECT * FROM u", ALLOW },
	{ "BY NAME", "INSERT INTO t BY NAME SELECT 1 AS a", ALLOW },
	{ "PARTITION", "INSERT INTO t PARTITION (d = 1) IF NOT EXISTS SELECT 1",
	    ALLOW },
	{ "hint", "SELECT /*+ BROADCAST(t) */ * FROM t", ALLOW },
	{ "join with USING", "SELECT * FROM a JOIN b USING (id)", ALLOW },
	{ "a column called reflect", "SELECT reflect FROM t", ALLOW },
	{ "transform as a function", "SELECT transform(a, x -> x + 1)", ALLOW },
	{ "IDENTIFIER names a table", "SELECT * FROM IDENTIFIER('t') (1)",
	    REJECT, "sql-identifier-call" },
	{ "IDENTIFIER names the target",
	    "INSERT INTO IDENTIFIER(:t) (a) SELECT 1", ALLOW },
	{ "INSERT as an alias", "FROM t SELECT a AS insert", ALLOW },
	{ "a table called directory", "INSERT INTO directory SELECT 1", ALLOW },
	{ "raw string", "SELECT r'a\\', R\"b\\\"", ALLOW },
	{ "time travel", "SELECT * FROM t@v1", ALLOW },
	{ "URL in a string", "SELECT 'http://x' -- http://y", ALLOW },
	{ "dollar in a string", "SELECT '$' || '{a}'", ALLOW },
	{ "blanks of every kind",
	    "\xc2\xa0SELECT\xe3\x80\x80"
	    "1\x0b\xe2\x80\x83",
	    ALLOW },
	{ "schema evolution", "INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1",
	    ALLOW },
	{ "adjacent strings", "SELECT 'a' 'b' \"c\"\"d\" 'e''f'", ALLOW },
};

static const struct row holes[] = {
	{ "behind the head", "SELECT * FROM " H " WHERE dt='" H "'", ALLOW },
	{ "in a comment behind the head", "SELECT 1 -- " H "\n", ALLOW },
	{ "whole text", H, OPEN, "sql-hole-at-head" },
	{ "inside the verb", "DR" H "OP TABLE t", OPEN, "sql-hole-at-head" },
	{ "behind the verb, glued", "SELECT" H " 1", OPEN, "sql-hole-at-head" },
	{ "before the verb", H " SELECT 1", OPEN, "sql-hole-at-head" },
	{ "in a comment before the verb", "-- " H "\nSELECT 1", OPEN,
	    "sql-hole-at-head" },
	{ "in a block comment before the verb", "/* " H " */ SELECT 1", OPEN,
	    "sql-hole-at-head" },
	{ "in a comment before what is refused", "-- " H "\nDROP TABLE t",
	    REJECT, "sql-statement" },
	{ "in a comment before a parenthesis", "-- " H "\n(SELECT 1)", OPEN,
	    "sql-hole-at-head" },
	{ "in a comment behind INSERT", "INSERT /* " H " */ INTO t SELECT 1",
	    OPEN, "sql-hole-at-head" },
	{ "in a comment behind OVERWRITE",
	    "INSERT OVERWRITE /* " H " */ t SELECT 1", OPEN,
	    "sql-hole-target" },
	{ "in a comment and a directory",
	    "-- " H "\nINSERT OVERWRITE DIRECTORY '/d' SELECT 1", REJECT,
	    "sql-hole-at-head" },
	{ "in a comment, and Java's call behind it",
	    "SELECT 1 --" H "UNION SELECT reflect('a', 'b')", REJECT,
	    "sql-java-call" },
	{ "in a comment, and half of a call",
	    "SELECT 1 --" H ", `java_method` \n('a', 'b')", REJECT,
	    "sql-java-call" },
	{ "in a comment, and a quoted call",
	    "SELECT 1 --" H "'" H ", reflect('a', 'b')", REJECT,
	    "sql-java-call" },
	{ "in a block comment, and Java's call",
	    "SELECT 1 /*" H ", reflect('a', 'b') " H "*/", REJECT,
	    "sql-java-call" },
	{ "in a comment, and a program", "FROM t --" H "MAP a USING 'rm'",
	    REJECT, "sql-transform-using" },
	{ "in a comment, and a name that is called",
	    "SELECT 1 --" H ", IDENTIFIER('ref' || 'lect') ('a', 'b')", REJECT,
	    "sql-identifier-call" },
	{ "in a comment about functions",
	    "SELECT 1 -- " H " as reflect does, using an identifier (id)\n",
	    ALLOW },
	{ "behind a comment about Java", "SELECT 1 -- reflect('a')\n, " H,
	    ALLOW },
	{ "in a comment before a call's parenthesis",
	    "SELECT reflect -- " H "\n('a', 'b')", REJECT, "sql-java-call" },
	{ "in a comment before USING's program",
	    "SELECT TRANSFORM(a) USING /* " H " */ 'x'", REJECT,
	    "sql-transform-using" },
	{ "in a comment at the end", "SELECT 1; -- " H, ALLOW },
	{ "in a comment of a WITH list",
	    "WITH c AS (SELECT 1 /* " H " */) SELECT 1", OPEN,
	    "sql-hole-before-verb" },
	{ "second statement", "SELECT 1; " H, OPEN, "sql-hole-at-head" },
	{ "in a WITH body", "WITH c AS (SELECT * FROM " H ") SELECT 1", OPEN,
	    "sql-hole-before-verb" },
	{ "in a string of a WITH body",
	    "WITH c AS (SELECT '" H "' AS d) SELECT 1", OPEN,
	    "sql-hole-before-verb" },
	{ "name of a WITH table", "WITH " H " AS (SELECT 1) SELECT 1", OPEN,
	    "sql-hole-before-verb" },
	{ "behind a WITH list", "WITH c AS (SELECT 1) SELECT " H, ALLOW },
	{ "the verb behind a WITH list", "WITH c AS (SELECT 1) " H, OPEN,
	    "sql-hole-at-head" },
	{ "what is refused anyway", "WITH c AS (SELECT " H ") DELETE FROM t",
	    REJECT, "sql-statement" },
	{ "operand of a refused verb", "DROP TABLE \xff", REJECT,
	    "sql-statement" },
	{ "FROM first", "FROM " H " SELECT a", OPEN, "sql-hole-before-verb" },
	{ "in a comment behind FROM", "FROM t /* " H " */", OPEN,
	    "sql-hole-before-verb" },
	{ "in a comment before a semicolon", "FROM t /* " H " */; SELECT 1",
	    OPEN, "sql-hole-before-verb" },
	{ "in a comment before a pipe", "FROM t /* " H " */ |> WHERE a", OPEN,
	    "sql-hole-before-verb" },
	{ "behind a pipe", "FROM t |> WHERE " H, ALLOW },
	{ "multi-insert", "FROM t INSERT INTO u SELECT " H, OPEN,
	    "sql-hole-before-verb" },
	{ "target and columns", "INSERT INTO " H "." H " (a, b) VALUES (" H ")",
	    ALLOW },
	{ "target of OVERWRITE", "INSERT OVERWRITE " H " SELECT 1", OPEN,
	    "sql-hole-target" },
	{ "target that may be DIRECTORY",
	    "INSERT OVERWRITE LOCAL Direct" H " '/d' SELECT 1", OPEN,
	    "sql-hole-target" },
	{ "target that may be LOCAL DIRECTORY",
	    "INSERT OVERWRITE lo" H " DIRECTORY '/d' SELECT 1", OPEN,
	    "sql-hole-target" },
	{ "target that cannot be DIRECTORY",
	    "INSERT OVERWRITE daily_" H " SELECT 1", WARN,
	    "sql-insert-overwrite" },
	{ "target of OVERWRITE TABLE", "INSERT OVERWRITE TABLE " H " SELECT 1",
	    WARN, "sql-insert-overwrite" },
	{ "between INSERT and INTO", "INSERT " H " INTO t SELECT 1", OPEN,
	    "sql-hole-at-head" },
	{ "in parentheses", "(" H ") UNION (SELECT 1)", ALLOW },
	{ "function", "SELECT " H "(a)", OPEN, "sql-hole-call" },
	{ "end of a function's name", "SELECT re" H "(a)", OPEN,
	    "sql-hole-call" },
	{ "beginning of a function's name", "SELECT " H "ct(a)", OPEN,
	    "sql-hole-call" },
	{ "quoted function", "SELECT `" H "`(a)", OPEN, "sql-hole-call" },
	{ "schema of a function", "SELECT " H ".f(a)", ALLOW },
	{ "behind USING", "SELECT * FROM a JOIN b USING " H, OPEN,
	    "sql-hole-using" },
	{ "columns of USING", "SELECT * FROM a JOIN b USING (" H ")", ALLOW },
	{ "program of USING", "SELECT TRANSFORM(a) USING '" H "' FROM t",
	    REJECT, "sql-transform-using" },
	{ "behind a backslash", "SELECT '\\" H "'", ALLOW },
	{ "behind a parenthesis", "SELECT max(a" H " FROM t", OPEN,
	    "sql-hole-parenthesis" },
	{ "before a parenthesis", "SELECT " H "a) FROM t", OPEN,
	    "sql-hole-parenthesis" },
	{ "before what stays open", "SELECT " H ", max(a FROM t", REJECT,
	    "sql-lexical" },
	{ "behind a stray parenthesis", "SELECT a) FROM " H, REJECT,
	    "sql-lexical" },
	{ "parenthesis of what is refused", "DROP TABLE t" H ")", REJECT,
	    "sql-hole-parenthesis" },
	{ "path of files", "SELECT * FROM parquet.`" H "`", WARN,
	    "sql-file-relation" },
};

static const struct row expressions[] = {
	{ "verb in a string", "action = 'DELETE'", ALLOW },
	{ "CASE", "CASE WHEN op='DROP' THEN 1 END", ALLOW },
	{ "alias", "update as u", ALLOW },
	{ "column and alias", "drop table", ALLOW },
	{ "hole", H, ALLOW },
	{ "reflect", "a = reflect('x', 'y')", REJECT, "sql-java-call" },
	{ "IDENTIFIER", "IDENTIFIER('a')('b')", REJECT, "sql-identifier-call" },
	{ "TRANSFORM in a subquery",
	    "a = (SELECT TRANSFORM(b) USING 'x' FROM t)", REJECT,
	    "sql-transform-using" },
	{ "files in a subquery", "a = (SELECT 1 FROM csv.`/d`)", WARN,
	    "sql-file-relation" },
	{ "unclosed string", "a = 'x", REJECT, "sql-lexical" },
	{ "variable", "a = '${x}'", OPEN, "sql-variable" },
	{ "function", H "(a)", OPEN, "sql-hole-call" },
	{ "nothing", " ", REJECT, "sql-empty" },
};

static const struct row foreign[] = {
	{ "query", "SELECT a, \"b\" FROM s.t WHERE c = 'DELETE' ORDER BY 1",
	    ALLOW },
	{ "parenthesised", "(SELECT * FROM t) AS x", ALLOW },
	{ "WITH", "WITH c AS MATERIALIZED (SELECT 1) SELECT * FROM c;", ALLOW },
	{ "verbs as names",
	    "SELECT t.delete, update, insert(a,1,1,'x') AS create FROM t",
	    ALLOW },
	{ "hole", "SELECT * FROM " H " WHERE d = '" H "'", ALLOW },
	{ "bracketed name", "SELECT [a b], ARRAY['x', 'y'] FROM [t]", ALLOW },
	{ "INSERT", "INSERT INTO t VALUES (1)", REJECT,
	    "sql-foreign-statement" },
	{ "EXPLAIN ANALYZE", "EXPLAIN ANALYZE DELETE FROM t", REJECT,
	    "sql-foreign-statement" },
	{ "escape for JDBC", "{call f()}", REJECT, "sql-foreign-statement" },
	{ "parenthesis and a hole", "SELECT (" H, REJECT, "sql-lexical" },
	{ "path", "SELECT * FROM parquet.`/d`, read_files('/d')", ALLOW },
	{ "writing WITH",
	    "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", REJECT,
	    "sql-cte-body" },
	{ "verb without separator", "SELECT 1 DELETE FROM t", REJECT,
	    "sql-foreign-write" },
	{ "EXEC without separator", "SELECT 1 EXEC('x')", REJECT,
	    "sql-foreign-write" },
	{ "second statement", "SELECT 1; COMMIT; DROP TABLE t", REJECT,
	    "sql-foreign-statement" },
	{ "INTO a table", "SELECT * INTO u FROM t", REJECT,
	    "sql-foreign-into" },
	{ "INTO a file", "SELECT a FROM t INTO OUTFILE '/x'", REJECT,
	    "sql-foreign-into" },
	{ "row locks", "SELECT * FROM t FOR UPDATE", REJECT,
	    "sql-foreign-lock" },
	{ "row locks of readers", "SELECT * FROM t FOR SHARE", REJECT,
	    "sql-foreign-lock" },
	{ "FOR and a parenthesis", "SELECT substring(a FOR (2)) FROM t",
	    ALLOW },
	{ "NOT MATERIALIZED",
	    "WITH c AS NOT MATERIALIZED (SELECT 1) SELECT * FROM c", ALLOW },
	{ "comment that MySQL runs", "SELECT 1 /*!50000 , 2 */", REJECT,
	    "sql-foreign-comment" },
	{ "nested comment", "SELECT 1 /* /* */ */", REJECT,
	    "sql-foreign-lexical" },
	{ "backslash before a quote", "SELECT 'a\\', 'b'", REJECT,
	    "sql-foreign-lexical" },
	{ "even backslashes", "SELECT 'a\\\\' FROM t", ALLOW },
	{ "number sign", "SELECT 1 # x", REJECT, "sql-foreign-lexical" },
	{ "dashes without blank", "SELECT 1--1", REJECT,
	    "sql-foreign-lexical" },
	{ "line comment", "SELECT 1 -- one\n", ALLOW },
	{ "dollar quote", "SELECT $a$ ' $a$", REJECT, "sql-foreign-lexical" },
	{ "quote in brackets", "SELECT [a'b], 'c'", REJECT,
	    "sql-foreign-lexical" },
	{ "Oracle's quotes", "SELECT q'[it's]' FROM dual", REJECT,
	    "sql-foreign-lexical" },
	{ "file of the server", "SELECT pg_read_file('/etc/passwd')", REJECT,
	    "sql-foreign-function" },
	{ "Oracle's package", "SELECT utl_http.request('x') FROM dual", REJECT,
	    "sql-foreign-function" },
	{ "other server", "SELECT * FROM OPENROWSET('x', 'y', 'z')", REJECT,
	    "sql-foreign-function" },
	{ "Hive's reflect", "SELECT reflect('a', 'b')", REJECT,
	    "sql-java-call" },
	{ "unknown query", "(" H ") x", OPEN, "sql-hole-at-head" },
	{ "variable is no variable", "SELECT '${x}'", ALLOW },
};

static void
test_answers(void)
{
	const char *s = "SELECT 1;\n  DELETE FROM t WHERE a = 1 ; VALUES 1";
	struct answer a = ask(s, strlen(s), SA_SQL_STATEMENT);

	ok(a.hits == 1 && a.statements == 3, "each statement is told");
	ok(strcmp(a.first.head, "DELETE FROM") == 0, "the head in capitals");
	ok(memcmp(s + a.first.offset, "DELETE FROM", 11) == 0 &&
		a.first.end - a.first.offset == 11,
	    "the hit covers the head");
	ok(memcmp(s + a.last.offset, "VALUES 1", 8) == 0 &&
		a.last.end == strlen(s) && a.last.verdict == SA_VERDICT_ALLOW,
	    "the statement is covered");
	s = "dr" H "op table";
	a = ask(s, strlen(s), SA_SQL_STATEMENT);
	ok(strcmp(a.first.head, "DR{}OP") == 0, "a hole in a head");
	s = "\xc5\xbf"
	    "et \xc4\xb1";
	a = ask(s, strlen(s), SA_SQL_STATEMENT);
	ok(strcmp(a.first.head, "SET") == 0, "a folded head");
	s = "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
	    "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
	    "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
	    "\xe2\x82\xac\xe2\x82\xac";
	a = ask(s, strlen(s), SA_SQL_STATEMENT);
	ok(strlen(a.first.head) < 48 && strlen(a.first.head) % 3 == 0,
	    "a long head is cut between characters");
	s = "SELECT reflect(1), reflect(2), java_method(3)";
	a = ask(s, strlen(s), SA_SQL_STATEMENT);
	ok(a.hits == 1, "a rule is told once a statement");
	a = ask("a = 1", 5, SA_SQL_EXPRESSION);
	ok(a.statements == 0, "an expression is no statement");
	ok(ask("SELECT 1\0; x", 12, SA_SQL_STATEMENT).verdict ==
		SA_VERDICT_REJECT,
	    "NUL is refused");
	ok(sa_sql_check("SELECT 1", 8, SA_SQL_STATEMENT, NULL, NULL, NULL) ==
		SA_VERDICT_ALLOW,
	    "nobody has to listen");
}

/* Bytes of one shape over and over, which must end, with any verdict. */
static void
test_hostile(void)
{
	static const char *const shapes[] = { "(", ")", "/*", "*/", "'", "\"",
		"`", "--", "\\", ";", "IDENTIFIER(", "WITH a AS (", "(SELECT ",
		"$", "[", "r'", "@v", "1e+5", "x://", H, "a(", "USING ", "/*+ ",
		"BEGIN ", "INSERT OVERWRITE ", "\xc2\xa0",
		"FROM t INSERT INTO ", "DROP TABLE a;", "a.",
		"CREATE TABLE a USING ", "," };
	cleanup_free char *text = sa_xmalloc(SA_SQL_MAX + 1);

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		size_t n = strlen(shapes[i]), len = 0;

		for (; len + n <= SA_SQL_MAX; len += n)
			memcpy(text + len, shapes[i], n);
		for (int mode = 0; mode <= SA_SQL_FOREIGN; mode++)
			sa_sql_check(text, len, (enum sa_sql_mode)mode, NULL,
			    NULL, NULL);
		sa_sql_forbidden_literal(text, len, NULL, NULL);
	}
	ok(1, "hostile shapes of 1 MiB end");
	memset(text, ' ', SA_SQL_MAX + 1);
	memcpy(text, "SELECT 1", 8);
	ok(ask(text, SA_SQL_MAX, SA_SQL_STATEMENT).verdict == SA_VERDICT_ALLOW,
	    "1 MiB is read");
	struct answer a = ask(text, SA_SQL_MAX + 1, SA_SQL_STATEMENT);
	ok(a.verdict == SA_VERDICT_REJECT && a.hits == 1 &&
		strcmp(a.first.rule, "sql-too-large") == 0,
	    "a byte more is not");
}

/* Tables in t/data: the fields of a line, the last one JSON. */
#define FIELDS 4

static FILE *
open_data(const char *name)
{
	const char *dir = getenv("SA_SRCDIR");
	cleanup_free char *path =
	    sa_xasprintf("%s/t/data/%s", dir == NULL ? "." : dir, name);

	return fopen(path, "re");
}

/* The number of fields, 0 at the end, -1 for a broken line; text is the last
 * field, decoded, to be freed. */
static int
next_row(FILE *f, char **line, size_t *cap, char *field[FIELDS], char **text)
{
	do {
		if (getline(line, cap, f) < 0)
			return 0;
	} while ((*line)[0] == '#');
	int n = 0;
	char *s = *line;
	while (n < FIELDS && s != NULL)
		field[n++] = strsep(&s, "\t\n");
	while (n > 0 && field[n - 1][0] == '\0')
		n--;
	if (n == 0)
		return -1;
	json_t *v = json_loads(field[n - 1], JSON_DECODE_ANY, NULL);
	if (!json_is_string(v))
		return -1;
	*text = sa_xstrndup(json_string_value(v), json_string_length(v));
	json_decref(v);
	return n;
}

/* A file whose next to last but want fields name the verdict; how many rows
 * it has, -1 where one of them is not as it should be. */
static int
check_file(const char *name, int verdict_field)
{
	cleanup_file FILE *f = open_data(name);
	cleanup_free char *line = NULL;
	size_t cap = 0;
	char *field[FIELDS];
	int total = 0, bad = 0, n;

	if (f == NULL) {
		printf("# cannot open t/data/%s\n", name);
		return -1;
	}
	for (;;) {
		cleanup_free char *text = NULL;

		n = next_row(f, &line, &cap, field, &text);
		if (n <= 0)
			break;
		total++;
		struct answer a = ask(text, strlen(text), SA_SQL_STATEMENT);
		const char *want = field[verdict_field];
		const char *got = sa_verdict_name(a.verdict);
		/* what Spark runs as anything else is never allowed */
		if (verdict_field == 1 && strcmp(field[0], "query") != 0 &&
		    strcmp(field[0], "insert") != 0)
			want = "reject";
		if (strcmp(got, want) != 0 && bad++ < 20)
			printf("# %s, not %s: %s\n", got, want, text);
	}
	return bad > 0 || n < 0 ? -1 : total;
}

/* False alarms that are accepted, for the reason that note stands for. */
static int
count_alarms(const char *note)
{
	cleanup_file FILE *f = open_data("sql-spark-tests.tsv");
	cleanup_free char *line = NULL;
	size_t cap = 0;
	char *field[FIELDS];
	int alarms = 0;

	for (;;) {
		cleanup_free char *text = NULL;

		if (f == NULL || next_row(f, &line, &cap, field, &text) <= 0)
			return alarms;
		alarms += strcmp(field[2], note) == 0 &&
		    strcmp(field[1], "allow") != 0;
	}
}

static void
test_files(void)
{
	ok(check_file("sql-regressions.tsv", 0) >= 66,
	    "texts that are read wrong elsewhere");
	ok(check_file("sql-statements.tsv", 0) > 150, "each kind of statement");
	ok(check_file("sql-spark-tests.tsv", 1) > 2500,
	    "statements of Spark's own tests");
	is_int(count_alarms("F2"), 2, "known alarms where IDENTIFIER() is");
	is_int(count_alarms("F3"), 4, "known alarms where ${...} is");
}

static bool
forbidden(const char *s)
{
	return sa_sql_forbidden_literal(s, strlen(s), NULL, NULL);
}

static const char *const prose[] = { "Drop table users",
	"Drop duplicates and update the metrics table",
	"Select from the list below", "Set up the environment",
	"Add missing columns", "delete", "drop", "DELETE", "TRUNCATE\\s+TABLE",
	"DROP TABLE users.", "delete from cache", "delete from cache where old",
	"drop database connection", "Create table for the users (a list)",
	"create view of data as select few", "vacuum the floor",
	"Grant access on request to admins", "SET a = 1", "SHOW TABLES",
	"SELECT 1", "INSERT INTO t VALUES (1)", "DROP TABLE ",
	"Update table set", "COMMIT;", "SELECT 1; and so on", "",
	"DROP TABLE 'x", "CREATE TABLE t (" };
static const char *const code[] = { "DROP TABLE t", "drop table t",
	"DROP TABLE IF EXISTS a.b PURGE;", "TRUNCATE TABLE t", "DELETE FROM t",
	"delete from users where id = 1", "UPDATE t SET a = 1",
	"-- x\nDROP VIEW v -- y", "CREATE TABLE t (a INT)",
	"CREATE OR REPLACE VIEW v AS SELECT 1",
	"ALTER TABLE t ADD COLUMN c INT", "SELECT 1; DROP TABLE t",
	"WITH c AS (SELECT 1) DELETE FROM t WHERE a = 1",
	"MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
	"INSERT OVERWRITE DIRECTORY '/d' SELECT 1",
	"LOAD DATA INPATH 'x' INTO TABLE t", "VACUUM t RETAIN 0 HOURS",
	"BEGIN DROP TABLE t; END", "DROP TABLE {name}",
	"DROP TABLE IF EXISTS %s", "DROP TABLE \xff",
	"CALL cat.system.rollback('t', 1)", "Drop View `v`",
	"truncate table %(name)s", "drop view v;",
	"GRANT SELECT ON TABLE t TO u", "EXECUTE IMMEDIATE 'x'" };

static void
test_literals(void)
{
	cleanup_file FILE *f = open_data("sql-literals.tsv");
	cleanup_free char *line = NULL;
	size_t cap = 0;
	char *field[FIELDS];
	int total = 0, bad = 0, n;

	for (size_t i = 0; i < sizeof(prose) / sizeof(*prose); i++)
		if (forbidden(prose[i]) && ++bad > 0)
			printf("# prose: %s\n", prose[i]);
	ok(bad == 0, "prose and what may run is no forbidden statement");
	bad = 0;
	for (size_t i = 0; i < sizeof(code) / sizeof(*code); i++)
		if (!forbidden(code[i]) && ++bad > 0)
			printf("# a statement: %s\n", code[i]);
	ok(bad == 0, "complete statements are found");
	bad = 0;
	for (;;) {
		cleanup_free char *text = NULL;

		n = f == NULL ? -1 : next_row(f, &line, &cap, field, &text);
		if (n <= 0)
			break;
		total++;
		if (forbidden(text) != (strcmp(field[0], "yes") == 0) &&
		    bad++ < 20)
			printf("# not %s: %s\n", field[0], text);
	}
	ok(total > 1000 && bad == 0 && n == 0, "strings of real programs");

	struct answer a = { .hits = 0 };
	const char *s = "SELECT 1; drop table `t` ;";
	sa_sql_forbidden_literal(s, strlen(s), on_hit, &a);
	ok(a.hits == 1 && strcmp(a.first.rule, "sql-literal") == 0 &&
		strcmp(a.first.head, "DROP TABLE") == 0 &&
		memcmp(s + a.first.offset, "drop", 4) == 0 &&
		s[a.first.end - 1] == '`',
	    "the statement is the hit");
}

static void
test_tables(void)
{
	int bad = 0;

	for (int w = 1; w < SA_W_COUNT; w++) {
		const char *name = sa_sql_word_name((enum sa_sql_word)w);

		bad += (int)sa_sql_word(name, strlen(name)) != w;
	}
	ok(bad == 0, "every word is found");
	ok(sa_sql_word("se\xc5\xbf", 4) == SA_W_NONE &&
		sa_sql_word("\xc5\xbf"
			    "elect",
		    7) == SA_W_SELECT &&
		sa_sql_word("abcdefghijklmnopqrst", 20) == SA_W_NONE &&
		sa_sql_word("", 0) == SA_W_NONE,
	    "words fold as Spark's do");
	bad = 0;
	size_t rules = 0;
	for (const struct sa_rule *r = sa_rule_next(NULL); r != NULL;
	     r = sa_rule_next(r), rules++) {
		bad += sa_rule_find(r->id) != r || r->message[0] == '\0' ||
		    r->why[0] == '\0' || r->hint[0] == '\0';
		bad += strspn(r->id, "abcdefghijklmnopqrstuvwxyz-") !=
		    strlen(r->id);
	}
	ok(bad == 0 && rules > 20, "every rule has an id of its own and text");
	ok(sa_rule_find("sql-none") == NULL, "no other rule");
	ok(strcmp(sa_verdict_name(SA_VERDICT_UNRESOLVED), "unresolved") == 0,
	    "verdicts have names");
}

/* Each hit's rule is in the table. */
static void
known_rule(void *arg, const struct sa_sql_hit *hit)
{
	int *unknown = arg;

	*unknown += sa_rule_find(hit->rule) == NULL || hit->offset > hit->end;
}

static void
test_rules(const struct row *row, size_t n, enum sa_sql_mode mode, int *unknown)
{
	for (size_t i = 0; i < n; i++)
		sa_sql_check(row[i].text, strlen(row[i].text), mode, known_rule,
		    NULL, unknown);
}

int
main(void)
{
	int unknown = 0;

	ROWS(bypasses, SA_SQL_STATEMENT);
	ROWS(innocent, SA_SQL_STATEMENT);
	ROWS(holes, SA_SQL_STATEMENT);
	ROWS(expressions, SA_SQL_EXPRESSION);
	ROWS(foreign, SA_SQL_FOREIGN);
	test_rules(bypasses, sizeof(bypasses) / sizeof(*bypasses),
	    SA_SQL_STATEMENT, &unknown);
	test_rules(holes, sizeof(holes) / sizeof(*holes), SA_SQL_STATEMENT,
	    &unknown);
	test_rules(foreign, sizeof(foreign) / sizeof(*foreign), SA_SQL_FOREIGN,
	    &unknown);
	ok(unknown == 0, "every hit has a rule of the table");
	test_answers();
	test_files();
	test_literals();
	test_tables();
	test_hostile();
	return tap_done();
}
