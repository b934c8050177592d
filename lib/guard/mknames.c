/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * Prints a hash table of the names in sinks.def, for sinks.c. It runs at build
 * time: most names of a script are in no table, and that has to be seen at
 * once.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "guard/hash.h"

#define SLOTS 2048 /* a power of two; at most half of them are used */
#define RECEIVERS 256

enum kind { CALLS, ATTRIBUTES, MODULES, TYPES, SPECIAL, TRUST, OTHERS, KINDS };

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
#define LOOKED_INTO(name, receiver, argument) { SPECIAL, name },
#define TAKES_KEY(name) { SPECIAL, name },
#define BRINGS(name, receiver) { OTHERS, name },
#define COUNTS(name) { OTHERS, name },
#define TRUSTED(module) { TRUST, module },
#include "guard/sinks.def"
};

/* What a row says about a receiver: that there may be one, that any use of the
 * name counts where there is, or a call with more arguments than that. */
enum say { HAS, ANY_USE, CALLED };
enum mode { STATEMENT, EXPRESSION, FOREIGN, TABLE, CALL };
enum level { HARD, SOFT, NOTE, OVERWRITE, RISK, REJECT, KEY };
static const struct hint {
	const char *name, *receiver;
	enum say say;
	enum mode mode;
	const char *when; /* of HAS: whose call or attribute gives it */
	int argument;
	enum level level;
} hints[] = {
#undef SINK
#undef OPTION
#undef ATTRIBUTE
#undef COMMON_ATTRIBUTE
#undef IMPORT
#undef TYPE
#undef LOOKED_INTO
#undef TAKES_KEY
#undef BRINGS
#undef COUNTS
#undef TRUSTED
#define SINK(name, receiver, argument, keyword, mode, when, level, rule) \
	{ name, receiver, CALLED, mode, when, argument, level },
#define OPTION(key, mode, level, rule)
#define ATTRIBUTE(name, level, rule) \
	{ name, "*", ANY_USE, CALL, NULL, 0, level },
#define COMMON_ATTRIBUTE ATTRIBUTE
#define IMPORT(module, level, rule)
#define TYPE(name, how, receiver, result) \
	{ name, "@" result, HAS, CALL, receiver, 0, HARD },
#define LOOKED_INTO(name, receiver, argument) \
	{ name, receiver, CALLED, EXPRESSION, NULL, argument, HARD },
#define TAKES_KEY(name) { name, "*", CALLED, EXPRESSION, NULL, 0, KEY },
#define BRINGS(name, receiver) { name, receiver, HAS, CALL, NULL, 0, HARD },
#define COUNTS(name) { name, "*", ANY_USE, CALL, NULL, 0, HARD },
#define TRUSTED(module)
#include "guard/sinks.def"
};

/* A name, and 1 more than the place of its first row of each kind among the
 * rows of that kind; 0 for none. */
static struct name {
	const char *s;
	size_t len;
	unsigned first[KINDS];
	uint64_t brings, wants, given;
	unsigned least;
	const char *does; /* with its first argument */
} names[SLOTS / 2];
static unsigned nname, slot[SLOTS];

/* The name's place, a new one where it was not met; NULL for too many. */
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
	names[nname].least = UINT8_MAX;
	slot[h % SLOTS] = ++nname;
	return &names[nname - 1];
}

static const char *
last_part(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot != NULL ? dot + 1 : path;
}

/* A module or a builtin, and so no method. */
static bool
is_module(const char *receiver)
{
	return *receiver != '@' && *receiver != '*';
}

/* The bit of a receiver; the first is of what there always is. The last ones to
 * come share one, which costs a program that has any of them no more than a
 * closer look. */
static uint64_t
bit_of(const char *receiver)
{
	static const char *seen[RECEIVERS];
	static size_t n;
	const char *name = last_part(receiver);
	size_t i = 0;

	/* these functions are known by several paths */
	if (*name == '\0' || strcmp(name, "*") == 0 ||
	    strcmp(name, "functions") == 0)
		return 1;
	while (i < n && strcmp(seen[i], name) != 0)
		i++;
	if (i == n && n < RECEIVERS)
		seen[n++] = name;
	return UINT64_C(2) << (i < 62 ? i : 62);
}

/* Whether no call has too few arguments for the row, or is not asked for them:
 * where there is the module, few are of something else. */
static bool
any_use_counts(const struct hint *h)
{
	return h->say == ANY_USE || is_module(h->receiver) ||
	    h->argument == -2 || h->mode == STATEMENT ||
	    (h->mode == CALL && h->when == NULL);
}

static const char *const firsts[] = { "SA_SINK_FIRST_ANY", "SA_SINK_FIRST_KEY",
	"SA_SINK_FIRST_SOFT" };

/* What a call does with its first argument. */
static const char *
first_of(const struct hint *h)
{
	bool soft = h->level == SOFT &&
	    (h->mode == EXPRESSION || h->mode == FOREIGN) && h->argument == 0;

	return firsts[h->level == KEY ? 1 : soft ? 2 : 0];
}

/* The name by which there may be the row's receiver: its own, the module's, or
 * none. False for too many names. */
static bool
bring(const struct hint *h, struct name *own)
{
	const char *module = last_part(h->receiver);
	struct name *n = own;

	/* what a class gives, there is only where the class is named */
	if (h->say == HAS && h->when != NULL && *h->when == '@')
		return true;
	if (h->say != HAS) {
		if (h->say != CALLED || *module == '\0' || !is_module(module))
			return true;
		n = name_of(module, strlen(module));
	}
	if (n != NULL)
		n->brings |= bit_of(h->receiver);
	return n != NULL;
}

/* Takes up what the row says; false for too many names. */
static bool
take(const struct hint *h)
{
	struct name *n = name_of(h->name, strlen(h->name));
	uint64_t bit = bit_of(h->receiver);

	if (n == NULL || !bring(h, n))
		return false;
	if (h->say == HAS)
		return true;
	/* what has no type that is known may be a writer */
	if (strcmp(h->receiver, "@writer") == 0 && h->when != NULL)
		bit |= 1;
	if (any_use_counts(h)) {
		n->wants |= bit;
		return true;
	}
	unsigned least = h->argument < 0 ? UINT8_MAX : (unsigned)h->argument;
	const char *does = first_of(h);
	n->given |= bit;
	n->least = least < n->least ? least : n->least;
	n->does = n->does == NULL || n->does == does ? does : firsts[0];
	return true;
}

static void
print(const struct name *n)
{
	printf("\t{ \"%.*s\", %zu, %u, %u, %u, %u, %d,\n", (int)n->len, n->s,
	    n->len, n->first[CALLS], n->first[ATTRIBUTES], n->first[MODULES],
	    n->first[TYPES], n->first[SPECIAL] != 0);
	printf("\t\t{ 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64
	       ", %u, %s, %d } },\n",
	    n->brings, n->wants, n->given, n->least,
	    n->does != NULL ? n->does : firsts[0], n->first[TRUST] != 0);
}

int
main(void)
{
	unsigned count[KINDS] = { 0 };
	bool room = true;

	for (size_t i = 0; room && i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* a module is found by the package that it is in */
		size_t len = rows[i].kind == MODULES
		    ? strcspn(rows[i].name, ".")
		    : strlen(rows[i].name);
		struct name *n = name_of(rows[i].name, len);
		room = n != NULL;
		count[rows[i].kind]++;
		if (room && n->first[rows[i].kind] == 0)
			n->first[rows[i].kind] = count[rows[i].kind];
	}
	/* types stand behind the modules of calls, and are more common */
	for (size_t i = sizeof(hints) / sizeof(hints[0]); room && i > 0; i--)
		room = take(&hints[i - 1]);
	if (!room) {
		fprintf(stderr, "mknames: too many names\n");
		return 1;
	}
	printf("static const struct known known_names[] = {\n");
	for (unsigned i = 0; i < nname; i++)
		print(&names[i]);
	printf("};\nstatic const uint16_t slots[%d] = {\n", SLOTS);
	for (unsigned i = 0; i < SLOTS; i++)
		printf("%u,%s", slot[i], i % 16 == 15 ? "\n" : " ");
	printf("};\n");
	return fflush(stdout) != 0 || ferror(stdout) != 0;
}
