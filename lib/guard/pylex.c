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

#define MAX_BRACKETS 200 /* CPython's MAXLEVEL */
#define MAX_INDENT 100	 /* and MAXINDENT */
#define MAX_FORMAT 64	 /* format strings and fields, one in another */

/* Where a format string is: in its text, or in a field of it. */
struct format {
	size_t start;
	char quote;
	bool triple, raw;
	bool field;    /* a field: the rest belongs to the string below it */
	bool spec;     /* past the field's colon: text again */
	unsigned nest; /* bracket depth inside the field */
};

struct lexer {
	const char *s;
	size_t len, i;
	struct sa_py_tokens *out;
	struct sa_py_error *e;
	char bracket[MAX_BRACKETS];
	size_t opened[MAX_BRACKETS];
	unsigned nest;
	struct format format[MAX_FORMAT];
	unsigned nformat;
	unsigned indent[MAX_INDENT], alt[MAX_INDENT];
	unsigned nindent;
	bool line_start;
	bool cr; /* the source has carriage returns */
};

/* What a byte can begin. Bytes above ASCII are letters of a name. */
enum class {
	C_OTHER,
	C_BLANK,
	C_LINE,
	C_QUOTE,
	C_OPEN,
	C_CLOSE,
	C_NAME, /* from here on what goes on in a name */
	C_DIGIT
};

/* clang-format off */
#define O C_OTHER
#define B C_BLANK
#define L C_LINE
#define N C_NAME
#define D C_DIGIT
#define Q C_QUOTE
#define P C_OPEN
#define E C_CLOSE
#define HIGH N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N
static const uint8_t classes[256] = {
	O, O, O, O, O, O, O, O, O, B, L, O, B, L, O, O,
	O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,
	B, O, Q, O, O, O, O, Q, P, E, O, O, O, O, O, O,
	D, D, D, D, D, D, D, D, D, D, O, O, O, O, O, O,
	O, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, P, O, E, O, N,
	O, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, P, O, E, O, O,
	HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH,
};
#undef O
#undef B
#undef L
#undef N
#undef D
#undef Q
#undef P
#undef E
#undef HIGH
/* clang-format on */

/* By length, since that and the first letter tell most names from them. */
static const struct keyword {
	char word[9];
	uint8_t kind;
} keywords[] = {
	{ "as", SA_PY_AS },
	{ "if", SA_PY_IF },
	{ "in", SA_PY_IN },
	{ "is", SA_PY_IS },
	{ "or", SA_PY_OR },
	{ "and", SA_PY_AND },
	{ "def", SA_PY_DEF },
	{ "del", SA_PY_DEL },
	{ "for", SA_PY_FOR },
	{ "not", SA_PY_NOT },
	{ "try", SA_PY_TRY },
	{ "None", SA_PY_NONE },
	{ "True", SA_PY_TRUE },
	{ "elif", SA_PY_ELIF },
	{ "else", SA_PY_ELSE },
	{ "from", SA_PY_FROM },
	{ "pass", SA_PY_PASS },
	{ "with", SA_PY_WITH },
	{ "False", SA_PY_FALSE },
	{ "async", SA_PY_ASYNC },
	{ "await", SA_PY_AWAIT },
	{ "break", SA_PY_BREAK },
	{ "class", SA_PY_CLASS },
	{ "raise", SA_PY_RAISE },
	{ "while", SA_PY_WHILE },
	{ "yield", SA_PY_YIELD },
	{ "assert", SA_PY_ASSERT },
	{ "except", SA_PY_EXCEPT },
	{ "global", SA_PY_GLOBAL },
	{ "import", SA_PY_IMPORT },
	{ "lambda", SA_PY_LAMBDA },
	{ "return", SA_PY_RETURN },
	{ "finally", SA_PY_FINALLY },
	{ "continue", SA_PY_CONTINUE },
	{ "nonlocal", SA_PY_NONLOCAL },
};

/* Where the keywords of each length begin. */
static const uint8_t lengths[] = { 0, 0, 0, 5, 11, 18, 26, 32, 33, 35 };

/* Their first letters, of which most names have another. */
#define L(c) (1U << ((c)&31))
static const uint32_t initials[] = { 0, 0, L('a') | L('i') | L('o'),
	L('a') | L('d') | L('f') | L('n') | L('t'),
	L('n') | L('t') | L('e') | L('f') | L('p') | L('w'),
	L('f') | L('a') | L('b') | L('c') | L('r') | L('w') | L('y'),
	L('a') | L('e') | L('g') | L('i') | L('l') | L('r'), L('f'),
	L('c') | L('n') };

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

int
sa_py_fail(struct sa_py_error *e, size_t offset, const char *rule,
    const char *fmt, ...)
{
	va_list ap;

	e->offset = offset;
	e->rule = rule;
	va_start(ap, fmt);
	vsnprintf(e->message, sizeof(e->message), fmt, ap);
	va_end(ap);
	return -1;
}

static void
grow(struct sa_py_tokens *o, size_t len)
{
	/* real sources have a token in about five bytes */
	o->cap = o->cap == 0 ? (uint32_t)(len / 4) + 16 : o->cap + o->cap / 2;
	o->t = sa_xrealloc(o->t, o->cap, sizeof(*o->t));
}

static inline void
emit(struct lexer *l, unsigned kind, size_t start, size_t end)
{
	struct sa_py_tokens *o = l->out;

	if (o->n == o->cap)
		grow(o, l->len);
	o->t[o->n++] = (struct sa_py_token){ .offset = (uint32_t)start,
		.kind = kind & 0xff,
		.len = (uint32_t)(end - start) & 0xffffff };
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
check_encoding(struct lexer *l, bool *ascii)
{
	const unsigned char *s = (const unsigned char *)l->s;
	unsigned cp;

	*ascii = true;
	for (size_t i = 0; i < l->len;) {
		i += sa_text_plain(l->s + i, l->len - i);
		/* the word that has one, or the last few bytes */
		size_t end = l->len - i < 8 ? l->len : i + 8;
		while (i < end) {
			if (s[i] == 0)
				return sa_py_fail(l->e, i, "python-encoding",
				    "the source holds a NUL byte");
			size_t k = utf8(s + i, l->len - i, &cp);
			if (k == 0)
				return sa_py_fail(l->e, i, "python-encoding",
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
check_cookie(struct lexer *l, bool ascii)
{
	static const char *const utf[] = { "utf-8", "utf8", "utf_8",
		"utf-8-sig", "utf_8_sig", NULL };
	static const char *const narrow[] = { "ascii", "us-ascii", "latin-1",
		"latin1", "latin_1", "iso-8859-1", "iso8859-1", "iso_8859_1",
		"iso-latin-1", "iso-8859-15", "iso8859-15", "iso_8859_15",
		"latin-9", "latin9", "cp1252", "cp-1252", "windows-1252",
		"windows_1252", NULL };
	size_t at, n;

	if (!sa_py_cookie(l->s, l->len, &at, &n) ||
	    sa_py_names_coding(l->s + at, n, utf) ||
	    (ascii && sa_py_names_coding(l->s + at, n, narrow)))
		return 0;
	return sa_py_fail(l->e, at, "python-encoding",
	    "the source declares the encoding '%.*s'; save it as UTF-8",
	    (int)(n < 40 ? n : 40), l->s + at);
}

static size_t
skip_newline(const struct lexer *l, size_t i)
{
	if (l->s[i] == '\r' && i + 1 < l->len && l->s[i + 1] == '\n')
		return i + 2;
	return i + 1;
}

static int
push_bracket(struct lexer *l, char close)
{
	if (l->nest == MAX_BRACKETS)
		return sa_py_fail(l->e, l->i, "python-limit",
		    "more than %d brackets inside one another", MAX_BRACKETS);
	l->opened[l->nest] = l->i;
	l->bracket[l->nest++] = close;
	return 0;
}

static int
push_format(struct lexer *l, const struct format *f)
{
	if (l->nformat == MAX_FORMAT)
		return sa_py_fail(l->e, l->i, "python-limit",
		    "format strings nested more than %d deep", MAX_FORMAT / 2);
	l->format[l->nformat++] = *f;
	return 0;
}

/* Whether the byte at i is escaped: an odd number of backslashes stands before
 * it, from on. */
static bool
escaped(const char *s, size_t from, size_t i)
{
	size_t k = i;

	while (k > from && s[k - 1] == '\\')
		k--;
	return (i - k) % 2 != 0;
}

static size_t
triple_end(const struct lexer *l, size_t i, char quote)
{
	const char *s = l->s, *q;
	size_t from = i;

	while ((q = memchr(s + i, quote, l->len - i)) != NULL) {
		i = (size_t)(q - s);
		if (escaped(s, from, i))
			from = ++i;
		else if (l->len - i > 2 && q[1] == quote && q[2] == quote)
			return i + 3;
		else
			from = ++i;
	}
	return 0;
}

/* The end of a plain string whose body begins at i; 0 where there is none. */
static size_t
string_end(const struct lexer *l, size_t i, char quote)
{
	const char *s = l->s;

	for (; i < l->len; i++) {
		if (s[i] == quote)
			return i + 1;
		if (s[i] == '\n' || s[i] == '\r')
			return 0;
		if (s[i] == '\\')
			i++;
	}
	return 0;
}

/* i is at the quote, start at the prefix before it. */
static int
lex_string(struct lexer *l, size_t start, size_t i)
{
	char q = l->s[i];
	bool triple = i + 2 < l->len && l->s[i + 1] == q && l->s[i + 2] == q;
	bool format = false, raw = false;
	size_t body = i + (triple ? 3 : 1);

	for (size_t p = start; p < i; p++) {
		format = format || strchr("fFtT", l->s[p]) != NULL;
		raw = raw || strchr("rR", l->s[p]) != NULL;
	}
	if (format) {
		emit(l, SA_PY_FSTART, start, body);
		l->i = body;
		return push_format(l,
		    &(struct format){ .start = start,
			.quote = q,
			.triple = triple,
			.raw = raw });
	}
	size_t end = triple ? triple_end(l, body, q) : string_end(l, body, q);
	if (end == 0)
		return sa_py_fail(l->e, start, "python-syntax",
		    "a string literal that does not end");
	emit(l, SA_PY_STRING, start, end);
	l->i = end;
	return 0;
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

static unsigned
keyword(const char *s, size_t n)
{
	if (n + 1 >= sizeof(lengths) || (initials[n] & L(s[0])) == 0)
		return SA_PY_NAME;
	for (size_t i = lengths[n]; i < lengths[n + 1]; i++) {
		const char *w = keywords[i].word;
		if (w[0] == s[0] && memcmp(w, s, n) == 0)
			return keywords[i].kind;
	}
	return SA_PY_NAME;
}

static int
check_fold(struct lexer *l, size_t start, size_t end)
{
	const unsigned char *s = (const unsigned char *)l->s;

	for (size_t i = start; i < end;) {
		unsigned cp = 0;
		size_t k = utf8(s + i, end - i, &cp);
		for (size_t f = 0;
		     cp >= 0x80 && f < sizeof(folds) / sizeof(folds[0]); f++)
			if (cp >= folds[f].first && cp <= folds[f].last)
				return sa_py_fail(l->e, start,
				    "python-identifier",
				    "the name '%.*s' is not spelled in the "
				    "letters that Python reads in it",
				    (int)(end - start < 60 ? end - start : 60),
				    l->s + start);
		if (k == 0)
			break;
		i += k;
	}
	return 0;
}

static int
lex_name(struct lexer *l)
{
	const char *s = l->s, *end = s + l->len, *p = s + l->i;
	size_t start = l->i;
	unsigned char bits = 0;

	for (; p < end && class_of(*p) >= C_NAME; p++)
		bits |= (unsigned char)*p;
	size_t i = (size_t)(p - s);
	bool ascii = bits < 0x80;
	if (i - start <= 2 && i < l->len && class_of(s[i]) == C_QUOTE &&
	    is_prefix(s + start, i - start))
		return lex_string(l, start, i);
	if (!ascii && check_fold(l, start, i) < 0)
		return -1;
	emit(l, ascii ? keyword(s + start, i - start) : SA_PY_NAME, start, i);
	l->i = i;
	return 0;
}

static size_t
digits(const struct lexer *l, size_t i)
{
	while (i < l->len && (class_of(l->s[i]) == C_DIGIT || l->s[i] == '_'))
		i++;
	return i;
}

static size_t
hex_digits(const struct lexer *l, size_t i)
{
	while (
	    i < l->len && (isxdigit((unsigned char)l->s[i]) || l->s[i] == '_'))
		i++;
	return i;
}

static size_t
decimal(const struct lexer *l, size_t i)
{
	const char *s = l->s;

	i = digits(l, i);
	if (i < l->len && s[i] == '.')
		i = digits(l, i + 1);
	if (i < l->len && (s[i] == 'e' || s[i] == 'E')) {
		size_t j = i + 1;
		if (j < l->len && (s[j] == '+' || s[j] == '-'))
			j++;
		if (j < l->len && class_of(s[j]) == C_DIGIT)
			i = digits(l, j);
	}
	return i < l->len && (s[i] == 'j' || s[i] == 'J') ? i + 1 : i;
}

/* As far as CPython's tokenizer reads; "1if" is a number and a keyword. */
static void
lex_number(struct lexer *l)
{
	size_t i = l->i;
	char base = l->s[i] == '0' && i + 1 < l->len ? l->s[i + 1] : '\0';

	if (base == 'x' || base == 'X')
		i = hex_digits(l, i + 2);
	else if (base != '\0' && strchr("oObB", base) != NULL)
		i = digits(l, i + 2);
	else
		i = decimal(l, i);
	emit(l, SA_PY_NUMBER, l->i, i);
	l->i = i;
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

/* Length of what is text at i whatever follows: an escape, a named
 * character, a doubled brace, one byte. */
static size_t
format_step(const struct lexer *l, size_t i, bool raw, bool spec)
{
	const char *s = l->s;

	if (s[i] == '\\' && i + 1 < l->len) {
		if (!raw && s[i + 1] == 'N' && i + 2 < l->len &&
		    s[i + 2] == '{') {
			const char *e = memchr(s + i, '}',
			    l->len - i < 128 ? l->len - i : 128);
			if (e != NULL)
				return (size_t)(e - (s + i)) + 1;
		}
		return s[i + 1] == '{' || s[i + 1] == '}' ? 1 : 2;
	}
	if (!spec && (s[i] == '{' || s[i] == '}') && i + 1 < l->len &&
	    s[i + 1] == s[i])
		return 2;
	return 1;
}

static int
end_format_text(struct lexer *l, size_t i)
{
	struct format *f = top_format(l);
	const char *s = l->s;

	if (s[i] == '{') {
		l->i = i;
		if (push_bracket(l, '}') < 0)
			return -1;
		emit(l, '{', i, i + 1);
		l->i = i + 1;
		return push_format(l,
		    &(struct format){ .start = i,
			.field = true,
			.nest = l->nest });
	}
	if (s[i] == '}') {
		if (!f->spec)
			return sa_py_fail(l->e, i, "python-syntax",
			    "a format string with a single '}'");
		emit(l, '}', i, i + 1);
		l->nest--;
		l->nformat--;
		l->i = i + 1;
		return 0;
	}
	size_t n = f->triple ? 3 : 1;
	emit(l, SA_PY_FEND, i, i + n);
	l->nformat--;
	l->i = i + n;
	return 0;
}

static int
lex_format_text(struct lexer *l)
{
	const struct format *f = top_format(l), *str = f;
	const char *s = l->s;
	size_t i = l->i;

	while (str->field)
		str--;
	for (; i < l->len; i += format_step(l, i, str->raw, f->spec)) {
		enum class c = class_of(s[i]);
		if (c >= C_NAME || c == C_BLANK)
			continue;
		if (!str->triple && (s[i] == '\n' || s[i] == '\r'))
			break;
		if ((s[i] == '{' || s[i] == '}') &&
		    format_step(l, i, str->raw, f->spec) == 1)
			goto text_end;
		if (s[i] == str->quote &&
		    (!str->triple ||
			(i + 2 < l->len && s[i + 1] == s[i] &&
			    s[i + 2] == s[i]))) {
			if (f->spec)
				break;
			goto text_end;
		}
	}
	return sa_py_fail(l->e, str->start, "python-syntax",
	    "a format string that does not end");
text_end:
	if (i > l->i)
		emit(l, SA_PY_FTEXT, l->i, i);
	return end_format_text(l, i);
}

static int
lex_close(struct lexer *l)
{
	struct format *f = top_format(l);
	char c = l->s[l->i];

	if (l->nest == 0 || l->bracket[l->nest - 1] != c)
		return sa_py_fail(l->e, l->i, "python-syntax",
		    "a '%c' that closes nothing", c);
	if (f != NULL && f->field && f->nest == l->nest)
		l->nformat--;
	l->nest--;
	emit(l, (unsigned char)c, l->i, l->i + 1);
	l->i++;
	return 0;
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
		['~'] = true,
		['<'] = true,
		['>'] = true,
		['='] = true,
		['.'] = true,
		[','] = true,
		[':'] = true,
		[';'] = true };
	unsigned kind = (unsigned char)c;

	return kind < 128 && known[kind] ? kind : 0;
}

static unsigned
operator_kind(const char *s, size_t n, size_t *len)
{
	char second = n > 1 ? s[1] : '\0', third = n > 2 ? s[2] : '\0';
	unsigned kind;

	*len = 1;
	if (second != s[0] && second != '=' && second != '>')
		return single(s[0]);
	kind = second == s[0] ? doubled(s[0]) : 0;
	if (kind != 0) {
		*len = third == '=' ? 3 : 2;
		return third == '=' ? SA_PY_AUG : kind;
	}
	*len = 2;
	if (second == '=' && (kind = with_equals(s[0])) != 0)
		return kind;
	if (second == '>' && (s[0] == '<' || s[0] == '-'))
		return s[0] == '<' ? SA_PY_NE : SA_PY_ARROW;
	*len = 3;
	if (s[0] == '.' && second == '.' && third == '.')
		return SA_PY_ELLIPSIS;
	*len = 1;
	return single(s[0]);
}

static int
bad_character(struct lexer *l)
{
	unsigned char c = (unsigned char)l->s[l->i];

	if (c == '`' && l->len - l->i >= 3 &&
	    memcmp(l->s + l->i, "```", 3) == 0)
		return sa_py_fail(l->e, l->i, "python-fence",
		    "a Markdown fence: the source is not Python alone");
	if (c == '!' || c == '?' || c == '$')
		return sa_py_fail(l->e, l->i, "python-magic",
		    "'%c': a notebook's shell line or magic, not Python", c);
	return sa_py_fail(l->e, l->i, "python-syntax",
	    c < 0x20 || c == 0x7f ? "a control character (0x%02x)"
				  : "the character '%c' is not Python",
	    c);
}

static int
lex_open(struct lexer *l)
{
	char c = l->s[l->i];

	if (push_bracket(l, c == '(' ? ')' : c == '[' ? ']' : '}') < 0)
		return -1;
	emit(l, (unsigned char)c, l->i, l->i + 1);
	l->i++;
	return 0;
}

static int
lex_operator(struct lexer *l)
{
	struct format *f = top_format(l);
	const char *s = l->s + l->i;
	size_t n = l->len - l->i, k;

	bool field = f != NULL && f->field && f->nest == l->nest;
	if (field && (*s == ':' || (*s == '!' && n > 1 && s[1] != '='))) {
		emit(l, (unsigned char)*s, l->i, l->i + 1);
		f->spec = *s == ':';
		l->i++;
		return 0;
	}
	unsigned kind = operator_kind(s, n, &k);
	/* f"{x=}", f"{x=!r}": the sign belongs to the field. */
	if (kind == 0)
		return bad_character(l);
	emit(l, kind, l->i, l->i + k);
	l->i += k;
	return 0;
}

/* A line's indentation, tabs to 8 and, to find mixtures, tabs to 1. */
static int
lex_indent(struct lexer *l, unsigned col, unsigned alt)
{
	unsigned top = l->nindent;

	if (col == l->indent[top] && alt == l->alt[top])
		return 0;
	if (col > l->indent[top] && alt > l->alt[top]) {
		if (top + 1 == MAX_INDENT)
			return sa_py_fail(l->e, l->i, "python-limit",
			    "more than %d levels of indentation",
			    MAX_INDENT - 1);
		l->nindent++;
		l->indent[l->nindent] = col;
		l->alt[l->nindent] = alt;
		emit(l, SA_PY_INDENT, l->i, l->i);
		return 0;
	}
	while (l->nindent > 0 && col < l->indent[l->nindent]) {
		l->nindent--;
		emit(l, SA_PY_DEDENT, l->i, l->i);
	}
	if (col != l->indent[l->nindent] || alt != l->alt[l->nindent])
		return sa_py_fail(l->e, l->i, "python-syntax",
		    "indentation that matches no line before");
	return 0;
}

static int
lex_line_start(struct lexer *l)
{
	const char *s = l->s, *end = s + l->len, *p = s + l->i;

	while (p < end && *p == ' ')
		p++;
	unsigned col = (unsigned)(p - s - (ptrdiff_t)l->i), alt = col;
	for (l->i = (size_t)(p - s); l->i < l->len; l->i++) {
		if (s[l->i] == ' ') {
			col++;
			alt++;
		} else if (s[l->i] == '\t') {
			col = (col / 8 + 1) * 8;
			alt++;
		} else if (s[l->i] == '\f') {
			col = alt = 0;
		} else {
			break;
		}
	}
	l->line_start = false;
	if (l->i == l->len || s[l->i] == '#' || class_of(s[l->i]) == C_LINE)
		return 0;
	if (s[l->i] == '%')
		return sa_py_fail(l->e, l->i, "python-magic",
		    "a line that begins with '%%': a notebook's magic");
	return lex_indent(l, col, alt);
}

static int
lex_newline(struct lexer *l)
{
	size_t start = l->i;
	const struct sa_py_tokens *o = l->out;

	l->i = skip_newline(l, l->i);
	if (l->nest > 0)
		return 0;
	l->line_start = true;
	unsigned last = o->n == 0 ? SA_PY_NEWLINE : o->t[o->n - 1].kind;
	if (last != SA_PY_NEWLINE && last != SA_PY_INDENT &&
	    last != SA_PY_DEDENT)
		emit(l, SA_PY_NEWLINE, start, start);
	return 0;
}

static int
lex_backslash(struct lexer *l)
{
	if (l->i + 1 < l->len && strchr("\r\n", l->s[l->i + 1]) != NULL) {
		l->i = skip_newline(l, l->i + 1);
		return 0;
	}
	return sa_py_fail(l->e, l->i, "python-syntax",
	    "a backslash that continues no line");
}

static void
lex_comment(struct lexer *l)
{
	const char *s = l->s, *end;

	if (!l->cr) {
		end = memchr(s + l->i, '\n', l->len - l->i);
		l->i = end != NULL ? (size_t)(end - s) : l->len;
		return;
	}
	while (l->i < l->len && class_of(s[l->i]) != C_LINE)
		l->i++;
}

/* What is neither blank nor begins like a name. */
static int
lex_other(struct lexer *l, enum class c)
{
	const char *s = l->s + l->i;

	switch (c) {
	case C_LINE:
		return lex_newline(l);
	case C_QUOTE:
		return lex_string(l, l->i, l->i);
	case C_DIGIT:
		lex_number(l);
		return 0;
	case C_OPEN:
		return lex_open(l);
	case C_CLOSE:
		return lex_close(l);
	default:
		break;
	}
	if (*s == '#')
		lex_comment(l);
	else if (*s == '\\')
		return lex_backslash(l);
	else if (*s == '.' && l->i + 1 < l->len && class_of(s[1]) == C_DIGIT)
		lex_number(l);
	else
		return lex_operator(l);
	return 0;
}

/* Up to the end of the line, to where text of a format string may follow, or
 * to one word too many. */
static int
lex_code(struct lexer *l)
{
	while (l->i < l->len) {
		enum class c = class_of(l->s[l->i]);
		if (c == C_BLANK) {
			l->i++;
			continue;
		}
		int r = c == C_NAME ? lex_name(l) : lex_other(l, c);
		if (r < 0 || c == C_LINE || l->nformat > 0 ||
		    l->out->n > SA_PY_MAX_TOKENS)
			return r;
	}
	return 0;
}

static int
lex_finish(struct lexer *l)
{
	const struct sa_py_tokens *o = l->out;

	if (l->nest > 0)
		return sa_py_fail(l->e, l->opened[l->nest - 1], "python-syntax",
		    "a bracket that is never closed");
	if (l->nformat > 0)
		return sa_py_fail(l->e, l->format[0].start, "python-syntax",
		    "a format string that does not end");
	if (o->n > 0 && o->t[o->n - 1].kind != SA_PY_NEWLINE &&
	    o->t[o->n - 1].kind != SA_PY_DEDENT)
		emit(l, SA_PY_NEWLINE, l->len, l->len);
	for (; l->nindent > 0; l->nindent--)
		emit(l, SA_PY_DEDENT, l->len, l->len);
	return 0;
}

int
sa_py_lex(const char *text, size_t len, struct sa_py_tokens *out,
    struct sa_py_error *e)
{
	struct lexer l = { .s = text,
		.len = len,
		.out = out,
		.e = e,
		.line_start = true };
	bool ascii;

	*out = (struct sa_py_tokens){ 0 };
	if (len > 0xffffff)
		return sa_py_fail(e, 0, "python-limit",
		    "the source is too "
		    "long");
	int r = check_encoding(&l, &ascii);
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		l.i = 3;
	/* first, since it says more than bytes that do not fit */
	if (check_cookie(&l, ascii) < 0 || r < 0)
		return -1;
	l.cr = memchr(text, '\r', len) != NULL;
	while (l.i < l.len) {
		r = in_format_text(&l) ? lex_format_text(&l)
		    : l.line_start     ? lex_line_start(&l)
				       : lex_code(&l);
		if (r < 0)
			return -1;
		if (out->n > SA_PY_MAX_TOKENS)
			return sa_py_fail(e, l.i, "python-work",
			    "too many words");
	}
	if (lex_finish(&l) < 0)
		return -1;
	emit(&l, SA_PY_END, len, len);
	return 0;
}

void
sa_py_tokens_release(struct sa_py_tokens *t)
{
	free(t->t);
	*t = (struct sa_py_tokens){ 0 };
}
