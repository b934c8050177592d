/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/pylex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/text.h"
#include "guard/pysource.h"

#define MAX_BRACKETS 200     /* CPython's MAXLEVEL */
#define MAX_INDENT 100	     /* and MAXINDENT */
#define MAX_FORMAT 64	     /* format strings and fields, one in another */
#define MAX_BEGIN (1U << 20) /* bytes for which there is room at once */

/* Where a format string is: in its text, or in a field of it. */
struct format {
	const char *start;
	char quote;
	bool triple, raw;
	bool field;    /* a field: the rest belongs to the string below it */
	bool spec;     /* past the field's colon: text again */
	unsigned nest; /* bracket depth inside the field */
};

/* Whatever moves on in the source gives the place behind what it read, or NULL
 * after a failure. The source ends in a newline, or a NUL follows it: what
 * stops at either needs no other bound. */
struct lexer {
	const char *s, *end;
	struct sa_py_token *next, *room; /* of the tokens, and their end */
	struct sa_py_tokens *out;
	struct sa_py_error *e;
	unsigned nest, nformat, nindent;
	bool full; /* one token more than the most */
	bool stop; /* that, a failure, or a format string: no more of code */
	bool cr;   /* the source has carriage returns */
	char bracket[MAX_BRACKETS];
	const char *opened[MAX_BRACKETS];
	struct format format[MAX_FORMAT];
	unsigned indent[MAX_INDENT], alt[MAX_INDENT];
};

/* What a byte can begin. */
enum class {
	C_END,	/* a NUL, of which a source has none */
	C_LINE, /* up to C_ESCAPE: what a string's body is not read over */
	C_QUOTE,
	C_ESCAPE,
	C_BLANK,
	C_OTHER, /* what may be part of a longer operator, or is none */
	C_ALONE, /* what is not */
	C_COMMENT,
	C_OPEN,
	C_CLOSE,
	C_HIGH, /* above ASCII: a letter of a name */
	C_NAME, /* from here on what goes on in a name */
	C_DIGIT
};

/* clang-format off */
#define Z C_END
#define O C_OTHER
#define A C_ALONE
#define B C_BLANK
#define L C_LINE
#define N C_NAME
#define D C_DIGIT
#define Q C_QUOTE
#define P C_OPEN
#define E C_CLOSE
#define X C_ESCAPE
#define C C_COMMENT
#define H C_HIGH
#define HIGH H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H
static const uint8_t classes[256] = {
	Z, O, O, O, O, O, O, O, O, B, L, O, B, L, O, O,
	O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,
	B, O, Q, C, O, O, O, Q, P, E, O, O, A, O, O, O,
	D, D, D, D, D, D, D, D, D, D, O, A, O, O, O, O,
	O, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, P, X, E, O, N,
	O, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, P, O, E, A, O,
	HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH,
};
#undef Z
#undef O
#undef A
#undef B
#undef L
#undef N
#undef D
#undef Q
#undef P
#undef E
#undef X
#undef C
#undef H
#undef HIGH
/* clang-format on */

/* By first letter, whatever its case. */
static const struct keyword {
	char word[9];
	uint8_t len, kind;
} keywords[] = {
	{ "as", 2, SA_PY_AS },
	{ "and", 3, SA_PY_AND },
	{ "async", 5, SA_PY_ASYNC },
	{ "await", 5, SA_PY_AWAIT },
	{ "assert", 6, SA_PY_ASSERT },
	{ "break", 5, SA_PY_BREAK },
	{ "class", 5, SA_PY_CLASS },
	{ "continue", 8, SA_PY_CONTINUE },
	{ "def", 3, SA_PY_DEF },
	{ "del", 3, SA_PY_DEL },
	{ "elif", 4, SA_PY_ELIF },
	{ "else", 4, SA_PY_ELSE },
	{ "except", 6, SA_PY_EXCEPT },
	{ "for", 3, SA_PY_FOR },
	{ "from", 4, SA_PY_FROM },
	{ "False", 5, SA_PY_FALSE },
	{ "finally", 7, SA_PY_FINALLY },
	{ "global", 6, SA_PY_GLOBAL },
	{ "if", 2, SA_PY_IF },
	{ "in", 2, SA_PY_IN },
	{ "is", 2, SA_PY_IS },
	{ "import", 6, SA_PY_IMPORT },
	{ "lambda", 6, SA_PY_LAMBDA },
	{ "not", 3, SA_PY_NOT },
	{ "None", 4, SA_PY_NONE },
	{ "nonlocal", 8, SA_PY_NONLOCAL },
	{ "or", 2, SA_PY_OR },
	{ "pass", 4, SA_PY_PASS },
	{ "raise", 5, SA_PY_RAISE },
	{ "return", 6, SA_PY_RETURN },
	{ "try", 3, SA_PY_TRY },
	{ "True", 4, SA_PY_TRUE },
	{ "with", 4, SA_PY_WITH },
	{ "while", 5, SA_PY_WHILE },
	{ "yield", 5, SA_PY_YIELD },
};

/* Where those of each letter begin, by its last five bits; and, a bit for
 * each, how long they are, which few other names are, too. */
static const uint8_t first_keyword[] = {
	0,
	0,
	5,
	6,
	8,
	10,
	13,
	17,
	18,
	18,
	22,
	22,
	22,
	23,
	23,
	26,
	27,
	28,
	28,
	30,
	30,
	32,
	32,
	32,
	34,
	34,
	35,
	35,
	35,
	35,
	35,
	35,
	35,
};
static const uint16_t keyword_lengths[32] = {
	['a' & 31] = 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6,
	['b' & 31] = 1 << 5,
	['c' & 31] = 1 << 5 | 1 << 8,
	['d' & 31] = 1 << 3,
	['e' & 31] = 1 << 4 | 1 << 6,
	['f' & 31] = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 7,
	['g' & 31] = 1 << 6,
	['i' & 31] = 1 << 2 | 1 << 6,
	['l' & 31] = 1 << 6,
	['n' & 31] = 1 << 3 | 1 << 4 | 1 << 8,
	['o' & 31] = 1 << 2,
	['p' & 31] = 1 << 4,
	['r' & 31] = 1 << 5 | 1 << 6,
	['t' & 31] = 1 << 3 | 1 << 4,
	['w' & 31] = 1 << 4 | 1 << 5,
	['y' & 31] = 1 << 5,
};

/* Code points of identifiers that NFKC turns into ASCII: Python would read
 * another name than the one that stands there. Gaps hold no letters that
 * anybody writes names with. */
static const struct {
	unsigned first, last;
} folds[] = {
	{ 0xaa, 0xaa },
	{ 0xba, 0xba },
	{ 0x132, 0x133 },
	{ 0x17f, 0x17f },
	{ 0x1c7, 0x1cc },
	{ 0x1f1, 0x1f3 },
	{ 0x2b0, 0x2b8 },
	{ 0x2e1, 0x2e3 },
	{ 0x1d2c, 0x1d65 },
	{ 0x1d9c, 0x1dbb },
	{ 0x2071, 0x209c },
	{ 0x2102, 0x217f },
	{ 0x2c7c, 0x2c7d },
	{ 0xa7f1, 0xa7f4 },
	{ 0xfb00, 0xfb06 },
	{ 0xfe33, 0xfe4f },
	{ 0xff10, 0xff5a },
	{ 0x10780, 0x107ba },
	{ 0x1d400, 0x1d7ff },
	{ 0x1fbf0, 0x1fbf9 },
};

static void __attribute__((format(printf, 4, 0)))
describe(struct sa_py_error *e, size_t offset, const char *rule,
    const char *fmt, va_list ap)
{
	e->offset = offset;
	e->rule = rule;
	vsnprintf(e->message, sizeof(e->message), fmt, ap);
}

int
sa_py_fail(struct sa_py_error *e, size_t offset, const char *rule,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	describe(e, offset, rule, fmt, ap);
	va_end(ap);
	return -1;
}

/* The same at p; NULL. */
static const char *__attribute__((format(printf, 4, 5)))
fail(struct lexer *l, const char *p, const char *rule, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	describe(l->e, (size_t)(p - l->s), rule, fmt, ap);
	va_end(ap);
	l->stop = true;
	return NULL;
}

/* Room for more tokens. full is set where the next one is one too many; a few
 * more are written before anybody looks. */
static void
grow(struct lexer *l)
{
	struct sa_py_tokens *o = l->out;
	uint32_t n = (uint32_t)(l->next - o->t);

	l->full = l->full || n == SA_PY_MAX_TOKENS;
	l->stop = l->stop || l->full;
	if (n == o->cap)
		o->t = sa_py_slab_more(o->slab, o->t, &o->cap, sizeof(*o->t));
	l->next = o->t + n;
	l->room = o->t +
	    (l->full || o->cap < SA_PY_MAX_TOKENS ? o->cap : SA_PY_MAX_TOKENS);
}

static inline void
emit(struct lexer *l, unsigned kind, const char *from, const char *to)
{
	if (l->next == l->room)
		grow(l);
	*l->next++ = (struct sa_py_token){ .offset = (uint32_t)(from - l->s),
		.kind = kind & 0xff,
		.len = (uint32_t)(to - from) & 0xffffff };
}

static inline enum class class_of(char c) {
	return (enum class)classes[(unsigned char)c];
}

/* Length of the UTF-8 character at s, or 0; *cp gets the code point. */
static size_t
utf8(const unsigned char *s, size_t n, unsigned *cp)
{
	static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t k = s[0] < 0x80 ? 1
	    : s[0] < 0xc2      ? 0
	    : s[0] < 0xe0      ? 2
	    : s[0] < 0xf0      ? 3
	    : s[0] < 0xf5      ? 4
			       : 0;

	if (k == 0 || k > n)
		return 0;
	unsigned v = k == 1 ? s[0] : s[0] & (0x7fU >> k);
	for (size_t i = 1; i < k; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (s[i] & 0x3f);
	}
	if (v < least[k] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	*cp = v;
	return k;
}

static int
check_encoding(const char *text, size_t len, bool *ascii, struct sa_py_error *e)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned cp;

	*ascii = true;
	if (sa_text_is_ascii(text, len) && memchr(text, '\0', len) == NULL)
		return 0;
	for (size_t i = 0; i < len;) {
		i += sa_text_plain(text + i, len - i);
		/* the word that has one, or the last few bytes */
		size_t end = len - i < 8 ? len : i + 8;
		while (i < end) {
			if (s[i] == 0)
				return sa_py_fail(e, i, "python-encoding",
				    "the source holds a NUL byte");
			size_t k = utf8(s + i, len - i, &cp);
			if (k == 0)
				return sa_py_fail(e, i, "python-encoding",
				    "the source is not UTF-8");
			*ascii = *ascii && k == 1;
			i += k;
		}
	}
	return 0;
}

/* An encoding may be declared that every reader takes as UTF-8, or as ASCII
 * where the text is ASCII. Others can turn a comment into code. */
static int
check_cookie(const char *text, size_t len, bool ascii, struct sa_py_error *e)
{
	static const char *const utf[] = { "utf-8", "utf8", "utf_8",
		"utf-8-sig", "utf_8_sig", NULL };
	static const char *const narrow[] = { "ascii", "us-ascii", "latin-1",
		"latin1", "latin_1", "iso-8859-1", "iso8859-1", "iso_8859_1",
		"iso-latin-1", "iso-8859-15", "iso8859-15", "iso_8859_15",
		"latin-9", "latin9", "cp1252", "cp-1252", "windows-1252",
		"windows_1252", NULL };
	size_t at, n;

	if (!sa_py_cookie(text, len, &at, &n) ||
	    sa_py_names_coding(text + at, n, utf) ||
	    (ascii && sa_py_names_coding(text + at, n, narrow)))
		return 0;
	return sa_py_fail(e, at, "python-encoding",
	    "the source declares the encoding '%.*s'; save it as UTF-8",
	    (int)(n < 40 ? n : 40), text + at);
}

static inline const char *
skip_newline(const char *p)
{
	return p[0] == '\r' && p[1] == '\n' ? p + 2 : p + 1;
}

static bool
push_bracket(struct lexer *l, const char *p, char close)
{
	if (l->nest == MAX_BRACKETS)
		return fail(l, p, "python-limit",
			   "more than %d brackets inside one another",
			   MAX_BRACKETS) != NULL;
	l->opened[l->nest] = p;
	l->bracket[l->nest++] = close;
	return true;
}

static bool
push_format(struct lexer *l, const char *p, const struct format *f)
{
	if (l->nformat == MAX_FORMAT)
		return fail(l, p, "python-limit",
			   "format strings nested more than %d deep",
			   MAX_FORMAT / 2) != NULL;
	l->format[l->nformat++] = *f;
	l->stop = true;
	return true;
}

static void
pop_format(struct lexer *l)
{
	l->nformat--;
	l->stop = l->nformat > 0 || l->full;
}

/* Whether the byte at p is escaped: an odd number of backslashes stands before
 * it, from on. */
static bool
escaped(const char *from, const char *p)
{
	const char *k = p;

	while (k > from && k[-1] == '\\')
		k--;
	return (p - k) % 2 != 0;
}

static const char *
triple_end(const struct lexer *l, const char *p, char quote)
{
	const char *from = p, *q;

	while ((q = memchr(p, quote, (size_t)(l->end - p))) != NULL) {
		p = q + 1;
		if (!escaped(from, q) && q[1] == quote && q[2] == quote)
			return q + 3;
		from = p;
	}
	return NULL;
}

/* The end of a plain string whose body begins at p; NULL where there is
 * none. */
static const char *
string_end(const struct lexer *l, const char *p, char quote)
{
	for (; p < l->end; p++) {
		while (class_of(*p) > C_ESCAPE)
			p++;
		if (*p == quote)
			return p + 1;
		if (*p == '\\')
			p++;
		else if (class_of(*p) != C_QUOTE)
			break;
	}
	return NULL;
}

static const char *
begin_format(struct lexer *l, const char *start, const char *body, bool triple,
    bool raw)
{
	emit(l, SA_PY_FSTART, start, body);
	return push_format(l, body,
		   &(struct format){ .start = start,
		       .quote = body[-1],
		       .triple = triple,
		       .raw = raw })
	    ? body
	    : NULL;
}

/* p is at the quote, start at the prefix before it. */
static const char *
lex_string(struct lexer *l, const char *start, const char *p)
{
	bool triple = p[1] == p[0] && p[2] == p[0];
	bool format = false, raw = false;
	const char *body = p + (triple ? 3 : 1);

	for (const char *c = start; c < p; c++) {
		format = format || strchr("fFtT", *c) != NULL;
		raw = raw || strchr("rR", *c) != NULL;
	}
	if (format)
		return begin_format(l, start, body, triple, raw);
	const char *end =
	    triple ? triple_end(l, body, *p) : string_end(l, body, *p);
	if (end == NULL)
		return fail(l, start, "python-syntax",
		    "a string literal that does not end");
	emit(l, SA_PY_STRING, start, end);
	return end;
}

static bool
word_in(const char *s, size_t n, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strlen(*list) == n && strncasecmp(s, *list, n) == 0)
			return true;
	return false;
}

/* Whether s[0, n) is a string prefix. */
static bool
is_prefix(const char *s, size_t n)
{
	static const char *const prefixes[] = { "r", "b", "u", "f", "t", "br",
		"rb", "fr", "rf", "tr", "rt", NULL };

	return word_in(s, n, prefixes);
}

static inline unsigned
keyword(const char *s, size_t n)
{
	unsigned letter = (unsigned char)s[0] & 31;

	if (n > 8 || (keyword_lengths[letter] >> n & 1) == 0)
		return SA_PY_NAME;
	for (size_t i = first_keyword[letter]; i < first_keyword[letter + 1];
	     i++)
		if (keywords[i].len == n && memcmp(keywords[i].word, s, n) == 0)
			return keywords[i].kind;
	return SA_PY_NAME;
}

static bool
folds_to_ascii(unsigned cp)
{
	for (size_t f = 0; f < sizeof(folds) / sizeof(folds[0]); f++)
		if (cp >= folds[f].first && cp <= folds[f].last)
			return true;
	return false;
}

/* A name that has letters above ASCII, from p on. */
static const char *
lex_high_name(struct lexer *l, const char *start, const char *p)
{
	while (class_of(*p) >= C_HIGH)
		p++;
	for (const char *c = start; c < p;) {
		unsigned cp = 0;
		c += utf8((const unsigned char *)c, (size_t)(p - c), &cp);
		if (cp >= 0x80 && folds_to_ascii(cp))
			return fail(l, start, "python-identifier",
			    "the name '%.*s' is not spelled in the letters "
			    "that Python reads in it",
			    (int)(p - start < 60 ? p - start : 60), start);
	}
	emit(l, SA_PY_NAME, start, p);
	return p;
}

static inline const char *
lex_name(struct lexer *l, const char *start)
{
	const char *p = start + 1;

	while (class_of(*p) >= C_NAME)
		p++;
	size_t n = (size_t)(p - start);
	if (class_of(*p) == C_HIGH)
		return lex_high_name(l, start, p);
	if (class_of(*p) == C_QUOTE && n <= 2 && is_prefix(start, n))
		return lex_string(l, start, p);
	emit(l, keyword(start, n), start, p);
	return p;
}

static const char *
digits(const char *p)
{
	while (class_of(*p) == C_DIGIT || *p == '_')
		p++;
	return p;
}

static const char *
hex_digits(const char *p)
{
	while (isxdigit((unsigned char)*p) || *p == '_')
		p++;
	return p;
}

static const char *
decimal(const char *p)
{
	p = digits(p);
	if (*p == '.')
		p = digits(p + 1);
	if (*p == 'e' || *p == 'E') {
		const char *e = p + 1;
		if (*e == '+' || *e == '-')
			e++;
		if (class_of(*e) == C_DIGIT)
			p = digits(e);
	}
	return *p == 'j' || *p == 'J' ? p + 1 : p;
}

/* As far as CPython's tokenizer reads; "1if" is a number and a keyword. */
static const char *
lex_number(struct lexer *l, const char *start)
{
	const char *p = start;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p = hex_digits(p + 2);
	else if (p[0] == '0' && p[1] != '\0' && strchr("oObB", p[1]) != NULL)
		p = digits(p + 2);
	else
		p = decimal(p);
	emit(l, SA_PY_NUMBER, start, p);
	return p;
}

static struct format *
top_format(struct lexer *l)
{
	return l->nformat > 0 ? &l->format[l->nformat - 1] : NULL;
}

/* Whether the next byte is text of a format string, not code. */
static bool
in_format_text(struct lexer *l)
{
	const struct format *f = top_format(l);

	return f != NULL && (!f->field || f->spec);
}

/* Length of what is text at p whatever follows: an escape, a named
 * character, a doubled brace, one byte. */
static size_t
format_step(const struct lexer *l, const char *p, bool raw, bool spec)
{
	size_t left = (size_t)(l->end - p);

	if (p[0] == '\\' && left > 1) {
		if (!raw && p[1] == 'N' && left > 2 && p[2] == '{') {
			const char *e = memchr(p, '}', left < 128 ? left : 128);
			if (e != NULL)
				return (size_t)(e - p) + 1;
		}
		return p[1] == '{' || p[1] == '}' ? 1 : 2;
	}
	if (!spec && (p[0] == '{' || p[0] == '}') && left > 1 && p[1] == p[0])
		return 2;
	return 1;
}

static const char *
begin_field(struct lexer *l, const char *p)
{
	if (!push_bracket(l, p, '}'))
		return NULL;
	emit(l, '{', p, p + 1);
	return push_format(l, p + 1,
		   &(struct format){ .start = p,
		       .field = true,
		       .nest = l->nest })
	    ? p + 1
	    : NULL;
}

static const char *
end_format_text(struct lexer *l, const char *p)
{
	struct format *f = top_format(l);

	if (*p == '{')
		return begin_field(l, p);
	if (*p == '}') {
		if (!f->spec)
			return fail(l, p, "python-syntax",
			    "a format string with a single '}'");
		emit(l, '}', p, p + 1);
		l->nest--;
		pop_format(l);
		return p + 1;
	}
	size_t n = f->triple ? 3 : 1;
	emit(l, SA_PY_FEND, p, p + n);
	pop_format(l);
	return p + n;
}

/* Whether the string's quote stands at p. */
static bool
closes(const struct format *str, const char *p)
{
	return p[0] == str->quote &&
	    (!str->triple || (p[1] == p[0] && p[2] == p[0]));
}

static const char *
lex_format_text(struct lexer *l, const char *start)
{
	const struct format *f = top_format(l), *str = f;
	const char *p = start;

	while (str->field)
		str--;
	for (; p < l->end; p += format_step(l, p, str->raw, f->spec)) {
		while (class_of(*p) >= C_HIGH || *p == ' ')
			p++;
		if (p == l->end || (!str->triple && (*p == '\n' || *p == '\r')))
			break;
		bool ends = (*p == '{' || *p == '}') &&
		    format_step(l, p, str->raw, f->spec) == 1;
		if (!ends && !closes(str, p))
			continue;
		if (!ends && f->spec)
			break;
		if (p > start)
			emit(l, SA_PY_FTEXT, start, p);
		return end_format_text(l, p);
	}
	return fail(l, str->start, "python-syntax",
	    "a format string that does not end");
}

static inline const char *
lex_open(struct lexer *l, const char *p)
{
	if (!push_bracket(l, p, *p == '(' ? ')' : *p == '[' ? ']' : '}'))
		return NULL;
	emit(l, (unsigned char)*p, p, p + 1);
	return p + 1;
}

static inline const char *
lex_close(struct lexer *l, const char *p)
{
	const struct format *f = top_format(l);

	if (l->nest == 0 || l->bracket[l->nest - 1] != *p)
		return fail(l, p, "python-syntax", "a '%c' that closes nothing",
		    *p);
	if (f != NULL && f->field && f->nest == l->nest)
		pop_format(l);
	l->nest--;
	emit(l, (unsigned char)*p, p, p + 1);
	return p + 1;
}

/* "x=" and the like. */
static unsigned
with_equals(char c)
{
	switch (c) {
	case '=':
		return SA_PY_EQ;
	case '!':
		return SA_PY_NE;
	case '<':
		return SA_PY_LE;
	case '>':
		return SA_PY_GE;
	case ':':
		return SA_PY_WALRUS;
	case '+':
		return SA_PY_AUGADD;
	case '%':
		return SA_PY_AUGMOD;
	case '-':
	case '*':
	case '/':
	case '&':
	case '|':
	case '^':
	case '@':
		return SA_PY_AUG;
	default:
		return 0;
	}
}

/* "**" and the like. */
static unsigned
doubled(char c)
{
	switch (c) {
	case '*':
		return SA_PY_POW;
	case '/':
		return SA_PY_IDIV;
	case '<':
		return SA_PY_SHL;
	case '>':
		return SA_PY_SHR;
	default:
		return 0;
	}
}

/* An operator of that character alone, or 0. */
static unsigned
single(char c)
{
	static const bool known[128] = { ['+'] = true,
		['-'] = true,
		['*'] = true,
		['/'] = true,
		['%'] = true,
		['@'] = true,
		['&'] = true,
		['|'] = true,
		['^'] = true,
		['<'] = true,
		['>'] = true,
		['='] = true,
		['.'] = true,
		[':'] = true };
	unsigned kind = (unsigned char)c;

	return kind < 128 && known[kind] ? kind : 0;
}

static unsigned
operator_kind(const char *s, size_t *len)
{
	unsigned kind;

	*len = 1;
	if (s[1] != s[0] && s[1] != '=' && s[1] != '>')
		return single(s[0]);
	kind = s[1] == s[0] ? doubled(s[0]) : 0;
	if (kind != 0) {
		*len = s[2] == '=' ? 3 : 2;
		return s[2] == '=' ? SA_PY_AUG : kind;
	}
	*len = 2;
	if (s[1] == '=' && (kind = with_equals(s[0])) != 0)
		return kind;
	if (s[1] == '>' && (s[0] == '<' || s[0] == '-'))
		return s[0] == '<' ? SA_PY_NE : SA_PY_ARROW;
	*len = 3;
	if (s[0] == '.' && s[1] == '.' && s[2] == '.')
		return SA_PY_ELLIPSIS;
	*len = 1;
	return single(s[0]);
}

static const char *
bad_character(struct lexer *l, const char *p)
{
	unsigned char c = (unsigned char)*p;

	if (l->end - p >= 3 && memcmp(p, "```", 3) == 0)
		return fail(l, p, "python-fence",
		    "a Markdown fence: the source is not Python alone");
	if (c == '!' || c == '?' || c == '$')
		return fail(l, p, "python-magic",
		    "'%c': a notebook's shell line or magic, not Python", c);
	return fail(l, p, "python-syntax",
	    c < 0x20 || c == 0x7f ? "a control character (0x%02x)"
				  : "the character '%c' is not Python",
	    c);
}

/* Whether p ends the expression of a field: ":" or "!r" beside no bracket. */
static bool
ends_field(const struct lexer *l, const char *p)
{
	const struct format *f = &l->format[l->nformat - 1];

	return f->field && f->nest == l->nest &&
	    (*p == ':' || (*p == '!' && l->end - p > 1 && p[1] != '='));
}

/* f"{x=}", f"{x=!r}": the sign belongs to the field. */
static const char *
lex_operator(struct lexer *l, const char *p)
{
	size_t n;

	if (l->nformat > 0 && ends_field(l, p)) {
		emit(l, (unsigned char)*p, p, p + 1);
		l->format[l->nformat - 1].spec = *p == ':';
		return p + 1;
	}
	if (*p == '.' && class_of(p[1]) == C_DIGIT)
		return lex_number(l, p);
	unsigned kind = operator_kind(p, &n);
	if (kind == 0)
		return bad_character(l, p);
	emit(l, kind, p, p + n);
	return p + n;
}

/* A line's indentation is not that of the one before. */
static const char *
lex_indent(struct lexer *l, const char *p, unsigned col, unsigned alt)
{
	unsigned top = l->nindent;

	if (col > l->indent[top] && alt > l->alt[top]) {
		if (top + 1 == MAX_INDENT)
			return fail(l, p, "python-limit",
			    "more than %d levels of indentation",
			    MAX_INDENT - 1);
		l->nindent++;
		l->indent[l->nindent] = col;
		l->alt[l->nindent] = alt;
		emit(l, SA_PY_INDENT, p, p);
		return p;
	}
	while (l->nindent > 0 && col < l->indent[l->nindent]) {
		l->nindent--;
		emit(l, SA_PY_DEDENT, p, p);
	}
	if (col != l->indent[l->nindent] || alt != l->alt[l->nindent])
		return fail(l, p, "python-syntax",
		    "indentation that matches no line before");
	return p;
}

/* The end of the line of a comment. */
static inline const char *
comment_end(const struct lexer *l, const char *p)
{
	if (!l->cr) {
		p = memchr(p, '\n', (size_t)(l->end - p));
		return p != NULL ? p : l->end;
	}
	while (class_of(*p) > C_LINE)
		p++;
	return p;
}

/* More of an indentation than blanks: tabs go to 8 and, to find mixtures, to
 * 1. */
static const char *
measure(const char *p, unsigned *col, unsigned *alt)
{
	for (; class_of(*p) == C_BLANK; p++) {
		*col = *p == '\f' ? 0
		    : *p == '\t'  ? (*col / 8 + 1) * 8
				  : *col + 1;
		*alt = *p == '\f' ? 0 : *alt + 1;
	}
	return p;
}

/* p begins a line; lines without code are nothing. */
static const char *
lex_line_start(struct lexer *l, const char *p)
{
	while (p < l->end) {
		const char *line = p;
		while (*p == ' ')
			p++;
		unsigned col = (unsigned)(p - line), alt = col;
		if (*p == '\t' || *p == '\f')
			p = measure(p, &col, &alt);
		if (p == l->end)
			break;
		if (*p == '#') {
			p = comment_end(l, p);
		} else if (class_of(*p) != C_LINE) {
			if (*p == '%')
				return fail(l, p, "python-magic",
				    "a line that begins with '%%': a "
				    "notebook's magic");
			return col == l->indent[l->nindent] &&
				alt == l->alt[l->nindent]
			    ? p
			    : lex_indent(l, p, col, alt);
		}
		if (p < l->end)
			p = skip_newline(p);
	}
	return p;
}

/* Whether a line that ends there has no statement. */
static inline bool
is_line_start(const struct lexer *l)
{
	return l->next == l->out->t || l->next[-1].kind == SA_PY_NEWLINE ||
	    l->next[-1].kind == SA_PY_INDENT ||
	    l->next[-1].kind == SA_PY_DEDENT;
}

static inline const char *
lex_newline(struct lexer *l, const char *p)
{
	if (l->nest > 0)
		return skip_newline(p);
	if (!is_line_start(l))
		emit(l, SA_PY_NEWLINE, p, p);
	p = skip_newline(p);
	return l->full ? p : lex_line_start(l, p);
}

static const char *
lex_backslash(struct lexer *l, const char *p)
{
	if (class_of(p[1]) == C_LINE)
		return skip_newline(p + 1);
	return fail(l, p, "python-syntax",
	    "a backslash that continues no line");
}

/* One word or the like. */
static inline const char *
lex_one(struct lexer *l, const char *p, enum class c)
{
	switch (c) {
	case C_NAME:
		return lex_name(l, p);
	case C_LINE:
		return lex_newline(l, p);
	case C_QUOTE:
		return lex_string(l, p, p);
	case C_DIGIT:
		return lex_number(l, p);
	case C_OPEN:
		return lex_open(l, p);
	case C_CLOSE:
		return lex_close(l, p);
	case C_ALONE:
		emit(l, (unsigned char)*p, p, p + 1);
		return p + 1;
	case C_COMMENT:
		return comment_end(l, p);
	case C_ESCAPE:
		return lex_backslash(l, p);
	case C_HIGH:
		return lex_high_name(l, p, p);
	default:
		return lex_operator(l, p);
	}
}

/* Up to where text of a format string may follow, or to one word too many. */
static const char *
lex_code(struct lexer *l, const char *p)
{
	while (p < l->end) {
		enum class c = class_of(*p);
		if (c == C_BLANK) {
			p++;
			continue;
		}
		p = lex_one(l, p, c);
		if (l->stop)
			break;
	}
	return p;
}

static int
lex_finish(struct lexer *l)
{
	if (l->nest > 0)
		fail(l, l->opened[l->nest - 1], "python-syntax",
		    "a bracket that is never closed");
	else if (l->nformat > 0)
		fail(l, l->format[0].start, "python-syntax",
		    "a format string that does not end");
	if (l->nest > 0 || l->nformat > 0)
		return -1;
	if (l->next > l->out->t && l->next[-1].kind != SA_PY_NEWLINE &&
	    l->next[-1].kind != SA_PY_DEDENT)
		emit(l, SA_PY_NEWLINE, l->end, l->end);
	for (; l->nindent > 0; l->nindent--)
		emit(l, SA_PY_DEDENT, l->end, l->end);
	for (int i = 0; i < 3; i++)
		emit(l, SA_PY_END, l->end, l->end);
	l->out->n = (uint32_t)(l->next - l->out->t) - 2;
	return 0;
}

static int
lex_from(struct lexer *l, const char *p)
{
	l->nest = l->nformat = l->nindent = 0;
	l->indent[0] = l->alt[0] = 0;
	l->full = l->stop = false;
	l->next = l->out->t;
	l->room = l->next + l->out->cap;
	l->cr = memchr(p, '\r', (size_t)(l->end - p)) != NULL;
	p = lex_line_start(l, p);
	while (p != NULL && p < l->end) {
		p = in_format_text(l) ? lex_format_text(l, p) : lex_code(l, p);
		if (p != NULL && l->full)
			p = fail(l, p, "python-work", "too many words");
	}
	return p == NULL ? -1 : lex_finish(l);
}

/* Reads text, whose first bytes may be a mark. The state is too large for the
 * stack, which a build may fill with zeros first. */
static int
lex(const char *text, size_t len, bool mark, struct sa_py_tokens *out,
    struct sa_py_error *e)
{
	struct lexer *l = sa_py_slab_alloc(out->slab, 1, sizeof(*l));

	/* Real sources have a token in seven to ten bytes. Where there are
	 * more, growing and giving back costs malloc more than reading them. */
	out->cap = (uint32_t)(len < MAX_BEGIN ? len : MAX_BEGIN) / 3 + 16;
	out->t = sa_py_slab_alloc(out->slab, out->cap, sizeof(*out->t));
	l->s = text;
	l->end = text + len;
	l->out = out;
	l->e = e;
	int r = lex_from(l, text + (mark ? 3 : 0));
	sa_py_slab_free(out->slab, l);
	return r;
}

int
sa_py_lex(const char *text, size_t len, struct sa_py_slab *slab,
    struct sa_py_tokens *out, struct sa_py_error *e)
{
	cleanup_free char *copy = NULL;
	bool ascii, mark = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;

	*out = (struct sa_py_tokens){ .slab = slab };
	if (len > 0xffffff)
		return sa_py_fail(e, 0, "python-limit",
		    "the source is too long");
	int r = check_encoding(text, len, &ascii, e);
	/* first, since it says more than bytes that do not fit */
	if (check_cookie(text, len, ascii, e) < 0 || r < 0)
		return -1;
	if (len == 0 || text[len - 1] != '\n')
		text = copy = sa_xstrndup(text, len);
	return lex(text, len, mark, out, e);
}

void
sa_py_tokens_release(struct sa_py_tokens *t)
{
	if (t->slab != NULL)
		sa_py_slab_free(t->slab, t->t);
	*t = (struct sa_py_tokens){ 0 };
}
