/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/pyslab.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define FIRST 32 /* elements of an array that grows */

void
sa_py_slab_init(struct sa_py_slab *s, size_t size)
{
	s->base = s->next = sa_xmalloc(size);
	s->end = s->base + size;
}

void
sa_py_slab_release(struct sa_py_slab *s)
{
	free(s->base);
	*s = (struct sa_py_slab){ 0 };
}

static bool
holds(const struct sa_py_slab *s, const void *piece)
{
	return (uintptr_t)piece >= (uintptr_t)s->base &&
	    (uintptr_t)piece < (uintptr_t)s->end;
}

/* The next piece, or NULL where there is no room for it. */
static void *
take(struct sa_py_slab *s, size_t n, size_t size)
{
	size_t left = (size_t)(s->end - s->next);

	if (n >= left)
		return NULL;
	size_t need = (n * size + 15) & ~(size_t)15;
	if (need >= left)
		return NULL;
	s->next += need;
	return s->next - need;
}

void *
sa_py_slab_alloc(struct sa_py_slab *s, size_t n, size_t size)
{
	void *piece = take(s, n, size);

	return piece != NULL ? piece : sa_xrealloc(NULL, n + 1, size);
}

void *
sa_py_slab_zeros(struct sa_py_slab *s, size_t n, size_t size)
{
	void *piece = take(s, n, size);

	return piece != NULL ? memset(piece, 0, n * size)
			     : sa_xcalloc(n + 1, size);
}

void
sa_py_slab_free(const struct sa_py_slab *s, void *piece)
{
	if (!holds(s, piece))
		free(piece);
}

void *
sa_py_slab_more(struct sa_py_slab *s, void *array, uint32_t *cap, size_t size)
{
	uint32_t n = *cap;

	*cap = n == 0 ? FIRST : n + n / 2;
	if (n > 0 && !holds(s, array))
		return sa_xrealloc(array, *cap, size);
	void *more = sa_py_slab_alloc(s, *cap, size);
	if (n > 0)
		memcpy(more, array, n * size);
	return more;
}
