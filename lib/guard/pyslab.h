/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PYSLAB_H
#define SA_PYSLAB_H

#include <stddef.h>
#include <stdint.h>

/*
 * One piece of memory that the tables of a program begin in, so that a script
 * of the usual size costs one allocation. What has no room in it, or grows out
 * of it, is allocated by itself; so each piece goes to sa_py_slab_free(),
 * which knows them apart, before the slab is released.
 */
struct sa_py_slab {
	char *base, *next, *end;
};

void sa_py_slab_init(struct sa_py_slab *s, size_t size);
void sa_py_slab_release(struct sa_py_slab *s);

/* n times size bytes, never NULL; the second gives zeros. */
void *sa_py_slab_alloc(struct sa_py_slab *s, size_t n, size_t size);
void *sa_py_slab_zeros(struct sa_py_slab *s, size_t n, size_t size);
void sa_py_slab_free(const struct sa_py_slab *s, void *piece);

/* For sa_py_grow(): more of an array that holds *cap elements, all in use. */
void *sa_py_slab_more(struct sa_py_slab *s, void *array, uint32_t *cap,
    size_t size);

/* Room for one more element than n: the array, perhaps moved. It is NULL and
 * its *cap 0 in the beginning. */
static inline void *
sa_py_grow(struct sa_py_slab *s, void *array, uint32_t n, uint32_t *cap,
    size_t size)
{
	return n < *cap ? array : sa_py_slab_more(s, array, cap, size);
}

#endif
