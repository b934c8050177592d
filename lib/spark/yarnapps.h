/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_YARNAPPS_H
#define SA_YARNAPPS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * The ResourceManager's list of applications, taken apart as it comes: no more
 * than one application is held at a time. The forms that there are:
 * {"apps":{"app":[{},{}]}}, {"apps":{"app":{}}}, {"apps":{}}, {"apps":null}.
 */
#define SA_YARNAPPS_ONE_MAX (1 << 20)
#define SA_YARNAPPS_HEAD 512

/* One application's object; borrowed. */
typedef void sa_yarnapps_fn(void *arg, json_t *app);

struct sa_yarnapps {
	sa_yarnapps_fn *each;
	void *arg;
	size_t count; /* given to each */
	/* the rest is for yarnapps.c */
	struct sa_buf one;
	char head[SA_YARNAPPS_HEAD + 1]; /* how the text begins */
	size_t head_len;
	char key[8];
	size_t key_len;
	int depth; /* open brackets */
	int on;	   /* of these, how many belong to the list's frame */
	bool string, escape, begun, capture, broken, listed;
};

void sa_yarnapps_init(struct sa_yarnapps *a, sa_yarnapps_fn *each, void *arg);
void sa_yarnapps_release(struct sa_yarnapps *a);

/* Begins anew: another text comes. */
void sa_yarnapps_reset(struct sa_yarnapps *a);

/* 0, or -1 where the text is no JSON object, or one application is larger
 * than SA_YARNAPPS_ONE_MAX or does not parse: no more is taken then. */
int sa_yarnapps_add(struct sa_yarnapps *a, const char *bytes, size_t n);

/* Whether all of a list was there: 0, or -1 where it broke off, or was not
 * one. */
int sa_yarnapps_end(const struct sa_yarnapps *a);

/* The text's first bytes, for somebody who has to say what it was. */
const char *sa_yarnapps_head(const struct sa_yarnapps *a);

/* Parses what a Java program calls JSON: NaN and Infinity are 0, halves of
 * surrogate pairs and bad bytes U+FFFD, the last of doubled keys counts. text
 * is written to. NULL where it is no object. */
json_t *sa_yarnapps_parse(char *text, size_t n);

#endif
