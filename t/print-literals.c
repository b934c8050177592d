/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * usage: print-literals FILE
 *
 * The string literals of a Python source as the guard reads them, one a line:
 * [line, column in bytes from 0, value], U+E000 for a field of a format string
 * and U+E001 for a character that only a Unicode name tells. Status 1 where
 * the source is not taken.
 */
#include "config.h"

#include <err.h>
#include <fcntl.h>
#include <jansson.h>
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
	if (n->c == 2)
		sa_buf_add(out, p->text + n->first, n->count - n->first);
	sa_buf_addu(out, 0xe000);
}

static void
print(const struct sa_py_program *p, const struct sa_py_node *n)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	size_t line = 1, column = 0;

	if (n->kind == SA_PY_N_JOIN)
		for (uint32_t i = 0; i < n->count; i++)
			add_part(p, &p->node[p->pool[n->first + i]], &b);
	else
		add_literal(p, n, &b);
	for (size_t i = 0; i < n->offset; i++, column++)
		if (p->text[i] == '\n' ||
		    (p->text[i] == '\r' && p->text[i + 1] != '\n')) {
			line++;
			column = (size_t)-1;
		}
	json_t *o = json_pack("[I, I, s#]", (json_int_t)line,
	    (json_int_t)column, sa_buf_str(&b), (int)b.len);
	json_dumpf(o, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(o);
}

int
main(int argc, char *argv[])
{
	struct sa_buf b = SA_BUF_INIT(SA_GUARD_MAX);
	struct sa_err e = SA_ERR_INIT;
	struct sa_py_program p;
	struct sa_py_error why;

	if (argc != 2)
		errx(2, "usage: print-literals FILE");
	if (sa_io_read_file(AT_FDCWD, argv[1], &b, argv[1], &e) < 0)
		errx(2, "%s", e.msg);
	if (sa_py_parse(sa_buf_str(&b), b.len, &p, &why) < 0)
		errx(1, "%s: byte %zu: %s", argv[1], why.offset, why.message);
	bool *part = sa_xcalloc(p.nnode, sizeof(*part));
	for (uint32_t i = 0; i < p.nnode; i++)
		for (uint32_t k = 0;
		     p.node[i].kind == SA_PY_N_JOIN && k < p.node[i].count; k++)
			part[p.pool[p.node[i].first + k]] = true;
	for (uint32_t i = 0; i < p.nnode; i++)
		if (!part[i] &&
		    (p.node[i].kind == SA_PY_N_STRING ||
			(p.node[i].kind == SA_PY_N_JOIN &&
			    !(p.node[i].flags & SA_PY_F_SPEC))))
			print(&p, &p.node[i]);
	free(part);
	sa_py_program_release(&p);
	sa_buf_release(&b);
	return 0;
}
