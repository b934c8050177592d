/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/netnames.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define BUCKETS 4096
#define FIRST 2 /* addresses that end with 0 or 1 look like a network's */

struct entry {
	char *name;
	uint32_t next; /* in its bucket, by index + 1 */
};

struct sa_netnames {
	uint32_t seed, turn;
	uint32_t buckets[BUCKETS];
	struct entry v[SA_NETNAMES_MAX];
};

struct sa_netnames *
sa_netnames_new(void)
{
	struct sa_netnames *t = sa_xcalloc(1, sizeof(*t));

	t->seed = arc4random();
	return t;
}

void
sa_netnames_free(struct sa_netnames *t)
{
	for (size_t i = 0; i < SA_NETNAMES_MAX; i++)
		free(t->v[i].name);
	free(t);
}

/* Seeded, so that nobody chooses names that meet in one bucket. */
static uint32_t *
bucket_of(struct sa_netnames *t, const char *name)
{
	uint64_t h = t->seed;

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * 1099511628211U;
	return &t->buckets[(h ^ h >> 29) % BUCKETS];
}

static void
forget(struct sa_netnames *t, uint32_t i)
{
	uint32_t *at = bucket_of(t, t->v[i].name);

	while (*at != i + 1)
		at = &t->v[*at - 1].next;
	*at = t->v[i].next;
	free(t->v[i].name);
	t->v[i].name = NULL;
}

uint32_t
sa_netnames_give(struct sa_netnames *t, const char *name)
{
	uint32_t *bucket = bucket_of(t, name);

	for (uint32_t i = *bucket; i > 0; i = t->v[i - 1].next)
		if (strcmp(t->v[i - 1].name, name) == 0)
			return SA_NETNAMES_BASE + FIRST + i - 1;
	uint32_t i = t->turn;
	t->turn = (t->turn + 1) % SA_NETNAMES_MAX;
	if (t->v[i].name != NULL)
		forget(t, i);
	t->v[i] = (struct entry){ .name = sa_xstrdup(name), .next = *bucket };
	*bucket = i + 1;
	return SA_NETNAMES_BASE + FIRST + i;
}

const char *
sa_netnames_at(const struct sa_netnames *t, uint32_t address)
{
	uint32_t i = address - SA_NETNAMES_BASE - FIRST;

	return i < SA_NETNAMES_MAX ? t->v[i].name : NULL;
}
