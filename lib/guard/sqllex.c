/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/sqllex.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "guard/sql.h"

#define HOLE ((char)SA_SQL_HOLE)

static const char words[][SA_SQL_WORD_MAX + 1] = {
	"",
#define SA_SQL_LENGTH(n)
#define SA_SQL_WORD(w) #w,
#include "guard/sqlwords.def"
#undef SA_SQL_WORD
#undef SA_SQL_LENGTH
};

/* Where the words of a length begin; those of the next end them. */
static const uint8_t lengths[SA_SQL_WORD_MAX + 2] = {
#define SA_SQL_LENGTH(n) [n] = SA_W_LENGTH_##n,
#define SA_SQL_WORD(w)
#include "guard/sqlwords.def"
#undef SA_SQL_WORD
#undef SA_SQL_LENGTH
};

/* What a byte can begin. */
enum class { C_OP, C_BLANK, C_WORD, C_HIGH };

/* clang-format off */
#define S C_BLANK
#define W C_WORD
#define O C_OP
static const uint8_t classes[128] = {
	O, O, O, O, O, O, O, O, O, S, S, S, S, S, O, O,
	O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,
	S, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,
	W, W, W, W, W, W, W, W, W, W, O, O, O, O, O, O,
	O, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W,
	W, W, W, W, W, W, W, W, W, W, W, O, O, O, O, W,
	O, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W,
	W, W, W, W, W, W, W, W, W, W, W, O, O, O, O, O,
};
#undef S
#undef W
#undef O
/* clang-format on */

static inline enum class class_of(char c) {
	unsigned char u = (unsigned char)c;

	return u < 0x80 ? (enum class)classes[u] : C_HIGH;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char
ascii_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

size_t
sa_sql_fold(const char *s, size_t n, char folded[SA_SQL_WORD_MAX])
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		if (len == SA_SQL_WORD_MAX)
			return 0;
		if ((unsigned char)c >= 0x80) {
			/* the only two letters that fold into ASCII: U+017F
			 * and U+0131 */
			if (i + 1 < n && memcmp(s + i, "\xc5\xbf", 2) == 0)
				c = 'S';
			else if (i + 1 < n && memcmp(s + i, "\xc4\xb1", 2) == 0)
				c = 'I';
			else
				return 0;
			i++;
		}
		folded[len++] = ascii_upper(c);
	}
	return len;
}

enum sa_sql_word
sa_sql_word(const char *s, size_t n)
{
	char folded[SA_SQL_WORD_MAX];
	size_t len = sa_sql_fold(s, n, folded);

	if (len < 2)
		return SA_W_NONE;
	size_t low = lengths[len], high = lengths[len + 1];
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int d = memcmp(folded, words[mid], len);

		if (d == 0)
			return (enum sa_sql_word)mid;
		if (d < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return SA_W_NONE;
}

const char *
sa_sql_word_name(enum sa_sql_word w)
{
	return words[w];
}

/* Bytes of the blank at s, 0 where there is none. Spark has these and no
 * others: U+200B, U+FEFF and U+0085 are errors. */
static size_t
wide_blank(const char *s, size_t left)
{
	if (left >= 2 && memcmp(s, "\xc2\xa0", 2) == 0)
		return 2;
	if (left < 3)
		return 0;
	if (memcmp(s, "\xe1\x9a\x80", 3) == 0 ||
	    memcmp(s, "\xe2\x80\xa8", 3) == 0 ||
	    memcmp(s, "\xe2\x80\xaf", 3) == 0 ||
	    memcmp(s, "\xe2\x81\x9f", 3) == 0 ||
	    memcmp(s, "\xe3\x80\x80", 3) == 0)
		return 3;
	if (memcmp(s, "\xe2\x80", 2) == 0 && (unsigned char)s[2] >= 0x80 &&
	    (unsigned char)s[2] <= 0x8a)
		return 3;
	return 0;
}

static void
trouble(struct sa_sql_lex *lx, const char *rule, size_t at, size_t end)
{
	if (lx->trouble != NULL && lx->trouble_at <= at)
		return;
	lx->trouble = rule;
	lx->trouble_at = at;
	lx->trouble_end = end;
}

static int
fatal(struct sa_sql_lex *lx, size_t start, size_t end)
{
	trouble(lx, "sql-lexical", start, end);
	return -1;
}

static bool
at(const struct sa_sql_lex *lx, size_t i, const char *s)
{
	size_t n = strlen(s);

	return lx->len - i >= n && memcmp(lx->text + i, s, n) == 0;
}

static inline struct sa_sql_token *
add(struct sa_sql_lex *lx, enum sa_sql_kind kind, size_t start, size_t end)
{
	struct sa_sql_token *t = &lx->tokens[lx->count];
	*t = (struct sa_sql_token){
		.start = (uint32_t)start,
		.end = (uint32_t)end,
		.match = SA_SQL_NO_MATCH,
		.kind = (uint8_t)kind,
	};
	if (lx->count > 0 && t[-1].end == start)
		t->flags |= SA_SQL_GLUED;
	if (lx->comment)
		t->flags |= SA_SQL_COMMENT;
	lx->comment = false;
	lx->count++;
	return t;
}

/* The byte behind the blanks at i, NUL at the end. */
static char
behind_blanks(const struct sa_sql_lex *lx, size_t i)
{
	while (i < lx->len && class_of(lx->text[i]) == C_BLANK)
		i++;
	return i < lx->len ? lx->text[i] : '\0';
}

/* The rule that the word [start, i) breaks, were it no comment's; or NULL. */
static const char *
commented_rule(const struct sa_sql_lex *lx, size_t start, size_t i)
{
	bool quote = i < lx->len && lx->text[i] == '`';
	char next = behind_blanks(lx, i + quote);

	switch (sa_sql_word(lx->text + start, i - start)) {
	case SA_W_REFLECT:
	case SA_W_JAVA_METHOD:
	case SA_W_TRY_REFLECT:
		return next == '(' ? "sql-java-call" : NULL;
	case SA_W_USING:
		return next == '\'' || next == '"' ? "sql-transform-using"
						   : NULL;
	default:
		return NULL;
	}
}

/* A hole in a comment may be its end. What runs code behind it is found here,
 * in whatever quotes it is: another hole may have closed them. A hole that
 * ends the comment before the statement is the head's business. */
static void
holed_comment(struct sa_sql_lex *lx, size_t from, size_t end)
{
	const char *s = lx->text;
	const char *hole = memchr(s + from, SA_SQL_HOLE, end - from);
	size_t named = 0; /* behind IDENTIFIER */

	if (hole == NULL || lx->foreign)
		return;
	for (size_t i = (size_t)(hole - s); i < end; i++) {
		size_t start = i;
		while (i < end && class_of(s[i]) == C_WORD)
			i++;
		const char *rule =
		    i > start ? commented_rule(lx, start, i) : NULL;
		if (rule != NULL)
			trouble(lx, rule, start, i);
		else if (sa_sql_word(s + start, i - start) == SA_W_IDENTIFIER)
			named = i;
		else if (named > 0 && i < end && s[i] == ')' &&
		    behind_blanks(lx, i + 1) == '(')
			trouble(lx, "sql-identifier-call", named - 1, i + 1);
	}
}

/* A line comment from its "--"; gives the byte behind it. */
static size_t
line_comment(struct sa_sql_lex *lx, size_t i)
{
	const char *s = lx->text;
	size_t start = i;

	for (i += 2; i < lx->len && s[i] != '\n' && s[i] != '\r'; i++) {
		lx->comment = lx->comment || s[i] == HOLE;
		/* a backslash carries the comment over the line's end */
		if (s[i] == '\\' && !lx->foreign && at(lx, i, "\\\n"))
			i++;
	}
	if (lx->comment)
		holed_comment(lx, start, i);
	if (lx->foreign) {
		/* MySQL wants a blank behind the dashes; a lone CR ends the
		 * comment in some databases only */
		char next = start + 2 < lx->len ? s[start + 2] : '\n';

		if ((class_of(next) != C_BLANK) ||
		    (i < lx->len && s[i] == '\r' && !at(lx, i, "\r\n")))
			trouble(lx, "sql-foreign-lexical", start, i);
	}
	return i;
}

/* Gives the byte behind the comment, or 0 where it is not closed. */
static size_t
block_comment(struct sa_sql_lex *lx, size_t i)
{
	const char *s = lx->text;
	size_t start = i, depth = 1;

	if (lx->foreign && (at(lx, i, "/*!") || at(lx, i, "/*M!")))
		trouble(lx, "sql-foreign-comment", i, i + 3);
	for (i += 2; i < lx->len && depth > 0; i++) {
		lx->comment = lx->comment || s[i] == HOLE;
		if (s[i] == '*' && at(lx, i, "*/")) {
			depth--;
			i++;
		} else if (s[i] == '/' && at(lx, i, "/*") &&
		    !at(lx, i, "/*+")) {
			depth++;
			i++;
			if (lx->foreign)
				trouble(lx, "sql-foreign-lexical", start, i);
		}
	}
	if (depth > 0)
		return 0;
	if (lx->comment)
		holed_comment(lx, start, i);
	return i;
}

/* A string or a quoted name; open is its quote, start where its token begins.
 * Gives the byte behind it, or 0 where it is not closed. */
static size_t
quoted(struct sa_sql_lex *lx, size_t start, size_t open, enum sa_sql_kind kind)
{
	const char *s = lx->text;
	char q = s[open];
	bool raw = start != open, holed = false, odd = false;
	size_t i = open + 1;

	for (; i < lx->len; i++) {
		if (s[i] == HOLE)
			holed = true;
		if (s[i] == q) {
			if (odd)
				trouble(lx, "sql-foreign-lexical", start, i);
			if (raw || i + 1 == lx->len || s[i + 1] != q)
				break;
			i++;
		}
		if (s[i] != '\\') {
			odd = false;
		} else if (lx->foreign) {
			odd = !odd;
		} else if (!raw && q != '`') {
			/* what it escapes, which may be a hole */
			i++;
			if (i < lx->len && s[i] == HOLE)
				holed = true;
		}
	}
	if (i >= lx->len)
		return 0;
	struct sa_sql_token *t = add(lx, kind, start, i + 1);
	t->code = (uint8_t)sa_sql_word(s + open + 1, i - open - 1);
	if (holed)
		t->flags |= SA_SQL_HOLED;
	return i + 1;
}

/* Whether the word [start, end) is a number up to its exponent's letter and a
 * sign with a digit follows: 1e+5 is one token, what comes next another. */
static bool
signed_exponent(const struct sa_sql_lex *lx, size_t start, size_t end)
{
	const char *s = lx->text;

	if (end - start < 2 || ascii_upper(s[end - 1]) != 'E' ||
	    lx->len - end < 2 || (s[end] != '+' && s[end] != '-') ||
	    !is_digit(s[end + 1]))
		return false;
	for (size_t i = start; i < end - 1; i++)
		if (!is_digit(s[i]))
			return false;
	return true;
}

static void
word_trouble(struct sa_sql_lex *lx, size_t start, size_t end)
{
	if (!lx->foreign) {
		if (at(lx, end, "://"))
			trouble(lx, "sql-uri-token", start, end + 3);
		return;
	}
	/* Oracle: q'[it's]' */
	char last = ascii_upper(lx->text[end - 1]);
	if (last == 'Q' && at(lx, end, "'"))
		trouble(lx, "sql-foreign-lexical", start, end + 1);
}

static size_t
word(struct sa_sql_lex *lx, size_t start)
{
	const char *s = lx->text;
	size_t i = start;

	for (; i < lx->len; i++) {
		enum class c = class_of(s[i]);

		if (c == C_WORD)
			continue;
		if (c != C_HIGH || s[i] == HOLE ||
		    wide_blank(s + i, lx->len - i) > 0)
			break;
	}
	if (is_digit(s[start]) && signed_exponent(lx, start, i)) {
		i++;
		while (i < lx->len && is_digit(s[i]))
			i++;
	}
	add(lx, SA_SQL_NAME, start, i)->code =
	    (uint8_t)sa_sql_word(s + start, i - start);
	word_trouble(lx, start, i);
	return i;
}

/* Spark's versions disagree on where a raw string begins behind a number or
 * behind @v, so that a quote inside it could hide text from one of them. */
static size_t
raw_string(struct sa_sql_lex *lx, size_t i)
{
	const struct sa_sql_token *last =
	    lx->count == 0 ? NULL : &lx->tokens[lx->count - 1];

	if (last != NULL && last->end == i &&
	    (last->kind == SA_SQL_NAME ||
		(last->kind == SA_SQL_OP && last->code == SA_SQL_AT_V)))
		trouble(lx, "sql-lexical", last->start, i + 1);
	return quoted(lx, i, i + 1, SA_SQL_STRING);
}

/* SQL Server quotes names in brackets. What stands between them must not
 * begin a quote or comment that others would see there. */
static void
bracket(struct sa_sql_lex *lx, size_t open)
{
	size_t quotes[2] = { 0, 0 }, i = open + 1;

	for (; i < lx->len && lx->text[i] != ']' && lx->text[i] != '['; i++) {
		char c = lx->text[i];

		if (c == '\'' || c == '"')
			quotes[c == '"']++;
		else if (at(lx, i, "--") || at(lx, i, "/*"))
			break;
	}
	if (i == lx->len || (lx->text[i] != ']' && lx->text[i] != '[') ||
	    quotes[0] % 2 != 0 || quotes[1] % 2 != 0)
		trouble(lx, "sql-foreign-lexical", open, i);
}

/* PostgreSQL: $tag$ opens a string. */
static bool
dollar_quote(const struct sa_sql_lex *lx, size_t i)
{
	for (i++; i < lx->len && class_of(lx->text[i]) == C_WORD; i++)
		;
	return i < lx->len && lx->text[i] == '$';
}

static void
grow_open(struct sa_sql_lex *lx)
{
	uint32_t *old = lx->open != lx->few ? lx->open : NULL;

	lx->room *= 2;
	lx->open = sa_xrealloc(old, lx->room, sizeof(*lx->open));
	if (old == NULL)
		memcpy(lx->open, lx->few, sizeof(lx->few));
}

static void
parenthesis(struct sa_sql_lex *lx, struct sa_sql_token *t)
{
	uint32_t self = (uint32_t)(lx->count - 1);

	if (t->code == '(') {
		if (lx->opened == lx->room)
			grow_open(lx);
		lx->open[lx->opened++] = self;
		return;
	}
	if (lx->opened == 0) {
		trouble(lx, "sql-lexical", t->start, t->end);
		return;
	}
	t->match = lx->open[--lx->opened];
	lx->tokens[t->match].match = self;
}

/* The end of a statement: what is open stays without a match. */
static void
close_all(struct sa_sql_lex *lx)
{
	if (lx->opened == 0)
		return;
	const struct sa_sql_token *outermost = &lx->tokens[lx->open[0]];
	trouble(lx, "sql-lexical", outermost->start, outermost->end);
	lx->opened = 0;
}

static void
semicolon(struct sa_sql_lex *lx)
{
	lx->many = true;
	close_all(lx);
}

static size_t
operator(struct sa_sql_lex *lx, size_t i)
{
	static const struct {
		const char *text;
		uint8_t code;
	} longer[] = {
		{ "/*+", SA_SQL_HINT },
		{ "*/", SA_SQL_HINT_END },
		{ "|>", SA_SQL_PIPE },
		{ "@v", SA_SQL_AT_V },
		{ "@V", SA_SQL_AT_V },
	};
	char c = lx->text[i];

	if (c == '/' || c == '*' || c == '|' || c == '@') {
		for (size_t k = 0; k < sizeof(longer) / sizeof(*longer); k++) {
			if (lx->foreign || !at(lx, i, longer[k].text))
				continue;
			size_t end = i + strlen(longer[k].text);
			add(lx, SA_SQL_OP, i, end)->code = longer[k].code;
			return end;
		}
	}
	struct sa_sql_token *t = add(lx, SA_SQL_OP, i, i + 1);
	t->code = (uint8_t)c;
	if (c == '(' || c == ')')
		parenthesis(lx, t);
	else if (c == ';')
		semicolon(lx);
	else if (c == '$' && !lx->foreign)
		trouble(lx, "sql-lexical", i, i + 1);
	else if (c == '#' && lx->foreign)
		trouble(lx, "sql-foreign-lexical", i, i + 1);
	else if (c == '$' && dollar_quote(lx, i))
		trouble(lx, "sql-foreign-lexical", i, i + 1);
	return i + 1;
}

/* The token or comment at i; gives the byte behind it, 0 where it has no
 * end. */
static size_t
token(struct sa_sql_lex *lx, size_t i)
{
	const char *s = lx->text;
	char next = i + 1 < lx->len ? s[i + 1] : '\0';

	switch (s[i]) {
	case '-':
		if (next == '-')
			return line_comment(lx, i);
		break;
	case '/':
		if (next == '*' && (lx->foreign || !at(lx, i, "/*+")))
			return block_comment(lx, i);
		break;
	case 'r':
	case 'R':
		if ((next == '\'' || next == '"') && !lx->foreign)
			return raw_string(lx, i);
		break;
	case '\'':
		return quoted(lx, i, i, SA_SQL_STRING);
	case '"':
		return quoted(lx, i, i, SA_SQL_DQUOTE);
	case '`':
		return quoted(lx, i, i, SA_SQL_BACKQ);
	case '[':
		if (lx->foreign)
			bracket(lx, i);
		break;
	case HOLE:
		add(lx, SA_SQL_UNKNOWN, i, i + 1);
		return i + 1;
	}
	return class_of(s[i]) == C_OP ? operator(lx, i) : word(lx, i);
}

/* Spark refuses NUL; broken characters become others on the way to it. */
static int
check_bytes(struct sa_sql_lex *lx)
{
	const char *s = lx->text;
	size_t i = 0;

	for (;;) {
		i += sa_text_plain(s + i, lx->len - i);
		/* the word that has one, or the last few bytes */
		size_t end = lx->len - i < 8 ? lx->len : i + 8;
		if (i == end)
			return 0;
		while (i < end) {
			unsigned int cp;
			size_t n = 1;

			if (s[i] == '\0')
				n = 0;
			else if (class_of(s[i]) == C_HIGH && s[i] != HOLE)
				n = sa_text_decode(s + i, lx->len - i, &cp);
			if (n == 0)
				return fatal(lx, i, i + 1);
			i += n;
		}
	}
}

int
sa_sql_lex(struct sa_sql_lex *lx, const char *text, size_t len, bool foreign)
{
	*lx = (struct sa_sql_lex){
		.text = text,
		.len = len,
		.foreign = foreign,
	};
	lx->open = lx->few;
	lx->room = sizeof(lx->few) / sizeof(lx->few[0]);
	if (check_bytes(lx) == -1)
		return -1;
	/* one a byte at most; what stays untouched costs nothing */
	lx->tokens = sa_xmalloc((len + 1) * sizeof(*lx->tokens));
	for (size_t i = 0; i < len;) {
		size_t n = 0;

		switch (class_of(text[i])) {
		case C_BLANK:
			n = 1;
			break;
		case C_HIGH:
			n = wide_blank(text + i, len - i);
			break;
		default:
			break;
		}
		if (n > 0) {
			i += n;
			continue;
		}
		n = token(lx, i);
		if (n == 0)
			return fatal(lx, i, len);
		i = n;
	}
	close_all(lx);
	return 0;
}

void
sa_sql_lex_release(struct sa_sql_lex *lx)
{
	free(lx->tokens);
	if (lx->open != lx->few)
		free(lx->open);
	lx->tokens = NULL;
	lx->open = lx->few;
	lx->count = lx->opened = 0;
}
