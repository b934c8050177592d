/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "guard/pyeval.h"
#include "guard/sinks.h"
#include "guard/sql.h"

/*
 * Python's own operations on texts, lists and dicts, as far as scripts put
 * SQL together with them. What is not here is unknown.
 */

typedef const struct sa_py_val val;
typedef const struct sa_py_str str;

static val *
both(struct sa_py_eval *e, val *x, val *y)
{
	return sa_py_union(&e->arena, x, y);
}

static val *
hole(struct sa_py_eval *e, uint32_t src)
{
	return sa_py_str_val(e, sa_py_hole(&e->arena, src));
}

static val *
text_part(struct sa_py_eval *e, str *s, uint32_t from, uint32_t to)
{
	return sa_py_str_val(e, sa_py_part(&e->arena, s, from, to));
}

static val *
append(struct sa_py_eval *e, val *x, val *y, uint32_t src)
{
	if (x == NULL)
		return sa_py_texts(&e->arena, y, src);
	return sa_py_join2(&e->arena, x, sa_py_texts(&e->arena, y, src), src);
}

/* The one text, number or list that v is, or NULL. */
static const void *
sole(val *v, enum sa_py_atom_kind kind)
{
	return v != NULL && !v->any && v->n == 1 && v->atom[0].kind == kind
	    ? v->atom[0].p
	    : NULL;
}

static bool
integer(val *v, long *n)
{
	str *s = sole(v, SA_PY_A_NUM);
	char buf[12];

	if (s == NULL || s->len >= sizeof(buf))
		return false;
	memcpy(buf, s->s, s->len);
	buf[s->len] = '\0';
	*n = strtol(buf, NULL, 10);
	return true;
}

/* A list whose elements are known, every one, in order. */
static const struct sa_py_seq *
fixed(struct sa_py_eval *e, val *v, enum sa_py_atom_kind kind)
{
	const struct sa_py_seq *s = sole(v, kind);

	if (s == NULL || s->rest != NULL)
		return NULL;
	val *added = sa_py_added(e, s->site);
	return added->n == 0 && !added->any ? s : NULL;
}

static bool
is_text(val *v, const char *s, size_t len)
{
	str *t = sole(v, SA_PY_A_STR);

	return t != NULL && t->len == len && memcmp(t->s, s, len) == 0;
}

/* A dict's value for a key that is known. */
static val *
lookup(struct sa_py_eval *e, const struct sa_py_seq *d, const char *key,
    size_t len)
{
	val *r = both(e, d->rest, sa_py_added(e, d->site));

	if (sa_py_spend(&e->arena, d->n))
		return &sa_py_any;
	for (uint32_t i = 0; i + 1 < d->n; i += 2) {
		if (is_text(d->item[i], key, len))
			r = both(e, d->item[i + 1],
			    d->rest != NULL ? r : sa_py_added(e, d->site));
		else if (sole(d->item[i], SA_PY_A_STR) == NULL)
			r = both(e, r, d->item[i + 1]);
	}
	return r;
}

static val *
values(struct sa_py_eval *e, const struct sa_py_seq *d)
{
	val *r = both(e, d->rest, sa_py_added(e, d->site));

	if (sa_py_spend(&e->arena, d->n))
		return &sa_py_any;
	return sa_py_items(e, r, d, 1, 2);
}

static val *
dict_item(struct sa_py_eval *e, const struct sa_py_seq *d, val *key)
{
	str *k = sole(key, SA_PY_A_STR);

	return k != NULL && !sa_py_has_hole(k) ? lookup(e, d, k->s, k->len)
					       : values(e, d);
}

/* The argument of a field "{...}" of str.format(); NULL where it is missing,
 * counted from *next where it has no name. */
static val *
format_argument(struct sa_py_eval *e, const struct sa_py_node *call,
    const char *s, uint32_t len, int *next)
{
	char name[64];
	uint32_t n = 0;

	while (n < len && s[n] != '!' && s[n] != ':')
		n++;
	if (n < len || n >= sizeof(name) || memchr(s, '.', n) != NULL ||
	    memchr(s, '[', n) != NULL)
		return &sa_py_any; /* converted, formatted or looked into */
	memcpy(name, s, n);
	name[n] = '\0';
	if (n == 0)
		return sa_py_argument(e, call, (*next)++, NULL);
	if (isdigit((unsigned char)name[0]))
		return sa_py_argument(e, call,
		    (int)strtol(name, NULL, 10) & 0xffff, NULL);
	return sa_py_argument(e, call, -1, name);
}

static val *
fold_format(struct sa_py_eval *e, const struct sa_py_node *call, str *s)
{
	val *r = NULL;
	int next = 0;
	uint32_t from = 0, i = 0;

	if (sa_py_spend(&e->arena, s->len))
		return hole(e, call->offset);

	while (i < s->len) {
		if (s->s[i] != '{' && s->s[i] != '}') {
			i++;
			continue;
		}
		bool twice = i + 1 < s->len && s->s[i + 1] == s->s[i];
		r = append(e, r, text_part(e, s, from, twice ? i + 1 : i),
		    call->offset);
		if (twice) {
			from = i += 2;
			continue;
		}
		const char *end = memchr(s->s + i, '}', s->len - i);
		if (s->s[i] == '}' || end == NULL)
			return hole(e, call->offset);
		uint32_t stop = (uint32_t)(end - s->s);
		val *v =
		    format_argument(e, call, s->s + i + 1, stop - i - 1, &next);
		r = append(e, r, v != NULL ? v : &sa_py_any, call->offset);
		from = i = stop + 1;
	}
	return append(e, r, text_part(e, s, from, s->len), call->offset);
}

/* One directive after '%' at i: its value; *i goes past it. */
static val *
percent_value(struct sa_py_eval *e, str *s, uint32_t *i, val *y, uint32_t *next)
{
	const struct sa_py_seq *list = fixed(e, y, SA_PY_A_LIST);
	const struct sa_py_seq *dict = sole(y, SA_PY_A_DICT);
	val *v = &sa_py_any;
	uint32_t at = *i;

	if (at < s->len && s->s[at] == '(') {
		const char *end = memchr(s->s + at, ')', s->len - at);
		if (end == NULL)
			return NULL;
		uint32_t n = (uint32_t)(end - s->s) - at - 1;
		if (dict != NULL)
			v = lookup(e, dict, s->s + at + 1, n);
		at += n + 2;
	} else if (list != NULL) {
		v = *next < list->n ? list->item[*next] : &sa_py_any;
	} else if (*next == 0 && sole(y, SA_PY_A_LIST) == NULL) {
		v = y;
	}
	(*next)++;
	bool plain = at < s->len &&
	    (s->s[at] == 's' || s->s[at] == 'd' || s->s[at] == 'i');
	while (at < s->len && !isalpha((unsigned char)s->s[at]))
		at++;
	*i = at + 1;
	return plain ? v : &sa_py_any;
}

static val *
percent_one(struct sa_py_eval *e, str *s, val *y, uint32_t src)
{
	val *r = NULL;
	uint32_t from = 0, i = 0, next = 0;

	if (sa_py_spend(&e->arena, s->len))
		return hole(e, src);

	while (i < s->len) {
		if (s->s[i++] != '%')
			continue;
		bool twice = i < s->len && s->s[i] == '%';
		r = append(e, r, text_part(e, s, from, twice ? i : i - 1), src);
		if (twice) {
			from = ++i;
			continue;
		}
		val *v = percent_value(e, s, &i, y, &next);
		if (v == NULL)
			return hole(e, src);
		r = append(e, r, v, src);
		from = i < s->len ? i : s->len;
	}
	return append(e, r, text_part(e, s, from, s->len), src);
}

val *
sa_py_fold_percent(struct sa_py_eval *e, val *x, val *y, uint32_t src)
{
	val *r = x->any ? &sa_py_any : &sa_py_never;

	for (uint32_t i = 0; i < x->n; i++)
		r = both(e, r,
		    x->atom[i].kind == SA_PY_A_STR
			? percent_one(e, x->atom[i].p, y, src)
			: &sa_py_any);
	return r;
}

val *
sa_py_fold_repeat(struct sa_py_eval *e, val *x, val *y, uint32_t src)
{
	long n = 0;
	val *t = sole(x, SA_PY_A_STR) != NULL ? x : y;
	str *s = sole(t, SA_PY_A_STR), *r;

	if (s == NULL || !integer(t == x ? y : x, &n) || n > 64)
		return hole(e, src);
	r = sa_py_part(&e->arena, s, 0, 0);
	for (long i = 0; i < n; i++)
		r = sa_py_concat(&e->arena, r, s);
	return sa_py_str_val(e, r);
}

static val *
join_items(struct sa_py_eval *e, const struct sa_py_node *call, str *sep,
    const struct sa_py_seq *s)
{
	val *r = NULL;

	if (sa_py_spend(&e->arena, 64 * (size_t)s->n))
		return hole(e, call->offset);
	for (uint32_t i = 0; i < s->n; i++) {
		if (i > 0)
			r = append(e, r, sa_py_str_val(e, sep), call->offset);
		r = append(e, r, s->item[i], call->offset);
	}
	return r != NULL ? r : text_part(e, sep, 0, 0);
}

/* A list whose first elements are known: what was added stands behind them,
 * any of it first, and whatever behind that. */
static val *
join_grown(struct sa_py_eval *e, const struct sa_py_node *call, str *sep,
    const struct sa_py_seq *s, val *added)
{
	val *first = join_items(e, call, sep, s), *r = first, *more = first;
	val *rest = hole(e, call->offset);

	if (s->n > 0) {
		r = append(e, first, rest, call->offset);
		more = append(e, first, sa_py_str_val(e, sep), call->offset);
	}
	more = append(e, more, added, call->offset);
	return both(e, r, append(e, more, rest, call->offset));
}

static val *
fold_join(struct sa_py_eval *e, const struct sa_py_node *call, str *sep)
{
	val *arg = sa_py_argument(e, call, 0, "iterable");
	val *r = &sa_py_never;

	if (arg == NULL || arg->any || arg->n == 0)
		return hole(e, call->offset);
	for (uint32_t i = 0; i < arg->n; i++) {
		const struct sa_py_seq *s = arg->atom[i].p;
		if (arg->atom[i].kind != SA_PY_A_LIST)
			return hole(e, call->offset);
		val *added = sa_py_added(e, s->site);
		bool all = s->rest == NULL && added->n == 0 && !added->any;
		if (!all && !sa_py_grows(e, s))
			return hole(e, call->offset);
		r = both(e, r,
		    all ? join_items(e, call, sep, s)
			: join_grown(e, call, sep, s, added));
	}
	return r;
}

/* What string.Template puts in the place of a name: a keyword's value, or
 * that of a dict's key. */
static val *
template_value(struct sa_py_eval *e, const struct sa_py_node *call,
    const char *s, uint32_t len)
{
	char name[64];

	if (len == 0 || len >= sizeof(name))
		return &sa_py_any;
	memcpy(name, s, len);
	name[len] = '\0';
	val *v = sa_py_argument(e, call, -1, name);
	if (v != NULL)
		return v;
	v = sa_py_argument(e, call, 0, NULL);
	const struct sa_py_seq *d = sole(v, SA_PY_A_DICT);
	return d != NULL ? lookup(e, d, name, len) : &sa_py_any;
}

/* Template(s).substitute(...); a template is the text that it was made of. */
static val *
fold_template(struct sa_py_eval *e, const struct sa_py_node *call, str *s)
{
	val *r = NULL;
	uint32_t from = 0, i = 0;

	if (sa_py_spend(&e->arena, s->len))
		return hole(e, call->offset);
	while (i < s->len) {
		if (s->s[i] != '$') {
			i++;
			continue;
		}
		bool twice = i + 1 < s->len && s->s[i + 1] == '$';
		r = append(e, r, text_part(e, s, from, twice ? i + 1 : i),
		    call->offset);
		if (twice) {
			from = i += 2;
			continue;
		}
		bool brace = i + 1 < s->len && s->s[i + 1] == '{';
		uint32_t at = i + 1 + brace, n = 0;
		while (at + n < s->len &&
		    (s->s[at + n] == '_' ||
			(n > 0 ? isalnum((unsigned char)s->s[at + n])
			       : isalpha((unsigned char)s->s[at + n]))))
			n++;
		if (brace && (at + n == s->len || s->s[at + n] != '}'))
			return hole(e, call->offset);
		r = append(e, r, template_value(e, call, s->s + at, n),
		    call->offset);
		from = i = at + n + brace;
	}
	return append(e, r, text_part(e, s, from, s->len), call->offset);
}

static const char *
find(const char *s, size_t n, str *what)
{
	return what->len == 0 ? NULL : memmem(s, n, what->s, what->len);
}

static val *
fold_replace(struct sa_py_eval *e, const struct sa_py_node *call, str *s)
{
	str *from = sole(sa_py_argument(e, call, 0, "old"), SA_PY_A_STR);
	str *to = sole(sa_py_argument(e, call, 1, "new"), SA_PY_A_STR);
	uint32_t i = 0;
	val *r = NULL;

	if (from == NULL || to == NULL || from->len == 0 ||
	    sa_py_has_hole(from) || call->count != 4 ||
	    sa_py_spend(&e->arena, 64 * (size_t)s->len))
		return hole(e, call->offset);
	for (;;) {
		const char *p = find(s->s + i, s->len - i, from);
		uint32_t end = p != NULL ? (uint32_t)(p - s->s) : s->len;
		r = append(e, r, text_part(e, s, i, end), call->offset);
		if (p == NULL)
			return r;
		r = append(e, r, sa_py_str_val(e, to), call->offset);
		i = end + from->len;
	}
}

static val *
fold_split(struct sa_py_eval *e, const struct sa_py_node *call, str *s)
{
	str *sep = sole(sa_py_argument(e, call, 0, "sep"), SA_PY_A_STR);
	val *item[64];
	uint32_t n = 0, i = 0;

	if (sep == NULL || sep->len == 0 || call->count != 2 ||
	    sa_py_spend(&e->arena, s->len))
		return sa_py_list_val(e, call->a, 0, NULL,
		    hole(e, call->offset));
	while (n < 63) {
		const char *p = find(s->s + i, s->len - i, sep);
		uint32_t end = p != NULL ? (uint32_t)(p - s->s) : s->len;
		item[n++] = text_part(e, s, i, end);
		if (p == NULL)
			return sa_py_list_val(e, call->a, n, item, NULL);
		i = end + sep->len;
	}
	return sa_py_list_val(e, call->a, n, item, hole(e, call->offset));
}

/* strip(), lstrip(), rstrip() of blanks or of given characters. */
static val *
fold_strip(struct sa_py_eval *e, const struct sa_py_node *call, str *s,
    const char *name)
{
	val *arg = sa_py_argument(e, call, 0, NULL);
	str *set = arg != NULL ? sole(arg, SA_PY_A_STR) : NULL;
	const char *chars = set != NULL ? set->s : " \t\n\r\f\v";
	size_t n = set != NULL ? set->len : 6;
	uint32_t from = 0, to = s->len;

	for (uint32_t i = 0; set != NULL && i < set->len; i++)
		if ((unsigned char)set->s[i] >= 0x80)
			return hole(e, call->offset);
	if ((arg != NULL && set == NULL) || sa_py_spend(&e->arena, s->len))
		return hole(e, call->offset);
	while (
	    name[0] != 'r' && from < to && memchr(chars, s->s[from], n) != NULL)
		from++;
	while (name[0] != 'l' && to > from &&
	    memchr(chars, s->s[to - 1], n) != NULL)
		to--;
	return text_part(e, s, from, to);
}

/* upper() and the like: of ASCII letters only. */
static val *
fold_case(struct sa_py_eval *e, const struct sa_py_node *call, str *s,
    const char *name)
{
	bool first = true;
	if (sa_py_spend(&e->arena, s->len))
		return hole(e, call->offset);
	char *c = sa_py_alloc(&e->arena, s->len + 1);

	for (uint32_t i = 0; i < s->len; i++) {
		int ch = (unsigned char)s->s[i];
		if (ch >= 0x80 && ch != SA_SQL_HOLE)
			return hole(e, call->offset);
		bool up = name[0] == 'u' || (name[0] == 't' && first) ||
		    (name[0] == 'c' && name[2] == 'p' && i == 0) ||
		    (name[0] == 's' && islower(ch));
		first = !isalpha(ch);
		c[i] = (char)(ch >= 0x80 ? ch : up ? toupper(ch) : tolower(ch));
	}
	str *r = sa_py_str_copy(&e->arena, c, s->len, s->run, s->nrun);
	return sa_py_str_val(e, r);
}

static val *
fold_affix(struct sa_py_eval *e, const struct sa_py_node *call, str *s,
    bool prefix)
{
	str *x = sole(sa_py_argument(e, call, 0, NULL), SA_PY_A_STR);

	if (x == NULL || sa_py_has_hole(x))
		return hole(e, call->offset);
	if (x->len > s->len ||
	    memcmp(prefix ? s->s : s->s + s->len - x->len, x->s, x->len) != 0)
		return sa_py_str_val(e, s);
	return prefix ? text_part(e, s, x->len, s->len)
		      : text_part(e, s, 0, s->len - x->len);
}

/* bytes.decode() and str.encode(), where both mean the same. */
static val *
fold_coding(struct sa_py_eval *e, const struct sa_py_node *call, str *s,
    bool bytes)
{
	val *name = sa_py_argument(e, call, 0, "encoding");

	if (sa_py_spend(&e->arena, s->len))
		return hole(e, call->offset);
	for (uint32_t i = 0; i < s->len; i++)
		if ((unsigned char)s->s[i] >= 0x80)
			return hole(e, call->offset);
	if (name != NULL && !is_text(name, "utf-8", 5) &&
	    !is_text(name, "utf8", 4) && !is_text(name, "ascii", 5))
		return hole(e, call->offset);
	struct sa_py_str *r = sa_py_alloc(&e->arena, sizeof(*r));
	*r = *s;
	r->bytes = bytes;
	return sa_py_str_val(e, r);
}

static bool
in(const char *name, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(name, *list) == 0)
			return true;
	return false;
}

static val *
text_method(struct sa_py_eval *e, const struct sa_py_node *call, str *s,
    const char *name)
{
	static const char *const strips[] = { "strip", "lstrip", "rstrip",
		NULL };
	static const char *const cases[] = { "upper", "lower", "title",
		"capitalize", "swapcase", "casefold", NULL };

	if (strcmp(name, "format") == 0)
		return fold_format(e, call, s);
	if (strcmp(name, "join") == 0)
		return fold_join(e, call, s);
	if (strcmp(name, "substitute") == 0 ||
	    strcmp(name, "safe_substitute") == 0)
		return fold_template(e, call, s);
	if (strcmp(name, "replace") == 0)
		return fold_replace(e, call, s);
	if (strcmp(name, "split") == 0)
		return fold_split(e, call, s);
	if (in(name, strips))
		return fold_strip(e, call, s, name);
	if (in(name, cases))
		return fold_case(e, call, s,
		    strcmp(name, "casefold") == 0 ? "lower" : name);
	if (strcmp(name, "removeprefix") == 0)
		return fold_affix(e, call, s, true);
	if (strcmp(name, "removesuffix") == 0)
		return fold_affix(e, call, s, false);
	if (strcmp(name, "encode") == 0)
		return fold_coding(e, call, s, true);
	if (strcmp(name, "decode") == 0)
		return fold_coding(e, call, s, false);
	return &sa_py_any;
}

static val *
argument_or_any(struct sa_py_eval *e, const struct sa_py_node *call, int i)
{
	val *v = sa_py_argument(e, call, i, NULL);

	return v != NULL ? v : &sa_py_any;
}

/* Calls what is given as key= with each of what v has. */
static void
calls_key(struct sa_py_eval *e, const struct sa_py_node *call, val *v)
{
	if (!sa_py_has_keyword(e, call, "key"))
		return;
	val *each = sa_py_elements(e, v);
	sa_py_apply(e, sa_py_argument(e, call, -1, "key"), 1, &each);
}

static val *
list_method(struct sa_py_eval *e, const struct sa_py_node *call,
    const struct sa_py_atom *a, const char *name)
{
	static const char *const adds[] = { "append", "add", "appendleft",
		"put", NULL };
	static const char *const extends[] = { "extend", "update", "union",
		"__iadd__", "__ior__", NULL };
	static const char *const at[] = { "insert", "__setitem__", NULL };
	const struct sa_py_seq *s = a->p;
	val *self = sa_py_one(&e->arena, SA_PY_A_LIST, 0, s);

	calls_key(e, call, self); /* sort */
	if (in(name, adds))
		sa_py_add(e, s, argument_or_any(e, call, 0));
	else if (in(name, extends))
		sa_py_add(e, s, sa_py_elements(e, argument_or_any(e, call, 0)));
	else if (in(name, at))
		sa_py_add(e, s, argument_or_any(e, call, 1));
	else if (strcmp(name, "sort") == 0 || strcmp(name, "reverse") == 0 ||
	    strcmp(name, "remove") == 0 || strcmp(name, "clear") == 0)
		sa_py_add(e, s, sa_py_elements(e, self));
	else if (strcmp(name, "pop") == 0) {
		val *each = sa_py_elements(e, self);
		sa_py_add(e, s, each);
		return each;
	} else if (strcmp(name, "copy") == 0)
		return sa_py_list_val(e, call->a, 0, NULL,
		    sa_py_elements(e, self));
	return &sa_py_any;
}

static val *
dict_items(struct sa_py_eval *e, const struct sa_py_seq *d)
{
	val *item[64], *pair[2];
	uint32_t n = 0;
	val *added = both(e, d->rest, sa_py_added(e, d->site));

	if (d->n > 128 || added->n > 0 || added->any) {
		pair[0] = &sa_py_any;
		pair[1] = values(e, d);
		return sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL,
		    sa_py_list_val(e, SA_PY_NO_SITE, 2, pair, NULL));
	}
	for (uint32_t i = 0; i + 1 < d->n; i += 2)
		item[n++] =
		    sa_py_list_val(e, SA_PY_NO_SITE, 2, &d->item[i], NULL);
	return sa_py_list_val(e, SA_PY_NO_SITE, n, item, NULL);
}

/* What update(more, name=v) adds to a dict. */
static val *
updates(struct sa_py_eval *e, const struct sa_py_node *call)
{
	const uint32_t *arg = &e->p->pool[call->first];
	val *r = &sa_py_any;

	for (uint32_t i = 0; i + 1 < call->count; i += 2)
		r = both(e, r,
		    arg[i + 1] < SA_PY_DOUBLE_STAR
			? e->value[arg[i]]
			: sa_py_spread(e, e->value[arg[i]]));
	return r;
}

static val *
dict_method(struct sa_py_eval *e, const struct sa_py_node *call,
    const struct sa_py_seq *d, const char *name)
{
	if (strcmp(name, "get") == 0 || strcmp(name, "pop") == 0 ||
	    strcmp(name, "setdefault") == 0) {
		val *other = sa_py_argument(e, call, 1, "default");
		if (other != NULL && name[0] == 's')
			sa_py_add(e, d, other);
		return both(e, dict_item(e, d, argument_or_any(e, call, 0)),
		    other);
	}
	if (strcmp(name, "items") == 0)
		return dict_items(e, d);
	if (strcmp(name, "values") == 0)
		return sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL, values(e, d));
	if (strcmp(name, "__setitem__") == 0)
		sa_py_add(e, d, argument_or_any(e, call, 1));
	if (strcmp(name, "update") == 0 || strcmp(name, "__ior__") == 0)
		sa_py_add(e, d, updates(e, call));
	return &sa_py_any;
}

/* A method of a path of pathlib: another one, several, or neither. */
static val *
path_method(struct sa_py_eval *e, const struct sa_py_atom *path,
    const char *name)
{
	static const char *const paths[] = { "absolute", "expanduser",
		"joinpath", "relative_to", "rename", "replace", "resolve",
		"with_name", "with_stem", "with_suffix", NULL };
	static const char *const several[] = { "glob", "iterdir", "rglob",
		NULL };
	val *v = sa_py_one(&e->arena, SA_PY_A_OBJECT, path->id, NULL);

	if (in(name, paths))
		return v;
	if (in(name, several))
		return sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL, v);
	return NULL;
}

val *
sa_py_fold_method(struct sa_py_eval *e, const struct sa_py_node *call,
    const struct sa_py_atom *object, const char *name)
{
	switch (object->kind) {
	case SA_PY_A_STR:
		return text_method(e, call, object->p, name);
	case SA_PY_A_LIST:
		return list_method(e, call, object, name);
	case SA_PY_A_DICT:
		return dict_method(e, call, object->p, name);
	case SA_PY_A_NUM:
	case SA_PY_A_CONST:
		return &sa_py_any;
	case SA_PY_A_OBJECT:
		return object->id == SA_PY_T_PATH ? path_method(e, object, name)
						  : NULL;
	default:
		return NULL;
	}
}

/* list(), tuple() and the like of one argument. */
static val *
fold_copy(struct sa_py_eval *e, const struct sa_py_node *call, bool order)
{
	val *v = sa_py_argument(e, call, 0, NULL);

	if (v == NULL)
		return sa_py_list_val(e, call->a, 0, NULL, NULL);
	const struct sa_py_seq *s = fixed(e, v, SA_PY_A_LIST);
	if (s != NULL && order)
		return sa_py_list_val(e, call->a, s->n, s->item, NULL);
	return sa_py_list_val(e, call->a, 0, NULL, sa_py_elements(e, v));
}

/* dict(a=x, b=y) */
static val *
fold_dict(struct sa_py_eval *e, const struct sa_py_node *call)
{
	const uint32_t *arg = &e->p->pool[call->first];
	val *pairs = sa_py_elements(e, argument_or_any(e, call, 0));
	val **item = sa_py_alloc(&e->arena,
	    (call->count + 2 * pairs->n + 1) * sizeof(*item));
	val *rest = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < pairs->n; i++) {
		const struct sa_py_seq *pair = pairs->atom[i].p;
		if (pairs->atom[i].kind != SA_PY_A_LIST || pair->n != 2)
			continue;
		item[n++] = pair->item[0];
		item[n++] = pair->item[1];
	}
	for (uint32_t i = 0; i + 1 < call->count; i += 2) {
		if (arg[i + 1] >= SA_PY_DOUBLE_STAR) {
			rest = both(e, rest, sa_py_spread(e, e->value[arg[i]]));
			continue;
		}
		const struct sa_py_symbol *s = &e->p->symbol[arg[i + 1]];
		item[n++] = sa_py_str_val(e,
		    sa_py_str_of(&e->arena, s->s, s->len, call->offset));
		item[n++] = e->value[arg[i]];
	}
	return sa_py_one(&e->arena, SA_PY_A_DICT, 0,
	    sa_py_list_val(e, call->a, n, item, rest)->atom[0].p);
}

static val *
fold_fromkeys(struct sa_py_eval *e, const struct sa_py_node *call)
{
	val *item[2] = { sa_py_elements(e, argument_or_any(e, call, 0)),
		argument_or_any(e, call, 1) };

	return sa_py_one(&e->arena, SA_PY_A_DICT, 0,
	    sa_py_list_val(e, call->a, 2, item, NULL)->atom[0].p);
}

static val *
fold_enumerate(struct sa_py_eval *e, const struct sa_py_node *call)
{
	val *pair[2] = { &sa_py_any,
		sa_py_elements(e, argument_or_any(e, call, 0)) };

	return sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL,
	    sa_py_list_val(e, SA_PY_NO_SITE, 2, pair, NULL));
}

static val *
fold_zip(struct sa_py_eval *e, const struct sa_py_node *call)
{
	val *item[8], *v;
	uint32_t n = 0;

	while (n < 8 && (v = sa_py_argument(e, call, (int)n, NULL)) != NULL)
		item[n++] = sa_py_elements(e, v);
	if (n == 8)
		return &sa_py_any;
	return sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL,
	    sa_py_list_val(e, SA_PY_NO_SITE, n, item, NULL));
}

static val *
fold_map(struct sa_py_eval *e, const struct sa_py_node *call)
{
	val *arg[4], *v;
	uint32_t n = 0;

	while (n < 4 && (v = sa_py_argument(e, call, (int)n + 1, NULL)) != NULL)
		arg[n++] = sa_py_elements(e, v);
	return sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL,
	    sa_py_apply(e, argument_or_any(e, call, 0), n, arg));
}

static val *
fold_getattr(struct sa_py_eval *e, const struct sa_py_node *call)
{
	val *name = argument_or_any(e, call, 1);
	val *r = both(e, sa_py_argument(e, call, 2, NULL),
	    name->any ? &sa_py_any : NULL);

	if (name->n > SA_PY_MAX_ATTRIBUTES)
		return both(e, r, sa_py_any_of_names(e));
	for (uint32_t i = 0; i < name->n; i++) {
		str *s = name->atom[i].p;
		val *v = &sa_py_any;
		if (name->atom[i].kind == SA_PY_A_STR && !sa_py_has_hole(s))
			v = sa_py_attribute(e, argument_or_any(e, call, 0),
			    sa_py_symbol(e->symbols, s->s, s->len, true));
		r = both(e, r, v);
	}
	return r;
}

/* The class of an object, known by what objects of that type do. */
static val *
fold_type(struct sa_py_eval *e, const struct sa_py_node *call)
{
	val *v = argument_or_any(e, call, 0);
	val *r = sa_py_one(&e->arena, SA_PY_A_OBJECT, SA_PY_T_TYPE, NULL);

	for (uint32_t i = 0; i < v->n; i++)
		if (v->atom[i].kind == SA_PY_A_OBJECT)
			r = both(e, r,
			    sa_py_one(&e->arena, SA_PY_A_OBJECT, v->atom[i].id,
				NULL));
	return r;
}

/* The methods and functions of libraries in f. */
static val *
foreign(struct sa_py_eval *e, val *f)
{
	val *r = &sa_py_never;

	for (uint32_t i = 0; i < f->n; i++)
		if ((f->atom[i].kind == SA_PY_A_METHOD &&
			f->atom[i].id != e->curried) ||
		    f->atom[i].kind == SA_PY_A_REF)
			r = both(e, r,
			    sa_py_one(&e->arena,
				(enum sa_py_atom_kind)f->atom[i].kind,
				f->atom[i].id, f->atom[i].p));
	return r;
}

#define MAX_BOUND 8 /* a function and what partial() gives it */

/* A method of the list of a function and what it is given by position before
 * it is called. */
static val *
curry(struct sa_py_eval *e, uint32_t site, uint32_t n, val *const *item)
{
	return sa_py_one(&e->arena, SA_PY_A_METHOD, e->curried,
	    sa_py_list_val(e, site, n, item, NULL));
}

/* The same of what other calls of partial() gave, with more behind it. */
static val *
curry_again(struct sa_py_eval *e, uint32_t site, val *f, uint32_t n,
    val *const *more)
{
	val *item[2 * MAX_BOUND], *r = NULL;

	for (uint32_t i = 0; i < f->n; i++) {
		val *lists = f->atom[i].p;
		if (f->atom[i].kind != SA_PY_A_METHOD ||
		    f->atom[i].id != e->curried)
			continue;
		for (uint32_t k = 0; k < lists->n; k++) {
			const struct sa_py_seq *s = lists->atom[k].p;
			if (s->n + n > MAX_BOUND)
				continue;
			memcpy(item, s->item, s->n * sizeof(item[0]));
			memcpy(item + s->n, more, n * sizeof(item[0]));
			r = both(e, r, curry(e, site, s->n + n, item));
		}
	}
	return r;
}

/* partial(f, x, y) of a method, which is called later. */
static val *
fold_partial(struct sa_py_eval *e, const struct sa_py_node *call)
{
	val *item[MAX_BOUND + 1], *f = argument_or_any(e, call, 0);
	val *r = foreign(e, f), *again;
	uint32_t n = 1;

	for (val *v; n <= MAX_BOUND; item[n++] = v)
		if ((v = sa_py_argument(e, call, (int)n, NULL)) == NULL)
			break;
	for (uint32_t i = 0; i < call->count && (n > 1 || r->n < f->n); i += 2)
		sa_py_escape(e, e->value[e->p->pool[call->first + i]]);
	if (n > MAX_BOUND)
		return &sa_py_any;
	again = curry_again(e, call->a, f, n - 1, item + 1);
	item[0] = r;
	if (n > 1)
		r = r->n > 0 ? curry(e, call->a, n, item) : NULL;
	return both(e, &sa_py_any, both(e, again, r));
}

static void
fold_setattr(struct sa_py_eval *e, const struct sa_py_node *call)
{
	str *s = sole(sa_py_argument(e, call, 1, NULL), SA_PY_A_STR);

	if (s != NULL && !sa_py_has_hole(s))
		sa_py_store(e, sa_py_symbol(e->symbols, s->s, s->len, true),
		    argument_or_any(e, call, 2));
}

static val *
fold_filter(struct sa_py_eval *e, const struct sa_py_node *call)
{
	val *each = sa_py_elements(e, argument_or_any(e, call, 1));
	val *f = argument_or_any(e, call, 0);

	if (f->n > 0)
		sa_py_apply(e, f, 1, &each);
	return sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL, each);
}

/* min() and max() */
static val *
fold_pick(struct sa_py_eval *e, const struct sa_py_node *call)
{
	val *v, *r = sa_py_argument(e, call, -1, "default");
	uint32_t n = 0;

	while (n < 8 && (v = sa_py_argument(e, call, (int)n, NULL)) != NULL) {
		r = both(e, r, v);
		if (n++ == 0)
			r = both(e, r, sa_py_elements(e, v));
	}
	if (sa_py_has_keyword(e, call, "key"))
		sa_py_apply(e, sa_py_argument(e, call, -1, "key"), 1, &r);
	return both(e, r, &sa_py_any);
}

static val *
fold_chr(struct sa_py_eval *e, const struct sa_py_node *call)
{
	long n = 0;

	if (!integer(sa_py_argument(e, call, 0, NULL), &n) || n < 0 || n > 0x7f)
		return hole(e, call->offset);
	char c = (char)n;
	struct sa_py_run run = { .at = 0, .src = call->offset };
	return sa_py_str_val(e, sa_py_str_copy(&e->arena, &c, 1, &run, 1));
}

/* The value of a base64 digit, or -1. */
static int
base64_digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *p = c != '\0' ? strchr(digits, c) : NULL;

	return p != NULL ? (int)(p - digits) : -1;
}

/* base64.b64decode() of a constant whose bytes are ASCII; whatever is not
 * plain base64 is not known. */
static val *
fold_base64(struct sa_py_eval *e, const struct sa_py_node *call)
{
	str *s = sole(sa_py_argument(e, call, 0, "s"), SA_PY_A_STR);
	uint32_t bits = 0, n = 0, i = 0;

	if (s == NULL || call->count != 2 || s->len % 4 != 0 ||
	    sa_py_spend(&e->arena, s->len))
		return &sa_py_any;
	char *c = sa_py_alloc(&e->arena, s->len + 1);
	for (int d; i < s->len && (d = base64_digit(s->s[i])) >= 0; i++) {
		bits = bits << 6 | (uint32_t)d;
		if (i % 4 == 0)
			continue;
		c[n] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
		if ((unsigned char)c[n++] >= 0x80)
			return &sa_py_any;
	}
	for (uint32_t k = i; k < s->len; k++)
		if (s->s[k] != '=' || k + 2 < s->len)
			return &sa_py_any;
	struct sa_py_run run = { .at = 0, .src = call->offset };
	struct sa_py_str *r = sa_py_alloc(&e->arena, sizeof(*r));
	*r = *sa_py_str_copy(&e->arena, c, n, &run, 1);
	r->bytes = true;
	return sa_py_str_val(e, r);
}

/* What a builtin, or a function that is known as well, does. */
enum fold {
	F_NONE,
	F_TEXT,
	F_ORDERED, /* a copy as a list in the same order */
	F_LIST,	   /* in any order */
	F_DICT,
	F_FROMKEYS,
	F_SAME, /* its first argument */
	F_CAST, /* its second */
	F_PICK, /* one of its arguments, or of what the only one has */
	F_BASE64,
	F_NEXT,
	F_ENUMERATE,
	F_ZIP,
	F_MAP,
	F_FILTER,
	F_GETATTR,
	F_SETATTR,
	F_VARS,
	F_CHR,
	F_TYPE,
	F_PARTIAL,
	F_PRINT,
	F_QUIET /* nothing to the arguments, and nobody knows what it gives */
};

struct known {
	const char *path;
	enum fold fold;
};

static const struct known builtins[] = { { "str", F_TEXT },
	{ "list", F_ORDERED }, { "tuple", F_ORDERED }, { "iter", F_LIST },
	{ "reversed", F_LIST }, { "sorted", F_LIST }, { "set", F_LIST },
	{ "frozenset", F_LIST }, { "dict", F_DICT }, { "dedent", F_SAME },
	{ "cleandoc", F_SAME }, { "next", F_NEXT },
	{ "enumerate", F_ENUMERATE }, { "zip", F_ZIP }, { "map", F_MAP },
	{ "filter", F_FILTER }, { "getattr", F_GETATTR },
	{ "setattr", F_SETATTR }, { "vars", F_VARS }, { "chr", F_CHR },
	{ "type", F_TYPE }, { "print", F_PRINT }, { "len", F_QUIET },
	{ "isinstance", F_QUIET }, { "int", F_QUIET }, { "float", F_QUIET },
	{ "bool", F_QUIET }, { "min", F_PICK }, { "max", F_PICK },
	{ "sum", F_QUIET }, { "any", F_QUIET }, { "all", F_QUIET },
	{ "repr", F_QUIET }, { "format", F_QUIET }, { "range", F_QUIET },
	{ "hasattr", F_QUIET }, { "id", F_QUIET }, { "issubclass", F_QUIET },
	{ "open", F_QUIET }, { "input", F_QUIET }, { "ord", F_QUIET },
	{ "round", F_QUIET }, { "abs", F_QUIET }, { "super", F_QUIET },
	{ NULL, F_NONE } };

static const struct known functions[] = { { "base64.b64decode", F_BASE64 },
	{ "textwrap.dedent", F_SAME }, { "inspect.cleandoc", F_SAME },
	{ "copy.copy", F_SAME }, { "copy.deepcopy", F_SAME },
	{ "string.Template", F_SAME }, { "typing.cast", F_CAST },
	{ "functools.partial", F_PARTIAL }, { "dict.fromkeys", F_FROMKEYS },
	{ "contextlib.nullcontext", F_SAME }, { NULL, F_NONE } };

static enum fold
fold_of(const char *path)
{
	static const char prefix[] = "builtins.";
	const size_t n = sizeof(prefix) - 1;

	if (path[0] == 'b' && strncmp(path, prefix, n) == 0)
		path += n;
	const struct known *k =
	    strchr(path, '.') != NULL ? functions : builtins;
	while (k->path != NULL &&
	    (k->path[0] != path[0] || strcmp(k->path, path) != 0))
		k++;
	return k->fold;
}

val *
sa_py_fold_builtin(struct sa_py_eval *e, const struct sa_py_node *call,
    const char *path)
{
	enum fold fold = fold_of(path);

	switch (fold) {
	case F_TEXT:
		return sa_py_texts(&e->arena, argument_or_any(e, call, 0),
		    call->offset);
	case F_ORDERED:
	case F_LIST:
		calls_key(e, call, argument_or_any(e, call, 0));
		if (path[0] == 'i' && call->count > 2) /* iter(f, end) */
			sa_py_apply(e, argument_or_any(e, call, 0), 0, NULL);
		return fold_copy(e, call, fold == F_ORDERED);
	case F_DICT:
		return fold_dict(e, call);
	case F_FROMKEYS:
		return fold_fromkeys(e, call);
	case F_SAME:
		return argument_or_any(e, call, 0);
	case F_CAST:
		return argument_or_any(e, call, 1);
	case F_PICK:
		return fold_pick(e, call);
	case F_BASE64:
		return fold_base64(e, call);
	case F_NEXT:
		return both(e, sa_py_elements(e, argument_or_any(e, call, 0)),
		    sa_py_argument(e, call, 1, NULL));
	case F_ENUMERATE:
		return fold_enumerate(e, call);
	case F_ZIP:
		return fold_zip(e, call);
	case F_MAP:
		return fold_map(e, call);
	case F_FILTER:
		return fold_filter(e, call);
	case F_GETATTR:
		return fold_getattr(e, call);
	case F_SETATTR:
		fold_setattr(e, call);
		return NULL;
	case F_VARS:
		return sa_py_attribute(e, argument_or_any(e, call, 0), e->dict);
	case F_CHR:
		return fold_chr(e, call);
	case F_TYPE:
		return call->count == 2 ? fold_type(e, call) : NULL;
	case F_PARTIAL:
		return fold_partial(e, call);
	case F_PRINT:
		if (sa_py_has_keyword(e, call, "file"))
			sa_py_escape(e, sa_py_argument(e, call, -1, "file"));
		return &sa_py_any;
	case F_QUIET:
		return &sa_py_any;
	default:
		return NULL;
	}
}

/* s[a:b:c] of a text without holes. */
static val *
text_slice(struct sa_py_eval *e, str *s, const struct sa_py_node *n)
{
	const struct sa_py_node *x = &e->p->node[n->b];
	long a = 0, b = (long)s->len, c = 1, len = (long)s->len;

	if ((x->a != SA_PY_NOTHING && !integer(e->value[x->a], &a)) ||
	    (x->b != SA_PY_NOTHING && !integer(e->value[x->b], &b)) ||
	    (x->c != SA_PY_NOTHING && !integer(e->value[x->c], &c)))
		return hole(e, n->offset);
	a = a < 0 ? a + len : a;
	b = b < 0 ? b + len : b;
	a = a < 0 ? 0 : a > len ? len : a;
	b = b < a ? a : b > len ? len : b;
	if (c == 1)
		return text_part(e, s, (uint32_t)a, (uint32_t)b);
	if (c != -1 || x->a != SA_PY_NOTHING || x->b != SA_PY_NOTHING)
		return hole(e, n->offset);
	char *r = sa_py_alloc(&e->arena, s->len + 1);
	for (uint32_t i = 0; i < s->len; i++)
		r[i] = s->s[s->len - 1 - i];
	struct sa_py_run run = { .at = 0, .src = n->offset };
	return sa_py_str_val(e, sa_py_str_copy(&e->arena, r, s->len, &run, 1));
}

static val *
text_index(struct sa_py_eval *e, str *s, const struct sa_py_node *n)
{
	long i = 0;

	if (sa_py_spend(&e->arena, s->len))
		return hole(e, n->offset);
	for (uint32_t k = 0; k < s->len; k++)
		if ((unsigned char)s->s[k] >= 0x80)
			return hole(e, n->offset);
	if (e->p->node[n->b].kind == SA_PY_N_SLICE)
		return text_slice(e, s, n);
	if (!integer(e->value[n->b], &i))
		return hole(e, n->offset);
	i = i < 0 ? i + (long)s->len : i;
	if (i < 0 || i >= (long)s->len)
		return &sa_py_never;
	return text_part(e, s, (uint32_t)i, (uint32_t)i + 1);
}

static val *
list_index(struct sa_py_eval *e, const struct sa_py_atom *a,
    const struct sa_py_node *n)
{
	val *self = sa_py_one(&e->arena, SA_PY_A_LIST, 0, a->p);
	const struct sa_py_seq *s = fixed(e, self, SA_PY_A_LIST);
	long i = 0;

	if (e->p->node[n->b].kind == SA_PY_N_SLICE)
		return sa_py_list_val(e, n->c, 0, NULL,
		    sa_py_elements(e, self));
	if (s == NULL || !integer(e->value[n->b], &i))
		return sa_py_elements(e, self);
	i = i < 0 ? i + (long)s->n : i;
	return i < 0 || i >= (long)s->n ? &sa_py_never : s->item[i];
}

val *
sa_py_fold_index(struct sa_py_eval *e, const struct sa_py_node *n)
{
	val *object = e->value[n->a];
	val *r = object->any ? &sa_py_any : &sa_py_never;

	for (uint32_t i = 0; i < object->n; i++) {
		const struct sa_py_atom *a = &object->atom[i];
		if (a->kind == SA_PY_A_STR)
			r = both(e, r, text_index(e, a->p, n));
		else if (a->kind == SA_PY_A_LIST)
			r = both(e, r, list_index(e, a, n));
		else if (a->kind == SA_PY_A_DICT)
			r = both(e, r, dict_item(e, a->p, e->value[n->b]));
		else if (sa_py_is_names(e, a))
			r = both(e, r, sa_py_of_name(e, a, e->value[n->b]));
		else if (a->kind == SA_PY_A_METHOD && a->id == e->by_name)
			r = both(e, r, sa_py_any_of_names(e));
		else
			r = both(e, r, &sa_py_any);
	}
	return r;
}
