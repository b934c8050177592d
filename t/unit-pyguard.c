/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/guard.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "guard/rules.h"
#include "guard/sinks.h"
#include "tap.h"

#define A SA_VERDICT_ALLOW
#define W SA_VERDICT_WARN
#define U SA_VERDICT_UNRESOLVED
#define R SA_VERDICT_REJECT

/* A source, its verdict, and the rule of its first finding. */
struct row {
	const char *name, *source;
	enum sa_verdict verdict;
	const char *rule;
};

/* What gets past guards that match words. */
static const struct row bypasses[] = {
	{ "B1 backslash carries a comment on",
	    "spark.sql('-- note \\\\\\nSELECT 1\\nDROP TABLE t')", R,
	    "sql-statement" },
	{ "B2 nested comment",
	    "spark.sql('/* /* */ SELECT 1 -- */\\nDROP TABLE t')", R,
	    "sql-statement" },
	{ "B3 CR ends a comment", "spark.sql('-- x\\rDROP TABLE t')", R,
	    "sql-statement" },
	{ "B4 comment before the verb", "spark.sql('/* hi */ DELETE FROM t')",
	    R, "sql-statement" },
	{ "B5 DELETE behind WITH",
	    "spark.sql('WITH c AS (SELECT 1) DELETE FROM t')", R,
	    "sql-statement" },
	{ "B6 raw string of SQL",
	    "spark.sql(\"WITH c AS (SELECT r'\\\\' AS x) DELETE FROM t "
	    "WHERE ''=')'\")",
	    R, NULL },
	{ "B7 parenthesis in backquotes",
	    "spark.sql('WITH `)` AS (SELECT 1) MERGE INTO t USING u ON a')", R,
	    "sql-statement" },
	{ "B8 script",
	    "spark.sql('BEGIN IF 1=1 THEN TRUNCATE TABLE t; END IF; END')", R,
	    "sql-script" },
	{ "B9 EXECUTE IMMEDIATE",
	    "spark.sql(\"EXECUTE IMMEDIATE 'DR' || 'OP TABLE t'\")", R,
	    "sql-dynamic" },
	{ "B10 letters that fold",
	    "spark.sql('\xc5\xbf"
	    "ET spark.x=y')",
	    R, "sql-statement" },
	{ "B10 dotless i",
	    "spark.sql('EXECUTE \\u0131MMED\\u0131ATE \"DROP TABLE t\"')", R,
	    "sql-dynamic" },
	{ "B11 blanks of other scripts",
	    "spark.sql('DROP\\u00a0TABLE t'); "
	    "spark.sql('\\u2028DROP TABLE t')",
	    R, "sql-statement" },
	{ "B11 line separator", "spark.sql('\\u2028DROP TABLE t')", R,
	    "sql-statement" },
	{ "B12 variable",
	    "spark.conf.set('a.b', 'DROP TABLE t'); spark.sql('${a.b}')", R,
	    NULL },
	{ "B12 variable of the environment", "spark.sql('${env:CMD}')", U,
	    "sql-variable" },
	{ "B13 TRANSFORM",
	    "spark.sql(\"SELECT TRANSFORM(a) USING 'rm -r /x' FROM t\")", R,
	    "sql-transform-using" },
	{ "B13 MAP", "spark.sql(\"MAP a USING 'rm' FROM t\")", R,
	    "sql-transform-using" },
	{ "B13 REDUCE", "spark.sql(\"FROM t REDUCE a USING 'rm'\")", R,
	    "sql-transform-using" },
	{ "B14 reflect",
	    "spark.sql(\"SELECT reflect('java.lang.Runtime', 'x')\")", R,
	    "sql-java-call" },
	{ "B14 reflect in backquotes",
	    "spark.sql(\"SELECT `reflect`('java.lang.Runtime', 'x')\")", R,
	    "sql-java-call" },
	{ "B14 reflect by IDENTIFIER",
	    "spark.sql(\"SELECT IDENTIFIER('ref' || 'lect')('a', 'b')\")", R,
	    "sql-identifier-call" },
	{ "B15 split",
	    "for q in 'SELECT 1; DROP TABLE t'.split(';'):\n spark.sql(q)", R,
	    "sql-statement" },
	{ "B15 split of a name",
	    "t = '''SELECT 1;\nDROP TABLE t'''\n"
	    "for q in t.split(';'):\n if q.strip():\n  spark.sql(q.strip())",
	    R, "sql-statement" },
	{ "B16 two statements", "spark.sql('DROP TABLE t; SELECT 1')", R,
	    "sql-statement" },
	{ "B17 INSERT OVERWRITE",
	    "spark.sql('INSERT OVERWRITE TABLE t SELECT * FROM t')", W,
	    "sql-insert-overwrite" },
	{ "B17 INSERT with REPLACE",
	    "spark.sql('INSERT INTO t REPLACE WHERE true SELECT 1')", W,
	    "sql-insert-replace" },
	{ "B18 INSERT OVERWRITE DIRECTORY",
	    "spark.sql(\"INSERT OVERWRITE DIRECTORY '/w' USING parquet "
	    "SELECT 1\")",
	    R, "sql-insert-directory" },
	{ "B19 CALL", "spark.sql('CALL cat.system.expire_snapshots(1)')", R,
	    "sql-dynamic" },
	{ "B19 VACUUM", "spark.sql('VACUUM t RETAIN 0 HOURS')", R,
	    "sql-statement" },
	{ "B19 RESTORE", "spark.sql('RESTORE TABLE t TO VERSION AS OF 1')", R,
	    "sql-statement" },
	{ "B20 adjacent literals", "spark.sql('DR' \"OP TABLE t\")", R,
	    "sql-statement" },
	{ "B20 hexadecimal", "spark.sql('\\x44ROP TABLE t')", R,
	    "sql-statement" },
	{ "B20 octal", "spark.sql('\\104ROP TABLE t')", R, "sql-statement" },
	{ "B20 named letter",
	    "spark.sql('\\N{LATIN CAPITAL LETTER D}ROP TABLE t')", R,
	    "sql-statement" },
	{ "B20 named letter of another script",
	    "spark.sql('\\N{FULLWIDTH LATIN SMALL LETTER D}ROP TABLE t')", U,
	    "sql-hole-at-head" },
	{ "B20 reversed", "spark.sql('t ELBAT PORD'[::-1])", R,
	    "sql-statement" },
	{ "B20 percent", "spark.sql('%s TABLE t' % 'DROP')", R,
	    "sql-statement" },
	{ "B20 field of a constant", "spark.sql(f\"{'DROP'} TABLE t\")", R,
	    "sql-statement" },
	{ "B20 join", "spark.sql(''.join(['DR', 'OP TABLE t']))", R,
	    "sql-statement" },
	{ "B20 base64",
	    "import base64\n"
	    "spark.sql(base64.b64decode(b'RFJPUCBUQUJMRSB0').decode())",
	    R, "sql-statement" },
	{ "B20 base64 with padding",
	    "from base64 import b64decode as d\n"
	    "spark.sql(d('RFJPUCBUQUJMRSB0YQ==').decode('utf-8'))",
	    R, "sql-statement" },
	{ "base64 of a query",
	    "import base64\n"
	    "spark.sql(base64.b64decode('U0VMRUNUIDE=').decode())",
	    A, NULL },
	{ "base64 that Python reads in another way",
	    "import base64\n"
	    "spark.sql(base64.b64decode('U0VM\\nRUNUIDE=').decode())",
	    U, "python-unresolved" },
	{ "base64 of other letters",
	    "import base64\n"
	    "spark.sql(base64.b64decode('w6k=').decode())",
	    U, NULL },
	{ "B21 appended", "q = 'DROP '; q += 'TABLE t'; spark.sql(q)", R,
	    "sql-statement" },
	{ "B21 list",
	    "L = ['SELECT 1', 'DROP TABLE t']\n"
	    "for s in L: spark.sql(s)",
	    R, "sql-statement" },
	{ "B21 default of a parameter",
	    "def f(q='DROP TABLE t'): spark.sql(q)\nf()", R, "sql-statement" },
	{ "B21 dict", "D = {'a': 'DROP TABLE t'}\nspark.sql(D['a'])", R,
	    "sql-statement" },
	{ "B22 getattr", "getattr(spark, 's' + 'ql')('DROP TABLE t')", R,
	    "sql-statement" },
	{ "B22 alias", "s = spark.sql\ns('DROP TABLE t')", R, "sql-statement" },
	{ "B22 map", "list(map(spark.sql, ['DROP TABLE t']))", R,
	    "sql-statement" },
	{ "B22 through the type", "type(spark).sql(spark, 'DROP TABLE t')", R,
	    "sql-statement" },
	{ "B22 through the class",
	    "from pyspark.sql import SparkSession\n"
	    "SparkSession.sql(spark, 'DROP TABLE t')",
	    R, "sql-statement" },
	{ "B22 methodcaller",
	    "import operator\noperator.methodcaller('sql', q)(spark)", W,
	    "python-reflection" },
	{ "B22 handed to somebody unknown", "helper(spark.sql)", U,
	    "python-alias" },
	{ "B23 the JVM", "spark._jvm.java.lang.Runtime.getRuntime()", W,
	    "python-jvm" },
	{ "B23 the JVM's session", "spark._jsparkSession.sql('DROP TABLE t')",
	    R, NULL },
	{ "B24 full-width letters", "\xef\xbd\x93park.sql('DROP TABLE t')", R,
	    "python-identifier" },
	{ "B25 utf-7", "# coding: utf-7\nx = 1\n", R, "python-encoding" },
	{ "B25 unicode_escape",
	    "# coding: unicode_escape\n"
	    "x = 1 #\\nspark.sql('DROP TABLE t')",
	    R, "python-encoding" },
	{ "B25 CR ends a comment of Python",
	    "x = 1 #\rspark.sql('DROP TABLE t')", R, "sql-statement" },
	{ "B25 GBK", "# -*- coding: gbk -*-\nx = 1\n", R, "python-encoding" },
	{ "B26 sessionInitStatement",
	    "spark.read.format('jdbc').option('sessionInitStatement', "
	    "'DROP TABLE t').load()",
	    R, NULL },
	{ "B26 prepareQuery",
	    "spark.read.option('prepareQuery', 'WITH d AS (DELETE FROM t "
	    "RETURNING *)')",
	    R, NULL },
	{ "B26 preactions", "df.write.option('preactions', 'DROP TABLE t')", R,
	    NULL },
	{ "B27 Delta",
	    "from delta.tables import DeltaTable\n"
	    "DeltaTable.forName(spark, 't').delete()",
	    W, "python-destructive" },
	{ "B27 merge", "df.mergeInto('t', c).whenMatched().delete().merge()", W,
	    "python-destructive" },
	{ "B27 writeTo", "df.writeTo('t').createOrReplace()", W,
	    "python-destructive" },
	{ "B27 pipe", "rdd.pipe('rm -r x')", W, "python-code" },
	{ "B28 formatter", "spark.sql('{x}', x=Evil())", U,
	    "sql-hole-at-head" },
	{ "B29 a statement of no grammar", "spark.sql('LIST @stage')", R,
	    "sql-statement" },
	{ "B29 what only some parser takes for a name",
	    "spark.sql('stage t'); spark.sql('t AS drop')", R,
	    "sql-statement" },
	{ "B30 brackets", "((((((((((", R, "python-syntax" },
	{ "B30 nested comments without end",
	    "spark.sql('SELECT 1 /* /* /* */ */')", R, "sql-lexical" },
	{ "B30 nothing but comments", "spark.sql('/* */ -- ;')", R,
	    "sql-empty" },
	{ "B30 a quote of dollars", "spark.sql('SELECT $$')", R,
	    "sql-lexical" },
};

/* What people write every day. */
static const struct row innocent[] = {
	{ "F1 columns",
	    "spark.sql('SELECT updated_at FROM t WHERE deleted_at IS NULL')", A,
	    NULL },
	{ "F1 columns that begin with verbs",
	    "spark.sql('SELECT updated_at, created_at, set_id FROM drops')", A,
	    NULL },
	{ "F2 verbs in a literal of SQL",
	    "spark.sql(\"SELECT 'drop and attach the item' AS note\")", A,
	    NULL },
	{ "F3 functions",
	    "spark.sql(\"SELECT replace(n,'a','b'), truncate(x,2) FROM t\")", A,
	    NULL },
	{ "F3 a function named insert",
	    "spark.sql(\"SELECT insert(s, 1, 1, 'z') FROM t\")", A, NULL },
	{ "F4 comment", "spark.sql('SELECT 1 -- todo: delete later')", A,
	    NULL },
	{ "F5 CTE named drop",
	    "spark.sql('WITH drop AS (SELECT 1) SELECT * FROM drop')", A,
	    NULL },
	{ "F5 CTE", "spark.sql('WITH roles AS (SELECT 1) SELECT * FROM roles')",
	    A, NULL },
	{ "F6 parentheses", "spark.sql('(SELECT 1) UNION (SELECT 2)')", A,
	    NULL },
	{ "F7 pipes", "spark.sql('FROM t |> DROP a |> SET b = a + 1')", A,
	    NULL },
	{ "F8 other heads",
	    "spark.sql('TABLE t'); spark.sql('VALUES (1)'); "
	    "spark.sql('FROM s INSERT INTO t SELECT a')",
	    A, NULL },
	{ "F8 FROM first", "spark.sql('FROM t SELECT a')", A, NULL },
	{ "F9 semicolon and comment", "spark.sql('SELECT 1; -- end')", A,
	    NULL },
	{ "F10 prose",
	    "'''Create the tables.'''\n"
	    "log.info('Drop duplicates and update the metrics table')\n"
	    "print('Select from the list below', 'Add missing columns')\n"
	    "raise ValueError('Set up the environment')",
	    A, NULL },
	{ "F11 methods of that name",
	    "df.drop('a'); d.update(x); s.replace('a', 'b'); set()\n"
	    "my_list.insert(0, x); obj.delete(); dict(a=1).update(b=2)",
	    A, NULL },
	{ "F12 expressions",
	    "df.filter(\"action = 'DELETE'\")\n"
	    "from pyspark.sql.functions import expr\n"
	    "expr(\"CASE WHEN op='DROP' THEN 1 END\")\n"
	    "df.selectExpr('update as u', f'{c} as d')",
	    A, NULL },
	{ "F13 words",
	    "x = {'op': 'delete'}, ['drop', 'keep'], "
	    "r'TRUNCATE\\s+TABLE'\n"
	    "p.add_argument('--x', help='Truncate the output')",
	    A, NULL },
	{ "F14 holes behind the head",
	    "def f(tbl, d):\n"
	    " return spark.sql(f\"SELECT * FROM {tbl} WHERE dt='{d}'\")\n"
	    "f(sys.argv[1], sys.argv[2])",
	    A, NULL },
	{ "F15 forms",
	    "spark.sql('SELECT * FROM t MINUS SELECT * FROM u')\n"
	    "spark.sql('INSERT INTO t BY NAME SELECT 1 AS a')\n"
	    "spark.sql(r\"SELECT c RLIKE '\\\\d;' FROM t\")",
	    A, NULL },
	{ "F15 a partition that is not there yet",
	    "spark.sql('INSERT OVERWRITE t PARTITION (d = 1) IF NOT EXISTS '\n"
	    "  'SELECT 1')",
	    W, "sql-insert-overwrite" },
	{ "F15 a partition",
	    "spark.sql('INSERT INTO t PARTITION (d) SELECT 1')", A, NULL },
	{ "defaults of type parameters, of 3.13",
	    "class A[T = int, *Ts = *C, **P = [str, int]]: pass\n"
	    "def f[T = A, U = list[T]](x: T) -> U: return x",
	    A, NULL },
	{ "views and append",
	    "df.createOrReplaceTempView('v')\n"
	    "spark.catalog.dropTempView('v')\n"
	    "df.write.mode('append').saveAsTable('t')\n"
	    "df.write.saveAsTable('t'); df.writeTo('t').append()",
	    A, NULL },
	{ "columns that are filtered",
	    "df.filter(F.col('a') > 1).where(df.b == c).agg(F.sum('x'))", A,
	    NULL },
	{ "configuration",
	    "spark = (SparkSession.builder.appName('a')\n"
	    "  .config('spark.sql.shuffle.partitions', '8')\n"
	    "  .config('spark.sql.extensions',\n"
	    "    'io.delta.sql.DeltaSparkSessionExtension').getOrCreate())",
	    A, NULL },
};

/* Ways to what runs a text, code or a deletion. */
static const struct row ways[] = {
	{ "a class's method by its name in vars()",
	    "vars(SparkSession)['sql'](spark, 'DR' + 'OP TABLE t')", R,
	    "sql-statement" },
	{ "a method by its name in __dict__",
	    "SparkSession.__dict__['sql'](spark, 'DR' + 'OP TABLE t')", R,
	    NULL },
	{ "a method that get() finds in vars()",
	    "vars(type(spark)).get('sql')(spark, 'DR' + 'OP TABLE t')", R,
	    "sql-statement" },
	{ "a name that vars() is asked for",
	    "vars(x)[name]('DR' + 'OP TABLE t')", W, "python-reflection" },
	{ "an attribute that is code in vars()", "vars(spark)['_jvm'].x()", W,
	    "python-jvm" },
	{ "a column in vars()", "print(vars(row)['a'], vars(row).get('b'))", A,
	    NULL },
	{ "attributes in vars()",
	    "def f(args):\n"
	    " for k, v in vars(args).items(): print(k, v)",
	    A, NULL },
	{ "a text that is stored in __dict__",
	    "class S:\n"
	    " q = 'SELECT 1'\n"
	    " def __init__(self, q): self.__dict__['q'] = q\n"
	    "spark.sql(S('DR' + 'OP TABLE t').q)",
	    R, NULL },
	{ "a text that __dict__ is updated with",
	    "class S:\n"
	    " q = 'SELECT 1'\n"
	    " def __init__(self, q): self.__dict__.update(q=q)\n"
	    "spark.sql(S('DR' + 'OP TABLE t').q)",
	    R, NULL },
	{ "a text that vars() is updated with",
	    "class S:\n"
	    " q = 'SELECT 1'\n"
	    "s = S()\n"
	    "vars(s).update({'q': 'DR' + 'OP TABLE t'})\n"
	    "spark.sql(s.q)",
	    R, NULL },
	{ "names that vars() is updated with", "vars(s).update(x)", W,
	    "python-reflection" },
	{ "a text that setattr() stores",
	    "class S:\n"
	    " q = 'SELECT 1'\n"
	    "s = S()\n"
	    "setattr(s, 'q', 'DR' + 'OP TABLE t')\n"
	    "spark.sql(s.q)",
	    R, NULL },
	{ "a module in sys.modules",
	    "import sys\n"
	    "sys.modules['os'].system('ls')",
	    W, "python-code" },
	{ "a module that get() finds there",
	    "import sys\n"
	    "sys.modules.get('os').system('ls')",
	    W, "python-code" },
	{ "some module in sys.modules",
	    "import sys\n"
	    "sys.modules[x].y()",
	    W, "python-reflection" },
	{ "the script's own module",
	    "import sys\n"
	    "sys.modules[__name__].y()",
	    A, NULL },
	{ "a module of another one",
	    "import shutil\n"
	    "shutil.os.system('ls')",
	    W, "python-code" },
	{ "a module that another has as its own",
	    "import random\n"
	    "random._os.system('ls')",
	    W, "python-code" },
	{ "a module taken from another",
	    "from logging import os\n"
	    "os.remove('x')",
	    W, "python-destructive" },
	{ "a module two modules away",
	    "import asyncio\n"
	    "asyncio.subprocess.subprocess.run(['ls'])",
	    W, "python-code" },
	{ "a module of the script's package",
	    "from .profile import run\n"
	    "from . import timeit\n"
	    "run(x)\n"
	    "timeit.timeit(x)",
	    A, NULL },
	{ "a module that runs Java, by its path", "import pyspark.java_gateway",
	    W, "python-jvm" },
	{ "overwriting by a negation",
	    "df.write.insertInto('t', overwrite=not False)", W,
	    "python-overwrite" },
	{ "overwriting by a comparison",
	    "df.write.insertInto('t', overwrite=1 == 1)", W,
	    "python-overwrite" },
	{ "not overwriting by a negation",
	    "df.write.insertInto('t', overwrite=not True)", A, NULL },
	{ "a decorator that runs SQL",
	    "@spark.sql\n"
	    "@'DROP TABLE {0.__name__}'.format\n"
	    "class t: pass",
	    R, NULL },
	{ "a decorator that runs what is not known",
	    "@spark.sql\n"
	    "@(lambda c: f(c))\n"
	    "def t(): pass",
	    U, "python-unresolved" },
	{ "a decorator that runs a lambda's text",
	    "@spark.sql\n"
	    "@(lambda c: 'DR' + 'OP TABLE t')\n"
	    "class X: pass",
	    R, "sql-statement" },
	{ "a decorator that runs code",
	    "@exec\n"
	    "@'x()'.format\n"
	    "class X: pass",
	    W, "python-code" },
	{ "a decorator that puts sql() in a name",
	    "def d(f): return spark.sql\n"
	    "@d\n"
	    "def q(): pass\n"
	    "q('DR' + 'OP TABLE t')",
	    U, "python-alias" },
	{ "a decorator of a method that runs SQL",
	    "def d(f):\n"
	    " spark.sql('DR' + 'OP TABLE t')\n"
	    " return f\n"
	    "class A:\n"
	    " @d\n"
	    " def q(self): pass",
	    R, "sql-statement" },
	{ "decorators",
	    "from functools import lru_cache, wraps\n"
	    "def d(f):\n"
	    " @wraps(f)\n"
	    " def w(*a, **k): return f(*a, **k)\n"
	    " return w\n"
	    "@d\n"
	    "@lru_cache(maxsize=None)\n"
	    "def q(): return 'SELECT 1'\n"
	    "class A:\n"
	    " @d\n"
	    " def r(self): pass",
	    A, NULL },
	{ "a class's default that an argument overrides",
	    "from dataclasses import dataclass\n"
	    "@dataclass\n"
	    "class J:\n"
	    " verb: str = 'SELECT'\n"
	    " rest: str = ' 1'\n"
	    " @property\n"
	    " def q(self): return self.verb + self.rest\n"
	    "spark.sql(J('DR', 'OP TABLE t').q)",
	    R, "sql-statement" },
	{ "the second argument of two",
	    "from dataclasses import dataclass\n"
	    "@dataclass\n"
	    "class J:\n"
	    " name: str\n"
	    " q: str = 'SELECT 1'\n"
	    "spark.sql(J('DROP', 'SELECT 2').q)",
	    A, NULL },
	{ "a default that a list of arguments overrides",
	    "from dataclasses import dataclass\n"
	    "@dataclass\n"
	    "class J:\n"
	    " q: str = 'SELECT 1'\n"
	    "spark.sql(J(*a).q)",
	    U, "python-unresolved" },
	{ "a named tuple's default",
	    "class J(NamedTuple):\n"
	    " q: str = 'SELECT 1'\n"
	    "spark.sql(J('DR' + 'OP TABLE t').q)",
	    R, "sql-statement" },
	{ "a default of a class that is derived",
	    "from dataclasses import dataclass\n"
	    "@dataclass\n"
	    "class I:\n"
	    " n: int = 1\n"
	    "@dataclass\n"
	    "class J(I):\n"
	    " q: str = 'SELECT 1'\n"
	    "spark.sql(J(1, 'DR' + 'OP TABLE t').q)",
	    U, "python-unresolved" },
	{ "a constructor of another class",
	    "class I:\n"
	    " def __init__(self, q): self.q = q\n"
	    "class J(I): pass\n"
	    "I('SELECT 1')\n"
	    "spark.sql(J('DR' + 'OP TABLE t').q)",
	    R, "sql-statement" },
	{ "a class variable among the fields",
	    "from dataclasses import dataclass\n"
	    "@dataclass\n"
	    "class J:\n"
	    " n: ClassVar[int] = 1\n"
	    " q: str = 'SELECT 1'\n"
	    "spark.sql(J('DR' + 'OP TABLE t').q)",
	    U, "python-unresolved" },
	{ "a class's attribute that is a method",
	    "class S(SparkSession):\n"
	    " run = SparkSession.sql\n"
	    "S(c).run('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a method that is bound by hand",
	    "SparkSession.sql.__get__(spark)('DR' + 'OP TABLE t')", R,
	    "sql-statement" },
	{ "a pattern that captures a method",
	    "match spark:\n"
	    " case object(sql=run):\n"
	    "  run('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a pattern that captures one of two",
	    "match spark:\n"
	    " case A(sql=None | run) | A(b=run):\n"
	    "  run('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a pattern that captures a method as",
	    "match spark:\n"
	    " case object(sql=object() as run):\n"
	    "  run('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a pattern that captures Java",
	    "match spark:\n"
	    " case object(_jvm=j):\n"
	    "  pass",
	    W, "python-jvm" },
	{ "a method that is matched",
	    "match spark.sql:\n"
	    " case run:\n"
	    "  run('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a method in a list that is matched",
	    "match [1, spark.sql]:\n"
	    " case [_, run]:\n"
	    "  run('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a pattern that captures a text",
	    "match x:\n"
	    " case A(q=q):\n"
	    "  spark.sql(q)",
	    U, "python-unresolved" },
	{ "exec that is handed on", "list(map(exec, ['x()']))", W,
	    "python-code" },
	{ "a statement in code that is handed on",
	    "list(map(exec, ['spark.sql(\"DR\" + \"OP TABLE t\")']))", R,
	    NULL },
	{ "a program that a process runs",
	    "import os\n"
	    "from multiprocessing import Process\n"
	    "Process(target=os.system, args=('ls',)).start()",
	    W, "python-code" },
	{ "a deletion that is handed on",
	    "import os, atexit\n"
	    "atexit.register(os.remove, 'x')",
	    W, "python-destructive" },
	{ "overwriting in part",
	    "from functools import partial\n"
	    "partial(df.write.saveAsTable, mode='overwrite')('t')",
	    W, "python-overwrite" },
	{ "appending in part",
	    "from functools import partial\n"
	    "partial(df.write.saveAsTable, mode='append')('t')",
	    A, NULL },
	{ "overwriting in a thread",
	    "Thread(target=df.write.saveAsTable, args=('t',), kwargs={'mode': "
	    "'overwrite'}).start()",
	    W, "python-overwrite" },
	{ "writing in a thread",
	    "Thread(target=df.write.saveAsTable, args=('t',)).start()", A,
	    NULL },
	{ "modes that are handed on",
	    "list(map(df.write.mode, ['append', 'overwrite']))", W,
	    "python-overwrite" },
	{ "a table that is dropped in a pool",
	    "pool.map(catalog.dropTable, names)", W, "python-destructive" },
	{ "a class that is asked for",
	    "import subprocess\n"
	    "isinstance(x, subprocess.Popen)",
	    A, NULL },
	{ "flags that have a sink's name", "main(args.drop_table, args.unlink)",
	    A, NULL },
	{ "a function in named arguments",
	    "def f(**k): k['run']('DR' + 'OP TABLE t')\n"
	    "f(run=spark.sql)",
	    R, "sql-statement" },
	{ "named arguments",
	    "def f(**k): spark.sql('SELECT * FROM {}'.format(k['t']))\n"
	    "f(t='x')",
	    A, NULL },
	{ "a function that a generator gives",
	    "def g(): yield spark.sql\n"
	    "for r in g(): r('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a function that a generator hands through",
	    "def g(): yield from [spark.sql]\n"
	    "next(g())('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a function that a context gives",
	    "@contextmanager\n"
	    "def c(): yield spark.sql\n"
	    "with c() as run: run('DR' + 'OP TABLE t')",
	    R, NULL },
	{ "a function in a list times two",
	    "fs = [spark.sql] * 2\n"
	    "fs[0]('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a list times two that is changed",
	    "L = ['SELECT 1'] * 2\n"
	    "L[0] = x()\n"
	    "spark.sql(L[0])",
	    U, "python-unresolved" },
	{ "marks for as many values",
	    "spark.sql('SELECT ' + ', '.join(['?'] * 3))", A, NULL },
	{ "a function in a list that is handed on",
	    "deque([spark.sql]).pop()('DR' + 'OP TABLE t')", U,
	    "python-alias" },
	{ "a list that is copied", "list([spark.sql])[0]('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a function that has no room among others",
	    "fs = [x.f0, x.f1, x.f2, x.f3, x.f4, x.f5, x.f6, x.f7, x.f8, x.f9, "
	    "x.f10, x.f11, x.f12, x.f13, x.f14, x.f15, x.f16, x.f17, x.f18, "
	    "x.f19, x.f20, x.f21, x.f22, x.f23, x.f24, x.f25, x.f26, x.f27, "
	    "x.f28, x.f29, x.f30, x.f31, x.f32, x.f33, x.f34, x.f35, x.f36, "
	    "x.f37, x.f38, x.f39, spark.sql]\n"
	    "for f in fs: f('DR' + 'OP TABLE t')",
	    U, "python-work" },
	{ "a function that enters",
	    "class C:\n"
	    " def __enter__(self): return spark.sql\n"
	    "with C() as run: run('DR' + 'OP TABLE t')",
	    U, "python-alias" },
	{ "a function for any attribute",
	    "class P:\n"
	    " def __getattr__(self, n): return spark.sql\n"
	    "P().x('DR' + 'OP TABLE t')",
	    U, "python-alias" },
	{ "a function as an operator",
	    "class R:\n"
	    " __or__ = spark.sql\n"
	    "R() | ('DR' + 'OP TABLE t')",
	    U, "python-alias" },
	{ "an operator of a class",
	    "class R:\n"
	    " def __or__(self, q): spark.sql(q)\n"
	    "r = R()\n"
	    "r.__or__('SELECT 1')\n"
	    "r | ('DR' + 'OP TABLE t')",
	    U, "python-unresolved" },
	{ "a program that unpickling runs",
	    "class E:\n"
	    " def __reduce__(self): return (os.system, ('ls',))\n"
	    "import os",
	    W, "python-code" },
	{ "a function that is handed on by a function",
	    "d = defaultdict(lambda: spark.sql)\n"
	    "d['x']('DR' + 'OP TABLE t')",
	    U, "python-alias" },
	{ "a key that runs statements",
	    "['DR' + 'OP TABLE t'].sort(key=spark.sql)", U, "python-alias" },
	{ "a key of groups",
	    "import itertools\n"
	    "list(itertools.groupby(['DR' + 'OP TABLE t'], spark.sql))",
	    U, "python-alias" },
	{ "a class made of a function",
	    "type('T', (), {'run': spark.sql})().run('DR' + 'OP TABLE t')", U,
	    "python-alias" },
	{ "partial() of partial()",
	    "from functools import partial\n"
	    "partial(partial, spark.sql)('DR' + 'OP TABLE t')()",
	    U, "python-alias" },
	{ "a method in part, and nothing more",
	    "from functools import partial\n"
	    "p = partial(spark.sql)\n"
	    "p('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "an item that is set by its method",
	    "L = ['SELECT 1']\n"
	    "L.__setitem__(0, 'DR' + 'OP TABLE t')\n"
	    "spark.sql(L[0])",
	    R, NULL },
	{ "an append that is handed on",
	    "L = ['SELECT 1']\n"
	    "list(map(L.append, ['DR' + 'OP TABLE t']))\n"
	    "spark.sql(L[1])",
	    U, "python-unresolved" },
	{ "a default of next()",
	    "spark.sql(next(iter([]), 'DR' + 'OP TABLE t'))", R,
	    "sql-statement" },
	{ "the script's own module by its name", "import __main__", W,
	    "python-reflection" },
	{ "a builtin that is replaced",
	    "import builtins\n"
	    "builtins.str = f",
	    W, "python-reflection" },
	{ "a function of a library that is replaced",
	    "import textwrap\n"
	    "textwrap.dedent = f",
	    W, "python-reflection" },
	{ "a hook that runs a program",
	    "import sys, os\n"
	    "sys.displayhook = os.system",
	    W, "python-code" },
	{ "a writer's mode through its class",
	    "from pyspark.sql import DataFrameWriter\n"
	    "DataFrameWriter.mode(w, 'overwrite')",
	    W, "python-overwrite" },
	{ "a writer's mode through type()",
	    "type(df.write).mode(df.write, 'overwrite')", W,
	    "python-overwrite" },
	{ "a condition through a class",
	    "from pyspark.sql import DataFrame\n"
	    "DataFrame.filter(df, \"reflect('a', 'b') = 1\")",
	    R, "sql-java-call" },
	{ "a setting through a class",
	    "from pyspark.sql.conf import RuntimeConfig\n"
	    "RuntimeConfig.set(c, 'spark.sql.scripting.enabled', 'true')",
	    R, "python-conf" },
	{ "a setting in part",
	    "from functools import partial\n"
	    "partial(spark.conf.set, 'spark.sql.scripting.enabled')('true')",
	    R, "python-conf" },
	{ "settings that are handed on",
	    "list(map(spark.conf.set, ['spark.sql.scripting.enabled'], "
	    "['true']))",
	    R, "python-conf" },
	{ "expressions that are handed on",
	    "from pyspark.sql import functions as F\n"
	    "list(map(F.expr, [\"reflect('a', 'b')\"]))",
	    R, "sql-java-call" },
	{ "columns that are handed on",
	    "from pyspark.sql import functions as F\n"
	    "list(map(F.expr, ['a + 1', 'b']))",
	    A, NULL },
	{ "builtins by another name", "__builtins__.exec('x()')", W,
	    "python-code" },
	{ "builtins as a dict", "__builtins__['exec']('x()')", W,
	    "python-code" },
	{ "a method of an object that is handed on",
	    "class J:\n"
	    " def run(self, q='SELECT 1'): spark.sql(q)\n"
	    "j = J()\n"
	    "j.run('SELECT 1')\n"
	    "map(j.run, ['DR' + 'OP TABLE t'])",
	    U, "python-unresolved" },
	{ "a function that entering gives",
	    "def run(q='SELECT 1'): spark.sql(q)\n"
	    "run()\n"
	    "class A:\n"
	    " def __enter__(self): return run\n"
	    "with A() as r: r('DR' + 'OP TABLE t')",
	    U, "python-unresolved" },
	{ "a function that is a method, too",
	    "def run(self, q='SELECT 1'): spark.sql(q)\n"
	    "run(1)\n"
	    "class A:\n"
	    " go = run\n"
	    "A().go('DR' + 'OP TABLE t')",
	    U, "python-unresolved" },
	{ "a function that becomes a method",
	    "def run(self, q='SELECT 1'): spark.sql(q)\n"
	    "run(1)\n"
	    "class A: pass\n"
	    "A.go = run\n"
	    "A().go('DR' + 'OP TABLE t')",
	    U, "python-unresolved" },
	{ "a function that an object keeps",
	    "def run(q='SELECT 1'): spark.sql(q)\n"
	    "run()\n"
	    "class A:\n"
	    " def __init__(self, f): self.f = f\n"
	    " def go(self): self.f('SELECT 2')\n"
	    "A(run).go()",
	    A, NULL },
	{ "all of an object's names", "a.__dict__ = {'q': x}", W,
	    "python-reflection" },
	{ "a class that decides on its attributes",
	    "class A:\n"
	    " q = 'SELECT 1'\n"
	    " def __getattribute__(self, n): return x\n"
	    "spark.sql(A().q)",
	    W, "python-reflection" },
	{ "a value of an enumeration that is a property",
	    "class E(enum.Enum):\n"
	    " A = 'SELECT 1'\n"
	    " @property\n"
	    " def value(self): return x()\n"
	    "spark.sql(E.A.value)",
	    U, "python-unresolved" },
	{ "overwriting with a writer from elsewhere",
	    "def f(w): w.mode('overwrite').save('p')\n"
	    "f(x())",
	    W, "python-overwrite" },
	{ "a mode from elsewhere, and a writer, too",
	    "def f(w, m): w.mode(m).save('p')\n"
	    "f(x(), y())",
	    A, NULL },
	{ "a class made from a program's",
	    "import subprocess\n"
	    "class A(subprocess.Popen): pass\n"
	    "A(['ls'])",
	    W, "python-code" },
	{ "a class that makes another's attributes",
	    "class M(type):\n"
	    " def __new__(m, n, b, d): return type.__new__(m, n, b, {'q': x})\n"
	    "class A(metaclass=M):\n"
	    " q = 'SELECT 1'\n"
	    "spark.sql(A.q)",
	    W, "python-reflection" },
	{ "a class of which there is one",
	    "class S(type):\n"
	    " def __call__(cls): return x\n"
	    "class A(metaclass=S):\n"
	    " q = 'SELECT 1'\n"
	    "spark.sql(A.q)",
	    A, NULL },
	{ "a keyword in part",
	    "from functools import partial\n"
	    "partial(spark.sql, sqlQuery='DR' + 'OP TABLE t')()",
	    R, "sql-statement" },
	{ "a copy of a class's names",
	    "from pyspark.sql import SparkSession\n"
	    "dict(vars(SparkSession))['sql'](spark, 'DR' + 'OP TABLE t')",
	    W, "python-reflection" },
	{ "a copy of all modules",
	    "import sys\n"
	    "dict(sys.modules)['os'].system('ls')",
	    W, "python-reflection" },
	{ "the modules' names",
	    "import sys\n"
	    "print(sorted(sys.modules), len(sys.modules))",
	    A, NULL },
	{ "a copy of settings", "def f(args): print(dict(vars(args)))", A,
	    NULL },
};

/* How texts flow. */
static const struct row flows[] = {
	{ "a list that is a copy",
	    "L = list(['SELECT 1'])\nfor q in L: spark.sql(q)", A, NULL },
	{ "a copy, and something else is appended",
	    "L = list(['SELECT 1'])\nL.append(x())\nfor q in L: spark.sql(q)",
	    U, "python-unresolved" },
	{ "a list that is a split",
	    "L = 'SELECT 1;TABLE t'.split(';')\nfor q in L: spark.sql(q)", A,
	    NULL },
	{ "a split, and something else is appended",
	    "L = 'SELECT 1;TABLE t'.split(';')\nL.append(x())\nfor q in L: "
	    "spark.sql(q)",
	    U, "python-unresolved" },
	{ "a list that is a sum",
	    "L = ['SELECT 1'] + ['TABLE t']\nfor q in L: spark.sql(q)", A,
	    NULL },
	{ "a sum, and something else is appended",
	    "L = ['SELECT 1'] + ['TABLE t']\nL.append(x())\nfor q in L: "
	    "spark.sql(q)",
	    U, "python-unresolved" },
	{ "a list that is a slice",
	    "L = ['SELECT 1', 'TABLE t'][:1]\nfor q in L: spark.sql(q)", A,
	    NULL },
	{ "a slice, and something else is appended",
	    "L = ['SELECT 1', 'TABLE t'][:1]\nL.append(x())\nfor q in L: "
	    "spark.sql(q)",
	    U, "python-unresolved" },
	{ "a list that is what is sorted",
	    "L = sorted(['SELECT 1'])\nfor q in L: spark.sql(q)", A, NULL },
	{ "what is sorted, and something else is appended",
	    "L = sorted(['SELECT 1'])\nL.append(x())\nfor q in L: spark.sql(q)",
	    U, "python-unresolved" },
	{ "the rest of a list, and something else",
	    "a, *L = ['SELECT 1', 'TABLE t']\nL.append(x())\nfor q in L: "
	    "spark.sql(q)",
	    U, "python-unresolved" },
	{ "a list that somebody else may have changed",
	    "L = list(['SELECT 1'])\nfill(L)\nfor q in L: spark.sql(q)", U,
	    "python-unresolved" },
	{ "dict()", "D = dict(a='SELECT 1', b='TABLE t')\nspark.sql(D['a'])", A,
	    NULL },
	{ "dict(), the other key",
	    "D = dict(a='SELECT 1', b='DROP TABLE t')\nspark.sql(D['b'])", R,
	    "sql-statement" },
	{ "dict(), changed",
	    "D = dict(a='SELECT 1')\nD['a'] = 'DROP TABLE "
	    "t'\nspark.sql(D['a'])",
	    R, "sql-statement" },
	{ "dict() of something else",
	    "D = dict(x, a='SELECT 1')\nspark.sql(D['b'])", U,
	    "python-unresolved" },
	{ "a name that is used again",
	    "q = 'SELECT 1'\nspark.sql(q)\nq = 'x'\nprint(q)", A, NULL },
	{ "a branch",
	    "q = 'SELECT 1'\nif x:\n q = 'DROP TABLE t'\n"
	    "spark.sql(q)",
	    R, "sql-statement" },
	{ "both branches",
	    "q = ''\nif x: q = 'SELECT 1'\nelse:\n"
	    " q = 'SELECT 2'\nspark.sql(q)",
	    A, NULL },
	{ "a try that stops halfway",
	    "q = 'SELECT 1'\ntry:\n q = 'DROP TABLE t'\n f()\n q = 'SELECT 2'\n"
	    "except E: pass\nspark.sql(q)",
	    R, "sql-statement" },
	{ "an earlier round of a loop",
	    "q = 'SELECT 1'\nfor i in x:\n spark.sql(q)\n q = 'DROP TABLE t'",
	    R, "sql-statement" },
	{ "an earlier round that a condition lets stay",
	    "for i in x:\n if i: q = 'SELECT 1'\n spark.sql(q)\n"
	    " q = 'USE d'",
	    R, "sql-statement" },
	{ "an earlier round that a condition puts in place",
	    "q = 'SELECT 1'\nfor i in x:\n if i: q = 'SELECT 2'\n"
	    " spark.sql(q)\n q = 'USE d'",
	    R, "sql-statement" },
	{ "a round that puts something in place first",
	    "q = 'SELECT 1'\nfor i in x:\n q = 'SELECT 2'\n"
	    " spark.sql(q)\n q = 'USE d'",
	    A, NULL },
	{ "a loop that appends",
	    "q = 'SELECT * FROM t WHERE 1=1'\nfor f in x:\n"
	    " q += ' AND ' + f\nspark.sql(q)",
	    A, NULL },
	{ "a loop that appends by +",
	    "q = 'SELECT * FROM t WHERE 1=1'\nfor f in x:\n"
	    " q = q + ' AND ' + f\nspark.sql(q)",
	    A, NULL },
	{ "a loop that prepends",
	    "q = ' TABLE t'\nfor f in x:\n q = f + q\nspark.sql(q)", U, NULL },
	{ "a break",
	    "for i in x:\n if i:\n  q = 'DROP TABLE t'\n  break\n"
	    " q = 'SELECT 1'\nspark.sql(q)",
	    R, "sql-statement" },
	{ "a wrapper around a wrapper",
	    "def a(q): return spark.sql(q)\ndef b(q, n=1): return a(q)\n"
	    "def c(q): return b(q)\nc('SELECT 1')",
	    A, NULL },
	{ "the same, refused",
	    "def a(q): return spark.sql(q)\ndef b(q, n=1): return a(q)\n"
	    "def c(q): return b(q)\nc('DROP TABLE t')",
	    R, "sql-statement" },
	{ "a wrapper that nobody calls", "def a(q): spark.sql(q)", U,
	    "python-unresolved" },
	{ "a wrapper that is handed on",
	    "def a(q): spark.sql(q)\n"
	    "a('SELECT 1')\nhelper(a)",
	    U, "python-unresolved" },
	{ "a wrapper called with a text of the environment",
	    "def a(q): spark.sql(q)\na(os.environ['Q'])", U,
	    "python-unresolved" },
	{ "a result", "def q(): return 'DROP TABLE t'\nspark.sql(q())", R,
	    "sql-statement" },
	{ "a global that a function sets",
	    "Q = 'SELECT 1'\ndef f():\n global Q\n Q = 'DROP TABLE t'\n"
	    "f()\nspark.sql(Q)",
	    R, "sql-statement" },
	{ "a constant that stands below",
	    "def f(): spark.sql(Q)\nQ = 'SELECT 1'\nf()", A, NULL },
	{ "an attribute",
	    "class J:\n Q = 'SELECT 1'\n def f(self): spark.sql(self.Q)\n"
	    "J().f()",
	    A, NULL },
	{ "an attribute that is set",
	    "class J:\n def __init__(self, q): self.q = q\n"
	    " def f(self): self.spark.sql(self.q)\nJ('DROP TABLE t').f()",
	    R, "sql-statement" },
	{ "an alias in an attribute",
	    "class J:\n def __init__(self): self.run = spark.sql\n"
	    " def f(self): self.run('DROP TABLE t')",
	    R, "sql-statement" },
	{ "a comprehension",
	    "[spark.sql(q) for q in ('SELECT 1', 'DROP TABLE t')]", R,
	    "sql-statement" },
	{ "a class's name is not a comprehension's",
	    "q = 'DROP TABLE t'\nclass A:\n q = 'SELECT 1'\n"
	    " x = [spark.sql(q) for i in y]",
	    R, "sql-statement" },
	{ "a lambda", "f = lambda q: spark.sql(q)\nf('DROP TABLE t')", R,
	    "sql-statement" },
	{ "pairs", "for n, q in {'a': 'DROP TABLE t'}.items(): spark.sql(q)", R,
	    "sql-statement" },
	{ "pairs in a list",
	    "for n, q in [('drop', 'SELECT 1'), ('b', 'SELECT 2')]:\n"
	    " spark.sql(q)",
	    A, NULL },
	{ "a list that grows",
	    "L = []\nL.append('DROP TABLE t')\nfor q in L: spark.sql(q)", R,
	    "sql-statement" },
	{ "a list that grows step by step",
	    "L = ['SELECT a']\nL.append('FROM t')\nif x: L.append('LIMIT 1')\n"
	    "L += ['-- b']\nL.extend(('--', 'c'))\nspark.sql(' '.join(L))",
	    A, NULL },
	{ "what a list grows to",
	    "L = ['DR']\nL.append('OP')\nL += [' TABLE t']\n"
	    "spark.sql(''.join(L))",
	    R, "sql-statement" },
	{ "what a list may grow to",
	    "L = []\nL.append('SELECT 1')\nif x: L[:] = y\n"
	    "L.append('FROM t')\nspark.sql(''.join(L))",
	    U, NULL },
	{ "a list that a branch grows",
	    "L = ['USE']\nif x: L.append(' d')\nelse: L.append('R')\n"
	    "spark.sql(''.join(L))",
	    R, "sql-statement" },
	{ "a list that a try grows",
	    "L = []\ntry:\n L.append('USE d')\n L.append('R')\n"
	    "except E: pass\nspark.sql(''.join(L))",
	    R, "sql-statement" },
	{ "a list of a round",
	    "for i in x:\n L = ['SELECT ']\n L.append(i)\n"
	    " spark.sql(''.join(L))",
	    A, NULL },
	{ "a list that a loop grows",
	    "L = ['SELECT a']\nfor c in x: L.append(c)\n"
	    "spark.sql(', '.join(L))",
	    A, NULL },
	{ "a list that a loop grows after it is joined",
	    "L = ['SELECT 1']\nfor c in x:\n spark.sql(''.join(L))\n"
	    " L.append('; USE d')",
	    R, "sql-statement" },
	{ "a list that a loop grows from nothing",
	    "L = []\nfor c in x: L.append(c)\nspark.sql(' '.join(L))", U,
	    NULL },
	{ "what a loop puts first into a list",
	    "L = []\nfor c in x: L.append('USE d')\nspark.sql(' '.join(L))", R,
	    "sql-statement" },
	{ "a loop that grows a list before its end",
	    "L = ['SELECT 1']\nfor c in x: L.append('; USE d')\n"
	    "L.append('--')\nspark.sql(' '.join(L))",
	    R, "sql-statement" },
	{ "a list that a condition puts in place in a round",
	    "L = []\nfor c in ['US', 'E d']:\n if x: L = []\n L.append(c)\n"
	    " spark.sql(''.join(L))",
	    R, NULL },
	{ "a list of two names",
	    "L = M = ['SELECT 1']\nM.append('; USE d')\nL.append('--')\n"
	    "spark.sql(''.join(L))",
	    U, NULL },
	{ "a list that a name is given within an expression",
	    "f(L := ['SELECT 1'])\nL.append('--')\nspark.sql(''.join(L))", U,
	    NULL },
	{ "a list whose method has a name",
	    "L = ['SELECT 1']\ng = L.append\ng('; USE d')\nL.append('--')\n"
	    "spark.sql(''.join(L))",
	    U, NULL },
	{ "a list that is handed on",
	    "L = ['SELECT 1']\nf(L)\nL.append('--')\nspark.sql(''.join(L))", U,
	    NULL },
	{ "a list that another method joins",
	    "L = ['SELECT 1']\nx.join(L)\nL.append('--')\n"
	    "spark.sql(''.join(L))",
	    U, NULL },
	{ "a list that something is inserted into",
	    "L = ['SELECT 1']\nL.insert(0, 'USE d; ')\nL.append('--')\n"
	    "spark.sql(''.join(L))",
	    U, NULL },
	{ "a list that a comprehension grows",
	    "L = ['SELECT 1']\n[L.append(i) for i in x]\nL.append('--')\n"
	    "spark.sql(''.join(L))",
	    U, NULL },
	{ "a list that a global statement reaches",
	    "L = ['SELECT 1']\ndef f():\n global L\n L += x\nf()\n"
	    "L.append('--')\nspark.sql(''.join(L))",
	    U, NULL },
	{ "a list that an inner function adds to",
	    "def m():\n L = ['SELECT 1']\n"
	    " def g(): L.append('DR' + 'OP TABLE t')\n g()\n"
	    " for q in L: spark.sql(q)",
	    R, "sql-statement" },
	{ "a list that an attribute is",
	    "L = ['SELECT 1']\nclass C:\n def __init__(self): self.l = L\n"
	    " def add(self): self.l.append('DR' + 'OP TABLE t')\n"
	    "C().add()\nspark.sql(L[-1])",
	    R, "sql-statement" },
	{ "a list that a parameter is",
	    "L = ['SELECT 1']\ndef add(x): x.append('DR' + 'OP TABLE t')\n"
	    "add(L)\nspark.sql(L[-1])",
	    R, "sql-statement" },
	{ "a list that functions give on",
	    "L = ['SELECT 1']\ndef a(): return L\ndef b(): return a()\n"
	    "def c(): return b()\n"
	    "c().append('DR' + 'OP TABLE t')\nspark.sql(L[-1])",
	    R, "sql-statement" },
	{ "a function that a function gives",
	    "def f(q): spark.sql(q)\ndef g(): return f\nf('SELECT 1')\n"
	    "g()('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a list among others that are not known",
	    "L = ['SELECT 1']\nx = [u(), 'a', L]\n"
	    "x[i].append('DR' + 'OP TABLE t')\nspark.sql(L[-1])",
	    R, "sql-statement" },
	{ "a list that may be somebody's own",
	    "def f(q): spark.sql(q)\nx = [] if c else unknown()\n"
	    "x.append(f)\nf('SELECT 1')",
	    U, "python-unresolved" },
	{ "a node that its own attribute follows",
	    "import m\ndef walk(n): walk(n.next)\nwalk(m.root)\n"
	    "spark.sql('SELECT 1')",
	    A, NULL },
	{ "a default that comes late",
	    "def a(): return b()\ndef b(): return c()\n"
	    "def c(): return 'DR' + 'OP TABLE t'\n"
	    "def f(q=a()): spark.sql(q)\nf()",
	    R, "sql-statement" },
	{ "a method that a late function calls",
	    "class C:\n def m(self, q): self.h(q)\n"
	    " def h(self, q): spark.sql(q)\n"
	    "def a(): return 'SELECT 1'\ndef b(): return a()\n"
	    "def d(): return b() + '; DR' + 'OP TABLE t'\n"
	    "C().m('SELECT 1')\nC().m(d())",
	    R, "sql-statement" },
	{ "a text that grows with each call",
	    "def f(q, n):\n if n: f(q + ' , a', n - 1)\n spark.sql(q)\n"
	    "f('SELECT 1', 9)",
	    U, NULL },
	{ "a list that another function fills",
	    "L = ['SELECT 1']\nfill(L)\nfor q in L: spark.sql(q)", U,
	    "python-unresolved" },
	{ "a dict that is added to",
	    "D = {'a': 'SELECT 1'}\nD[k] = 'DROP TABLE t'\nspark.sql(D['a'])",
	    R, NULL },
	{ "a walrus", "if (q := 'DROP TABLE t'): spark.sql(q)", R,
	    "sql-statement" },
	{ "a conditional expression",
	    "spark.sql('SELECT 1' if x else 'DROP TABLE t')", R,
	    "sql-statement" },
	{ "or", "spark.sql(q or 'SELECT 1')", U, "python-unresolved" },
	{ "format", "spark.sql('{0} {k}'.format('DROP', k='TABLE t'))", R,
	    "sql-statement" },
	{ "percent with names", "spark.sql('%(a)s TABLE t' % {'a': 'DROP'})", R,
	    "sql-statement" },
	{ "dedent",
	    "from textwrap import dedent\nspark.sql(dedent('''\n"
	    "  DROP TABLE t'''))",
	    R, "sql-statement" },
	{ "a template",
	    "import string\n"
	    "t = string.Template('SELECT \"$$1\", ${c}x FROM $t WHERE a = "
	    "$u')\n"
	    "spark.sql(t.substitute({'t': 'x'}, c='b', u=u))",
	    A, NULL },
	{ "a template, refused",
	    "from string import Template\nT = Template('$v TABLE ${t}')\n"
	    "spark.sql(T.safe_substitute(t='x', v='DR' + 'OP'))",
	    R, "sql-statement" },
	{ "a template's head by a dict",
	    "from string import Template\nd = {'v': 'DROP'}\n"
	    "spark.sql(Template('$v TABLE t').substitute(d))",
	    R, "sql-statement" },
	{ "a template's head that is not known",
	    "from string import Template\n"
	    "spark.sql(Template('$v TABLE t').substitute(**k))",
	    U, "sql-hole-at-head" },
	{ "a cast",
	    "from typing import cast\n"
	    "spark.sql(cast(str, 'DR' + 'OP TABLE t'))",
	    R, "sql-statement" },
	{ "the longest of some lists",
	    "a = ['SELECT 1']\nb = ['SELECT 2']\n"
	    "max(a, b, key=len).append('DR' + 'OP TABLE t')\n"
	    "for q in b: spark.sql(q)",
	    R, "sql-statement" },
	{ "replace", "spark.sql('XX TABLE t'.replace('XX', 'DROP'))", R,
	    "sql-statement" },
	{ "a keyword", "spark.sql(sqlQuery='DROP TABLE t')", R,
	    "sql-statement" },
	{ "a star", "a = ('DROP TABLE t',)\nspark.sql(*a)", R, NULL },
	{ "two stars", "spark.sql(**k)", U, "python-unresolved" },
	{ "two stars, refused",
	    "spark.sql(**{'sqlQuery': 'DR' + 'OP TABLE t'})", R,
	    "sql-statement" },
	{ "two stars and the other keyword",
	    "ps.sql(**{'query': 'DR' + 'OP TABLE t'})", R, "sql-statement" },
	{ "two stars that are known",
	    "k = {'sqlQuery': 'SELECT 1', 'args': None}\nspark.sql(**k)", A,
	    NULL },
	{ "two stars without a query",
	    "k = {'dialect': 'spark', **{}}\nx.sql(**{'dialect': 'spark'})", A,
	    NULL },
	{ "behind a star",
	    "a = ['SELECT 1']\ndef f(x, q): spark.sql(q)\n"
	    "f(*a, 'DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "behind a star of any length",
	    "def f(x, q): spark.sql(q)\n"
	    "def g(a): f(*a, 'DR' + 'OP TABLE t')\ng(['SELECT 1'])",
	    R, "sql-statement" },
	{ "a call's own text behind a star of any length",
	    "def g(a): spark.sql(*a, 'DR' + 'OP TABLE t')\ng([])", R, NULL },
	{ "before a star",
	    "def f(q, *x): spark.sql(q)\n"
	    "def g(a): f('SELECT 1', *a)\ng(h())",
	    A, NULL },
	{ "a parameter by two stars",
	    "def f(x, q): spark.sql(q)\nf(1, **{'q': 'DR' + 'OP TABLE t'})", R,
	    "sql-statement" },
	{ "another pandas",
	    "import pyspark.pandas as ps\nps.sql('DROP TABLE t')", R,
	    "sql-statement" },
	{ "a file", "spark.sql(open('q.sql').read())", U, "python-unresolved" },
	{ "exec", "exec(\"spark.sql('DROP TABLE t')\")", R, NULL },
	{ "a with that swallows",
	    "q = 'DROP TABLE t'\nwith suppress(E):\n f()\n q = 'SELECT 1'\n"
	    "spark.sql(q)",
	    R, "sql-statement" },
	{ "__call__", "spark.sql.__call__('DR' + 'OP TABLE t')", R,
	    "sql-statement" },
	{ "a column named sql", "df.select(df.sql).show()\nlog.info(r.sql)", A,
	    NULL },
	{ "the function in a list", "x.append(spark.sql)", U, "python-alias" },
	{ "the JVM by getattr", "getattr(spark, '_j' + 'vm').x()", W,
	    "python-jvm" },
	{ "the JVM by an import", "from pyspark.ml.wrapper import _jvm as j", W,
	    "python-jvm" },
	{ "a client of its own",
	    "class J:\n def __init__(self, c): self._client = c\n"
	    " def f(self): self._client.get()",
	    A, NULL },
	{ "a client of another", "class J:\n def f(self, x): x._client.get()",
	    W, "python-jvm" },
	{ "a client that the class does not set",
	    "class J(B):\n def f(self): self._client.get()", W, "python-jvm" },
	{ "a client in a class of PySpark's",
	    "from pyspark.sql import SparkSession\nclass K(SparkSession): "
	    "pass\n"
	    "class J(K):\n def f(self):\n  self._client = 1\n"
	    "  self._client.get()",
	    W, "python-jvm" },
	{ "an enumeration",
	    "class Q(Enum):\n A = 'SELECT 1'\nspark.sql(Q.A.value)", A, NULL },
	{ "a property",
	    "class J:\n @property\n def q(self): return 'SELECT 1'\n"
	    " def f(self): spark.sql(self.q)",
	    A, NULL },
	{ "a property, refused",
	    "class J:\n @property\n def q(self): return 'DROP TABLE t'\n"
	    " def f(self): spark.sql(self.q)",
	    R, "sql-statement" },
	{ "a static method",
	    "class J:\n @staticmethod\n def f(q): spark.sql(q)\n"
	    "J.f('DROP TABLE t')",
	    R, "sql-statement" },
	{ "a method through its class",
	    "class J:\n def f(self, q): spark.sql(q)\n"
	    "J.f(J(), 'DROP TABLE t')",
	    R, "sql-statement" },
	{ "names with a star",
	    "def f(*q): spark.sql(q[0])\n"
	    "f('DROP TABLE t')",
	    R, "sql-statement" },
	{ "a JDBC table",
	    "spark.read.jdbc(u, '(SELECT 1) x')\n"
	    "spark.read.option('dbtable', 'sales')",
	    A, NULL },
	{ "a JDBC table that writes",
	    "spark.read.jdbc(u, '(DELETE FROM t RETURNING *) x')", R, NULL },
	{ "a cursor", "cur.execute('DROP TABLE t')", R, NULL },
	{ "a cursor with a text of its own", "cur.execute(q)", A, NULL },
	{ "a literal that reaches no sink", "helper('DROP TABLE t')", R,
	    "sql-literal" },
	{ "a format string that reaches no sink", "helper(f'DROP TABLE {t}')",
	    R, "sql-literal" },
	{ "a fence", "```python\nx = 1\n```", R, "python-fence" },
	{ "a magic", "%sql SELECT 1", R, "python-magic" },
	{ "a shell line", "!pip install x", R, "python-magic" },
	{ "Python 2", "print 'x'", R, "python-syntax" },
	{ "a conf that undoes the guard",
	    "spark.conf.set('spark.sql.variable.substitute', 'true')", R,
	    "python-conf" },
	{ "an unknown extension", "b.config('spark.sql.extensions', 'a.B')", R,
	    "python-conf" },
	{ "a list of known extensions",
	    "b.config('spark.sql.extensions', "
	    "'io.delta.sql.DeltaSparkSessionExtension,"
	    "org.apache.spark.sql.hudi.HoodieSparkSessionExtension')",
	    A, NULL },
	{ "a setting that is taken back",
	    "spark.conf.unset('spark.sql.variable.substitute')", R,
	    "python-conf" },
	{ "another that is taken back",
	    "spark.conf.unset('spark.sql.shuffle.partitions')", A, NULL },
	{ "an unknown one among them",
	    "b.config('spark.sql.extensions', "
	    "'io.delta.sql.DeltaSparkSessionExtension,a.B')",
	    R, "python-conf" },
	{ "a list that ends in a comma",
	    "b.config('spark.sql.extensions', "
	    "'io.delta.sql.DeltaSparkSessionExtension,')",
	    R, "python-conf" },
	{ "a conf in a list of pairs",
	    "SparkConf().setAll([('a', 'b'), "
	    "('spark.sql.scripting.enabled', 'true')])",
	    R, "python-conf" },
	{ "a harmless conf in a list of pairs",
	    "SparkConf().setAll([('spark.sql.scripting.enabled', 'false')])", A,
	    NULL },
	{ "a conf if it is missing",
	    "SparkConf().setIfMissing('spark.sql.reflect.allowList', '')", R,
	    "python-conf" },
	{ "F.reflect",
	    "from pyspark.sql import functions as F\nF.reflect(a, b)", R,
	    "sql-java-call" },
	{ "an expression that calls Java",
	    "from pyspark.sql.functions import *\n"
	    "expr(\"reflect('java.lang.System', 'exit', 0)\")",
	    R, "sql-java-call" },
	{ "an expression that is not known",
	    "import pyspark.sql.functions as F\nF.expr(x)", U,
	    "python-unresolved" },
	{ "overwriting", "df.write.mode('overwrite').saveAsTable('t')", W,
	    "python-overwrite" },
	{ "overwriting by keyword", "df.write.parquet(p, mode='overwrite')", W,
	    "python-overwrite" },
	{ "a program", "import subprocess\nsubprocess.run(['ls'])", W,
	    "python-code" },
	{ "empty", "", A, NULL },
};

/* What goes round the rows above by somebody else's hand: what a library
 * calls, keeps or looks up. */
static const struct row roundabout[] = {
	{ "print to an object of the file",
	    "class W:\n"
	    " def write(self, t): spark.sql(t)\n"
	    "W().write('SELECT 1')\n"
	    "print('DR' + 'OP TABLE t', file=W())",
	    U, "python-unresolved" },
	{ "print to one that runs nothing",
	    "class W:\n"
	    " def write(self, t): self.n = t\n"
	    "W().write('SELECT 1')\n"
	    "print('a', file=W())",
	    A, NULL },
	{ "print to something else",
	    "class W:\n"
	    " def write(self, t): spark.sql(t)\n"
	    "W().write('SELECT 1')\n"
	    "print('a', file=open('x'))",
	    A, NULL },
	{ "an object that a library writes to",
	    "import json\n"
	    "class W:\n"
	    " def write(self, t): spark.sql(t)\n"
	    "W().write('SELECT 1')\n"
	    "json.dump(x, W())",
	    U, "python-unresolved" },
	{ "an object in a module's place",
	    "import sys\n"
	    "class W:\n"
	    " def write(self, t): spark.sql(t)\n"
	    "sys.stdout = W()\n"
	    "sys.stdout.write('SELECT 1')",
	    U, "python-unresolved" },
	{ "a method that a library's class calls",
	    "import cmd\n"
	    "class C(cmd.Cmd):\n"
	    " def do_x(self, q): spark.sql(q)\n"
	    "C().do_x('SELECT 1')\n"
	    "C().onecmd('x DR' + 'OP TABLE t')",
	    U, "python-unresolved" },
	{ "a method that a class between calls",
	    "import cmd\n"
	    "class B(cmd.Cmd): pass\n"
	    "class C(B):\n"
	    " def do_x(self, q): spark.sql(q)\n"
	    "C().do_x('SELECT 1')",
	    U, "python-unresolved" },
	{ "a method of a class made from plain ones",
	    "from abc import ABC\n"
	    "from typing import Generic, T\n"
	    "class B(ABC): pass\n"
	    "class C(B, Generic[T]):\n"
	    " def run(self, q): spark.sql(q)\n"
	    "C().run('SELECT 1')",
	    A, NULL },
	{ "a method that a class keeps to itself",
	    "import cmd\n"
	    "class C(cmd.Cmd):\n"
	    " def _run(self, q): spark.sql(q)\n"
	    " def do_x(self, a): self._run('SELECT 1')",
	    A, NULL },
	{ "partial() with a part of the arguments",
	    "from functools import partial\n"
	    "f = partial(spark.read.jdbc, url)\n"
	    "f('(DELETE FROM t RETURNING *) x')",
	    R, "sql-foreign-statement" },
	{ "partial() that reads",
	    "from functools import partial\n"
	    "f = partial(spark.read.jdbc, url)\n"
	    "f('(SELECT 1) x')",
	    A, NULL },
	{ "partial() of a partial()",
	    "from functools import partial\n"
	    "f = partial(partial(spark.read.jdbc, url), column='a')\n"
	    "f('(DELETE FROM t RETURNING *) x')",
	    R, "sql-foreign-statement" },
	{ "partial() that is handed on",
	    "from functools import partial\n"
	    "list(map(partial(spark.read.jdbc, url), ['(DELETE FROM t) x']))",
	    R, "sql-foreign-statement" },
	{ "partial() of a setting",
	    "from functools import partial\n"
	    "partial(spark.conf.set, 'spark.sql.scripting.enabled')('true')",
	    R, "python-conf" },
	{ "partial() of a harmless setting",
	    "from functools import partial\n"
	    "partial(spark.conf.set, 'spark.sql.shuffle.partitions')('9')",
	    A, NULL },
	{ "partial() of a writer",
	    "from functools import partial\n"
	    "partial(df.write.save, '/p', 'orc')('over' + 'write')",
	    W, "python-overwrite" },
	{ "a class's partial()",
	    "from functools import partialmethod\n"
	    "class C:\n"
	    " j = partialmethod(spark.read.jdbc, url)\n"
	    "C().j('(DELETE FROM t) x')",
	    U, "python-alias" },
	{ "numexpr",
	    "import numexpr as ne\n"
	    "ne.evaluate('__import__(\"os\").system(\"id\")')",
	    W, "python-code" },
	{ "numexpr of arithmetic",
	    "import numexpr\n"
	    "numexpr.evaluate('2 * a + b ** 2')",
	    A, NULL },
	{ "a function of a module that nobody read",
	    "from helper import *\n"
	    "system('id')",
	    W, "python-code" },
	{ "one with a plain name",
	    "from helper import *\n"
	    "run(['id'])",
	    A, NULL },
	{ "a function of a module that is known",
	    "from pyspark.sql.functions import *\n"
	    "system('id')",
	    A, NULL },
	{ "sql by a star import",
	    "from pyspark.pandas import *\n"
	    "sql('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a method of __dict__ that has a name",
	    "g = x.__dict__.get\n"
	    "g('sql')('DR' + 'OP TABLE t')",
	    W, "python-reflection" },
	{ "a lookup in __dict__", "def f(x): return x.__dict__.get('name')", W,
	    "python-reflection" },
	{ "all of vars() in a dict", "def f(x, t): {**vars(x)}['sql'](t)", W,
	    "python-reflection" },
	{ "vars() in a dict", "def f(x, t): return {**vars(x), 'a': t}['a']", A,
	    NULL },
	{ "a function out of vars()",
	    "def f(x, t):\n"
	    " for k, v in vars(type(x)).items():\n"
	    "  if k == 'sql': v(x, t)",
	    W, "python-reflection" },
	{ "values out of vars()",
	    "def f(a):\n"
	    " for k, v in sorted(vars(a).items()): print(k, v)",
	    A, NULL },
	{ "vars() by a library",
	    "import operator\n"
	    "def f(x, t): operator.itemgetter('sql')(vars(x))(t)",
	    W, "python-reflection" },
	{ "dict.get of vars()", "def f(x, t): dict.get(vars(x), 'sql')(t)", W,
	    "python-reflection" },
	{ "a dict that comes back from a method and is taken into another one",
	    "class A:\n def f(self): return {'x': self.a}\n"
	    " def g(self):\n  b = self.f()\n  return {**b}\n"
	    " def h(self): self.a = {**self.g()}\n"
	    "spark.sql('SELECT 1')",
	    A, NULL },
	{ "a function that a dict takes over",
	    "{**{'q': spark.sql}}['q']('DR' + 'OP TABLE t')", R,
	    "sql-statement" },
	{ "a position in a class pattern",
	    "class P(S):\n"
	    " __match_args__ = ('sql',)\n"
	    "match spark:\n"
	    " case P(f): f('DR' + 'OP TABLE t')",
	    W, "python-reflection" },
	{ "values in a class pattern",
	    "match p:\n"
	    " case P(a, b) if a > b: print(a.name, b)",
	    A, NULL },
	{ "the rest of a mapping",
	    "match {'q': spark.sql}:\n"
	    " case {**r}: r['q']('DR' + 'OP TABLE t')",
	    R, NULL },
	{ "a function that an annotation keeps",
	    "def f(x: spark.sql): pass\n"
	    "f.__annotations__['x']('DR' + 'OP TABLE t')",
	    U, "python-alias" },
	{ "a function that a variable's annotation keeps", "x: [spark.sql]", U,
	    "python-alias" },
	{ "classes in annotations",
	    "import subprocess, orm as sa\n"
	    "import pyspark\n"
	    "def f(p: subprocess.Popen, s: sa.sql.Select) -> "
	    "pyspark.sql.DataFrame: pass",
	    A, NULL },
	{ "a function that an alias keeps",
	    "type X = spark.sql\n"
	    "X.__value__('DR' + 'OP TABLE t')",
	    U, "python-alias" },
	{ "a function that a type parameter keeps",
	    "def f[T = spark.sql](): pass", U, "python-alias" },
	{ "a function in a t-string",
	    "t'{spark.sql}'.values[0]('DR' + 'OP TABLE t')", U,
	    "python-alias" },
	{ "a t-string",
	    "t = t'a {x.name} b'\n"
	    "print(t.values)",
	    A, NULL },
	{ "the module's __getattr__",
	    "import sys\n"
	    "def __getattr__(n): return spark.sql\n"
	    "sys.modules[__name__].f('DR' + 'OP TABLE t')",
	    U, "python-alias" },
	{ "getattr handed on",
	    "list(map(getattr, [spark], ['sql']))[0]('DR' + 'OP TABLE t')", W,
	    "python-reflection" },
	{ "getattr handed on for a field",
	    "print(list(map(getattr, rows, ['name'])))", A, NULL },
	{ "getattr by partial()",
	    "from functools import partial\n"
	    "partial(getattr, spark)('sql')('DR' + 'OP TABLE t')",
	    W, "python-reflection" },
	{ "a catalog by its class",
	    "from pyspark.sql.catalog import Catalog\n"
	    "Catalog(spark).createTable('x')",
	    W, "python-destructive" },
	{ "a writer by its class",
	    "from pyspark.sql.readwriter import DataFrameWriterV2\n"
	    "DataFrameWriterV2(df, 't').overwrite(c)",
	    W, "python-overwrite" },
	{ "functions by another module",
	    "from pyspark.sql.functions import builtin\n"
	    "builtin.reflect(a, b)",
	    R, "sql-java-call" },
	{ "expr of Connect",
	    "import pyspark.sql.connect.functions as F\n"
	    "F.expr(\"reflect('a', 'b')\")",
	    R, "sql-java-call" },
	{ "properties by position",
	    "spark.read.jdbc(u, 't', None, None, None, None, None, "
	    "{'sessionInitStatement': 'DR' + 'OP TABLE t'})",
	    R, "sql-foreign-statement" },
	{ "a writer's properties by position",
	    "df.write.jdbc(u, 't', 'append', {'truncate': 'true'})", W,
	    "python-overwrite" },
	{ "an option that a dict gets later",
	    "o = {}\n"
	    "o['sessionInitStatement'] = 'DR' + 'OP TABLE t'\n"
	    "spark.read.options(**o).load()",
	    R, "sql-foreign-statement" },
	{ "an option that a dict is updated with",
	    "o = {'url': u}\n"
	    "o.update({'sessionInitStatement': 'DR' + 'OP TABLE t'})\n"
	    "spark.read.options(**o).load()",
	    R, "sql-foreign-statement" },
	{ "an option in dicts that are put together",
	    "o = {**{'sessionInitStatement': 'DR' + 'OP TABLE t'}, 'a': 'b'}\n"
	    "spark.read.options(**o).load()",
	    R, "sql-foreign-statement" },
	{ "an option in a pair",
	    "from functools import reduce\n"
	    "reduce(lambda r, kv: r.option(*kv), "
	    "[('sessionInitStatement', 'DR' + 'OP TABLE t')], spark.read)",
	    R, "sql-foreign-statement" },
	{ "a setting by another method",
	    "sqlContext.setConf('spark.sql.scripting.enabled', 'true')", R,
	    "python-conf" },
	{ "a setting as a property",
	    "SparkContext.setSystemProperty('spark.sql.extensions', 'a.B')", R,
	    "python-conf" },
	{ "a setting in a builder's dict",
	    "SparkSession.builder._options['spark.sql.scripting.enabled'] "
	    "= 'true'",
	    R, "python-conf" },
	{ "a setting that a helper gets",
	    "setup(b, {'spark.sql.extensions': 'a.B'})", R, "python-conf" },
	{ "a known one that a helper gets",
	    "c = {}\n"
	    "c['spark.sql.extensions'] = "
	    "'io.delta.sql.DeltaSparkSessionExtension'\n"
	    "setup(b, c, {'spark.sql.scripting.enabled': 'false'})",
	    A, NULL },
	{ "settings that are read",
	    "for k in ['spark.sql.extensions', "
	    "'spark.sql.variable.substitute']:\n"
	    " print(k, spark.conf.get(k, 'none'))",
	    A, NULL },
	{ "settings that are taken back",
	    "list(map(spark.conf.unset, ['spark.sql.scripting.enabled']))", R,
	    "python-conf" },
	{ "Python for the executors",
	    "import os, sys\n"
	    "os.environ['PYSPARK_PYTHON'] = sys.executable\n"
	    "os.environ.update(PYSPARK_DRIVER_PYTHON='python3')",
	    A, NULL },
	{ "another program for them",
	    "import os\n"
	    "os.environ.update(PYSPARK_PYTHON='/tmp/x')",
	    W, "python-code" },
};

/* More of them, by shorter ways. */
static const struct row shorter[] = {
	{ "write that is the function that runs SQL",
	    "class W: write = spark.sql\n"
	    "print('DR' + 'OP TABLE t', file=W())",
	    U, "python-alias" },
	{ "write that an object gets",
	    "w.write = spark.sql\nprint('DR' + 'OP TABLE t', file=w)", U,
	    "python-alias" },
	{ "write that it makes for itself",
	    "class W:\n def __init__(self): self.write = spark.sql", U,
	    "python-alias" },
	{ "a writer that an object keeps",
	    "class W:\n def __init__(self): self.write = df.write\n"
	    " def f(self): self.write.mode('append').save('/p')",
	    A, NULL },
	{ "a slice that is assigned",
	    "L = [0]\nL[:] = [spark.sql]\nL[0]('DR' + 'OP TABLE t')", R,
	    "sql-statement" },
	{ "a text in a slice that is assigned",
	    "L = ['SELECT 1']\nL[1:] = ['SELECT 2']\n"
	    "for q in L: spark.sql(q)",
	    A, NULL },
	{ "what a generator gives at its end",
	    "def g():\n return spark.sql\n yield\n"
	    "def h():\n f = yield from g()\n f('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "the function of a partial()",
	    "from functools import partial\n"
	    "partial(spark.read.jdbc, u).func(u, '(DELETE FROM t) x')",
	    R, "sql-foreign-statement" },
	{ "a member's value",
	    "class E(Enum):\n A = (spark.sql,)\n"
	    "E.A.value[0]('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "the JVM in an object's names",
	    "def f(sc):\n for k, v in vars(sc).items():\n"
	    "  if k == '_jvm': v.java.lang.System.exit(0)",
	    W, "python-jvm" },
	{ "names that a builtin looks at",
	    "import m\nprint(type(m.__dict__), len(vars(m)))\n"
	    "register(sorted(vars(m)))",
	    W, "python-reflection" },
	{ "how many names an object has",
	    "def f(x): return len(vars(x)) + len(sorted(vars(x)))", A, NULL },
	{ "a transformer's statement",
	    "from pyspark.ml.feature import SQLTransformer\n"
	    "SQLTransformer(statement='DR' + 'OP TABLE t').transform(df)",
	    R, "sql-statement" },
	{ "a dict that is updated with a function",
	    "d = {}\nd.update({'q': spark.sql})\nd['q']('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "a dict that another one is merged into",
	    "d = {}\nd |= {'q': spark.sql}\nd['q']('DR' + 'OP TABLE t')", R,
	    "sql-statement" },
	{ "a set that another one is merged into",
	    "s = {'SELECT 1'}\ns |= {'DR' + 'OP TABLE t'}\n"
	    "for q in s: spark.sql(q)",
	    R, "sql-statement" },
	{ "one of two names",
	    "getattr(spark, 'sql' if x else 'table')('DR' + 'OP TABLE t')", R,
	    "sql-statement" },
	{ "one of two names that read",
	    "import pyspark.sql.functions as F\n"
	    "for f in ['sum', 'max']: df.agg(getattr(F, f)('a'))",
	    A, NULL },
	{ "one of two names of __dict__",
	    "def f(x, t): x.__dict__['sql' if t else 'y']('DR' + 'OP TABLE t')",
	    R, NULL },
	{ "a function that an object's dict gets",
	    "vars(c)['f'] = spark.sql\nc.f('DR' + 'OP TABLE t')", U,
	    "python-alias" },
	{ "what a module is given by its names",
	    "import textwrap\nvars(textwrap)['dedent'] = f", W,
	    "python-reflection" },
	{ "a module in another's place",
	    "import sys\nsys.modules['textwrap'] = f", W, "python-reflection" },
	{ "a module in the place of one that is not trusted",
	    "import sys\nsys.modules['simplejson'] = f", A, NULL },
	{ "the script's own module by its name",
	    "import sys\nsys.modules[__name__].f = spark.sql\n"
	    "f('DR' + 'OP TABLE t')",
	    U, "python-alias" },
	{ "a function beside an operator",
	    "class S:\n def __rshift__(self, f): f('DR' + 'OP TABLE t')\n"
	    "S() >> spark.sql",
	    U, "python-alias" },
	{ "a function as an index",
	    "class S:\n"
	    " def __class_getitem__(c, f): f('DR' + 'OP TABLE t')\n"
	    "S[spark.sql]",
	    U, "python-alias" },
	{ "a function that is put in",
	    "class S:\n"
	    " def __setitem__(s, k, f): f('DR' + 'OP TABLE t')\n"
	    "S()[0] = spark.sql",
	    U, "python-alias" },
	{ "a function that a setter gets",
	    "class S:\n @property\n def x(self): pass\n @x.setter\n"
	    " def x(self, f): f('DR' + 'OP TABLE t')\nS().x = spark.sql",
	    U, "python-alias" },
	{ "a function that a descriptor gets",
	    "class D:\n def __set__(s, o, f): f('DR' + 'OP TABLE t')\n"
	    "class S: x = D()\nS().x = spark.sql",
	    U, "python-alias" },
	{ "operators without functions",
	    "class S:\n def __add__(self, o): return o\n"
	    "S() + df.a + (df['sql'] > 1)",
	    A, NULL },
	{ "an object's own function that runs SQL",
	    "class S:\n def __init__(self): self.run = spark.sql\n"
	    " def f(self): self.run('SELECT 1')",
	    A, NULL },
	{ "a function that filter() calls",
	    "def f(q): spark.sql(q)\nf('SELECT 1')\n"
	    "list(filter(f, ['DR' + 'OP TABLE t']))",
	    R, "sql-statement" },
	{ "a function that sorted() calls",
	    "def f(q): spark.sql(q)\nf('SELECT 1')\n"
	    "sorted(['DR' + 'OP TABLE t'], key=f)",
	    R, "sql-statement" },
	{ "a function that max() calls",
	    "def f(q): spark.sql(q)\nf('SELECT 1')\n"
	    "max(['DR' + 'OP TABLE t', ''], key=f)",
	    R, NULL },
	{ "a function that sort() calls",
	    "def f(q): spark.sql(q)\nf('SELECT 1')\n"
	    "L = ['DR' + 'OP TABLE t']\nL.sort(key=f)",
	    R, NULL },
	{ "functions that sort something else",
	    "def f(q): spark.sql(q)\nf('SELECT 1')\n"
	    "L = sorted(filter(len, x), key=lambda r: r.a)\n"
	    "L.sort(key=len)",
	    A, NULL },
	{ "a class that is handed on",
	    "class C:\n def __init__(self, q): spark.sql(q)\n"
	    "C('SELECT 1')\nlist(map(C, ['DR' + 'OP TABLE t']))",
	    U, "python-unresolved" },
	{ "a class that makes another of itself",
	    "class C:\n def __init__(self, q): spark.sql(q)\n"
	    " @classmethod\n"
	    " def other(cls): return cls('DR' + 'OP TABLE t')\n"
	    "C('SELECT 1')",
	    R, "sql-statement" },
	{ "another one that reads",
	    "class C:\n def __init__(self, q): spark.sql(q)\n"
	    " @classmethod\n def other(cls): return cls('SELECT 2')\n"
	    " def more(self): return type(self)('SELECT 3')\n"
	    "C('SELECT 1')",
	    A, NULL },
	{ "the class of an object",
	    "class C:\n def __init__(self, q): spark.sql(q)\n"
	    "c = C('SELECT 1')\nc.__class__('DR' + 'OP TABLE t')",
	    U, "python-unresolved" },
	{ "a function by the script's own module",
	    "import sys\ndef f(q): spark.sql(q)\nf('SELECT 1')\n"
	    "sys.modules[__name__].f('DR' + 'OP TABLE t')",
	    R, "sql-statement" },
	{ "options out of pairs",
	    "o = dict(zip(['sessionInitStatement'], ['DR' + 'OP TABLE t']))\n"
	    "spark.read.options(**o).load()",
	    R, "sql-foreign-statement" },
	{ "settings by their keys",
	    "SparkSession.builder.config(map=dict.fromkeys("
	    "['spark.sql.scripting.enabled'], 'true'))",
	    R, "python-conf" },
	{ "an operation of a writer",
	    "o = {'hoodie.datasource.write.operation': 'de' + 'lete'}\n"
	    "df.write.format('hudi').options(**o).save('/p')",
	    W, "python-destructive" },
};

/* More ways to run DROP TABLE; each is its own name. */
static const char *const refused[] = {
	"def f(): return spark.sql\n"
	"f()('DROP TABLE t')\n",
	"a = b = 'DROP TABLE t'\n"
	"spark.sql(b)\n",
	"a, b = 'DROP TABLE t', 'SELECT 1'\n"
	"a, b = b, a\n"
	"spark.sql(b)\n",
	"spark.sql(q := 'DROP TABLE t')\n",
	"[q] = ['DROP TABLE t']\n"
	"spark.sql(q)\n",
	"for i, q in enumerate(['SELECT 1', 'DROP TABLE t']): spark.sql(q)\n",
	"import pyspark\n"
	"pyspark.sql.SparkSession.builder.getOrCreate().sql('DR' + 'OP TABLE "
	"t')\n",
	"def f(q): spark.sql(q)\n"
	"f(**{'q': 'DROP TABLE t'})\n",
	"spark.sql(str('DROP TABLE t'))\n",
	"s: str = 'DROP TABLE t'\n"
	"spark.sql(s)\n",
	"a = 'DROP'\n"
	"spark.sql(f\"{f'{a}'} TABLE t\")\n",
	"x = {'f': spark.sql}\n"
	"x['f']('DR' 'OP TABLE t')\n",
	"class A:\n"
	" def __init__(self): self.spark = s\n"
	" def run(self, q): return self.spark.sql(q)\n"
	"a = A()\n"
	"a.run('DR' + 'OP TABLE t')\n",
	"def mk(t): return f'DROP TABLE {t}'\n"
	"spark.sql(mk('x'))\n",
	"def mk(t):\n"
	"  def inner(): return 'DROP TABLE ' + t\n"
	"  return inner\n"
	"spark.sql(mk('x')())\n",
	"q = 'SELECT 1'\n"
	"def f():\n"
	"  spark.sql(q)\n"
	"f()\n"
	"q = 'DROP TABLE t'\n"
	"f()\n",
	"async def f(q): await g(spark.sql(q))\n"
	"f('DROP TABLE t')\n",
	"L = ['DROP', 'TABLE', 't']\n"
	"spark.sql(' '.join(L))\n",
	"q = ['DROP TABLE t'][0]\n"
	"spark.sql(q)\n",
	"with x as spark: spark.sql('DROP TABLE t')\n",
	"match x:\n"
	"  case 1: q = 'DROP TABLE t'\n"
	"  case _: q = 'SELECT 1'\n"
	"spark.sql(q)\n",
	"try:\n"
	"  q = f()\n"
	"except E:\n"
	"  q = 'DROP TABLE t'\n"
	"spark.sql(q)\n",
	"if a: pass\n"
	"elif b: q = 'DROP TABLE t'\n"
	"else: q = 'SELECT 1'\n"
	"spark.sql(q)\n",
	"from functools import partial\n"
	"r = partial(spark.sql)\n"
	"r('DROP TABLE t')\n",
	"q = '''\n"
	"-- c\n"
	"DROP TABLE t'''\n"
	"spark.sql(q)\n",
	"spark.sql('SELECT 1') if x else spark.sql('DROP TABLE t')\n",
	"@dec\n"
	"def f(q='DROP TABLE t'): spark.sql(q)\n",
	"global q\n"
	"q = 'DROP TABLE t'\n"
	"spark.sql(q)\n",
	"def f():\n"
	"  q = 'DROP TABLE t'\n"
	"  def g(): spark.sql(q)\n"
	"  g()\n",
	"print((lambda s: s)(spark).sql('DROP TABLE t'))\n",
	"spark . sql \\\n"
	" ( 'DROP TABLE t' )\n",
	"from pyspark.sql.functions import expr as e\n"
	"e(\"java_method('a','b')\")\n",
	"L=[]\n"
	"L += ['DROP TABLE t']\n"
	"for q in L: spark.sql(q)\n",
	"d={}\n"
	"d['x']='DROP TABLE t'\n"
	"spark.sql(d['x'])\n",
	"d={}\n"
	"d.update(x='DROP TABLE t')\n"
	"spark.sql(d['x'])\n",
	"q='DROP TABLE %s'\n"
	"spark.sql(q % t)\n",
	"q='DROP TABLE {t}'\n"
	"spark.sql(q.format(**k))\n",
	"while x:\n"
	"  q = 'SELECT 1'\n"
	"  if y: q = 'DROP TABLE t'\n"
	"  spark.sql(q)\n",
	"def f(n):\n"
	"  if n: return f(n-1)\n"
	"  return 'DROP TABLE t'\n"
	"spark.sql(f(3))\n",
	"class B:\n"
	"  Q = 'SELECT 1'\n"
	"class C(B):\n"
	"  Q = 'DROP TABLE t'\n"
	"  def r(self): spark.sql(self.Q)\n",
	"exec('import os\\nspark.sql(\"DR\" + \"OP TABLE t\")')\n",
	"t = type('X', (), {'q': 'DROP TABLE t'})\n"
	"spark.sql(t.q)\n",
};

/* More of what jobs do. */
static const char *const allowed[] = {
	"def f(): return spark.sql\n"
	"f()('SELECT 1')\n",
	"q='SELECT 1'\n"
	"q2=q\n"
	"spark.sql(q2)\n",
	"def f(t: str = 'x') -> str:\n"
	"  return f'SELECT * FROM {t}'\n"
	"spark.sql(f())\n",
	"for t in spark.catalog.listTables():\n"
	"  spark.sql(f'SELECT COUNT(*) FROM {t.name}')\n",
	"tables=['a','b']\n"
	"for t in tables:\n"
	"  spark.sql('SELECT * FROM ' + t).show()\n",
	"q = ('SELECT a, '\n"
	" 'b FROM t')\n"
	"spark.sql(q)\n",
	"spark.sql('''SELECT * FROM {df}''', df=df)\n",
	"spark.sql('SELECT :a', args={'a': 1})\n",
	"cols=[c for c in df.columns]\n"
	"spark.sql('SELECT %s FROM t' % ','.join(cols))\n",
	"try:\n"
	"  spark.sql('SELECT 1')\n"
	"except Exception as e:\n"
	"  raise RuntimeError(f'update failed: {e}')\n",
	"df = spark.sql('SELECT 1'); df2 = df.where('a > "
	"1').select('b').groupBy('c').agg({'d': 'max'})\n",
	"df.write.format('delta').mode('append').partitionBy('d').save('/x')\n",
	"import pandas as pd\n"
	"pd.DataFrame({'a': [1]}).replace('a','b').drop(columns=['x'])\n",
	"s = set(); s.update([1]); d = {}; d.update(a=1); open('x').read()\n",
	"q = 'SELECT * FROM t'\n"
	"if x:\n"
	"  q += ' WHERE a = 1'\n"
	"q += ' LIMIT 10'\n"
	"spark.sql(q)\n",
	"n = len(x)\n"
	"spark.sql(f'SELECT {n + 1:d}, {n!r:>10}')\n",
	"queries = [\n"
	" ('a', 'SELECT 1'),\n"
	" ('b', 'INSERT INTO t SELECT 2'),\n"
	"]\n"
	"for name, sql in queries:\n"
	"  print(name)\n"
	"  spark.sql(sql)\n",
	"def read(spark, table, where=None):\n"
	"  q = f'SELECT * FROM {table}'\n"
	"  if where: q = f'{q} WHERE {where}'\n"
	"  return spark.sql(q)\n"
	"read(spark, 'a', where='x=1')\n",
};

/* Whether an evaluation of a source that names nothing that counts finds what
 * the report has. */
static bool
is_thorough(const char *s, size_t len, const struct sa_guard_options *o,
    const json_t *report)
{
	struct sa_guard_options thorough = { .thorough = true };
	json_auto_t *r = NULL;
	struct sa_err err = SA_ERR_INIT;

	if (o != NULL) {
		thorough = *o;
		thorough.thorough = true;
	}
	return sa_guard_python(s, len, "x.py", &thorough, &r, &err) == 0 &&
	    json_equal(r, report);
}

static json_t *
report_of(const char *s, size_t len, const struct sa_guard_options *o)
{
	json_t *report = NULL;
	struct sa_err err = SA_ERR_INIT;

	enum sa_verdict alone;

	if (sa_guard_python(s, len, "x.py", o, &report, &err) < 0)
		report = NULL;
	if (report != NULL &&
	    (sa_guard_python_verdict(s, len, "x.py", o, &alone, &err) < 0 ||
		alone != sa_guard_verdict(report))) {
		puts("# a verdict alone that is not its report's");
		json_decref(report);
		report = NULL;
	}
	if (report != NULL && !is_thorough(s, len, o, report)) {
		puts("# an evaluation finds something else");
		json_decref(report);
		report = NULL;
	}
	sa_err_clear(&err);
	return report;
}

static const char *
rule_of(const json_t *report)
{
	const json_t *f =
	    json_array_get(json_object_get(report, "findings"), 0);

	return json_string_value(json_object_get(f, "rule"));
}

static void
rows(const struct row *row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		json_t *r =
		    report_of(row[i].source, strlen(row[i].source), NULL);
		const char *rule = rule_of(r);
		bool same = row[i].rule == NULL ||
		    (rule != NULL && strcmp(rule, row[i].rule) == 0);
		ok(sa_guard_verdict(r) == row[i].verdict && same, row[i].name);
		if (sa_guard_verdict(r) != row[i].verdict || !same)
			printf("# got %s %s, want %s %s\n",
			    sa_verdict_name(sa_guard_verdict(r)),
			    rule != NULL ? rule : "-",
			    sa_verdict_name(row[i].verdict),
			    row[i].rule != NULL ? row[i].rule : "-");
		json_decref(r);
	}
}

static void
sources(const char *const *source, size_t n, enum sa_verdict want)
{
	for (size_t i = 0; i < n; i++) {
		json_t *r = report_of(source[i], strlen(source[i]), NULL);
		cleanup_free char *name = sa_xstrdup(source[i]);
		for (char *p = name; *p != '\0'; p++)
			*p = *p == '\n' ? ' ' : *p == '#' ? '.' : *p;
		ok(sa_guard_verdict(r) == want, name);
		json_decref(r);
	}
}

#define SOURCES(t, want) sources(t, sizeof(t) / sizeof((t)[0]), want)
#define ROWS(t) rows(t, sizeof(t) / sizeof((t)[0]))

/* A loop over n statements: known up to what a set holds, else unresolved. */
static enum sa_verdict
loop_over(int n)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_buf_adds(&b, "for q in [");
	for (int i = 0; i < n; i++)
		sa_buf_addf(&b, "'SELECT %d',", i);
	sa_buf_adds(&b, "]:\n\tspark.sql(q)\n");
	json_auto_t *r = report_of(b.s, b.len, NULL);
	return sa_guard_verdict(r);
}

/* Whether a source of n such parts ends in that verdict; python-work is the
 * one rule that refuses it. */
static bool
many(const char *part, int n, enum sa_verdict want)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	for (int i = 0; i < n; i++)
		for (const char *p = part; *p != '\0'; p++)
			if (*p == '%')
				sa_buf_addf(&b, "%d", i);
			else
				sa_buf_addch(&b, *p);
	json_auto_t *r = report_of(b.s, b.len, NULL);
	return sa_guard_verdict(r) == want &&
	    (want == A || strcmp(rule_of(r), "python-work") == 0);
}

/* Two parts of one literal are two texts, however far apart: a forbidden one
 * 2^shift bytes behind one that passes and is a byte shorter. */
static bool
sees_part_behind(unsigned shift)
{
	const size_t apart = (size_t)1 << shift;
	bool seen = true;

	/* once with each value that the bit can have in the address */
	for (size_t lead = 0; lead < 2 * apart && seen; lead += apart / 2) {
		cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
		sa_buf_addch(&b, '#');
		for (size_t i = 0; i < lead; i++)
			sa_buf_addch(&b, '#');
		sa_buf_addf(&b, "\nq = '%-*s%s'\n", (int)apart, "SELECT 1 a",
		    "DROP TABLE ab");
		sa_buf_adds(&b, "spark.sql(q[0:12])\n");
		sa_buf_addf(&b, "spark.sql(q[%zu:%zu])\n", apart, apart + 13);
		json_auto_t *r = report_of(b.s, b.len, NULL);
		seen = sa_guard_verdict(r) == R;
	}
	return seen;
}

/* Whether what is found twice at a place is as grave as the graver one. */
static bool
is_grave(void)
{
	static const char source[] = "a.__dict__ = {'q': x}\n";
	const struct sa_guard_options strict = { .strict = true };
	json_auto_t *r = report_of(source, sizeof(source) - 1, &strict);
	const json_t *f = json_array_get(json_object_get(r, "findings"), 0);
	const char *severity =
	    json_string_value(json_object_get(f, "severity"));

	return sa_guard_verdict(r) == R && severity != NULL &&
	    strcmp(severity, "reject") == 0;
}

/* Whether a star import is known that stands behind n others. */
static bool
stars(int n)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	for (int i = 0; i < n; i++)
		sa_buf_addf(&b, "from m%d import *\n", i);
	sa_buf_adds(&b, "from os import *\nremove('x')\n");
	json_auto_t *r = report_of(b.s, b.len, NULL);
	return sa_guard_verdict(r) == W;
}

static void
limits(void)
{
	json_t *r = NULL;
	struct sa_err err = SA_ERR_INIT;
	cleanup_free char *s = sa_xmalloc(SA_GUARD_MAX + 1);

	ok(loop_over(32) == A, "a set holds 32 texts");
	ok(loop_over(33) == U, "one more is not dropped in silence");
	memset(s, '#', SA_GUARD_MAX + 1);
	ok(sa_guard_python(s, SA_GUARD_MAX, NULL, NULL, &r, &err) == 0 &&
		sa_guard_passes(r),
	    "1 MiB is read");
	json_decref(r);
	ok(sa_guard_python(s, SA_GUARD_MAX + 1, NULL, NULL, &r, &err) == -1 &&
		err.kind == SA_INVALID,
	    "a byte more is not");
	sa_err_clear(&err);
	bool seen = true;
	for (unsigned shift = 5; shift < 18 && seen; shift++)
		seen = sees_part_behind(shift);
	ok(seen, "parts of a literal are not taken for each other");
	ok(is_grave(), "what is found twice at a place is as grave as it is");
	ok(many("a = 1\n", 80000, A) && many("a = 1\n", 100000, R),
	    "as many expressions as fit");
	ok(many("a% = 1\n", 50000, A) && many("a% = 1\n", 70000, R),
	    "as many names as fit");
	ok(many("x(y, z)\n", 80000, R) && many("[];[]\n", 100000, R) &&
		many("a;b;c;d;e\n", 100000, R),
	    "too many words or expressions end in a finding");
	ok(many("def f%(): pass\n", 30000, A) &&
		many("def f%(): pass\n", 40000, R),
	    "as many functions as fit");
	ok(stars(65), "a star import behind many others");
	ok(sa_sinks_unsorted() == NULL, "the table of sinks is sorted");
}

static void
refusal(void)
{
	static const char text[] = "x = 1\nspark.sql('DROP TABLE t')\n";
	json_auto_t *r = report_of(text, sizeof(text) - 1, NULL);
	struct sa_err err = SA_ERR_INIT;
	cleanup_free char *s = sa_guard_text(r, text, sizeof(text) - 1);

	ok(strncmp(s, "x.py:2:12: error: DROP TABLE: ", 30) == 0,
	    "text like a compiler's");
	ok(strstr(s,
	       "\n    spark.sql('DROP TABLE t')\n"
	       "               ^\n") != NULL,
	    "the line and a caret");
	ok(sa_guard_refuse(r, &err) == -1 && err.kind == SA_INVALID &&
		strstr(err.msg, "'x.py'") != NULL &&
		strstr(err.msg, "line 2") != NULL && err.hint[0] != '\0' &&
		json_equal(err.detail, r),
	    "a refusal names file and line and carries the report");
	sa_err_clear(&err);
	ok(sa_guard_verdict(NULL) == R, "no report is a refusal");
}

int
main(void)
{
	ROWS(bypasses);
	ROWS(innocent);
	ROWS(flows);
	ROWS(ways);
	ROWS(roundabout);
	ROWS(shorter);
	SOURCES(refused, R);
	SOURCES(allowed, A);
	limits();
	refusal();
	return tap_done();
}
