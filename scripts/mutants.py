# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""Statements for scripts/oracle: mutants of those in t/data.

Most mutations keep a statement one that Spark's parser takes, so that the two
verdicts can be compared; a few break it, where one side might not notice.
"""
import json
import os
import random
import re
import typing

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../t/data")
LONGEST = 4000

TOKEN = re.compile(
    r"\s+|/\*.*?\*/|--(?:\\\n|[^\r\n])*|[rR]'[^']*'|[rR]\"[^\"]*\""
    r"|[xX]'[^']*'|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\""
    r"|`(?:[^`]|``)*`|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?\w*|\w+"
    r"|<=>|\|\||\|>|->|=>|::|<=|>=|!=|<>|==|<<|>>>?|@v|\$\{.*?\}|.",
    re.DOTALL,
)


class Statement(typing.NamedTuple):
    kind: str  # query, insert, script, command
    text: str


# What keeps a statement whole: blanks and comments as Spark knows them.
BLANKS = (
    " ", "\t", "\n", "\r", "\r\n", "\f", "\v", "\u00a0", "\u1680", "\u2000",
    "\u2003", "\u200a", "\u2028", "\u202f", "\u205f", "\u3000",
)
COMMENTS = (
    "/**/", "/* ; */", "/* /* */ */", "/* ' */", "/* \" */", "/* ` */",
    "/* ) */", "/* -- */", "/* * / */", "/* \\*/", "/*/**/*/", "/***/",
    "/* SELECT */", "/* r'\\' */", "-- x\n", "--\n", "-- '\n", "-- \"\n",
    "-- `\n", "-- )\n", "-- ;\n", "-- x\r", "-- /*\n", "-- */\n", "-- \\\r\n",
    "-- \\\nDROP TABLE t\n", "-- \\\r", "--\u2028x\n", "--\vx\n", "---\n",
    "-- /* */ */\n",
)
HINTS = (
    "/*+ BROADCAST(t) */", "/*+ REPARTITION(3) */", "/*+ COALESCE(1), x */",
    "/*+ MERGE(`;`), SHUFFLE_HASH(`)`) */", "/*+ MAPJOIN(`*/`) */",
    "/*+ x('--') */", "/*+ x(\"*/\") */", "/*+ /* c */ x */", "/*+ x -- y\n*/",
    "/*+ REBALANCE(a) */ /*+ x */",
)
NAMES = (
    "`)`", "`(`", "`;`", "`--`", "`/*`", "`*/`", "`'`", "`\"`", "`a``b`",
    "`\\`", "`r'`", "`DROP TABLE t`", "` `", "`select`", "`\u00e9t\u00e9`",
    "`$`", "`{}`", "drop", "delete", "replace", "call",
)
STRINGS = (
    "'; DROP TABLE t --'", "'--'", "'/*'", "'*/'", "')'", "'('", "'it''s'",
    "'\\''", "'\\\\'", "'\"'", "'`'", "r'\\'", "R'\\'", "r\"\\\"", "\"'\"",
    "\"\\\"\"", "\"--\"", "\"a\"\"b\"", "'a' 'b'", "'a' \"b\"", "'\\u0027'",
    "'\\047'", "'\\U00000027'", "'\u2019'", "'\n'", "'\\\n'", "''", "''''",
    "'a' r'\\'", "'\\x'", "'\\%'",
)
VALUES = STRINGS + (
    "1", "NULL", "x'41'", "X'4'", "1e+5", "1.e-5", ".5", "5L", "1Y", "2.5BD",
    "DATE'2020-01-01'", "INTERVAL '1' DAY", "current_date", "(1)", "((1))",
    "(SELECT 1)", "(SELECT ')' FROM t)", "(TABLE t)", "(FROM t SELECT a)",
    "(WITH c AS (SELECT 1) SELECT * FROM c)", "CASE WHEN true THEN 1 END",
    "count(*) OVER (PARTITION BY a)", "array(1)[0]", "map('a', 1)['a']",
    "a.b.c", "CAST(a AS INT)", "a::INT", "transform(a, x -> x + 1)",
    "EXTRACT(day FROM d)", "replace('a', 'b', 'c')", "`count`(1)",
    "d.`insert`(1)", "if(a, 1, 2)", "NOT EXISTS (SELECT 1)", "1 IN (2, 3)",
    "- -1", "-(-1)", "a BETWEEN 1 AND 2", "(1, 2)", "named_struct('a', 1)",
    "struct(*)", "IDENTIFIER('a')", "IDENTIFIER('a' || 'b')", ":p", "?",
    "left('a', 1)", "position('a' IN 'b')", "trim(BOTH 'a' FROM 'b')",
)
CODE = (
    "reflect('a.B', 'c')", "`reflect`('a.B', 'c')", "java_method('a.B', 'c')",
    "system.builtin.reflect('a')", "IDENTIFIER('reflect')('a.B', 'c')",
    "try_reflect('a', 'b')", "REFLECT /**/ ('a', 'b')", "r\u0065flect('a')",
    "(SELECT TRANSFORM(a) USING 'cat' FROM t)", "(MAP a USING 'cat')",
    "(FROM t REDUCE a USING 'cat' AS (b))", "IDENTIFIER('a')(1)",
    "(SELECT TRANSFORM(a) USING r'cat' AS (b INT) FROM t)",
    "a.`java_method`(1)", "`system`.`builtin`.`Reflect`('a', 'b')",
)
RELATIONS = (
    "t", "a.b.c", "`)`", "(SELECT 1) x", "(VALUES (1), (2)) AS v (a)",
    "range(5)", "t TABLESAMPLE (10 ROWS)", "t VERSION AS OF 1", "t@v1",
    "t TIMESTAMP AS OF '2020-01-01'", "LATERAL (SELECT 1) x", "(TABLE t) x",
    "(FROM t SELECT a) x", "((SELECT 1)) x", "t JOIN u USING (a)", "t, u",
    "t LEFT ANTI JOIN u ON t.a = u.a", "t CROSS JOIN (SELECT ')') y",
    "t LATERAL VIEW explode(a) x AS y", "IDENTIFIER('t')", "parquet.`/d`",
    "f(TABLE(SELECT 1))", "t PIVOT (sum(a) FOR b IN (1, 2))",
    "t UNPIVOT (a FOR b IN (c, d))", "(WITH c AS (SELECT 1) TABLE c) x",
    "VALUES (1)", "STREAM t",
)
PIPES = (
    "|> WHERE true", "|> SELECT *", "|> LIMIT 1", "|> AS x", "|> DROP a",
    "|> SET a = 1", "|> EXTEND 1 AS b", "|> AGGREGATE count(*) GROUP BY a",
    "|> ORDER BY a", "|> UNION ALL (SELECT 1)", "|> JOIN u USING (a)",
    "|> TABLESAMPLE (1 ROWS)", "|> EXCEPT TABLE u", "| WHERE true",
    "|> PIVOT (sum(a) FOR b IN (1))",
)
# Other forms of a query around a query {0}, with another query {1}.
NESTS = (
    "({0})", "(({0}))", "SELECT * FROM ({0})", "SELECT * FROM ({0}) AS x",
    "SELECT ({0})", "SELECT a, ({0}) AS b FROM t ORDER BY 1",
    "SELECT * FROM t WHERE a IN ({0})", "SELECT * FROM t WHERE EXISTS ({0})",
    "({0}) UNION ALL (SELECT 1)", "({0}) EXCEPT ({1})", "({0}) MINUS TABLE t",
    "SELECT 1 UNION ({0})", "SELECT * FROM t, LATERAL ({0}) x",
    "FROM ({0}) x SELECT *", "FROM ({0}) x", "(({0}) INTERSECT ({1})) LIMIT 1",
    "SELECT CASE WHEN ({0}) THEN 1 END", "SELECT f(({0}), ')')",
    "SELECT * FROM ({0}) x JOIN ({1}) y ON true", "SELECT array(({0}))",
    "SELECT * FROM t QUALIFY row_number() OVER (ORDER BY a) IN ({0})",
    "VALUES (({0}))", "SELECT transform(a, x -> ({0}))", "(((((({0}))))))",
    "SELECT * FROM f(TABLE({0}))", "SELECT a FROM t HAVING ({0}) > 1",
)
# A WITH list before a statement {0} that may follow one.
LISTS = (
    "WITH c AS (SELECT 1) {0}", "WITH c AS ({1}) {0}", "WITH c ({1}) {0}",
    "WITH RECURSIVE c AS (SELECT 1) {0}", "WITH c AS (({1})) {0}",
    "WITH RECURSIVE c (a) MAX RECURSION LEVEL 5 AS ({1}) {0}",
    "WITH c (a, b) AS (SELECT 1, 2), d AS ({1}) {0}",
    "WITH `)` AS (SELECT ')') {0}", "WITH c AS (SELECT ') ' FROM t) {0}",
    "WITH c AS (SELECT /* ) */ 1) {0}", "WITH c AS (SELECT 1) -- )\n{0}",
    "WITH c AS (SELECT 1 -- \\\n )\n) {0}", "WITH c AS (SELECT r'\\') {0}",
    "WITH c AS (SELECT '\\'') {0}", "WITH c AS (FROM t |> DROP a) {0}",
    "WITH c AS (SELECT ''')''') {0}", "WITH c AS (SELECT \"\\\")\") {0}",
    "WITH c AS (SELECT /*+ x(`)`) */ 1) {0}", "WITH select AS ({1}) {0}",
    "WITH c AS (SELECT /* /* ) */ */ 1), `d` (`,`) AS ({1}) {0}",
    "WITH c AS (WITH d AS ({1}) SELECT * FROM d) {0}",
    "WITH c AS (SELECT 1) /* SELECT */ {0}", "WITH drop AS ({1}) {0}",
    "WITH c AS (VALUES (')')) {0}", "WITH c AS (SELECT x'29') {0}",
    "WITH c AS (SELECT 1 AS select) {0}", "WITH c AS (SELECT '''') {0}",
    "WITH c AS (SELECT 1e+5 r) {0}", "WITH c AS (SELECT a::INT, b[0]) {0}",
)
CODE_LISTS = (
    "WITH c AS (SELECT TRANSFORM(a) USING 'cat' FROM t) {0}",
    "WITH c AS (SELECT reflect('a', 'b')) {0}",
    "WITH c AS (FROM t MAP a USING 'x') {0}",
)
INSERTS = (
    "INSERT INTO t {0}", "INSERT INTO TABLE a.b {0}", "INSERT INTO t ({0})",
    "INSERT OVERWRITE t {0}", "INSERT OVERWRITE TABLE t {0}",
    "INSERT INTO t BY NAME {0}", "INSERT INTO t (a, b) {0}",
    "INSERT INTO t PARTITION (d = ')') {0}", "INSERT INTO directory {0}",
    "INSERT INTO t REPLACE WHERE a = 1 {0}", "INSERT OVERWRITE directory {0}",
    "INSERT OVERWRITE t PARTITION (e = 1) IF NOT EXISTS {0}",
    "INSERT WITH SCHEMA EVOLUTION INTO t {0}", "INSERT INTO `)` {0}",
    "INSERT INTO IDENTIFIER('t') {0}", "FROM ({0}) x INSERT INTO t SELECT *",
    "FROM ({0}) x INSERT INTO t SELECT a INSERT OVERWRITE u SELECT b",
    "FROM ({0}) x INSERT INTO t SELECT a WHERE b INSERT INTO u SELECT ')'",
)
COMMANDS = (
    "EXPLAIN {0}", "EXPLAIN EXTENDED {0}", "CACHE TABLE x AS {0}",
    "CREATE VIEW v AS {0}", "CREATE TABLE x AS {0}", "DESCRIBE QUERY {0}",
    "CREATE OR REPLACE TEMP VIEW v AS {0}", "SET VAR x = ({0})",
    "DELETE FROM t WHERE a IN ({0})", "UPDATE t SET a = ({0})",
    "INSERT OVERWRITE DIRECTORY '/d' USING json {0}",
    "INSERT OVERWRITE LOCAL DIRECTORY '/d' {0}", "DECLARE x INT = ({0})",
    "FROM ({0}) x INSERT OVERWRITE DIRECTORY '/d' SELECT *",
    "FROM ({0}) x INSERT INTO t SELECT 1 INSERT OVERWRITE DIRECTORY '/d' "
    "SELECT 2", "MERGE INTO t USING ({0}) s ON a = b WHEN MATCHED THEN DELETE",
    "CREATE FUNCTION f() RETURN ({0})", "REPLACE TABLE t AS {0}",
    "MERGE INTO t USING (SELECT ')') s ON EXISTS ({0}) WHEN MATCHED THEN "
    "UPDATE SET *", "COMMENT ON TABLE t IS ')'", "SET a = {0}",
)
SCRIPTS = (
    "BEGIN {0}; END", "BEGIN {0}; {1}; END", "BEGIN NOT ATOMIC {0}; END",
    "BEGIN IF 1 = 1 THEN {0}; ELSE {1}; END IF; END", "BEGIN END",
    "BEGIN DECLARE x INT; {0}; END", "x: BEGIN {0}; END x",
    "BEGIN WHILE 1 = 0 DO {0}; END WHILE; END", "BEGIN BEGIN {0}; END; END",
    "BEGIN LOOP {0}; END LOOP; END", "BEGIN REPEAT {0}; UNTIL 1 = 1 "
    "END REPEAT; END", "BEGIN CASE 1 WHEN 1 THEN {0}; ELSE {1}; END CASE; END",
    "BEGIN FOR r AS SELECT 1 DO {0}; END FOR; END",
    "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN {0}; END; {1}; END",
)
HEADS = (
    Statement("query", "SELECT 1"), Statement("query", "TABLE t"),
    Statement("query", "VALUES (1)"), Statement("query", "FROM t"),
    Statement("query", "FROM t SELECT a"),
    Statement("insert", "INSERT INTO t SELECT 1"),
    Statement("insert", "INSERT INTO t VALUES (1)"),
    Statement("insert", "INSERT OVERWRITE t SELECT 1"),
    Statement("insert", "INSERT INTO t REPLACE WHERE a SELECT 1"),
    Statement("insert", "INSERT INTO IDENTIFIER('t') SELECT 1"),
    Statement("command", "INSERT OVERWRITE DIRECTORY '/d' SELECT 1"),
    Statement("command", "DROP TABLE t"),
    Statement("write", "DELETE FROM t"), Statement("write",
                                                   "DELETE FROM t WHERE a"),
    Statement("write", "UPDATE t SET a = 1"),
    Statement("write", "MERGE INTO t USING u ON a = b WHEN MATCHED THEN "
                       "DELETE"),
    Statement("command", "TRUNCATE TABLE t"), Statement("command", "SET a=1"),
    Statement("command", "CREATE TABLE t (a INT)"),
    Statement("command", "CREATE VIEW v AS SELECT 1"),
    Statement("command", "SHOW TABLES"), Statement("command", "USE d"),
    Statement("command", "EXECUTE IMMEDIATE 'DROP TABLE t'"),
    Statement("command", "CALL a.b(1)"), Statement("command", "RESET"),
    Statement("command", "DECLARE VARIABLE x INT"),
    Statement("query", "SELECT TRANSFORM(a) USING 'cat' FROM t"),
    Statement("query", "SELECT * FROM f(TABLE(t))"),
    Statement("query", "MAP a USING 'cat' FROM t"),
    Statement("query", "FROM t REDUCE a USING 'cat'"),
) + tuple(Statement("query", "SELECT " + c) for c in CODE)

# What may break a statement, or hide text of it from one reader only.
OPEN = (
    "/*", "*/", "--", "'", '"', "`", "'\\", "/* /* */", "/*/*/", "/*+", "# x\n",
    "// x\n", "\u200b", "\ufeff", "\u0085", "\u180e", "\x1c", "\u2029", "$$a$$",
    "\\", "(", ")", ";", "r'", "x://a--", "/*+ x://a-- */", " :x://b", "${x}",
    "${env:HOME}", "1e+5r'\\'", "t@vr'\\'", "@v1", "nr'\\'", "1r'\\'", "u&'a'",
    "N'a'", " USING 'cat'", " TRANSFORM(a) USING 'x'", " IDENTIFIER('x')('a')",
    " reflect('a', 'b')", "\"reflect\"('a')", " AS IDENTIFIER('x')(c) ", "::",
)
WORDS = (
    "SELECT FROM WHERE WITH AS INSERT INTO OVERWRITE TABLE VALUES UNION ALL "
    "EXCEPT DELETE UPDATE MERGE DROP CREATE VIEW ALTER SET RESET TRUNCATE "
    "EXPLAIN DESCRIBE SHOW USE CACHE REFRESH CALL BEGIN END IF THEN USING "
    "TRANSFORM MAP REDUCE LATERAL EXECUTE IMMEDIATE IDENTIFIER RECURSIVE "
    "DIRECTORY LOCAL BY NAME REPLACE ON PARTITION x t 1 'a' ( ) , ; . * = "
    "|> | @ : ? { } [ ] -> => :: ! - + \\ ` ' \""
).split()

KEYWORDS = frozenset(WORDS) | {
    "DISTINCT", "ELSE", "EXISTS", "FUNCTION", "GROUP", "HAVING", "INTERSECT",
    "IS", "JOIN", "LIKE", "LIMIT", "LIST", "MATCHED", "MINUS", "STREAM",
    "TABLES", "WHEN", "DESC", "USING", "IN",
}


class Mutants:
    """Gives statements, the same ones for the same seed of random numbers."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.seeds = self.statements()
        self.queries = [s for s in self.seeds if s.kind == "query"]
        self.kept = self.weighted((
            (self.comment, 5), (self.blank, 3), (self.case, 2),
            (self.letters, 2), (self.name, 3), (self.string, 3),
            (self.value, 4), (self.code, 1), (self.relation, 3),
            (self.hint, 2), (self.nest, 4), (self.pipe, 2), (self.list, 4),
            (self.insert, 2), (self.command, 1), (self.script, 2),
            (self.tail, 1),
        ))
        self.broken = (self.open, self.open, self.splice, self.branch,
                       self.shake, self.shake, self.requote, self.word)

    @staticmethod
    def weighted(mutations):
        return [m for m, weight in mutations for _ in range(weight)]

    def statements(self):
        found = list(HEADS) * 4
        kinds = {"allow": "query", "reject": "command", "warn": "insert"}
        for name in ("sql-spark-tests", "sql-statements", "sql-regressions"):
            path = os.path.join(DATA, name + ".tsv")
            with open(path, encoding="utf-8") as f:
                for line in f:
                    if line.startswith("#") or not line.strip():
                        continue
                    row = line.rstrip("\n").split("\t")
                    text = json.loads(row[-1])
                    kind = kinds.get(row[0], row[0])
                    if re.match(r"\s*(delete|update|merge)\b", text, re.I):
                        kind = "write"
                    elif re.match(r"\s*insert\b", text, re.I) and \
                            kind == "query":
                        kind = "insert"
                    found.append(Statement(kind, text))
        return [s for s in found if len(s.text) < LONGEST // 4]

    def spot(self, parts):
        return self.rng.randrange(len(parts) + 1)

    def put(self, text, what):
        parts = TOKEN.findall(text)
        parts.insert(self.spot(parts), what)
        return "".join(parts)

    def fill(self, form, *texts):
        """form with each {n} replaced by text n without its last ';'."""
        whole = [re.sub(r"[;\s]+\Z", "", t) for t in texts]
        whole = [t + "\n" if "--" in t else t for t in whole]
        return re.sub(r"\{([01])\}", lambda m: whole[int(m[1])], form)

    def replace(self, text, which, new):
        """One of the tokens that which() is true for becomes new(it)."""
        parts = TOKEN.findall(text)
        found = [i for i, p in enumerate(parts) if which(p)]
        if found:
            i = self.rng.choice(found)
            parts[i] = new(parts[i])
        return "".join(parts)

    def any_query(self):
        return self.rng.choice(self.queries).text

    # What keeps it a statement.

    def comment(self, s):
        what = self.rng.choice(COMMENTS)
        if self.rng.random() < 0.3:
            what = " " + what + " "
        return s._replace(text=self.put(s.text, what))

    def blank(self, s):
        parts = TOKEN.findall(s.text)
        for i, part in enumerate(parts):
            if part.isspace() and self.rng.random() < 0.4 and \
                    (i == 0 or not parts[i - 1].startswith("--")):
                parts[i] = self.rng.choice(BLANKS)
        if self.rng.random() < 0.3:
            parts.insert(self.spot(parts), self.rng.choice(BLANKS))
        return s._replace(text="".join(parts))

    def words(self, text, change):
        return "".join(change(p) if re.match(r"[^\W\d]", p) and
                       not p.endswith(("'", '"')) else p
                       for p in TOKEN.findall(text))

    def case(self, s):
        return s._replace(text=self.words(
            s.text, lambda p: "".join(self.rng.choice((c.upper(), c.lower()))
                                      if c.isascii() else c for c in p)))

    def letters(self, s):
        """Keywords in letters that only Spark takes for the usual ones."""
        old, new = self.rng.choice((("S", "\u017f"), ("I", "\u0131")))
        return s._replace(text=self.words(
            s.text, lambda p: p.upper().replace(old, new)
            if p.upper() in KEYWORDS and self.rng.random() < 0.5 else p))

    def name(self, s):
        """Names behind FROM, JOIN, AS and INTO, with others in their place."""
        parts = TOKEN.findall(s.text)
        found = [
            i for i in range(2, len(parts))
            if parts[i - 2].upper() in ("FROM", "JOIN", "AS", "INTO", "TABLE")
            and parts[i - 1].isspace() and re.fullmatch(r"[a-z]\w*", parts[i])
            and parts[i].upper() not in KEYWORDS
            and parts[i + 1:i + 2] not in (["("], [")"])
        ]
        if found:
            i = self.rng.choice(found)
            parts[i] = self.rng.choice(NAMES + ("`%s`" % parts[i],))
        return s._replace(text="".join(parts))

    def string(self, s):
        return s._replace(text=self.replace(
            s.text, lambda p: p[0] in "'\"" and len(p) > 1, self.new_string))

    def new_string(self, old):
        body = old[1:-1]
        if "'" in body or '"' in body or "\\" in body or \
                self.rng.random() < 0.5:
            return self.rng.choice(STRINGS)
        i = self.rng.randrange(len(body) + 1)
        forms = ["r'%s'" % body, '"%s"' % body, "R\"%s\"" % body,
                 "'%s' '%s'" % (body[:i], body[i:]),
                 "'%s\"%s'" % (body[:i], body[i:]),
                 "'%s;%s'" % (body[:i], body[i:])]
        if i < len(body) and body[i] < "\u0100":
            forms += ["'%s%s%s'" % (body[:i], form % ord(body[i]), body[i + 1:])
                      for form in ("\\u%04x", "\\U%08x", "\\%03o")]
        return self.rng.choice(forms)

    def put_value(self, s, values):
        """A constant or a selected * becomes another expression."""
        parts = TOKEN.findall(s.text)
        found = [
            i for i in range(len(parts))
            if re.fullmatch(r"\d+|'[^']*'|NULL|true", parts[i]) and
            "".join(parts[max(0, i - 2):i]).rstrip()[-1:] in ("(", ",", "=")
            or parts[i] in "1*" and
            "".join(parts[max(0, i - 2):i]).strip().upper() == "SELECT"
        ]
        if not found:
            return s
        i = self.rng.choice(found)
        parts[i] = self.rng.choice(values)
        return s._replace(text="".join(parts))

    def value(self, s):
        return self.put_value(s, VALUES)

    def code(self, s):
        return self.put_value(s, CODE)

    def relation(self, s):
        parts = TOKEN.findall(s.text)
        found = [
            i for i in range(2, len(parts))
            if parts[i - 2].upper() in ("FROM", "JOIN") and
            re.fullmatch(r"\w+", parts[i]) and parts[i - 1].isspace() and
            parts[i].upper() not in KEYWORDS and
            "".join(parts[i + 1:i + 3]).strip()[:1] not in (".", "(")
        ]
        if found:
            i = self.rng.choice(found)
            parts[i] = self.rng.choice(RELATIONS)
        return s._replace(text="".join(parts))

    def hint(self, s):
        return s._replace(text=self.replace(
            s.text, lambda p: p.upper() == "SELECT",
            lambda p: p + self.rng.choice((" ", "", "\n")) +
            self.rng.choice(HINTS)))

    def nest(self, s):
        if s.kind != "query":
            return s
        return s._replace(text=self.fill(self.rng.choice(NESTS), s.text,
                                         self.any_query()))

    def pipe(self, s):
        if s.kind != "query":
            return s
        return s._replace(text=self.fill(
            self.rng.choice(("{0} ", "({0}) ", "FROM ({0}) x ")), s.text) +
            self.rng.choice(PIPES))

    def list(self, s):
        if s.kind not in ("query", "insert", "write"):
            return s
        form = self.rng.choice(LISTS if self.rng.random() < 0.9 else CODE_LISTS)
        return s._replace(text=self.fill(form, s.text, self.any_query()))

    def insert(self, s):
        if s.kind != "query":
            return s
        return Statement("insert", self.fill(self.rng.choice(INSERTS), s.text))

    def command(self, s):
        if s.kind != "query":
            return s
        form = self.rng.choice(COMMANDS)
        kind = "write" if re.match("DELETE|UPDATE|MERGE", form) else "command"
        return Statement(kind, self.fill(form, s.text))

    def script(self, s):
        return Statement("script", self.fill(
            self.rng.choice(SCRIPTS), s.text, self.rng.choice(self.seeds).text))

    def tail(self, s):
        return s._replace(text=self.fill("{0}", s.text) + self.rng.choice(
            (";", ";;", " ; ", "; -- x", ";/* */", ";\n-- ';\n", "\n--")))

    # What may not.

    def open(self, s):
        return self.put(s.text, self.rng.choice(OPEN))

    def word(self, s):
        return self.put(s.text, " %s " % self.rng.choice(WORDS))

    def splice(self, s):
        a = TOKEN.findall(s.text)
        b = TOKEN.findall(self.rng.choice(self.seeds).text)
        return "".join(a[:self.spot(a)] + [self.rng.choice(("", " "))] +
                       b[self.spot(b):])

    def branch(self, s):
        return self.fill(self.rng.choice((
            "FROM t {0} {1}", "FROM (SELECT 1) x {0} {1}", "{0} UNION {1}",
            "{0} {1}", "FROM t INSERT INTO u SELECT a {0} {1}", "{0} |> {1}",
            "FROM {0} {1}", "{0}; {1}", "WITH c AS ({0}) {1}", "({0}); {1}",
            "WITH c AS (SELECT 1) ({0}) {1}", "SELECT * FROM ({0}) x",
        )), s.text, self.rng.choice(self.seeds).text)

    def shake(self, s):
        parts = TOKEN.findall(s.text)
        i, k = self.rng.randrange(len(parts)), self.rng.randrange(len(parts))
        how = self.rng.randrange(3)
        if how == 0:
            del parts[i]
        elif how == 1:
            parts.insert(i, parts[k])
        else:
            parts[i], parts[k] = parts[k], parts[i]
        return "".join(parts)

    def requote(self, s):
        mark = self.rng.choice("`\"'")
        return self.replace(s.text, lambda p: re.match(r"\w|['\"`]", p),
                            lambda p: mark + p.strip("'\"`") + mark)

    def one(self):
        s = self.rng.choice(self.seeds)
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3, 4))):
            s = self.rng.choice(self.kept)(s)
        if self.rng.random() < 0.15:
            return self.rng.choice(self.broken)(s)
        return s.text

    def take(self, count):
        """count different texts that are neither empty nor too long."""
        made = {}
        while len(made) < count:
            text = self.one().replace("\0", "")
            if text.strip() and len(text) < LONGEST:
                made[text] = None
        return list(made)
