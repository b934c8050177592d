/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/logpage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 4096
#define OUT_BYTES 16384
#define NAME_MAX_BYTES 12 /* "&thetasym;" and "&#x10ffff;" */
#define LENGTH_MAX (1LL << 60)

void
sa_logpage_init(struct sa_logpage *p, const char *file, bool aggregated,
    long long from, sa_logframe_fn *take, void *arg)
{
	*p = (struct sa_logpage){ .file = file,
		.aggregated = aggregated,
		.from = from,
		.take = take,
		.arg = arg,
		.length = -1,
		.len = -1,
		.text = SA_BUF_INIT(LINE_MAX_BYTES),
		.tag = SA_BUF_INIT(LINE_MAX_BYTES),
		.out = SA_BUF_INIT(OUT_BYTES) };
}

void
sa_logpage_release(struct sa_logpage *p)
{
	sa_buf_release(&p->text);
	sa_buf_release(&p->tag);
	sa_buf_release(&p->out);
}

/* The character that a name between '&' and ';' stands for, or 0. */
static unsigned int
named(const char *name, size_t n)
{
	static const struct {
		const char *name;
		unsigned int cp;
	} names[] = {
#define N(name, cp) { name, cp },
#include "spark/htmlnames.def"
#undef N
	};
	size_t low = 0, high = sizeof(names) / sizeof(*names);
	char *end;

	if (memchr(name, '\0', n) != NULL)
		return 0;
	if (n > 1 && *name == '#') {
		int hex = name[1] == 'x' || name[1] == 'X';
		const char *digits = name + 1 + hex;
		unsigned long v = strtoul(digits, &end, hex ? 16 : 10);
		return end == name + n && end > digits && *digits != '-' &&
			*digits != '+' && v <= 0x10ffff
		    ? (unsigned int)v
		    : 0;
	}
	while (low < high) {
		size_t mid = (low + high) / 2;
		int c = strncmp(name, names[mid].name, n);
		if (c == 0 && names[mid].name[n] == '\0')
			return names[mid].cp;
		if (c > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return 0;
}

static int
flush(struct sa_logpage *p)
{
	int rc = 0;

	if (p->out.len > 0)
		rc = p->take(p->arg, p->at, p->out.s, p->out.len);
	p->at += (long long)p->out.len;
	sa_buf_cut(&p->out, 0);
	return rc;
}

/* Gives away what has become text. */
static int
put(struct sa_logpage *p, const char *s, size_t n)
{
	int rc = 0;

	if (n > OUT_BYTES - p->out.len)
		rc = flush(p);
	if (rc != 0 || n <= OUT_BYTES) {
		sa_buf_add(&p->out, s, n);
		return rc;
	}
	rc = p->take(p->arg, p->at, s, n);
	p->at += (long long)n;
	return rc;
}

/* What began with '&' and went on as p->tag has it; c ends it or not. */
static int
reference(struct sa_logpage *p)
{
	const char *s = sa_buf_str(&p->tag);
	size_t n = p->tag.len;
	unsigned int cp = s[n - 1] == ';' ? named(s + 1, n - 2) : 0;
	cleanup_buf struct sa_buf one = SA_BUF_INIT(8);
	int rc;

	if (cp != 0) {
		sa_buf_addu(&one, cp);
		rc = put(p, one.s, one.len);
	} else {
		rc = put(p, s, n);
	}
	sa_buf_cut(&p->tag, 0);
	return rc;
}

/* Within the log: up to what must be looked at. */
static int
feed_log(struct sa_logpage *p, const char *s, size_t n, size_t *used)
{
	size_t plain = 0;
	int rc = 0;

	if (p->tag.len > 0) {
		*used = *s != '<' && *s != '&';
		sa_buf_add(&p->tag, s, *used);
		return *used == 0 || *s == ';' || p->tag.len > NAME_MAX_BYTES
		    ? reference(p)
		    : 0;
	}
	while (plain < n && s[plain] != '<' && s[plain] != '&')
		plain++;
	*used = plain + (plain < n);
	rc = plain > 0 ? put(p, s, plain) : 0;
	if (rc != 0 || plain == n)
		return rc;
	if (s[plain] == '&') {
		sa_buf_addch(&p->tag, '&');
		return 0;
	}
	p->state = SA_LOGPAGE_TAG;
	p->ended = true;
	p->ours = false;
	return flush(p);
}

static const char *
value_of(const char *line, const char *name)
{
	size_t n = strlen(name);

	return strncmp(line, name, n) == 0 ? line + n : NULL;
}

static long long
number(const char *s)
{
	char *end;
	long long v = strtoll(s, &end, 10);

	return end == s || v < 0 || v > LENGTH_MAX ? -1 : v;
}

/* A line of the page around the log. */
static void
text_line(struct sa_logpage *p, char *line)
{
	size_t n = strlen(p->file), have = strlen(p->said);
	const char *v;

	line += strspn(line, " \t\r");
	if (*line == '\0')
		return;
	if ((v = value_of(line, "Log Type: ")) != NULL) {
		p->ours = strcmp(v, p->file) == 0;
		p->len = -1;
	} else if ((v = value_of(line, "Log Length: ")) != NULL) {
		p->len = number(v);
	} else if (strncmp(line, p->file, n) == 0 &&
	    (v = value_of(line + n, " : Total file length is ")) != NULL) {
		p->length = number(v);
	} else if (p->heading && value_of(line, "Logs for ") == NULL) {
		snprintf(p->said + have, sizeof(p->said) - have, "%s%s",
		    have > 0 ? " " : "", line);
	}
}

static void
end_text(struct sa_logpage *p)
{
	cleanup_free char *line = sa_xstrdup(sa_buf_str(&p->text));

	line[strcspn(line, "\r\n")] = '\0';
	for (size_t n = strlen(line); n > 0 && line[n - 1] == ' '; n--)
		line[n - 1] = '\0';
	text_line(p, line);
	sa_buf_cut(&p->text, 0);
}

/* The log begins. */
static int
begin(struct sa_logpage *p)
{
	long long base = p->shown && p->length > 0 ? p->length : 0,
		  from = p->from;

	if (p->shown && p->from != 0) {
		p->pieces = true;
		return 1;
	}
	if (p->len >= 0) {
		if (p->len > LENGTH_MAX - base)
			return 1;
		if (from < 0)
			from = p->len + from > 0 ? p->len + from : 0;
		p->length = base + p->len;
	}
	p->at = base + (from > 0 ? from : 0);
	p->shown = true;
	p->ended = false;
	p->state = SA_LOGPAGE_LOG;
	return p->take(p->arg, p->at, "", 0);
}

static bool
tag_is(const struct sa_logpage *p, const char *name)
{
	const char *tag = sa_buf_str(&p->tag);
	size_t n = strlen(name);

	return strncmp(tag, name, n) == 0 && (tag[n] == '\0' || tag[n] == ' ');
}

static int
end_tag(struct sa_logpage *p)
{
	bool log = tag_is(p, "pre") && (p->aggregated ? p->ours : !p->shown);
	int rc = 0;

	p->state = SA_LOGPAGE_TEXT;
	if (tag_is(p, "h1"))
		p->heading = true;
	else if (tag_is(p, "/h1"))
		p->heading = false;
	sa_buf_cut(&p->tag, 0);
	if (log)
		rc = begin(p);
	return rc;
}

/* Text or a tag, up to its end. */
static int
feed_around(struct sa_logpage *p, const char *s, size_t n, size_t *used)
{
	bool tag = p->state == SA_LOGPAGE_TAG;
	struct sa_buf *b = tag ? &p->tag : &p->text;
	size_t k = 0;

	while (k < n && (tag ? s[k] != '>' : s[k] != '<' && s[k] != '\n'))
		k++;
	*used = k + (k < n);
	/* what is too long to be of use is not kept */
	if (sa_buf_add(b, s, k) < 0)
		sa_buf_cut(b, 0);
	if (k == n)
		return 0;
	if (tag)
		return end_tag(p);
	end_text(p);
	if (s[k] == '<')
		p->state = SA_LOGPAGE_TAG;
	return 0;
}

int
sa_logpage_feed(struct sa_logpage *p, const char *bytes, size_t n)
{
	size_t used;
	int rc = 0;

	for (; n > 0 && rc == 0; bytes += used, n -= used)
		rc = p->state == SA_LOGPAGE_LOG
		    ? feed_log(p, bytes, n, &used)
		    : feed_around(p, bytes, n, &used);
	return rc;
}
