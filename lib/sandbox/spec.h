/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_SPEC_H
#define SA_SPEC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * What somebody wants of a sandbox. The default, all zero, is no environment,
 * no network and the backend's own limits. A backend refuses what it cannot
 * enforce; nothing is ignored. A set bit in "asked" tells a field that was
 * named from one that has its default.
 */
enum sa_spec_field {
	SA_SPEC_ENV = 1 << 0,
	SA_SPEC_OPEN_NETWORK = 1 << 1,
	SA_SPEC_EGRESS_HOSTS = 1 << 2,
	SA_SPEC_EGRESS_CIDRS = 1 << 3,
	SA_SPEC_OWNER = 1 << 4,
	SA_SPEC_MEMORY = 1 << 5,
	SA_SPEC_CPUS = 1 << 6,
	SA_SPEC_PIDS = 1 << 7,
	SA_SPEC_DISK = 1 << 8,
	SA_SPEC_EXPIRES = 1 << 9,
	SA_SPEC_WORKDIR = 1 << 10,
	SA_SPEC_RO = 1 << 11,
	SA_SPEC_ROOT = 1 << 12
};

struct sa_spec_list {
	char **v;
	size_t n;
};

struct sa_spec {
	unsigned asked;		   /* of enum sa_spec_field */
	struct sa_spec_list env;   /* "NAME=VALUE", for every command */
	bool open_network;	   /* false: none but what is listed here */
	struct sa_spec_list hosts; /* canonical: lower case, no final dot;
				    * "*.example.org" and ":PORT" allowed */
	struct sa_spec_list cidrs; /* canonical IPv4, never 0.0.0.0/0 */
	char *owner;		   /* who may attach to it; NULL for nobody */
	long long memory;	   /* bytes */
	long long disk;		   /* bytes */
	long long pids;
	long long millicpus;	/* 1500 is one and a half */
	long long expires_s;	/* seconds from create */
	char *workdir;		/* absolute, in the sandbox */
	struct sa_spec_list ro; /* host paths that are seen at the same place,
				 * read only */
	struct sa_spec_list ro_from; /* a backend's own, of no option: what
				      * each of them is, without links */
	char *root; /* a root tree on the host in place of /usr */
	bool once;  /* for one command: it is run, destroyed and closed, so that
		     * a backend may do without what others could find. No
		     * option and of no record. */
};

void sa_spec_free(struct sa_spec *spec);
void sa_spec_list_free(struct sa_spec_list *list);

/* From an object that names the fields as the options of sa-sandbox do, with
 * '_' for '-'; other members are not looked at. SA_INVALID names field and
 * value. Release with sa_spec_free; nothing is left of a failure. */
int sa_spec_parse(const json_t *j, struct sa_spec *out, struct sa_err *err);

/* The same as a record has it: values of env are not in it, only the names. A
 * new object. */
json_t *sa_spec_record(const struct sa_spec *spec);

/* Whether text is NAME=VALUE, as a variable has to be. */
bool sa_spec_is_env(const char *text);

/* Whether path is seen of the host because of ro. */
bool sa_spec_shows(const struct sa_spec *spec, const char *path);

/* The option that stands for a field, as a person types it ("--memory"). */
const char *sa_spec_option(enum sa_spec_field field);

/* SA_REFUSED for the first field of asked that is not in can: names it, the
 * backend, and what would enforce it (hint). */
int sa_spec_enforceable(const struct sa_spec *spec, unsigned can,
    const char *backend, const char *hint, struct sa_err *err);

/* What a model is told about the network (BX-23). Caller frees. */
char *sa_spec_network_words(const struct sa_spec *spec);

/* A number that has to be positive and finite (BX-7), of text like "0.5".
 * SA_INVALID names the thing and the value. */
int sa_spec_number(const char *name, const char *text, double *out,
    struct sa_err *err);

/* A size: "64M", "1.5G", "4096"; bytes, powers of 1024. */
int sa_spec_size(const char *name, const char *text, long long *out,
    struct sa_err *err);

#endif
