/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <string.h>

#include "guard/pyexpr.h"
#include "guard/pytell.h"
#include "tap.h"

/* What jobs are made of, and what has a name of the table but cannot be what
 * the table is about. */
static const char *const quiet[] = {
	"",
	"from pyspark.sql import SparkSession\n"
	"spark = SparkSession.builder.appName('a').getOrCreate()\n"
	"spark.read.format('csv').load('/x').groupBy('a').count().show()\n",
	"model.save('/x')\nmodel.save(sc, '/x')\n",
	"df.filter(df.a > 1).where(lambda x: x)\n",
	"conf.set('spark.ui.enabled', 'false')\n",
	"reader.option('header', True).load('/x')\n",
	"numbers.transform(x)\ntext.replace('a', 'b')\n",
	"from typing import Any\nself.a = 1\n",
	"import copy\nprint(copy.copy(a))\n",
	"d['a'] = 1\nd[0] = 2\nd[1:2] = x\n",
	"print(f'there are {n} rows')\n",
	"'''DROP TABLE t'''\n",
	"print('drop me a line', 'update', __name__ == '__main__')\n",
	"match x:\n  case [a, b]: a()\n  case {'k': v}: v()\n",
};

static const char *const telling[] = {
	/* names that count by themselves */
	"spark.sql('SELECT 1')\n",
	"f = spark.sql\n",
	"x._jvm\n",
	"getattr(x, n)\n",
	"eval\n",
	"vars(x)\n",
	"x.__dict__\n",
	"import sys\nsys.modules\n",
	"import functools\nfunctools.partial(f)\n",
	"class M(type):\n  def __new__(c, *a): pass\n",
	"from x import *\n",
	"import sqlite3\n",
	"import pyspark.sql.connect.client\n",
	"match x:\n  case C(a): a()\n",
	/* with the module or the object that they count of */
	"import os\nos.system(x)\n",
	"import a.os as b\nb.system(x)\n",
	"from random import _os\n_os.system(x)\n",
	"import random\nrandom._os.system(x)\n",
	"def f(system): pass\nfrom x import os\n",
	"m.transform(x, p)\nSQLTransformer\n",
	"import functools\nfunctools.wraps = f\n",
	"import textwrap as t\nfor t.dedent in l: pass\n",
	/* with arguments that count, or where nobody sees them */
	"df.filter('a > 1')\n",
	"df.filter(x)\n",
	"model.save(sc, '/x', m)\n",
	"model.save('/x', mode=m)\n",
	"model.save('/x', **m)\n",
	"model.save(*m)\n",
	"f = model.save\n",
	"map(model.save, x)\n",
	"@model.save\ndef f(): pass\nmodel.save\n",
	"from x import save\n",
	"reader.option(k, v)\n",
	"reader.option('dbtable', v)\n",
	"reader.option('db' 'table', v)\n",
	"reader.option('db\\x74able', v)\n",
	"reader.option('a', 'b', 'c')\n",
	/* texts */
	"x = 'DROP TABLE t'\n",
	"x = 'DROP ' 'TABLE t'\n",
	"x = 'DR\\x4fP TABLE t'\n",
	"x = f'DROP TABLE t'\n",
	"x = f'{a} TABLE t'\n",
	"x = f'DROP TABLE {a}'\n",
	"x = f'print{a}'\n",
	"x = f'spark.{a}'\n",
	"x = 'spark.jars'\n",
	"d[k] = v\n",
};

static bool
tells(const char *source)
{
	struct sa_py_program p;
	struct sa_py_error e;

	bool r =
	    sa_py_parse(source, strlen(source), &p, &e) == 0 && sa_py_tells(&p);
	sa_py_program_release(&p);
	return r;
}

static void
look(const char *source, bool want)
{
	if (!ok(tells(source) == want, want ? "tells" : "is quiet"))
		printf("# %.*s\n", (int)strcspn(source, "\n"), source);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++)
		look(quiet[i], false);
	for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
		look(telling[i], true);
	return tap_done();
}
