/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_SQLLEX_H
#define SA_SQLLEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Words of SQL text as Spark's own lexer finds them (3.3 to 4.3): its blanks,
 * nested comments, hints, strings and case folding. Where its versions differ,
 * or where text could hide behind a difference, the text is marked as trouble
 * instead of being read one way. One pass, no recursion; 16 bytes a token.
 */
enum sa_sql_kind {
	SA_SQL_NAME,	/* identifier, keyword or number */
	SA_SQL_BACKQ,	/* `name` */
	SA_SQL_STRING,	/* '...', r'...', r"..." */
	SA_SQL_DQUOTE,	/* "..." : a string, or a name under an ANSI setting */
	SA_SQL_UNKNOWN, /* a hole outside of quotes and comments */
	SA_SQL_OP	/* anything else; one byte but for those below */
};

enum sa_sql_word {
	SA_W_NONE,
/* the number of the first word of that length, which comes next */
#define SA_SQL_LENGTH(n) SA_W_LENGTH_##n, SA_W_BACK_##n = SA_W_LENGTH_##n - 1,
#define SA_SQL_WORD(w) SA_W_##w,
#include "guard/sqlwords.def"
#undef SA_SQL_WORD
#undef SA_SQL_LENGTH
	SA_W_COUNT
};

/* Codes of operators that are more than their one ASCII byte. */
enum {
	SA_SQL_PIPE = 0x80, /* |> */
	SA_SQL_HINT,	    /* opens a hint */
	SA_SQL_HINT_END,    /* closes one */
	SA_SQL_AT_V	    /* @v */
};

enum {
	SA_SQL_HOLED = 1 << 0,	/* a quoted token with a hole inside */
	SA_SQL_GLUED = 1 << 1,	/* nothing stands before it but a token */
	SA_SQL_COMMENT = 1 << 2 /* a comment with a hole stands before it */
};

#define SA_SQL_NO_MATCH UINT32_MAX

struct sa_sql_token {
	uint32_t start, end; /* bytes into the text */
	uint32_t match;	     /* index of the other parenthesis */
	uint8_t kind;	     /* enum sa_sql_kind */
	uint8_t code;	     /* enum sa_sql_word of a word or of what is
				quoted; of an operator its byte or code */
	uint8_t flags;
};

struct sa_sql_lex {
	const char *text; /* borrowed */
	size_t len;
	bool foreign;
	struct sa_sql_token *tokens;
	size_t count;
	const char *trouble; /* the rule that the text breaks, or NULL: the
				first in the text */
	size_t trouble_at, trouble_end;
	bool comment;	/* one with a hole was read since the last token */
	bool many;	/* a ';' is among them */
	uint32_t *open; /* parentheses that are still open, outermost first */
	size_t opened, room;
	uint32_t few[16]; /* where open points as long as they suffice */
};

/*
 * Fills lx; sa_sql_lex_release() frees it, after a failure too. foreign: for
 * other databases, with everything in trouble that they read differently.
 * -1 where the text cannot be read to its end; tokens are those before, and
 * trouble says why. 0 may leave a trouble too. len is at most SA_SQL_MAX.
 */
int sa_sql_lex(struct sa_sql_lex *lx, const char *text, size_t len,
    bool foreign);
void sa_sql_lex_release(struct sa_sql_lex *lx);

/* The n bytes in capitals, as Spark folds; how many they are, 0 where they are
 * no word of ASCII letters or too long for one that matters. */
#define SA_SQL_WORD_MAX 13
size_t sa_sql_fold(const char *s, size_t n, char folded[SA_SQL_WORD_MAX]);

/* The word for n bytes, folded as Spark folds; SA_W_NONE for any other. */
enum sa_sql_word sa_sql_word(const char *s, size_t n);

/* The upper-case name of a word; "" for SA_W_NONE. */
const char *sa_sql_word_name(enum sa_sql_word w);

#endif
