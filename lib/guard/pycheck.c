/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/pycheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "guard/pyeval.h"
#include "guard/pyexpr.h"
#include "guard/pytell.h"
#include "guard/sinks.h"
#include "guard/sql.h"

#define NOTHING SA_PY_NOTHING
#define MAX_PASSES 16
#define MAX_WORK (8U << 20) /* bytes of SQL read, besides 32 a byte */
#define MAX_CODE 3	    /* exec in exec in exec */
#define MAX_DEPTH 4	    /* dicts in dicts that are looked into */
#define MAX_APART 512	    /* nodes between a key and what it belongs to */

typedef const struct sa_py_val val;
typedef const struct sa_py_str str;

/* A text that was judged, by where it is: none goes away before the end. */
struct judged_text {
	const char *s;
	uint32_t len, mode;
};

struct check {
	struct sa_report *r;
	struct sa_py_program p;
	struct sa_py_eval e;
	str *outer; /* the text that is the source, inside of exec() */
	unsigned depth;
	bool *reached;	   /* literals, by token, that a sink was given */
	bool *spark_class; /* by scope, once it was asked for */
	bool *setter;	   /* by symbol, the same */
	size_t work;	   /* bytes of SQL read */
	bool any_text;	   /* whether a parser of SQL is given one */
	bool names_sql;	   /* whether a function that takes SQL is named */
	bool lost_calls;   /* whether something was called that has no room */
	struct judged_text *seen; /* a hash table */
	size_t nseen, capseen;
	uint32_t star[64]; /* modules that a star import was seen of */
	uint32_t nstar;
	bool any_star;	/* one of them may have any function */
	bool operators; /* a class of the file has some of its own */
	uint8_t *role;	/* by symbol, as far as they were asked for */
	uint32_t nrole;
};

/* What a name may be to the checks, by itself or as the last part of a dotted
 * path. Most names are nothing to them. */
enum role {
	ROLE_KNOWN = 1 << 0,	 /* was looked up */
	ROLE_CALL = 1 << 1,	 /* a call of it may be a finding */
	ROLE_STATEMENT = 1 << 2, /* it may be a function that takes SQL */
	ROLE_ATTRIBUTE = 1 << 3, /* to read it is a finding */
	ROLE_DEED = 1 << 4	 /* it may be one that runs code or destroys */
};

/* What is called, as far as it has a name. */
struct callee {
	const char *name, *module;
	size_t len, mlen;
	val *object; /* of a method, or NULL */
	/* What functools.partial() gave it, behind the function; or NULL. */
	const struct sa_py_seq *bound;
};

/* The text that is judged, for what the SQL half finds in it. */
struct judged {
	struct check *c;
	str *s;
	const char *about;
	enum sa_sink_mode mode;
};

static bool holds_factory(struct check *c, val *v, unsigned depth);
static void check_name(struct check *c, const struct sa_py_node *n, val *name);
static void check_source(struct sa_report *r, const char *text, size_t len,
    str *outer, unsigned depth);

static size_t
origin(const struct check *c, size_t offset)
{
	return c->outer != NULL ? sa_py_source(c->outer, (uint32_t)offset)
				: offset;
}

static void
find(struct check *c, const char *rule, enum sa_verdict v, size_t offset,
    str *s, const char *about)
{
	sa_report_find(c->r, rule, v, origin(c, offset),
	    s != NULL ? s->s : NULL, s != NULL ? s->len : 0, about);
}

/* What is not known of a text that Spark's own parser will judge may stay
 * so; another database's never meets it. */
static enum sa_verdict
left_open(struct check *c, enum sa_sink_mode mode)
{
	bool later = mode == SA_SINK_STATEMENT || mode == SA_SINK_EXPRESSION;

	return c->r->options->runtime && later ? SA_VERDICT_WARN
					       : SA_VERDICT_UNRESOLVED;
}

static enum sa_verdict
verdict_of(const struct check *c, enum sa_sink_level level)
{
	const struct sa_guard_options *o = c->r->options;

	switch (level) {
	case SA_SINK_REJECT:
		return SA_VERDICT_REJECT;
	case SA_SINK_RISK:
		return o->strict ? SA_VERDICT_REJECT : SA_VERDICT_WARN;
	case SA_SINK_OVERWRITE:
		return o->strict || o->strict_insert ? SA_VERDICT_REJECT
						     : SA_VERDICT_WARN;
	default:
		return SA_VERDICT_WARN;
	}
}

static void
mark_reached(struct check *c, str *s)
{
	const struct sa_py_tokens *t = &c->p.tokens;

	for (uint32_t i = 0; i < s->nrun; i++) {
		uint32_t lo = 0, hi = t->n;
		while (hi - lo > 1) {
			uint32_t mid = lo + (hi - lo) / 2;
			if (t->t[mid].offset <= s->run[i].src)
				lo = mid;
			else
				hi = mid;
		}
		c->reached[lo] = true;
	}
}

static struct judged_text *
seen_slot(const struct check *c, const struct judged_text *t)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t h =
	    ((uintptr_t)t->s + odd * (8 * (uint64_t)t->len + t->mode)) * odd;

	for (h >>= 32;; h++) {
		struct judged_text *x = &c->seen[h & (c->capseen - 1)];
		if (x->s == NULL ||
		    (x->s == t->s && x->len == t->len && x->mode == t->mode))
			return x;
	}
}

/* Whether the text was judged in that mode already: a constant that many
 * calls use is read once. */
static bool
judged_before(struct check *c, str *s, unsigned mode)
{
	struct judged_text t = { .s = s->s, .len = s->len, .mode = mode };

	if (2 * c->nseen >= c->capseen) {
		struct judged_text *old = c->seen;
		size_t n = c->capseen;
		c->capseen = n == 0 ? 64 : 2 * n;
		c->seen = sa_xcalloc(c->capseen, sizeof(*c->seen));
		for (size_t i = 0; i < n; i++)
			if (old[i].s != NULL)
				*seen_slot(c, &old[i]) = old[i];
		free(old);
	}
	struct judged_text *slot = seen_slot(c, &t);
	if (slot->s != NULL)
		return true;
	*slot = t;
	c->nseen++;
	return false;
}

static void
on_hit(void *arg, const struct sa_sql_hit *hit)
{
	struct judged *j = arg;
	uint32_t at = (uint32_t)(hit->offset < j->s->len ? hit->offset : 0);
	enum sa_verdict v = hit->verdict;

	if (v == SA_VERDICT_UNRESOLVED)
		v = left_open(j->c, j->mode);
	find(j->c, hit->rule, v, sa_py_source(j->s, at), j->s,
	    hit->head[0] != '\0' ? hit->head : j->about);
}

static void
on_statement(void *arg, const struct sa_sql_statement *st)
{
	struct judged *j = arg;
	uint32_t at = (uint32_t)(st->offset < j->s->len ? st->offset : 0);

	sa_report_statement(j->c->r, st->head, st->verdict,
	    origin(j->c, sa_py_source(j->s, at)));
}

/* The query inside of "(query) alias", which the option dbtable takes. */
static str *
table_query(struct check *c, str *s)
{
	uint32_t from = 0, to = s->len;

	while (from < to && strchr(" \t\r\n", s->s[from]) != NULL)
		from++;
	if (from == to || s->s[from] != '(')
		return NULL;
	while (to > from && s->s[to - 1] != ')')
		to--;
	return to - from < 2 ? s : sa_py_part(&c->e.arena, s, from + 1, to - 1);
}

static void
judge_text(struct check *c, str *s, enum sa_sink_mode mode, const char *about)
{
	static const enum sa_sql_mode modes[] = { [SA_SINK_STATEMENT] =
						      SA_SQL_STATEMENT,
		[SA_SINK_EXPRESSION] = SA_SQL_EXPRESSION,
		[SA_SINK_FOREIGN] = SA_SQL_FOREIGN,
		[SA_SINK_TABLE] = SA_SQL_FOREIGN };

	if (judged_before(c, s, mode))
		return;
	mark_reached(c, s);
	if (mode == SA_SINK_TABLE && (s = table_query(c, s)) == NULL)
		return;
	/* The same beginning with ever longer ends is not read for ever. */
	c->work += s->len + 8 * (size_t)s->nrun;
	if (c->work > MAX_WORK + 32 * c->p.len) {
		find(c, "python-work", SA_VERDICT_UNRESOLVED,
		    sa_py_source(s, 0), NULL, about);
		return;
	}
	struct judged j = { .c = c, .s = s, .about = about, .mode = mode };
	sa_sql_check(s->s, s->len, modes[mode], on_hit,
	    mode == SA_SINK_STATEMENT ? on_statement : NULL, &j);
}

static bool
blank(str *s)
{
	for (uint32_t i = 0; i < s->len; i++)
		if (strchr(" \t\r\n", s->s[i]) == NULL || s->s[i] == '\0')
			return false;
	return true;
}

/* What spark.sql(text, name=...) puts in place of {name} is not known. */
static str *
with_fields(struct check *c, str *s)
{
	char *t;
	uint32_t n = 0;

	if (memchr(s->s, '{', s->len) == NULL)
		return s;
	t = sa_py_alloc(&c->e.arena, s->len + 1);
	struct sa_py_run *run =
	    sa_py_alloc(&c->e.arena, (s->len + 1) * sizeof(*run));
	for (uint32_t i = 0; i < s->len; i++) {
		const char *end =
		    s->s[i] == '{' ? memchr(s->s + i, '}', s->len - i) : NULL;
		run[n] =
		    (struct sa_py_run){ .at = n, .src = sa_py_source(s, i) };
		t[n++] = end != NULL ? (char)SA_SQL_HOLE : s->s[i];
		if (end != NULL)
			i = (uint32_t)(end - s->s);
	}
	return sa_py_str_copy(&c->e.arena, t, n, run, n);
}

/* A value at a place that takes SQL. */
static void
judge(struct check *c, val *v, const struct sa_sink *row, uint32_t offset,
    bool fields, const char *about)
{
	bool unknown = v->any;

	c->any_text = true;
	for (uint32_t i = 0; i < v->n; i++) {
		const struct sa_py_atom *a = &v->atom[i];
		str *s = a->p;
		if (a->kind == SA_PY_A_STR) {
			if (v->n + v->any > 1 && blank(s))
				mark_reached(c, s);
			else
				judge_text(c, fields ? with_fields(c, s) : s,
				    row->mode, about);
		} else if (a->kind != SA_PY_A_CONST && a->kind != SA_PY_A_NUM) {
			unknown = true;
		}
	}
	if (unknown && row->level == SA_SINK_HARD)
		find(c, row->rule, left_open(c, row->mode), offset, NULL,
		    about);
}

static bool
ends_with(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && memcmp(s + len - n, end, n) == 0 &&
	    (len == n || s[len - n - 1] == '.');
}

/* Whether v can be one of the words of "a|b". */
static bool
can_be(val *v, const char *words)
{
	if (v->any)
		return true;
	for (uint32_t i = 0; i < v->n; i++) {
		const struct sa_py_atom *a = &v->atom[i];
		str *s = a->p;
		if (a->kind == SA_PY_A_CONST) {
			if ((a->id == SA_PY_TRUE || a->id == 0) &&
			    strcmp(words, "True") == 0)
				return true;
			continue;
		}
		if (a->kind != SA_PY_A_STR || sa_py_has_hole(s))
			return true;
		for (const char *w = words; *w != '\0';) {
			size_t n = strcspn(w, "|");
			if (n == s->len && strncasecmp(w, s->s, n) == 0)
				return true;
			w += n + (w[n] == '|');
		}
	}
	return false;
}

/* Whether a function of that name, "`reflect`" or "builtin.reflect", calls
 * Java. */
static bool
calls_java(str *s)
{
	static const char *const names[] = { "reflect", "java_method",
		"try_reflect" };
	uint32_t from = s->len, to = s->len;

	while (to > 0 && strchr("` \t\r\n", s->s[to - 1]) != NULL)
		to--;
	for (from = to;
	     from > 0 && strchr("`. \t\r\n", s->s[from - 1]) == NULL;)
		from--;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == to - from &&
		    strncasecmp(names[i], s->s + from, to - from) == 0)
			return true;
	return sa_py_has_hole(s);
}

static bool
writes(str *s)
{
	for (uint32_t i = 0; i < s->len; i++)
		if (strchr("wax+", s->s[i]) != NULL && s->s[i] != '\0')
			return true;
	return false;
}

/* Whether pandas calls a function of the script in the text: "a > @f(1)". */
static bool
calls_local(str *s)
{
	const char *p = memchr(s->s, '@', s->len);

	return p != NULL && memchr(p, '(', s->len - (size_t)(p - s->s)) != NULL;
}

/* Whether an atom is one of PyYAML's loaders that make any object. */
static bool
is_loader(const struct check *c, const struct sa_py_atom *a)
{
	static const char *const names[] = { "Loader", "UnsafeLoader",
		"CLoader", "CUnsafeLoader" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (a->kind == SA_PY_A_REF &&
		    ends_with(c->p.symbol[a->id].s, c->p.symbol[a->id].len,
			names[i]))
			return true;
	return false;
}

/* Whether a row's condition holds for its argument. */
static bool
applies(struct check *c, val *v, const char *when)
{
	if (v == NULL)
		return false;
	if (*when != '*')
		return can_be(v, when);
	if (strcmp(when, "*factory") == 0)
		return holds_factory(c, v, MAX_DEPTH);
	if ((strcmp(when, "*unknown") == 0 || strcmp(when, "*java") == 0) &&
	    v->any)
		return true;
	for (uint32_t i = 0; i < v->n; i++) {
		str *s = v->atom[i].p;
		bool text = v->atom[i].kind == SA_PY_A_STR;
		if (strcmp(when, "*text") == 0 && text)
			return true;
		if (strcmp(when, "*write") == 0 && text && writes(s))
			return true;
		if (strcmp(when, "*local") == 0 && text && calls_local(s))
			return true;
		if (strcmp(when, "*loader") == 0 && is_loader(c, &v->atom[i]))
			return true;
		if (strcmp(when, "*java") == 0 && (!text || calls_java(s)))
			return true;
		if (strcmp(when, "*unknown") == 0 &&
		    (!text || sa_py_has_hole(s)))
			return true;
	}
	return false;
}

static bool
begins_with(const struct sa_py_symbol *s, const char *begin)
{
	size_t n = strlen(begin);

	return s->len >= n && memcmp(s->s, begin, n) == 0;
}

static bool
has_object(val *v, enum sa_py_type type)
{
	for (uint32_t i = 0; v != NULL && i < v->n; i++)
		if (v->atom[i].kind == SA_PY_A_OBJECT && v->atom[i].id == type)
			return true;
	return false;
}

/* Functions whose names others hardly have: what a module that nobody has read
 * has by such a name, it has from where everybody has it. */
static bool
is_telling(const char *name)
{
	static const char *const names[] = { "Popen", "SourceFileLoader",
		"attrgetter", "check_call", "check_output",
		"create_subprocess_exec", "create_subprocess_shell", "execv",
		"execve", "execvp", "execvpe", "forkpty", "getoutput",
		"getstatusoutput", "import_module", "methodcaller", "popen",
		"posix_spawn", "posix_spawnp", "removedirs", "rmtree",
		"run_module", "run_path", "spawnv", "spawnve", "spawnvp",
		"spawnvpe", "system", "zipimporter" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Whether a star import may have brought a row's function. */
static bool
star_imported(const struct check *c, const struct sa_sink *row)
{
	const char *module = row->receiver;

	if (c->any_star && (c->nstar == 0 || is_telling(row->name)))
		return true;
	for (uint32_t i = 0; i < c->nstar; i++) {
		const struct sa_py_symbol *s = &c->p.symbol[c->star[i]];
		if (s->len == strlen(module) &&
		    memcmp(s->s, module, s->len) == 0)
			return true;
	}
	return false;
}

/* Whether a dotted path is the module, or is it as another module has it:
 * shutil.os, random._os. What has that name in the script's own package,
 * .profile, is another one. */
static bool
is_module(const char *path, size_t len, const char *want)
{
	static const char builtins[] = "__builtins__";
	size_t n = strlen(want);

	if (strcmp(want, "builtins") == 0 && ends_with(path, len, builtins))
		return true;
	if (len < n || memcmp(path + len - n, want, n) != 0)
		return false;
	len -= n;
	if (len > 1 && path[len - 1] == '_' && path[len - 2] == '.')
		len--;
	return len == 0 || (path[len - 1] == '.' && path[0] != '.');
}

/* Whether a dotted path is another one of pyspark.sql.functions. */
static bool
is_functions(const char *path, size_t len)
{
	static const char *const paths[] = { "pyspark.sql.functions.builtin",
		"pyspark.sql.connect.functions",
		"pyspark.sql.connect.functions.builtin" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (is_module(path, len, paths[i]))
			return true;
	return false;
}

/* Whether a dotted path is that of a class whose objects have the type. */
static bool
is_class_of(const char *path, size_t len, enum sa_py_type type)
{
	static const struct {
		enum sa_py_type type;
		const char *name;
	} classes[] = { { SA_PY_T_WRITER, "DataFrameWriter" },
		{ SA_PY_T_WRITER, "DataStreamWriter" },
		{ SA_PY_T_WRITER2, "DataFrameWriterV2" },
		{ SA_PY_T_READER, "DataFrameReader" },
		{ SA_PY_T_CATALOG, "Catalog" }, { SA_PY_T_DELTA, "DeltaTable" },
		{ SA_PY_T_MERGE, "DeltaMergeBuilder" },
		{ SA_PY_T_MERGE, "MergeIntoWriter" },
		{ SA_PY_T_PATH, "pathlib.Path" } };

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].type == type &&
		    ends_with(path, len, classes[i].name))
			return true;
	return false;
}

static bool
receives(const struct check *c, const struct callee *f,
    const struct sa_sink *row)
{
	const char *want = row->receiver;

	if (*want == '*')
		return f->module == NULL || f->mlen > 0 ||
		    (c->any_star && row->mode == SA_SINK_STATEMENT);
	if (*want == '@') {
		enum sa_py_type type = sa_sink_type(want);
		bool writer = type == SA_PY_T_WRITER && row->when != NULL;
		return f->module == NULL
		    ? has_object(f->object, type) || (writer && f->object->any)
		    : is_class_of(f->module, f->mlen, type);
	}
	if (f->module == NULL)
		return false;
	if (f->mlen == 0 && *want != '\0')
		return star_imported(c, row);
	if (f->mlen == 0 || *want == '\0')
		return f->mlen == strlen(want);
	return is_module(f->module, f->mlen, want) ||
	    (strcmp(want, "pyspark.sql.functions") == 0 &&
		is_functions(f->module, f->mlen));
}

/* Whether a class, seen as a base, may be one of PySpark's. */
static bool
may_be_spark(const struct check *c, val *v)
{
	bool r = v->any;

	for (uint32_t i = 0; i < v->n && !r; i++) {
		const struct sa_py_atom *a = &v->atom[i];
		if (a->kind == SA_PY_A_CLASS) {
			r = c->spark_class[a->id];
		} else if (a->kind == SA_PY_A_REF) {
			const struct sa_py_symbol *s = &c->p.symbol[a->id];
			r = begins_with(s, "pyspark") ||
			    begins_with(s, "databricks");
		} else {
			r = true;
		}
	}
	return r;
}

/* SparkSession.sql(spark, q): a method called through its class. */
static bool
through_class(const struct callee *f)
{
	size_t at = f->mlen;

	if (f->module == NULL)
		return has_object(f->object, SA_PY_T_TYPE);
	while (at > 0 && f->module[at - 1] != '.')
		at--;
	return at < f->mlen && f->module[at] >= 'A' && f->module[at] <= 'Z';
}

static bool
has_fields(const struct check *c, const struct sa_py_node *n,
    const struct sa_sink *row)
{
	const uint32_t *arg = &c->p.pool[n->first];

	if (row->mode != SA_SINK_STATEMENT)
		return false;
	for (uint32_t i = 0; i + 1 < n->count; i += 2) {
		const struct sa_py_symbol *s;
		if (arg[i + 1] == SA_PY_DOUBLE_STAR)
			return true;
		if (arg[i + 1] == NOTHING)
			continue;
		s = &c->p.symbol[arg[i + 1]];
		if (!(s->len == 4 && memcmp(s->s, "args", 4) == 0) &&
		    !(s->len == 8 && memcmp(s->s, "sqlQuery", 8) == 0))
			return true;
	}
	return false;
}

static void
name_of(const struct callee *f, char *buf, size_t size)
{
	struct {
		const char *s;
		size_t len;
	} part[] = { { f->module, f->module != NULL ? f->mlen : 0 }, { ".", 1 },
		{ f->name, f->len } };
	size_t at = 0;

	for (int i = part[0].len > 0 ? 0 : 2; i < 3; i++) {
		size_t n =
		    part[i].len < size - 1 - at ? part[i].len : size - 1 - at;
		memcpy(buf + at, part[i].s, n);
		at += n;
	}
	buf[at] = '\0';
}

static bool
is_partial(const struct check *c, const struct sa_py_atom *a)
{
	return a->kind == SA_PY_A_METHOD && a->id == c->e.curried;
}

static uint32_t
nbound(const struct callee *f)
{
	return f->bound != NULL ? f->bound->n - 1 : 0;
}

/* An argument that the function gets: by the call, or before it. */
static val *
argument(struct check *c, const struct sa_py_node *n, const struct callee *f,
    int i, const char *keyword)
{
	int before = (int)nbound(f);

	if (i >= 0 && i < before)
		return f->bound->item[i + 1];
	return sa_py_argument(&c->e, n, i < 0 ? i : i - before, keyword);
}

static val *
row_argument(struct check *c, const struct sa_py_node *n,
    const struct callee *f, const struct sa_sink *row, bool class)
{
	if (row->argument < 0)
		return row->keyword != NULL &&
			sa_py_has_keyword(&c->e, n, row->keyword)
		    ? sa_py_argument(&c->e, n, -1, row->keyword)
		    : NULL;
	return argument(c, n, f, row->argument + class, row->keyword);
}

static void
check_row(struct check *c, const struct sa_py_node *n, const struct callee *f,
    const struct sa_sink *row)
{
	char about[120];
	val *v;

	name_of(f, about, sizeof(about));
	if (row->argument == -2) {
		const uint32_t *arg = &c->p.pool[n->first];
		for (uint32_t i = 0; i + 1 < n->count; i += 2) {
			const struct sa_py_node *x = &c->p.node[arg[i]];
			v = c->e.value[arg[i]];
			if (x->kind == SA_PY_N_STAR ||
			    (v->n > 0 && v->atom[0].kind == SA_PY_A_LIST))
				v = sa_py_elements(&c->e, v);
			judge(c, v, row, x->offset, false, about);
		}
		return;
	}
	bool class = through_class(f);
	v = row_argument(c, n, f, row, class);
	if (v == NULL && class) /* bound to an object after all */
		v = row_argument(c, n, f, row, false);
	if (row->mode != SA_SINK_CALL) {
		if (v != NULL)
			judge(c, v, row, n->offset, has_fields(c, n, row),
			    about);
		return;
	}
	/* of what may be something else, only what is written */
	if (row->when != NULL && f->module == NULL && *row->receiver == '@' &&
	    !has_object(f->object, sa_sink_type(row->receiver)) && v != NULL &&
	    v->any)
		return;
	if (row->when == NULL || applies(c, v, row->when))
		find(c, row->rule, verdict_of(c, row->level), n->offset, NULL,
		    about);
}

static inline bool
is(const struct callee *f, const char *name)
{
	return f->len > 0 && *f->name == *name &&
	    strncmp(name, f->name, f->len) == 0 && name[f->len] == '\0';
}

static bool
is_among(const struct callee *f, const char *const *names)
{
	for (; *names != NULL; names++)
		if (is(f, *names))
			return true;
	return false;
}

/* A list of the extensions of known table formats: they change nothing that
 * the guard says. */
static bool
known_formats(str *s)
{
	static const char *const formats[] = {
		"io.delta.sql.DeltaSparkSessionExtension",
		"org.apache.iceberg.spark.extensions."
		"IcebergSparkSessionExtensions",
		"org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
		"org.apache.paimon.spark.extensions."
		"PaimonSparkSessionExtensions",
	};
	size_t n;

	for (size_t i = 0; i <= s->len; i += n + 1) {
		const char *at = s->s + i, *comma;
		bool known = false;
		comma = memchr(at, ',', s->len - i);
		n = comma != NULL ? (size_t)(comma - at) : s->len - i;
		for (size_t k = 0; k < sizeof(formats) / sizeof(*formats); k++)
			known = known ||
			    (n == strlen(formats[k]) &&
				memcmp(at, formats[k], n) == 0);
		if (!known)
			return false;
	}
	return true;
}

static bool
is_path(const struct check *c, const struct sa_py_atom *a, const char *path)
{
	const struct sa_py_symbol *s = &c->p.symbol[a->id];

	return s->len == strlen(path) && memcmp(s->s, path, s->len) == 0;
}

/* Whether a program is one by the name of Python. */
static bool
names_python(str *s)
{
	static const char name[] = "python";
	uint32_t from = s->len;

	while (from > 0 && s->s[from - 1] != '/')
		from--;
	return !sa_py_has_hole(s) && s->len - from >= sizeof(name) - 1 &&
	    memcmp(s->s + from, name, sizeof(name) - 1) == 0 &&
	    memchr(s->s, ' ', s->len) == NULL;
}

/* Whether an operation of a writer only adds. */
static bool
only_adds(str *s)
{
	static const char *const words[] = { "delete", "overwrite",
		"truncate" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (uint32_t k = 0; k + strlen(words[i]) <= s->len; k++)
			if (strncasecmp(s->s + k, words[i], strlen(words[i])) ==
			    0)
				return false;
	return !sa_py_has_hole(s);
}

/* Whether a setting that a rule is about has a value that is no harm. */
static bool
harmless(const struct check *c, const struct sa_sink *row, val *v)
{
	bool list = strcmp(row->name, "spark.sql.extensions") == 0;
	bool python = strncmp(row->name, "PYSPARK_", 8) == 0;
	bool operation = strcmp(row->rule, "python-destructive") == 0;

	if (v == NULL || v->any || v->n == 0)
		return false;
	for (uint32_t i = 0; i < v->n; i++) {
		const struct sa_py_atom *a = &v->atom[i];
		str *s = a->p;
		bool known = false;
		if (a->kind == SA_PY_A_CONST)
			known = !list && a->id == SA_PY_FALSE;
		else if (a->kind == SA_PY_A_STR)
			known = list
			    ? known_formats(s)
			    : s->len == 5 && strncasecmp(s->s, "false", 5) == 0;
		else if (a->kind == SA_PY_A_REF) /* the one that runs now */
			known = python && is_path(c, a, "sys.executable");
		if (python && a->kind == SA_PY_A_STR)
			known = names_python(s);
		if (operation && a->kind == SA_PY_A_STR)
			known = only_adds(s);
		if (!known)
			return false;
	}
	return true;
}

/* Whether an option's key has no other meaning, so that it need not be seen
 * where it goes. */
static bool
is_plain_key(const struct sa_sink *row)
{
	if (row->mode != SA_SINK_CALL)
		return row->level == SA_SINK_HARD &&
		    strcmp(row->name, "query") != 0;
	return strncmp(row->name, "spark.", 6) == 0 ||
	    strncmp(row->name, "PYSPARK_", 8) == 0;
}

/* Where an option's key and its value stand. */
enum place {
	AT_OPTION, /* where options are taken */
	AT_DICT	   /* in any dict */
};

static void
check_option(struct check *c, const struct sa_py_node *n, const char *key,
    size_t len, val *v, enum place place)
{
	const struct sa_sink *row = sa_sink_option(key, len);

	if (row == NULL || v == NULL ||
	    (place == AT_DICT && !is_plain_key(row)))
		return;
	if (row->mode != SA_SINK_CALL)
		judge(c, v, row, n->offset, false, row->name);
	else if (!harmless(c, row, v))
		find(c, row->rule, verdict_of(c, row->level), n->offset, NULL,
		    row->name);
}

static void
check_option_keys(struct check *c, const struct sa_py_node *n, val *key, val *v,
    enum place place)
{
	for (uint32_t i = 0; key != NULL && i < key->n; i++) {
		str *s = key->atom[i].p;
		if (key->atom[i].kind != SA_PY_A_STR)
			continue;
		mark_reached(c, s);
		check_option(c, n, s->s, s->len, v, place);
	}
}

/* {key: value} where options are taken, as far as its keys are known. */
static void
check_option_dict(struct check *c, const struct sa_py_node *n, val *v,
    enum place place)
{
	for (uint32_t i = 0; v != NULL && i < v->n; i++) {
		const struct sa_py_seq *d = v->atom[i].p;
		if (v->atom[i].kind != SA_PY_A_DICT)
			continue;
		for (uint32_t k = 0; k + 1 < d->n; k += 2) {
			val *key = d->item[k];
			check_option_keys(c, n, key, d->item[k + 1], place);
		}
	}
}

/* SparkConf().setAll([(key, value), ...]) */
static void
check_option_pairs(struct check *c, const struct sa_py_node *n, val *list)
{
	val *v = list != NULL ? sa_py_elements(&c->e, list) : NULL;

	for (uint32_t i = 0; v != NULL && i < v->n; i++) {
		const struct sa_py_seq *pair = v->atom[i].p;
		if (v->atom[i].kind == SA_PY_A_LIST && pair->n == 2)
			check_option_keys(c, n, pair->item[0], pair->item[1],
			    AT_OPTION);
	}
}

/* .options(key=value, **more) */
static void
check_keywords(struct check *c, const struct sa_py_node *n, enum place place)
{
	const uint32_t *arg = &c->p.pool[n->first];

	for (uint32_t i = 0; i + 1 < n->count; i += 2) {
		val *v = c->e.value[arg[i]];
		if (arg[i + 1] == SA_PY_DOUBLE_STAR)
			check_option_dict(c, n, v, place);
		else if (arg[i + 1] != NOTHING)
			check_option(c, n, c->p.symbol[arg[i + 1]].s,
			    c->p.symbol[arg[i + 1]].len, v, place);
	}
}

/* spark.conf.unset(key) puts Spark's default in the place of what the
 * connection set. */
static void
check_unset(struct check *c, const struct sa_py_node *n, val *key)
{
	for (uint32_t i = 0; key != NULL && i < key->n; i++) {
		str *s = key->atom[i].p;
		const struct sa_sink *row = NULL;
		if (key->atom[i].kind == SA_PY_A_STR)
			row = sa_sink_option(s->s, s->len);
		if (row != NULL && row->level == SA_SINK_REJECT)
			find(c, row->rule, verdict_of(c, row->level), n->offset,
			    NULL, row->name);
	}
}

/* What jdbc() is given last: by a reader behind what splits the table up. */
static val *
properties(struct check *c, const struct sa_py_node *n, const struct callee *f)
{
	bool reader =
	    f->module == NULL && has_object(f->object, SA_PY_T_READER);

	return argument(c, n, f, (reader ? 7 : 3) + through_class(f),
	    "properties");
}

/* Whether the call's arguments are a key and its value. */
static bool
sets_key(const struct callee *f)
{
	static const char *const names[] = { "config", "option", "set",
		"setConf", "setIfMissing", "setLocalProperty",
		"setSystemProperty", NULL };

	return is_among(f, names);
}

/* The same of a dict, which may go anywhere. */
static bool
sets_item(const struct callee *f)
{
	return is(f, "setdefault") || is(f, "__setitem__") || is(f, "putenv");
}

/* a_dict.update(key=value, **more), a_dict.update({key: value}) */
static void
check_update(struct check *c, const struct sa_py_node *n)
{
	check_option_dict(c, n, sa_py_argument(&c->e, n, 0, NULL), AT_DICT);
	check_keywords(c, n, AT_DICT);
}

/* .option(key, value), .options(key=value), .config(...), .set(...) */
static void
check_options(struct check *c, const struct sa_py_node *n,
    const struct callee *f)
{
	if (f->module != NULL && f->mlen == 0)
		return;
	if (is(f, "unset"))
		check_unset(c, n, argument(c, n, f, 0, "key"));
	else if (is(f, "options") || is(f, "load") || is(f, "save"))
		check_keywords(c, n, AT_OPTION);
	else if (is(f, "jdbc"))
		check_option_dict(c, n, properties(c, n, f), AT_OPTION);
	else if (is(f, "config"))
		check_option_dict(c, n, sa_py_argument(&c->e, n, -1, "map"),
		    AT_OPTION);
	else if (is(f, "setAll"))
		check_option_pairs(c, n, sa_py_argument(&c->e, n, 0, "pairs"));
	if (is(f, "update"))
		check_update(c, n);
	enum place place = sets_key(f) ? AT_OPTION : AT_DICT;
	int places = through_class(f) ? 2 : 1;
	for (int k = 0; k < places; k++)
		if (place == AT_OPTION || sets_item(f))
			check_option_keys(c, n, argument(c, n, f, k, "key"),
			    argument(c, n, f, k + 1, "value"), place);
}

static bool
is_builtin(const struct callee *f)
{
	return f->module != NULL &&
	    (f->mlen == 0 || ends_with(f->module, f->mlen, "builtins"));
}

/* Whether the first argument is Python that the call evaluates. */
static bool
takes_code(const struct callee *f)
{
	if (is(f, "exec") || is(f, "eval") || is(f, "compile"))
		return is_builtin(f);
	return f->module != NULL && is_module(f->module, f->mlen, "numexpr") &&
	    (is(f, "evaluate") || is(f, "NumExpr") || is(f, "validate"));
}

/* Code that is put together as text is code all the same. */
static void
check_code(struct check *c, val *v, const struct callee *f)
{
	if (v == NULL || !takes_code(f))
		return;
	for (uint32_t i = 0; i < v->n; i++) {
		str *s = v->atom[i].p;
		if (v->atom[i].kind == SA_PY_A_STR && !sa_py_has_hole(s) &&
		    c->depth < MAX_CODE && c->outer == NULL &&
		    !judged_before(c, s, 7))
			check_source(c->r, s->s, s->len, s, c->depth + 1);
	}
}

/* Where the last part of a dotted path begins. */
static size_t
last_part(const struct sa_py_symbol *s)
{
	size_t dot = s->len;

	while (dot > 0 && s->s[dot - 1] != '.')
		dot--;
	return dot;
}

static bool
callee_of(const struct check *c, const struct sa_py_atom *a, struct callee *f)
{
	*f = (struct callee){ 0 };
	if (a->kind != SA_PY_A_METHOD && a->kind != SA_PY_A_REF)
		return false;
	const struct sa_py_symbol *s = &c->p.symbol[a->id];
	f->name = s->s;
	f->len = s->len;
	if (a->kind == SA_PY_A_METHOD) {
		f->object = a->p;
		return true;
	}
	size_t dot = last_part(s);
	f->module = s->s;
	f->mlen = dot > 0 ? dot - 1 : 0;
	f->name = s->s + dot;
	f->len = s->len - dot;
	return true;
}

/* Whether a row is of a call that runs code or destroys. */
static bool
is_deed(const struct sa_sink *row)
{
	return row->mode == SA_SINK_CALL &&
	    (row->level == SA_SINK_RISK || row->level == SA_SINK_OVERWRITE ||
		row->level == SA_SINK_REJECT);
}

/* Whether the call is looked into where the function is handed on. */
static bool
is_told(const struct sa_sink *row)
{
	return is_deed(row) || row->mode == SA_SINK_EXPRESSION ||
	    row->mode == SA_SINK_TABLE;
}

/* Whether the text is the dotted path of such a function. */
static bool
is_factory(const struct check *c, str *s)
{
	const struct sa_py_symbol path = { .s = s->s, .len = s->len };
	size_t dot = last_part(&path), rows;

	if (dot == 0)
		return false;
	struct callee f = { .name = s->s + dot,
		.len = s->len - dot,
		.module = s->s,
		.mlen = dot - 1 };
	const struct sa_sink *row = sa_sinks(f.name, f.len, &rows);
	for (size_t i = 0; i < rows; i++)
		if (is_deed(&row[i]) && receives(c, &f, &row[i]))
			return true;
	return false;
}

/* Whether v, or what is in its dicts and lists, is one. */
static bool
holds_factory(struct check *c, val *v, unsigned depth)
{
	for (uint32_t i = 0; v != NULL && i < v->n; i++) {
		const struct sa_py_atom *a = &v->atom[i];
		const struct sa_py_seq *s = a->p;
		if (a->kind == SA_PY_A_STR && is_factory(c, a->p))
			return true;
		if (depth == 0 || sa_py_spend(&c->e.arena, 1) ||
		    (a->kind != SA_PY_A_LIST && a->kind != SA_PY_A_DICT))
			continue;
		for (uint32_t k = 0; k < s->n; k++)
			if (holds_factory(c, s->item[k], depth - 1))
				return true;
	}
	return false;
}

/* Whatever has a role is named in sinks.def: most names are not. */
static unsigned
role_of(const struct sa_py_symbol *s)
{
	size_t dot = last_part(s), n;
	struct callee f = { .name = s->s + dot, .len = s->len - dot };
	unsigned r = ROLE_KNOWN;

	if (!sa_sink_named(f.name, f.len))
		return r;
	const struct sa_sink *row = sa_sinks(f.name, f.len, &n);
	bool special = sa_sink_special(f.name, f.len);
	if (n > 0 || special)
		r |= ROLE_CALL;
	if (sa_sink_attribute(f.name, f.len) != NULL)
		r |= ROLE_ATTRIBUTE;
	for (size_t i = 0; i < n; i++) {
		if (row[i].mode == SA_SINK_STATEMENT)
			r |= ROLE_STATEMENT;
		if (is_told(&row[i]))
			r |= ROLE_DEED;
	}
	if (special &&
	    (sets_key(&f) || is(&f, "unset") || is(&f, "getattr") ||
		is(&f, "partial()")))
		r |= ROLE_DEED;
	return r;
}

static unsigned
find_role(struct check *c, uint32_t symbol)
{
	if (symbol >= c->nrole) { /* paths that an evaluation made, too */
		uint32_t more = c->p.capsymbol;
		c->role = sa_xrealloc(c->role, more, sizeof(*c->role));
		memset(c->role + c->nrole, 0, more - c->nrole);
		c->nrole = more;
	}
	return c->role[symbol] = (uint8_t)role_of(&c->p.symbol[symbol]);
}

static inline unsigned
role(struct check *c, uint32_t symbol)
{
	return symbol < c->nrole && c->role[symbol] != 0 ? c->role[symbol]
							 : find_role(c, symbol);
}

/* Whether an atom is a function with that role. */
static bool
has_role(struct check *c, const struct sa_py_atom *a, unsigned r)
{
	return (a->kind == SA_PY_A_METHOD || a->kind == SA_PY_A_REF) &&
	    (role(c, a->id) & r) != 0;
}

static bool
any_has_role(struct check *c, val *v, unsigned r)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (has_role(c, &v->atom[i], r))
			return true;
	return false;
}

/* The row by which a value is a function that takes SQL statements. */
static const struct sa_sink *
statement_sink(struct check *c, const struct sa_py_atom *a)
{
	struct callee f;
	size_t n;

	if (!has_role(c, a, ROLE_STATEMENT) || !callee_of(c, a, &f) ||
	    (f.module != NULL && ends_with(f.module, f.mlen, "pyspark")))
		return NULL;
	const struct sa_sink *row = sa_sinks(f.name, f.len, &n);
	for (size_t i = 0; i < n; i++)
		if (row[i].mode == SA_SINK_STATEMENT &&
		    receives(c, &f, &row[i]))
			return &row[i];
	return NULL;
}

/* Functions and methods that do not call what they are given: those of logs,
 * and of a DataFrame that has a column named sql. key is the argument's name
 * or NOTHING. */
static bool
calls_nothing(const struct check *c, const struct callee *f, uint32_t key)
{
	static const char *const names[] = { "TypeVar", "callable", "cast",
		"critical", "debug", "error", "exception", "getattr", "hasattr",
		"id", "info", "isinstance", "issubclass", "len", "print",
		"repr", "str", "warning", NULL };
	static const char *const methods[] = { "drop", "groupBy", "groupby",
		"orderBy", "select", "sort", NULL };

	if (key < SA_PY_DOUBLE_STAR && c->p.symbol[key].len == 3 &&
	    memcmp(c->p.symbol[key].s, "key", 3) == 0)
		return false;
	if (is_among(f, names))
		return true;
	return is_among(f, methods) &&
	    !(f->module != NULL && ends_with(f->module, f->mlen, "itertools"));
}

/* map(spark.sql, L), pool.submit(spark.sql, q), partial(spark.sql, q) */
static void
check_handed_on(struct check *c, const struct sa_py_node *n,
    const struct callee *f, uint32_t k, const struct sa_sink *row)
{
	uint32_t key = c->p.pool[n->first + 2 * k + 1];
	bool each = is(f, "map") || is(f, "starmap") || is(f, "imap");
	bool once = is(f, "submit") || is(f, "partial") || is(f, "to_thread") ||
	    is(f, "run_in_executor");

	if ((each || once) && (k == 0 || is(f, "run_in_executor"))) {
		val *v = sa_py_argument(&c->e, n, (int)k + 1, row->keyword);
		if (v != NULL && each)
			v = sa_py_elements(&c->e, v);
		if (v != NULL) {
			judge(c, v, row, n->offset, false, "sql");
			return;
		}
		if (is(f, "partial"))
			return;
	}
	if (calls_nothing(c, f, key) || (is(f, "type") && n->count == 2))
		return;
	find(c, "python-alias", left_open(c, row->mode), n->offset, NULL,
	    "sql");
}

/* Functions and methods that are there to call what they are given. */
static bool
calls_it(const struct callee *f)
{
	static const char *const names[] = { "Process", "Thread", "Timer",
		"add_done_callback", "apply", "apply_async", "call_later",
		"call_soon", "callback", "filter", "foreach",
		"foreachPartition", "imap", "imap_unordered", "map",
		"map_async", "partial", "partialmethod", "reduce", "register",
		"run_in_executor", "spawn", "starmap", "start_new_thread",
		"submit", "to_thread", NULL };

	return is_among(f, names);
}

/* What a function handed on as argument k gets for its argument i: NULL where
 * that is not given, or nobody knows. */
static val *
handed_argument(struct check *c, const struct sa_py_node *n,
    const struct callee *f, uint32_t k, const struct callee *g, int i,
    const char *keyword)
{
	if (i >= 0 && (uint32_t)i < nbound(g))
		return g->bound->item[i + 1];
	i = i < 0 ? i : i - (int)nbound(g);
	bool each = is(f, "map") || is(f, "starmap") || is(f, "imap") ||
	    is(f, "imap_unordered") || is(f, "map_async");
	val *v = sa_py_argument(&c->e, n, -1, "kwargs");

	for (uint32_t m = 0; v != NULL && m < v->n; m++) {
		const struct sa_py_seq *d = v->atom[m].p;
		for (uint32_t p = 0; v->atom[m].kind == SA_PY_A_DICT &&
		     keyword != NULL && p + 1 < d->n;
		     p += 2)
			if (can_be(d->item[p], keyword))
				return d->item[p + 1];
	}
	v = sa_py_argument(&c->e, n, -1, "args");
	if (v != NULL && i >= 0)
		return sa_py_elements(&c->e, v);
	v = sa_py_argument(&c->e, n, i < 0 ? -1 : (int)k + 1 + i, keyword);
	return v != NULL && each ? sa_py_elements(&c->e, v) : v;
}

/* The row of a function that is handed on as argument k, against what it gets
 * there. */
static void
check_told(struct check *c, const struct sa_py_node *n, const struct callee *f,
    uint32_t k, const struct callee *g, const struct sa_sink *row,
    const char *about)
{
	int i = row->argument == -2 ? 0 : row->argument;
	val *v = handed_argument(c, n, f, k, g, i, row->keyword);

	if (row->mode != SA_SINK_CALL) {
		if (v != NULL)
			judge(c, v, row, n->offset, false, about);
		else if (is(f, "partialmethod")) /* nobody sees its calls */
			find(c, "python-alias", left_open(c, row->mode),
			    n->offset, NULL, about);
		return;
	}
	if (row->when == NULL || applies(c, v, row->when))
		find(c, row->rule, verdict_of(c, row->level), n->offset, NULL,
		    about);
}

/* Whether one of the names, as an attribute, may be a function that takes SQL,
 * runs code or destroys. */
static bool
names_function(val *names)
{
	if (names == NULL || names->any)
		return true;
	for (uint32_t i = 0; i < names->n; i++) {
		str *s = names->atom[i].p;
		if (names->atom[i].kind != SA_PY_A_STR || sa_py_has_hole(s))
			return true;
		const struct sa_py_symbol name = { .s = s->s, .len = s->len };
		if ((role_of(&name) &
			(ROLE_STATEMENT | ROLE_DEED | ROLE_ATTRIBUTE)) != 0)
			return true;
	}
	return false;
}

/* map(exec, L), Process(target=os.system), partial(write.save, mode=m) */
static void
check_deed(struct check *c, const struct sa_py_node *n, const struct callee *f,
    uint32_t k, const struct sa_py_atom *a, const struct sa_py_seq *bound)
{
	struct callee g;
	char about[120];
	size_t rows;
	bool called = calls_it(f);

	if (!has_role(c, a, ROLE_DEED) || !callee_of(c, a, &g) ||
	    calls_nothing(c, f, c->p.pool[n->first + 2 * k + 1]))
		return;
	g.bound = bound;
	name_of(&g, about, sizeof(about));
	const struct sa_sink *row = sa_sinks(g.name, g.len, &rows);
	for (size_t i = 0; i < rows; i++) {
		bool plain = row[i].when == NULL && *row[i].receiver != '*' &&
		    row[i].mode == SA_SINK_CALL;
		if (!is_told(&row[i]) || !receives(c, &g, &row[i]) ||
		    (!called && !plain))
			continue;
		check_told(c, n, f, k, &g, &row[i], about);
	}
	if (called && is(&g, "getattr") && is_builtin(&g) &&
	    names_function(handed_argument(c, n, f, k, &g, 1, NULL)))
		find(c, "python-reflection", verdict_of(c, SA_SINK_RISK),
		    n->offset, NULL, about);
	check_code(c, handed_argument(c, n, f, k, &g, 0, NULL), &g);
	val *key = handed_argument(c, n, f, k, &g, 0, "key");
	if (called && sets_key(&g) && !is_builtin(&g)) {
		val *v = handed_argument(c, n, f, k, &g, 1, "value");
		check_option_keys(c, n, key, v != NULL ? v : &sa_py_any,
		    AT_OPTION);
	}
	if (called && is(&g, "unset"))
		check_unset(c, n, key);
}

/* The same of what functools.partial() gave. */
static void
check_deeds(struct check *c, const struct sa_py_node *n, const struct callee *f,
    uint32_t k, const struct sa_py_atom *a)
{
	val *lists = is_partial(c, a) ? a->p : &sa_py_never;

	for (uint32_t i = 0; i < lists->n; i++) {
		const struct sa_py_seq *s = lists->atom[i].p;
		for (uint32_t j = 0; j < s->item[0]->n; j++)
			check_deed(c, n, f, k, &s->item[0]->atom[j], s);
	}
	check_deed(c, n, f, k, a, NULL);
}

/* A function that takes SQL, runs code or destroys, and is out of sight from
 * here on. */
static void
check_lost(struct check *c, uint32_t offset, const struct sa_py_atom *a)
{
	const struct sa_sink *row = statement_sink(c, a);
	struct callee g;
	size_t rows;

	if (row != NULL)
		find(c, "python-alias", left_open(c, row->mode), offset, NULL,
		    "sql");
	if (!has_role(c, a, ROLE_DEED) || !callee_of(c, a, &g))
		return;
	row = sa_sinks(g.name, g.len, &rows);
	for (size_t i = 0; i < rows; i++)
		if (is_deed(&row[i]) && row[i].when == NULL &&
		    *row[i].receiver != '*' && receives(c, &g, &row[i]))
			find(c, row[i].rule, verdict_of(c, row[i].level),
			    offset, NULL, row[i].name);
}

/* What a list or a dict has; NULL for any other atom. */
static val *
held(struct check *c, const struct sa_py_atom *a)
{
	const struct sa_py_seq *s = a->p;

	if ((a->kind != SA_PY_A_LIST && a->kind != SA_PY_A_DICT) ||
	    sa_py_spend(&c->e.arena, 0))
		return NULL;
	return sa_py_union(&c->e.arena,
	    sa_py_items(&c->e, &sa_py_never, s, 0, 1),
	    sa_py_union(&c->e.arena, s->rest, sa_py_added(&c->e, s->site)));
}

/* The same, of the lists and dicts in v. */
static void
check_held(struct check *c, uint32_t offset, val *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		val *x = held(c, &v->atom[i]);
		for (uint32_t k = 0; x != NULL && k < x->n; k++)
			check_lost(c, offset, &x->atom[k]);
	}
}

/* Whether the guard knows what becomes of the functions in a list that is
 * given to the call. */
static bool
is_followed(struct check *c, val *called, const struct callee *f)
{
	static const char *const names[] = { "dict", "enumerate", "filter",
		"frozenset", "iter", "list", "map", "max", "min", "next",
		"reversed", "set", "sorted", "tuple", "zip", NULL };

	if (called->n == 0 || f->name == NULL || calls_nothing(c, f, NOTHING))
		return called->n > 0 && f->name != NULL;
	if (f->module != NULL)
		return f->mlen == 0 && is_among(f, names);
	for (uint32_t i = 0; i < f->object->n; i++)
		if (f->object->atom[i].kind == SA_PY_A_LIST ||
		    f->object->atom[i].kind == SA_PY_A_DICT ||
		    f->object->atom[i].kind == SA_PY_A_STR)
			return true;
	return false;
}

/* Whether the call is given all names of a module or an imported class, for
 * more than the names: dict(vars(x)). */
static bool
takes_names(const struct check *c, const struct callee *f,
    const struct sa_py_atom *a)
{
	static const char *const names[] = { "dir", "frozenset", "list", "set",
		"sorted", "tuple", "vars", NULL };

	return a->kind == SA_PY_A_REF && sa_py_is_names(&c->e, a) &&
	    !is_among(f, names) && !calls_nothing(c, f, NOTHING);
}

static void
check_arguments(struct check *c, const struct sa_py_node *n, val *called)
{
	const uint32_t *arg = &c->p.pool[n->first];
	struct callee f = { 0 };

	if (called->n > 0)
		callee_of(c, &called->atom[called->n - 1], &f);

	for (uint32_t i = 0; i + 1 < n->count; i += 2) {
		val *v = c->e.value[arg[i]];
		for (uint32_t k = 0; k < v->n; k++) {
			const struct sa_sink *row =
			    statement_sink(c, &v->atom[k]);
			if (row != NULL)
				check_handed_on(c, n, &f, i / 2, row);
			check_deeds(c, n, &f, i / 2, &v->atom[k]);
			if (takes_names(c, &f, &v->atom[k]))
				check_name(c, n, NULL);
		}
		if (!is_followed(c, called, &f))
			check_held(c, n->offset, v);
	}
}

static bool
calls_file(val *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->atom[i].kind == SA_PY_A_FUNCTION)
			return true;
	return false;
}

/* Marks the scopes of classes that may be PySpark's own, by a base. */
static void
find_spark_classes(struct check *c)
{
	c->spark_class = sa_xcalloc(c->p.nscope, sizeof(*c->spark_class));
	for (uint32_t i = 0; i < c->p.nlisted; i++) {
		const struct sa_py_node *n = &c->p.node[c->p.listed[i]];
		for (uint32_t k = 0;
		     n->kind == SA_PY_N_CLASSDEF && k + 1 < n->count; k += 2)
			if (may_be_spark(c,
				c->e.value[c->p.pool[n->first + k]]))
				c->spark_class[n->c] = true;
	}
}

/* Whether an object of a class of the file has an attribute of its own by
 * that name, and not PySpark's: self._client. */
static bool
is_own(struct check *c, const struct sa_py_node *n)
{
	val *v = c->e.value[n->a];
	uint32_t scope = n->scope;

	if (v->any || v->n != 1 || !has_object(v, SA_PY_T_SELF) ||
	    n->b >= c->e.nsymbol || !c->e.name[n->b].has_attr)
		return false;
	while (c->p.scope[scope].kind != SA_PY_S_CLASS &&
	    c->p.scope[scope].kind != SA_PY_S_MODULE)
		scope = c->p.scope[scope].parent;
	if (c->spark_class == NULL)
		find_spark_classes(c);
	return !c->spark_class[scope];
}

static void
find_attribute(struct check *c, const struct sa_py_node *n, const char *name,
    size_t len)
{
	const struct sa_sink *row = sa_sink_attribute(name, len);

	if (row == NULL)
		return;
	if (row->when != NULL && n->kind == SA_PY_N_ATTR && is_own(c, n))
		return;
	find(c, row->rule, verdict_of(c, row->level), n->offset, NULL,
	    row->name);
}

static void
check_attribute(struct check *c, const struct sa_py_node *n)
{
	const struct sa_py_symbol *s = &c->p.symbol[n->b];

	find_attribute(c, n, s->s, s->len);
}

/* getattr(x, "name") is x.name. */
static void
check_getattr(struct check *c, const struct sa_py_node *n,
    const struct callee *f)
{
	if (!is_builtin(f) || !(is(f, "getattr") || is(f, "setattr")))
		return;
	val *v = argument(c, n, f, 1, NULL);
	for (uint32_t i = 0; v != NULL && i < v->n; i++) {
		str *s = v->atom[i].p;
		if (v->atom[i].kind == SA_PY_A_STR)
			find_attribute(c, n, s->s, s->len);
	}
}

static bool
holds_names(struct check *c, val *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (sa_py_is_names(&c->e, &v->atom[i]))
			return true;
	return false;
}

/* The module that the script is. */
static bool
is_own_module(const struct check *c, const struct sa_py_atom *a)
{
	static const char name[] = "__name__";
	const size_t n = sizeof(name) - 1;

	return a->kind == SA_PY_A_REF && c->p.symbol[a->id].len == n &&
	    memcmp(c->p.symbol[a->id].s, name, n) == 0;
}

/* A name that x.__dict__ or sys.modules is asked for; NULL for none. */
static void
check_name(struct check *c, const struct sa_py_node *n, val *name)
{
	bool known = name != NULL && !name->any;

	for (uint32_t i = 0; name != NULL && i < name->n; i++) {
		str *s = name->atom[i].p;
		if (name->atom[i].kind == SA_PY_A_STR && !sa_py_has_hole(s))
			find_attribute(c, n, s->s, s->len);
		else if (!is_own_module(c, &name->atom[i]))
			known = false;
	}
	if (!known)
		find(c, "python-reflection", verdict_of(c, SA_SINK_RISK),
		    n->offset, NULL, "__dict__");
}

/* What the target gets, where it stands by itself. */
static val *
assigned(const struct check *c, const struct sa_py_node *target)
{
	uint32_t i = (uint32_t)(target - c->p.node);
	uint32_t end = c->p.nnode - i > MAX_APART ? i + MAX_APART : c->p.nnode;

	for (uint32_t k = i + 1; k < end; k++)
		if (c->p.node[k].kind == SA_PY_N_ASSIGN && c->p.node[k].a == i)
			return c->e.value[c->p.node[k].b];
	return &sa_py_any;
}

/* Whether one of the texts is an option's key that has no other meaning. */
static bool
has_plain_key(val *key)
{
	for (uint32_t i = 0; i < key->n; i++) {
		str *s = key->atom[i].p;
		const struct sa_sink *row = NULL;
		/* the shortest, and what they begin with */
		if (key->atom[i].kind == SA_PY_A_STR && s->len >= 10 &&
		    strchr("pPsS", s->s[0]) != NULL)
			row = sa_sink_option(s->s, s->len);
		if (row != NULL && is_plain_key(row))
			return true;
	}
	return false;
}

static bool
is_trusted(const struct sa_py_symbol *path)
{
	return sa_sink_trusted(path->s, path->len);
}

static bool
names_trusted(val *name)
{
	for (uint32_t i = 0; i < name->n; i++) {
		str *s = name->atom[i].p;
		if (name->atom[i].kind != SA_PY_A_STR)
			continue;
		const struct sa_py_symbol module = { .s = s->s, .len = s->len };
		if (is_trusted(&module))
			return true;
	}
	return false;
}

/* Whether names[name] = value puts something else in the place of what the
 * guard takes for Python's own: vars(textwrap), sys.modules["textwrap"]. */
static bool
replaces_trusted(const struct check *c, val *names, val *name)
{
	static const char dict[] = ".__dict__";

	for (uint32_t i = 0; i < names->n; i++) {
		if (names->atom[i].kind != SA_PY_A_REF)
			continue;
		struct sa_py_symbol s = c->p.symbol[names->atom[i].id];
		if (ends_with(s.s, s.len, "__builtins__"))
			return true;
		if (ends_with(s.s, s.len, "__dict__") && s.len >= sizeof(dict))
			s.len -= (uint32_t)sizeof(dict) - 1;
		if (is_trusted(&s))
			return true;
		if (ends_with(s.s, s.len, "sys.modules") && names_trusted(name))
			return true;
	}
	return false;
}

static void
check_values(struct check *c, uint32_t offset, val *v)
{
	for (uint32_t i = 0; v != NULL && i < v->n; i++)
		check_lost(c, offset, &v->atom[i]);
	if (v != NULL)
		check_held(c, offset, v);
}

/* x.__dict__["name"] is x.name; x["key"] = value sets an option. */
static void
check_index(struct check *c, const struct sa_py_node *n)
{
	bool names = holds_names(c, c->e.value[n->a]);

	if (names)
		check_name(c, n, c->e.value[n->b]);
	if ((n->flags & SA_PY_F_TARGET) == 0)
		return;
	val *v = assigned(c, n);
	check_option_keys(c, n, c->e.value[n->b], v, AT_DICT);
	if (!names)
		return;
	check_values(c, n->offset, v);
	if (replaces_trusted(c, c->e.value[n->a], c->e.value[n->b]))
		find(c, "python-reflection", verdict_of(c, SA_SINK_RISK),
		    n->offset, NULL, "__dict__");
}

/* Whether a call is of a method of x.__dict__ or sys.modules. */
static bool
is_of_names(struct check *c, const struct sa_py_node *n)
{
	const struct sa_py_node *f = &c->p.node[n->c];

	return f->kind == SA_PY_N_ATTR && holds_names(c, c->e.value[f->a]);
}

/* x.__dict__.get("name"), x.__dict__.update({"name": ...}) */
static void
check_names_call(struct check *c, const struct sa_py_node *n)
{
	static const char *const lookups[] = { "get", "pop", "setdefault",
		"__getitem__" };
	const struct sa_py_symbol *s = &c->p.symbol[c->p.node[n->c].b];
	struct callee f = { .name = s->s, .len = s->len };
	val *v = sa_py_argument(&c->e, n, 0, NULL);

	for (size_t i = 0; i < sizeof(lookups) / sizeof(lookups[0]); i++)
		if (is(&f, lookups[i]))
			check_name(c, n, v);
	if (v == NULL || !is(&f, "update"))
		return;
	bool known = !v->any;
	for (uint32_t i = 0; i < v->n; i++) {
		const struct sa_py_seq *d = v->atom[i].p;
		bool dict = v->atom[i].kind == SA_PY_A_DICT;
		for (uint32_t k = 0; dict && k + 1 < d->n; k += 2)
			check_name(c, n, d->item[k]);
		known = known && dict && d->rest == NULL;
	}
	if (!known)
		check_name(c, n, NULL);
}

static void
check_import(struct check *c, const struct sa_py_node *n, uint32_t path)
{
	const struct sa_py_symbol *s = &c->p.symbol[path];
	const struct sa_sink *row = sa_sink_import(s->s, s->len);
	size_t dot = s->len;

	if (row != NULL) {
		find(c, row->rule, verdict_of(c, row->level), n->offset, NULL,
		    row->name);
		return;
	}
	while (dot > 0 && s->s[dot - 1] != '.')
		dot--;
	if (begins_with(s, "pyspark."))
		find_attribute(c, n, s->s + dot, s->len - dot);
}

/* A call of what may be that function. */
static void
check_callee(struct check *c, const struct sa_py_node *n,
    const struct sa_py_atom *a, const struct sa_py_seq *bound)
{
	struct callee f;
	size_t rows;

	if (!has_role(c, a, ROLE_CALL) || !callee_of(c, a, &f))
		return;
	f.bound = bound;
	const struct sa_sink *row = sa_sinks(f.name, f.len, &rows);
	for (size_t k = 0; k < rows; k++)
		if (receives(c, &f, &row[k]))
			check_row(c, n, &f, &row[k]);
	check_options(c, n, &f);
	check_code(c, argument(c, n, &f, 0, is_builtin(&f) ? "source" : "ex"),
	    &f);
	check_getattr(c, n, &f);
}

static void
check_call(struct check *c, const struct sa_py_node *n)
{
	val *v = c->e.value[n->c];
	bool names = is_of_names(c, n); /* what it looks up is looked at */

	for (uint32_t i = 0; i < v->n; i++) {
		const struct sa_py_atom *a = &v->atom[i];
		val *lists = is_partial(c, a) ? a->p : &sa_py_never;
		for (uint32_t k = 0; k < lists->n; k++) {
			const struct sa_py_seq *s = lists->atom[k].p;
			for (uint32_t j = 0; j < s->item[0]->n; j++)
				check_callee(c, n, &s->item[0]->atom[j], s);
		}
		if (!(names && a->kind == SA_PY_A_METHOD &&
			a->id == c->e.by_name))
			check_callee(c, n, a, NULL);
	}
	if (!calls_file(v))
		check_arguments(c, n, v);
}

/* Whether a decorator puts a function that takes SQL, or destroys, in the
 * place of what it decorates. */
static bool
gives_function(struct check *c, const struct sa_py_node *n)
{
	return (n->flags & SA_PY_F_DECORATES) != 0 &&
	    any_has_role(c, c->e.value[n - c->p.node],
		ROLE_STATEMENT | ROLE_DEED);
}

static void
check_decorator(struct check *c, const struct sa_py_node *n)
{
	val *v = c->e.value[n - c->p.node];
	struct callee f = { .name = "partial", .len = 7 };

	for (uint32_t i = 0; i < v->n; i++) {
		const struct sa_sink *row = statement_sink(c, &v->atom[i]);
		if (row != NULL)
			find(c, "python-alias", left_open(c, row->mode),
			    n->offset, NULL, "sql");
		check_deeds(c, n, &f, 0, &v->atom[i]);
	}
}

/* Whether a list or a dict in v has such a function. */
static bool
any_held(struct check *c, val *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		val *x = held(c, &v->atom[i]);
		if (x != NULL && any_has_role(c, x, ROLE_STATEMENT | ROLE_DEED))
			return true;
	}
	return false;
}

/* Whether v had no room for all that it may be. */
static bool
overflows(val *v)
{
	return v->any && v->n == SA_PY_MAX_ATOMS;
}

/* Marks the names of what calls give to classes: such a thing may be called
 * when it is assigned to. */
static void
find_setters(struct check *c)
{
	c->setter = sa_xcalloc(c->p.nsymbol, sizeof(*c->setter));
	for (uint32_t i = 0; i < c->p.nvar; i++) {
		const struct sa_py_var *v = &c->p.var[i];
		if (c->p.scope[v->scope].kind != SA_PY_S_CLASS)
			continue;
		for (uint32_t s = v->first_store; s != NOTHING;
		     s = c->p.store[s].next) {
			const struct sa_py_node *n =
			    &c->p.node[c->p.store[s].node];
			if (n->kind == SA_PY_N_ASSIGN &&
			    c->p.node[n->b].kind == SA_PY_N_CALL)
				c->setter[v->symbol] = true;
		}
	}
}

/* Whether a class gives the attribute something that is called when it is
 * assigned: a property, or what a call made. */
static bool
has_setter(struct check *c, uint32_t symbol)
{
	if (c->setter == NULL)
		find_setters(c);
	return c->setter[symbol] ||
	    (symbol < c->e.nsymbol && c->e.name[symbol].method != NOTHING);
}

/* Whether what is stored there may be called by a class of the file, or be
 * found by its name alone. */
static bool
may_call_stored(struct check *c, const struct sa_py_node *n)
{
	const struct sa_py_node *object = &c->p.node[n->a];
	val *v = c->e.attr[n->b].now;

	if (v == NULL || !any_has_role(c, v, ROLE_STATEMENT | ROLE_DEED))
		return false;
	return has_setter(c, n->b) || c->operators ||
	    (object->kind == SA_PY_N_INDEX &&
		holds_names(c, c->e.value[object->a]));
}

/* module.name = value: for all who use it. */
static void
check_store(struct check *c, const struct sa_py_node *n)
{
	val *v = c->e.value[n->a], *stored = c->e.attr[n->b].now;
	bool module = false;

	if (n->b == c->e.dict)
		check_name(c, n, NULL);

	for (uint32_t i = 0; i < v->n; i++) {
		if (v->atom[i].kind != SA_PY_A_REF)
			continue;
		module = true;
		if (is_trusted(&c->p.symbol[v->atom[i].id]))
			find(c, "python-reflection",
			    verdict_of(c, SA_SINK_RISK), n->offset, NULL,
			    "setattr");
	}
	/* nobody sees who calls what print() takes for a file */
	bool lost = module || sa_py_is_duck(&c->p.symbol[n->b]) ||
	    may_call_stored(c, n);
	for (uint32_t i = 0; lost && stored != NULL && i < stored->n; i++)
		check_lost(c, n->offset, &stored->atom[i]);
}

/* Whether Python, or somebody unknown, uses what the variable of a class or
 * module holds without naming it: __call__, a function that is handed on. */
static bool
is_implicit(const struct check *c, const struct sa_py_var *v, uint32_t scope)
{
	const struct sa_py_symbol *s = &c->p.symbol[v->symbol];

	if (scope != NOTHING && c->e.function[scope].had_escaped)
		return true;
	if (c->p.scope[v->scope].kind == SA_PY_S_MODULE)
		return s->len == 11 && memcmp(s->s, "__getattr__", 11) == 0;
	return c->p.scope[v->scope].kind == SA_PY_S_CLASS &&
	    ((s->len > 4 && memcmp(s->s, "__", 2) == 0) || sa_py_is_duck(s));
}

/* Lambdas that are handed on, and give what takes SQL or destroys. */
static void
check_lambdas(struct check *c)
{
	for (uint32_t i = 0; i < c->p.nnode; i++) {
		const struct sa_py_node *n = &c->p.node[i];
		if (n->kind == SA_PY_N_LAMBDA &&
		    c->e.function[n->c].had_escaped)
			check_values(c, n->offset, c->e.result[n->c].now);
	}
}

/* Functions that give, and methods that are, what takes SQL or destroys, where
 * their calls are out of sight. */
static void
check_implicit(struct check *c)
{
	for (uint32_t i = 0; i < c->p.nvar; i++) {
		const struct sa_py_var *v = &c->p.var[i];
		for (uint32_t s = v->first_store; s != NOTHING;
		     s = c->p.store[s].next) {
			const struct sa_py_node *n =
			    &c->p.node[c->p.store[s].node];
			bool def = n->kind == SA_PY_N_DEF;
			if (!is_implicit(c, v, def ? n->c : NOTHING))
				continue;
			check_values(c, n->offset,
			    def ? c->e.result[n->c].now : c->e.all[i].now);
		}
	}
	for (uint32_t i = 0; i < c->p.nscope; i++)
		if (c->p.scope[i].kind == SA_PY_S_LAMBDA &&
		    c->e.function[i].had_escaped) {
			check_lambdas(c);
			break;
		}
}

/* Whether a function's name is not one of a class, as types are. */
static bool
is_small(const struct check *c, const struct sa_py_atom *a)
{
	const struct sa_py_symbol *s = &c->p.symbol[a->id];
	size_t dot = last_part(s);

	return dot < s->len && !(s->s[dot] >= 'A' && s->s[dot] <= 'Z');
}

/* Whether node i is what an attribute is asked of: a part of a dotted name. */
static bool
is_asked(const struct check *c, uint32_t i)
{
	const struct sa_py_node *n = &c->p.node[i + 1];

	return i + 1 < c->p.nnode && n->kind == SA_PY_N_ATTR && n->a == i;
}

static void
check_kept_value(struct check *c, uint32_t i)
{
	val *v = c->e.value[i];

	for (uint32_t k = 0; k < v->n; k++)
		if (has_role(c, &v->atom[k], ROLE_STATEMENT | ROLE_DEED) &&
		    is_small(c, &v->atom[k]) && !is_asked(c, i))
			check_lost(c, c->p.node[i].offset, &v->atom[k]);
}

/* Whether a class of the file is given what stands beside an operator: by a
 * method like __add__(self, other). */
static bool
has_operators(const struct check *c)
{
	for (uint32_t i = 0; i < c->p.nscope; i++) {
		const struct sa_py_scope *s = &c->p.scope[i];
		if (s->kind != SA_PY_S_FUNCTION ||
		    !c->e.function[i].is_implicit || s->nparam < 2 ||
		    s->name == NOTHING)
			continue;
		const struct sa_py_symbol *name = &c->p.symbol[s->name];
		if (name->len > 4 && memcmp(name->s, "__", 2) == 0)
			return true;
	}
	return false;
}

/* Functions that take SQL or destroy beside an operator, or as an index, in a
 * file whose classes have operators of their own. */
static void
check_operands(struct check *c)
{
	const uint64_t operators = 1ULL << SA_PY_N_BINARY |
	    1ULL << SA_PY_N_COMPARE | 1ULL << SA_PY_N_INDEX |
	    1ULL << SA_PY_N_AUGMENT | 1ULL << SA_PY_N_ASSIGN;

	for (uint32_t i = 0; c->operators && i < c->p.nnode; i++) {
		const struct sa_py_node *n = &c->p.node[i];
		bool stores = n->kind == SA_PY_N_ASSIGN &&
		    c->p.node[n->a].kind == SA_PY_N_INDEX;
		if ((operators >> n->kind & 1) == 0 ||
		    (n->kind == SA_PY_N_ASSIGN && !stores))
			continue;
		val *x = c->e.value[n->a], *y = c->e.value[n->b];
		for (uint32_t k = 0;
		     !stores && n->kind != SA_PY_N_INDEX && k < x->n; k++)
			check_lost(c, n->offset, &x->atom[k]);
		for (uint32_t k = 0; k < y->n; k++)
			check_lost(c, n->offset, &y->atom[k]);
	}
}

/* Functions that take SQL or destroy where Python keeps them in attributes: as
 * annotations, type parameters, fields of t-strings. */
static void
check_kept(struct check *c)
{
	for (uint32_t k = 0; k + 1 < c->p.nkept; k += 2)
		for (uint32_t i = c->p.kept[k]; i < c->p.kept[k + 1]; i++)
			check_kept_value(c, i);
}

static bool
has_method(struct check *c, uint32_t class, const char *name)
{
	return sa_py_var(&c->p, class,
		   sa_py_symbol(&c->p, name, strlen(name), false)) != NOTHING;
}

/* Whether a class of the file, as the class of another one, makes that one's
 * attributes. */
static bool
makes_attributes(struct check *c, const struct sa_py_atom *a)
{
	return a->kind == SA_PY_A_CLASS &&
	    (has_method(c, a->id, "__new__") ||
		has_method(c, a->id, "__prepare__"));
}

/* A class made from what runs a program, or whose attributes are not those
 * that it shows. */
static void
check_class(struct check *c, const struct sa_py_node *n)
{
	const uint32_t *base = &c->p.pool[n->first];
	bool odd = false;

	for (uint32_t i = 0; i + 1 < n->count; i += 2) {
		val *v = c->e.value[base[i]];
		for (uint32_t k = 0; k < v->n; k++) {
			if (v->atom[k].kind == SA_PY_A_REF)
				check_lost(c, n->offset, &v->atom[k]);
			odd = odd ||
			    (base[i + 1] < SA_PY_DOUBLE_STAR &&
				makes_attributes(c, &v->atom[k]));
		}
	}
	if (odd || has_method(c, n->c, "__getattribute__"))
		find(c, "python-reflection", verdict_of(c, SA_SINK_RISK),
		    n->offset, NULL, "__getattribute__");
}

static bool
concerns(struct check *c, const struct sa_py_node *n)
{
	const uint32_t *arg = &c->p.pool[n->first];

	switch (n->kind) {
	case SA_PY_N_CALL:
		if (any_has_role(c, c->e.value[n->c], ROLE_CALL))
			return true;
		for (uint32_t i = 0; i + 1 < n->count; i += 2)
			if (any_has_role(c, c->e.value[arg[i]],
				ROLE_STATEMENT | ROLE_DEED) ||
			    any_held(c, c->e.value[arg[i]]) ||
			    holds_names(c, c->e.value[arg[i]]))
				return true;
		return gives_function(c, n) || is_of_names(c, n) ||
		    overflows(c->e.value[n->c]);
	case SA_PY_N_ATTR:
		c->names_sql =
		    c->names_sql || (role(c, n->b) & ROLE_STATEMENT) != 0;
		return (n->flags & SA_PY_F_TARGET) != 0 ||
		    (role(c, n->b) & ROLE_ATTRIBUTE) != 0;
	case SA_PY_N_INDEX:
		return holds_names(c, c->e.value[n->a]) ||
		    ((n->flags & SA_PY_F_TARGET) != 0 &&
			has_plain_key(c->e.value[n->b]));
	default:
		return n->kind == SA_PY_N_IMPORT ||
		    n->kind == SA_PY_N_STARRED || n->kind == SA_PY_N_CLASSDEF;
	}
}

static void
check_nodes(struct check *c)
{
	for (uint32_t i = 0; i < c->p.nlisted; i++) {
		const struct sa_py_node *n = &c->p.node[c->p.listed[i]];
		if (!concerns(c, n))
			continue;
		switch (n->kind) {
		case SA_PY_N_CALL:
			check_call(c, n);
			if (overflows(c->e.value[n->c]))
				c->lost_calls = true;
			if (is_of_names(c, n))
				check_names_call(c, n);
			if (gives_function(c, n))
				check_decorator(c, n);
			break;
		case SA_PY_N_ATTR:
			check_attribute(c, n);
			if ((n->flags & SA_PY_F_TARGET) != 0)
				check_store(c, n);
			break;
		case SA_PY_N_INDEX:
			check_index(c, n);
			break;
		case SA_PY_N_CLASSDEF:
			check_class(c, n);
			break;
		case SA_PY_N_IMPORT:
			check_import(c, n, n->c);
			break;
		default:
			check_import(c, n, n->a);
			break;
		}
	}
}

/* Whether a sink was given any literal of the text. */
static bool
was_reached(const struct check *c, str *s)
{
	const struct sa_py_tokens *t = &c->p.tokens;

	for (uint32_t i = 0; i < s->nrun; i++) {
		uint32_t lo = 0, hi = t->n;
		while (hi - lo > 1) {
			uint32_t mid = lo + (hi - lo) / 2;
			if (t->t[mid].offset <= s->run[i].src)
				lo = mid;
			else
				hi = mid;
		}
		if (c->reached[lo])
			return true;
	}
	return false;
}

static void
literal_texts(struct check *c, val *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		str *s = v->atom[i].p;
		if (v->atom[i].kind != SA_PY_A_STR ||
		    !sa_sql_may_be_statement(s->s, s->len) ||
		    was_reached(c, s) || judged_before(c, s, 6))
			continue;
		struct judged j = { .c = c, .s = s };
		sa_sql_forbidden_literal(s->s, s->len, on_hit, &j);
	}
}

/* Whether a text is another setting's key, and so no value of one. */
static bool
is_key(val *v)
{
	str *s = v->n == 1 ? v->atom[0].p : NULL;

	return s != NULL && v->atom[0].kind == SA_PY_A_STR && s->len > 6 &&
	    memcmp(s->s, "spark.", 6) == 0;
}

/* What stands behind node i in a display or a call: the value of a key. NULL
 * for nothing. */
static val *
value_beside(const struct check *c, uint32_t i, const struct sa_py_node *n)
{
	const uint32_t *part = &c->p.pool[n->first];
	uint32_t step = n->kind == SA_PY_N_CALL ? 2 : 1, k = n->count;

	while (k > 0 && (part[k - 1] == NOTHING || part[k - 1] >= i))
		if (part[--k] == i)
			break;
	if (k + step >= n->count || part[k] != i ||
	    (n->kind == SA_PY_N_LIST ? n->count != 2 : k % 2 != 0))
		return NULL;
	val *v = c->e.value[part[k + step]];
	return is_key(v) ? NULL : v;
}

/* An option's key, with its value, that no call which takes options was seen
 * to get. */
static void
check_key(struct check *c, uint32_t i)
{
	static const char *const reads[] = { "contains", "get", "getAll",
		"getConf", "getOrElse", "isModifiable", "pop", NULL };
	uint32_t end = c->p.nnode - i > MAX_APART ? i + MAX_APART : c->p.nnode;

	for (uint32_t k = i + 1; k < end; k++) {
		const struct sa_py_node *n = &c->p.node[k];
		if (n->kind != SA_PY_N_LIST && n->kind != SA_PY_N_DICT &&
		    n->kind != SA_PY_N_CALL)
			continue;
		val *v = value_beside(c, i, n);
		if (v == NULL)
			continue;
		struct callee f = { 0 };
		val *called = n->kind == SA_PY_N_CALL ? c->e.value[n->c] : v;
		if (n->kind == SA_PY_N_CALL && called->n > 0)
			callee_of(c, &called->atom[called->n - 1], &f);
		if (n->kind != SA_PY_N_CALL ||
		    (f.name != NULL && !is_among(&f, reads) &&
			!calls_nothing(c, &f, NOTHING)))
			check_option_keys(c, &c->p.node[i], c->e.value[i], v,
			    AT_DICT);
		return;
	}
}

/* SG-5: statements in literals that reach no call that is known. The parts of
 * a joined literal are not looked at by themselves. */
static void
check_literals(struct check *c)
{
	const struct sa_py_program *p = &c->p;

	for (uint32_t i = 0; i < p->nlisted; i++) {
		const struct sa_py_node *n = &p->node[p->listed[i]];
		if ((n->kind != SA_PY_N_STRING && n->kind != SA_PY_N_JOIN) ||
		    (n->flags & (SA_PY_F_DOC | SA_PY_F_PART)) != 0)
			continue;
		val *v = c->e.value[p->listed[i]];
		if (has_plain_key(v) && !was_reached(c, v->atom[0].p))
			check_key(c, p->listed[i]);
		literal_texts(c, v);
	}
}

/* Whether it is known what a star import of the module brings. */
static bool
is_read(const struct sa_py_symbol *module)
{
	static const char *const names[] = { "datetime", "math",
		"pyspark.sql.functions", "pyspark.sql.types",
		"pyspark.sql.window", "typing" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (module->len == strlen(names[i]) &&
		    begins_with(module, names[i]))
			return true;
	return false;
}

static void
star_imports(struct check *c)
{
	const uint32_t room = sizeof(c->star) / sizeof(c->star[0]);

	for (uint32_t i = 0; i < c->p.nlisted; i++) {
		const struct sa_py_node *n = &c->p.node[c->p.listed[i]];
		if (n->kind != SA_PY_N_STARRED)
			continue;
		c->any_star = c->any_star || !is_read(&c->p.symbol[n->a]);
		if (c->nstar == room) { /* it may be of any module */
			c->nstar = 0;
			return;
		}
		c->star[c->nstar++] = n->a;
	}
}

/* What is left open by a bound of the guard's own work. */
static void
check_bounds(struct check *c, bool settled)
{
	if (sa_py_eval_full(&c->e))
		find(c, "python-work", SA_VERDICT_REJECT, 0, NULL, NULL);
	else if (sa_py_eval_exhausted(&c->e) || (!settled && c->any_text) ||
	    (c->lost_calls && c->names_sql))
		find(c, "python-work", SA_VERDICT_UNRESOLVED, 0, NULL, NULL);
}

/* Passes until one finds nothing but what the one before it did: only then
 * has everything gone where it goes. */
static void
evaluate(struct check *c)
{
	bool settled = false;

	sa_py_eval_init(&c->e, &c->p);
	while (!settled && c->e.pass < MAX_PASSES) {
		sa_py_eval_pass(&c->e);
		settled = sa_py_eval_settled(&c->e);
	}
	c->operators = has_operators(c);
	check_nodes(c);
	check_operands(c);
	check_implicit(c);
	check_kept(c);
	check_literals(c);
	check_bounds(c, settled);
	free(c->seen);
	free(c->spark_class);
	free(c->setter);
	sa_py_eval_release(&c->e);
}

static void
check_source(struct sa_report *r, const char *text, size_t len, str *outer,
    unsigned depth)
{
	struct check c = { .r = r, .outer = outer, .depth = depth };
	struct sa_py_error e;

	if (sa_py_parse(text, len, &c.p, &e) < 0) {
		find(&c, e.rule, SA_VERDICT_REJECT, e.offset, NULL, e.message);
	} else if (outer != NULL || r->options->thorough || sa_py_tells(&c.p)) {
		c.reached = sa_py_slab_zeros(&c.p.slab, c.p.tokens.n,
		    sizeof(*c.reached));
		star_imports(&c);
		evaluate(&c);
		sa_py_slab_free(&c.p.slab, c.reached);
		free(c.role);
	}
	sa_py_program_release(&c.p);
}

void
sa_py_check(struct sa_report *r)
{
	check_source(r, r->text, r->len, NULL, 0);
}
