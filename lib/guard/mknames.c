/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * Prints a hash table of the names in sinks.def, for sinks.c. It runs at build
 * time: most names of a script are in no table, and that has to be seen at
 * once.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "guard/hash.h"

#define SLOTS 1024 /* a power of two; at most half of them are used */

enum kind { CALLS, ATTRIBUTES, MODULES, TYPES, SPECIAL, KINDS };

static const struct row {
	enum kind kind;
	const char *name;
} rows[] = {
#define SINK(name, receiver, argument, keyword, mode, when, level, rule) \
	{ CALLS, name },
#define OPTION(key, mode, level, rule)
#define ATTRIBUTE(name, level, rule) { ATTRIBUTES, name },
#define COMMON_ATTRIBUTE(name, level, rule) { ATTRIBUTES, name },
#define IMPORT(module, level, rule) { MODULES, module },
#define TYPE(name, how, receiver, result) { TYPES, name },
#define LOOKED_INTO(name) { SPECIAL, name },
#include "guard/sinks.def"
};

/* A name, and 1 more than the place of its first row of each kind among the
 * rows of that kind; 0 for none. */
static struct name {
	const char *s;
	size_t len;
	unsigned first[KINDS];
} names[SLOTS / 2];
static unsigned nname, slot[SLOTS];

static struct name *
name_of(const char *s, size_t len)
{
	uint32_t h = sa_hash(s, len);

	for (; slot[h % SLOTS] != 0; h++) {
		struct name *n = &names[slot[h % SLOTS] - 1];
		if (n->len == len && memcmp(n->s, s, len) == 0)
			return n;
	}
	if (nname == SLOTS / 2)
		return NULL;
	names[nname].s = s;
	names[nname].len = len;
	slot[h % SLOTS] = ++nname;
	return &names[nname - 1];
}

int
main(void)
{
	unsigned count[KINDS] = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* a module is found by the package that it is in */
		size_t len = rows[i].kind == MODULES
		    ? strcspn(rows[i].name, ".")
		    : strlen(rows[i].name);
		struct name *n = name_of(rows[i].name, len);
		if (n == NULL) {
			fprintf(stderr, "mknames: too many names\n");
			return 1;
		}
		count[rows[i].kind]++;
		if (n->first[rows[i].kind] == 0)
			n->first[rows[i].kind] = count[rows[i].kind];
	}
	printf("static const struct known known_names[] = {\n");
	for (unsigned i = 0; i < nname; i++)
		printf("\t{ \"%.*s\", %zu, %u, %u, %u, %u, %s },\n",
		    (int)names[i].len, names[i].s, names[i].len,
		    names[i].first[CALLS], names[i].first[ATTRIBUTES],
		    names[i].first[MODULES], names[i].first[TYPES],
		    names[i].first[SPECIAL] != 0 ? "true" : "false");
	printf("};\nstatic const uint16_t slots[%d] = {\n", SLOTS);
	for (unsigned i = 0; i < SLOTS; i++)
		printf("%u,%s", slot[i], i % 16 == 15 ? "\n" : " ");
	printf("};\n");
	return fflush(stdout) != 0 || ferror(stdout) != 0;
}
