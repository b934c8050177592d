/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/logsink.h"

#include <string.h>
#include <unistd.h>

#include "base/mask.h"
#include "base/term.h"
#include "base/text.h"

#define LINE_BYTES 65536

void
sa_logsink_init(struct sa_logsink *s, FILE *out, long long left,
    long long lines)
{
	*s = (struct sa_logsink){ .out = out,
		.whole_lines = isatty(fileno(out)) != 0,
		.left = left,
		.lines = lines,
		.line = SA_BUF_INIT(SA_BUF_NOMAX) };
}

void
sa_logsink_release(struct sa_logsink *s)
{
	sa_buf_release(&s->line);
}

bool
sa_logsink_full(const struct sa_logsink *s)
{
	return s->lines == 0 || ferror(s->out);
}

/* Masked text, for a terminal; a zero byte is no end. */
static void
write_masked(FILE *out, const char *p, size_t n)
{
	for (const char *end = p + n; p < end;) {
		size_t k = strnlen(p, (size_t)(end - p));
		cleanup_free char *masked = sa_mask_text(p, k);
		sa_term_put(out, masked, strlen(masked));
		p += k;
		if (p < end)
			sa_term_put(out, p++, 1);
	}
}

static void
write_out(struct sa_logsink *s, const char *p, size_t n)
{
	if (n > 0)
		s->open_line = p[n - 1] != '\n';
	if (isatty(fileno(s->out)))
		write_masked(s->out, p, n);
	else
		fwrite(p, 1, n, s->out);
}

/* Writes the lines that are whole; the rest waits for its end, unless it is
 * very long. */
static void
write_lines(struct sa_logsink *s, const char *p, size_t n)
{
	struct sa_buf *b = &s->line;

	sa_buf_add(b, p, n);
	const char *last = b->len > 0 ? memrchr(b->s, '\n', b->len) : NULL;
	size_t whole = last != NULL ? (size_t)(last - b->s) + 1 : 0;
	if (b->len - whole >= LINE_BYTES)
		whole = b->len;
	if (whole == 0)
		return;
	write_out(s, b->s, whole);
	memmove(b->s, b->s + whole, b->len - whole);
	sa_buf_cut(b, b->len - whole);
}

/* How many of n bytes belong to the lines that may still be written. */
static size_t
within_lines(struct sa_logsink *s, const char *p, size_t n)
{
	const char *at = p, *nl;

	if (s->lines < 0)
		return n;
	while (s->lines > 0 &&
	    (nl = memchr(at, '\n', n - (size_t)(at - p))) != NULL) {
		at = nl + 1;
		s->lines--;
	}
	return s->lines > 0 ? n : (size_t)(at - p);
}

void
sa_logsink_put(struct sa_logsink *s, const char *p, size_t n)
{
	if (sa_logsink_full(s))
		return;
	if ((long long)n > s->left) {
		s->over += (long long)n - s->left;
		n = (size_t)s->left;
	}
	s->left -= (long long)n;
	n = within_lines(s, p, n);
	if (s->whole_lines)
		write_lines(s, p, n);
	else
		write_out(s, p, n);
}

void
sa_logsink_flush(struct sa_logsink *s, bool ended)
{
	if (ended || s->lines == 0) {
		write_out(s, sa_buf_str(&s->line), s->line.len);
		sa_buf_cut(&s->line, 0);
	}
	fflush(s->out);
}

void
sa_logsink_trim(struct sa_buf *b, size_t back)
{
	const char *s = sa_buf_str(b) + back;
	size_t n = b->len - back, k = 1;
	const char *nl = n > 0 ? memrchr(s, '\n', n) : NULL;
	unsigned int cp;

	if (nl != NULL) {
		sa_buf_cut(b, back + (size_t)(nl - s) + 1);
		return;
	}
	while (k < 4 && k < n && (s[n - k] & 0xc0) == 0x80)
		k++;
	if (k < n && (s[n - k] & 0xc0) == 0xc0 &&
	    sa_text_decode(s + n - k, k, &cp) == 0)
		sa_buf_cut(b, b->len - k);
}

/* Masks text that may have zeros in it; they stay. */
static void
mask_all(struct sa_buf *out, const char *p, size_t len)
{
	for (const char *end = p + len; p < end;) {
		size_t k = strnlen(p, (size_t)(end - p));
		cleanup_free char *masked = sa_mask_text(p, k);
		sa_buf_adds(out, masked);
		p += k;
		if (p < end)
			sa_buf_add(out, p++, 1);
	}
}

/* Where in the masked text that begins which stands for what is behind the
 * bytes in front. */
static size_t
behind(const struct sa_buf *masked, const char *p, size_t back)
{
	cleanup_buf struct sa_buf front = SA_BUF_INIT(SA_BUF_NOMAX);

	mask_all(&front, p, back);
	if (front.len == 0)
		return 0;
	const char *text = sa_buf_str(masked);
	if (front.len <= masked->len &&
	    memcmp(sa_buf_str(&front), text, front.len) == 0)
		return front.len;
	/* a secret ends elsewhere than it seemed to: not within its line */
	size_t from = front.len < masked->len ? front.len : masked->len;
	const char *nl = memchr(text + from, '\n', masked->len - from);
	return nl != NULL ? (size_t)(nl - text) : masked->len;
}

json_t *
sa_logsink_content(const struct sa_buf *b, const struct sa_log_view *view)
{
	cleanup_buf struct sa_buf masked = SA_BUF_INIT(SA_BUF_NOMAX);
	cleanup_buf struct sa_buf text = SA_BUF_INIT(SA_BUF_NOMAX);

	mask_all(&masked, sa_buf_str(b), b->len);
	const char *p = sa_buf_str(&masked), *end = p + masked.len;
	if (view != NULL)
		p += behind(&masked, sa_buf_str(b), view->back);
	while (p < end) {
		size_t k = strnlen(p, (size_t)(end - p));
		cleanup_free char *shown = view != NULL
		    ? sa_text_visible_lines(p, k)
		    : sa_text_utf8(p, k);
		sa_buf_adds(&text, shown);
		p += k;
		if (p == end)
			break;
		p++;
		if (view != NULL)
			sa_buf_adds(&text, "\\x00");
		else
			sa_buf_addu(&text, 0xfffd);
	}
	return json_stringn(sa_buf_str(&text), text.len);
}

static size_t
characters(const char *s)
{
	size_t n = 0;

	for (; *s != '\0'; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

void
sa_logsink_fit(struct sa_buf *b, const struct sa_log_view *view)
{
	while (b->len > view->back) {
		json_auto_t *content = sa_logsink_content(b, view);
		size_t n = characters(json_string_value(content));
		if (n <= SA_LOG_AGENT_MAX)
			return;
		/* less at each turn, since n is over the limit */
		size_t len = b->len - view->back;
		sa_buf_cut(b, view->back + len * SA_LOG_AGENT_MAX / n);
		sa_logsink_trim(b, view->back);
	}
}
