/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/kubelines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SEC_LEN 19 /* of "2026-11-29T21:18:00" */

void
sa_kubelines_since(const struct sa_kubelines_mark *m, char out[32])
{
	*out = '\0';
	if (m->valid && m->n > 0)
		snprintf(out, 32, "%s%s", m->at[0].sec, m->zone);
}

/* Whether s begins with a date and a time, and has a zone at its end. */
static bool
is_time(const char *s, size_t n, const char **zone)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd";
	size_t i;

	if (n <= SEC_LEN)
		return false;
	for (i = 0; i < SEC_LEN; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)s[i])
				   : s[i] != form[i])
			return false;
	if (s[i] == '.')
		while (++i < n && isdigit((unsigned char)s[i]))
			;
	*zone = s + i;
	return (n - i == 1 && s[i] == 'Z') ||
	    (n - i == 6 && (s[i] == '+' || s[i] == '-'));
}

/* By the digits that both have; the zone is the host's, and stays. */
static bool
is_later(const char *a, const char *b)
{
	int d = strncmp(a, b, SEC_LEN);

	if (d != 0)
		return d > 0;
	a += SEC_LEN;
	b += SEC_LEN;
	for (size_t i = 1; i < 10; i++) {
		char x = *a == '.' && isdigit((unsigned char)a[i]) ? a[i] : 0;
		char y = *b == '.' && isdigit((unsigned char)b[i]) ? b[i] : 0;
		if (x == 0 || y == 0)
			return x > '0';
		if (x != y)
			return x > y;
	}
	return false;
}

void
sa_kubelines_begin(struct sa_kubelines *l, struct sa_kubelines_mark *mark,
    bool later, long long from, long long max, sa_joblog_fn *take, void *arg)
{
	*l = (struct sa_kubelines){ .mark = mark,
		.from = from,
		.left = max,
		.take = take,
		.arg = arg,
		.at = mark->valid ? mark->offset : 0 };
	if (!mark->valid)
		*mark = (struct sa_kubelines_mark){ .valid = true };
	/* seconds were counted before what is there now */
	if (later)
		mark->n = 0;
	l->later = mark->n == 0 && *mark->last != '\0';
	for (size_t i = 0; i < mark->n; i++)
		l->skip += mark->at[i].lines;
}

/* Counts a line in its second. */
static void
count(struct sa_kubelines_mark *m, const char *sec)
{
	size_t i = m->n;

	while (i > 0 && strcmp(m->at[i - 1].sec, sec) > 0)
		i--;
	if (i > 0 && strcmp(m->at[i - 1].sec, sec) == 0) {
		m->at[i - 1].lines++;
		return;
	}
	/* one that would not be asked for again */
	if (i == 0 && m->n > 0)
		return;
	if (m->n == SA_KUBELINES_SECONDS) {
		memmove(&m->at[0], &m->at[1], (m->n - 1) * sizeof(m->at[0]));
		m->n--;
		i--;
	}
	memmove(&m->at[i + 1], &m->at[i], (m->n - i) * sizeof(m->at[0]));
	strlcpy(m->at[i].sec, sec, sizeof(m->at[i].sec));
	m->at[i].lines = 1;
	m->n++;
}

/* A whole line that was not seen before. */
static void
keep_line(struct sa_kubelines *l)
{
	struct sa_kubelines_mark *m = l->mark;
	const char *zone;
	char sec[SEC_LEN + 1];

	m->offset = l->at;
	if (!is_time(l->head, l->nhead, &zone)) {
		/* without times nothing is known of the next reading */
		m->valid = false;
		return;
	}
	memcpy(sec, l->head, SEC_LEN);
	sec[SEC_LEN] = '\0';
	strlcpy(m->zone, zone, sizeof(m->zone));
	strlcpy(m->last, l->head, sizeof(m->last));
	count(m, sec);
}

static int
put(struct sa_kubelines *l, const char *bytes, size_t n)
{
	long long before = l->from - l->at;
	int rc = 0;

	l->at += (long long)n;
	if (before >= (long long)n)
		return 0;
	if (before > 0) {
		bytes += before;
		n -= (size_t)before;
	}
	if (l->left >= 0 && (long long)n > l->left)
		n = (size_t)l->left;
	if (n > 0)
		rc = l->take(l->arg, bytes, n);
	l->given += (long long)n;
	if (l->left >= 0)
		l->left -= (long long)n;
	return rc;
}

/* The line's time is in: is it one that was seen? */
static int
decide(struct sa_kubelines *l)
{
	l->skipping = false;
	if (l->skip > 0) {
		l->skipping = true;
		/* the last of them has to be the one that was last */
		if (--l->skip == 0 && l->stamped &&
		    strcmp(l->head, l->mark->last) != 0) {
			l->broken = true;
			return 1;
		}
	} else if (l->later && l->stamped)
		l->skipping = !is_later(l->head, l->mark->last);
	return 0;
}

/* What is waiting is no time: it is content. */
static int
no_time(struct sa_kubelines *l)
{
	char head[sizeof(l->head)];
	size_t n = l->nhead;

	memcpy(head, l->head, n);
	l->text = true;
	l->stamped = false;
	l->nhead = 0;
	l->head[0] = '\0';
	if (decide(l) != 0)
		return 1;
	return l->skipping ? 0 : put(l, head, n);
}

/* Adds to what may be a time; how many bytes were used. */
static size_t
add_head(struct sa_kubelines *l, const char *bytes, size_t n, int *rc)
{
	const char *zone;
	size_t i = 0;

	while (i < n && bytes[i] != ' ' && bytes[i] != '\n' &&
	    l->nhead < sizeof(l->head) - 1)
		l->head[l->nhead++] = bytes[i++];
	l->head[l->nhead] = '\0';
	if (i == n)
		return n;
	if (bytes[i] == ' ' && is_time(l->head, l->nhead, &zone)) {
		l->text = l->stamped = true;
		*rc = decide(l);
		return i + 1;
	}
	*rc = no_time(l);
	return i;
}

int
sa_kubelines_add(struct sa_kubelines *l, const char *bytes, size_t n)
{
	int rc = 0;

	while (n > 0 && rc == 0) {
		size_t used;
		if (!l->text) {
			used = add_head(l, bytes, n, &rc);
			bytes += used;
			n -= used;
			continue;
		}
		const char *nl = memchr(bytes, '\n', n);
		used = nl != NULL ? (size_t)(nl - bytes) + 1 : n;
		if (!l->skipping)
			rc = put(l, bytes, used);
		if (nl != NULL && !l->skipping)
			keep_line(l);
		if (nl != NULL) {
			l->text = l->stamped = false;
			l->nhead = 0;
		}
		bytes += used;
		n -= used;
	}
	return rc != 0 || l->left == 0;
}

int
sa_kubelines_end(struct sa_kubelines *l)
{
	/* fewer lines than were seen: the log begins later now */
	if (l->skip > 0)
		l->broken = true;
	if (l->broken || l->text || l->nhead == 0)
		return 0;
	return no_time(l);
}
