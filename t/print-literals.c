/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * usage: print-literals FILE
 *
 * What the guard reads in a Python source, one a line. A string literal:
 * [line, column in bytes from 0, value], with U+E000 for a field of a format
 * string and U+E001 for a character that only a Unicode name tells. A call:
 * [line, column, what is called and its arguments, "call"], see describe().
 * Status 1 where the source is not taken: the rule and why on standard error.
 */
#include "config.h"

#include <err.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/io.h"
#include "guard/guard.h"
#include "guard/pyexpr.h"
#include "guard/pystr.h"
#include "guard/sql.h"

static void
add_literal(const struct sa_py_program *p, const struct sa_py_node *n,
    struct sa_buf *out)
{
	struct sa_py_literal l;
	struct sa_py_runs runs = { 0 };
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_py_literal(p->text, &p->tokens.t[n->a], &l);
	if (n->op != 0)
		l.raw = n->op == 3;
	sa_py_decode(p->text, &l, &b, &runs);
	free(runs.r);
	for (size_t i = 0; i < b.len; i++)
		if ((unsigned char)b.s[i] == SA_SQL_HOLE)
			sa_buf_addu(out, 0xe001);
		else
			sa_buf_addch(out, b.s[i]);
}

static void
add_part(const struct sa_py_program *p, const struct sa_py_node *n,
    struct sa_buf *out)
{
	if (n->kind == SA_PY_N_STRING) {
		add_literal(p, n, out);
		return;
	}
	struct sa_py_runs runs = { 0 };
	if (n->c == 2 && !sa_py_repeat(p->text, n->first, n->count, out, &runs))
		sa_buf_addu(out, 0xe001);
	free(runs.r);
	sa_buf_addu(out, 0xe000);
}

/* The offset of what has none. */
#define NOWHERE SIZE_MAX

/* How deep an expression is described. */
#define DEPTH 8

static void describe(const struct sa_py_program *p, uint32_t i, int depth,
    struct sa_buf *out);

static void
add_token(const struct sa_py_program *p, uint32_t token, struct sa_buf *out)
{
	const struct sa_py_token *t = &p->tokens.t[token];

	sa_buf_add(out, p->text + t->offset, t->len);
}

static void
add_symbol(const struct sa_py_program *p, uint32_t symbol, struct sa_buf *out)
{
	sa_buf_add(out, p->symbol[symbol].s, p->symbol[symbol].len);
}

static const char *
operator_text(unsigned op)
{
	static const struct {
		unsigned op;
		const char *text;
	} longer[] = { { SA_PY_NOT, "not" }, { SA_PY_IN, "in" },
		{ SA_PY_IS, "is" }, { SA_PY_AND, "and" }, { SA_PY_OR, "or" },
		{ SA_PY_POW, "**" }, { SA_PY_IDIV, "//" }, { SA_PY_SHL, "<<" },
		{ SA_PY_SHR, ">>" }, { SA_PY_EQ, "==" }, { SA_PY_NE, "!=" },
		{ SA_PY_LE, "<=" }, { SA_PY_GE, ">=" }, { SA_PY_NONE, "None" },
		{ SA_PY_TRUE, "True" }, { SA_PY_FALSE, "False" },
		{ SA_PY_ELLIPSIS, "..." } };
	static const char single[] = "+\0-\0*\0/\0%\0@\0&\0|\0^\0~\0<\0>";

	for (size_t i = 0; i < sizeof(longer) / sizeof(*longer); i++)
		if (longer[i].op == op)
			return longer[i].text;
	for (size_t i = 0; i < sizeof(single); i += 2)
		if ((unsigned char)single[i] == op)
			return single + i;
	return "?";
}

static void
describe_operation(const struct sa_py_program *p, const struct sa_py_node *n,
    int depth, struct sa_buf *out)
{
	sa_buf_addch(out, '(');
	describe(p, n->a, depth, out);
	sa_buf_addf(out, " %s ", operator_text(n->op));
	describe(p, n->b, depth, out);
	sa_buf_addch(out, ')');
}

static void
describe_list(const struct sa_py_program *p, const struct sa_py_node *n,
    int depth, struct sa_buf *out)
{
	bool dict = n->kind == SA_PY_N_DICT;
	char open = dict ? '{' : (char)n->op;

	sa_buf_addch(out, open);
	for (uint32_t i = 0; i < n->count; i++) {
		uint32_t e = p->pool[n->first + i];
		if (dict && i % 2 == 0) {
			if (e == SA_PY_NOTHING)
				sa_buf_addch(out, '*');
			else
				describe(p, e, depth, out);
			sa_buf_addch(out, ':');
			continue;
		}
		describe(p, e, depth, out);
		sa_buf_addch(out, ',');
	}
	sa_buf_addch(out, open == '(' ? ')' : open == '[' ? ']' : '}');
}

/* Those without a name come first, as in CPython's tree. */
static void
describe_call(const struct sa_py_program *p, const struct sa_py_node *n,
    int depth, struct sa_buf *out)
{
	describe(p, n->c, depth, out);
	sa_buf_addch(out, '(');
	for (int named = 0; named < 2; named++)
		for (uint32_t i = 0; i < n->count; i += 2) {
			uint32_t name = p->pool[n->first + i + 1];
			if ((name != SA_PY_NOTHING) != named)
				continue;
			if (name == SA_PY_DOUBLE_STAR)
				sa_buf_adds(out, "**");
			else if (named) {
				add_symbol(p, name, out);
				sa_buf_addch(out, '=');
			}
			describe(p, p->pool[n->first + i], depth, out);
			sa_buf_addch(out, ',');
		}
	sa_buf_addch(out, ')');
}

static void
describe_index(const struct sa_py_program *p, const struct sa_py_node *n,
    int depth, struct sa_buf *out)
{
	uint32_t index = n->b;
	const struct sa_py_node *l = &p->node[index];

	/* CPython makes a tuple of a[*b], as of a[*b,] */
	if (l->kind == SA_PY_N_LIST && l->op == '(' && l->count == 1 &&
	    p->node[p->pool[l->first]].kind == SA_PY_N_STAR)
		index = p->pool[l->first];
	describe(p, n->a, depth, out);
	sa_buf_addch(out, '[');
	describe(p, index, depth, out);
	sa_buf_addch(out, ']');
}

static void
describe_slice(const struct sa_py_program *p, const struct sa_py_node *n,
    int depth, struct sa_buf *out)
{
	const uint32_t part[] = { n->a, n->b, n->c };

	for (int i = 0; i < 3; i++) {
		if (part[i] != SA_PY_NOTHING)
			describe(p, part[i], depth, out);
		if (i < 2)
			sa_buf_addch(out, ':');
	}
}

static void
describe_prefixed(const struct sa_py_program *p, const char *prefix, uint32_t i,
    int depth, struct sa_buf *out)
{
	sa_buf_adds(out, prefix);
	sa_buf_addch(out, '(');
	if (i != SA_PY_NOTHING)
		describe(p, i, depth, out);
	sa_buf_addch(out, ')');
}

/* What is the same in both trees: names, structure, numbers and constants;
 * strings are compared by themselves. */
static void
describe(const struct sa_py_program *p, uint32_t i, int depth,
    struct sa_buf *out)
{
	const struct sa_py_node *n = &p->node[i];

	if (depth-- == 0) {
		sa_buf_adds(out, "..");
		return;
	}
	switch ((enum sa_py_op)n->kind) {
	case SA_PY_N_NAME:
		add_symbol(p, n->a, out);
		return;
	case SA_PY_N_NUMBER:
		add_token(p, n->a, out);
		return;
	case SA_PY_N_CONST:
		sa_buf_adds(out, operator_text(n->a));
		return;
	case SA_PY_N_STRING:
	case SA_PY_N_JOIN:
		sa_buf_adds(out, "str");
		return;
	case SA_PY_N_LIST:
	case SA_PY_N_DICT:
		describe_list(p, n, depth, out);
		return;
	case SA_PY_N_COMP:
		describe_prefixed(p, "for", n->a, depth, out);
		if (n->b != SA_PY_NOTHING)
			describe_prefixed(p, ":", n->b, depth, out);
		return;
	case SA_PY_N_ATTR:
		describe(p, n->a, depth, out);
		sa_buf_addch(out, '.');
		add_symbol(p, n->b, out);
		return;
	case SA_PY_N_INDEX:
		describe_index(p, n, depth, out);
		return;
	case SA_PY_N_SLICE:
		describe_slice(p, n, depth, out);
		return;
	case SA_PY_N_CALL:
		describe_call(p, n, depth, out);
		return;
	case SA_PY_N_UNARY:
		describe_prefixed(p, operator_text(n->op), n->a, depth, out);
		return;
	case SA_PY_N_BINARY:
	case SA_PY_N_BOOL:
	case SA_PY_N_COMPARE:
		describe_operation(p, n, depth, out);
		return;
	case SA_PY_N_COND:
		describe_prefixed(p, "if", n->a, depth, out);
		describe_prefixed(p, "else", n->b, depth, out);
		return;
	case SA_PY_N_LAMBDA:
		describe_prefixed(p, "lambda", n->a, depth, out);
		return;
	case SA_PY_N_STAR:
		describe_prefixed(p, "*", n->a, depth, out);
		return;
	case SA_PY_N_AWAIT:
		describe_prefixed(p, "await", n->a, depth, out);
		return;
	case SA_PY_N_YIELD:
		describe_prefixed(p, "yield", n->a, depth, out);
		return;
	case SA_PY_N_ASSIGN:
		describe(p, n->a, depth, out);
		describe_prefixed(p, ":=", n->b, depth, out);
		return;
	default:
		sa_buf_addf(out, "?%d", n->kind);
	}
}

/* Where the name is that is called, however far down. */
static size_t
called_name(const struct sa_py_program *p, const struct sa_py_node *n)
{
	while (n->kind == SA_PY_N_CALL)
		n = &p->node[n->c];
	if (n->kind == SA_PY_N_NAME || n->kind == SA_PY_N_ATTR)
		return n->offset;
	return NOWHERE;
}

/* Where the lines begin. */
struct lines {
	size_t *at, n;
};

static void
find_lines(const struct sa_py_program *p, struct lines *l)
{
	l->at = sa_xcalloc(p->len + 1, sizeof(*l->at));
	l->n = 1;
	for (size_t i = 0; i < p->len; i++)
		if (p->text[i] == '\n' ||
		    (p->text[i] == '\r' && p->text[i + 1] != '\n'))
			l->at[l->n++] = i + 1;
}

/* A row at offset; NOWHERE is line 0. */
static void
print_row(const struct lines *l, size_t offset, const struct sa_buf *b,
    const char *kind)
{
	size_t low = 0, high = l->n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		if (l->at[mid] <= offset)
			low = mid;
		else
			high = mid;
	}
	bool there = offset != NOWHERE;
	json_t *o = json_pack("[I, I, s#]", (json_int_t)(there ? low + 1 : 0),
	    (json_int_t)(there ? offset - l->at[low] : 0), sa_buf_str(b),
	    (int)b->len);

	if (kind != NULL)
		json_array_append_new(o, json_string(kind));
	json_dumpf(o, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(o);
}

static void
print_literal(const struct sa_py_program *p, const struct lines *l,
    const struct sa_py_node *n)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	if (n->kind == SA_PY_N_JOIN)
		for (uint32_t i = 0; i < n->count; i++)
			add_part(p, &p->node[p->pool[n->first + i]], &b);
	else
		add_literal(p, n, &b);
	print_row(l, n->offset, &b, NULL);
}

static void
print_call(const struct sa_py_program *p, const struct lines *l, uint32_t i)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	describe(p, i, DEPTH, &b);
	print_row(l, called_name(p, &p->node[i]), &b, "call");
}

static void
print(const struct sa_py_program *p)
{
	struct lines l;

	find_lines(p, &l);
	for (uint32_t i = 0; i < p->nnode; i++) {
		const struct sa_py_node *n = &p->node[i];

		if (n->kind == SA_PY_N_CALL && !(n->flags & SA_PY_F_DECORATES))
			print_call(p, &l, i);
		else if (!(n->flags & (SA_PY_F_PART | SA_PY_F_SPEC)) &&
		    (n->kind == SA_PY_N_STRING || n->kind == SA_PY_N_JOIN))
			print_literal(p, &l, n);
	}
	free(l.at);
}

int
main(int argc, char *argv[])
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_GUARD_MAX);
	struct sa_err e = SA_ERR_INIT;
	struct sa_py_program p;
	struct sa_py_error why;

	if (argc != 2)
		errx(2, "usage: print-literals FILE");
	if (sa_io_read_file(AT_FDCWD, argv[1], &b, argv[1], &e) < 0)
		errx(2, "%s", e.msg);
	if (sa_py_parse(sa_buf_str(&b), b.len, &p, &why) < 0)
		errx(1, "%s: byte %zu: %s", why.rule, why.offset, why.message);
	print(&p);
	sa_py_program_release(&p);
	return 0;
}
