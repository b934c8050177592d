/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/mask.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"

static bool
key_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

/* How many of the n bytes at s are word, where a '?' in word stands for an
 * optional separator; 0 where s does not begin with it. */
static size_t
begins(const char *s, size_t n, const char *word)
{
	size_t i = 0;

	for (; *word != '\0'; word++) {
		if (*word == '?') {
			if (i < n && strchr("._-", s[i]) != NULL)
				i++;
			continue;
		}
		if (i == n || tolower((unsigned char)s[i]) != *word)
			return 0;
		i++;
	}
	return i;
}

/* Whether a key names a secret: anywhere in it, or at its end. "secretKey" and
 * "token_value" end with one, "DelegationTokenManager" does not. */
static bool
secret_key(const char *key, size_t n, bool at_end)
{
	static const char *const words[] = { "password", "passwd", "passphrase",
		"secret", "token", "credential", "keytab", "api?key",
		"access?key", "private?key" };
	static const char *const tails[] = { "?key", "?value", "?hash", "?id" };

	for (; n > 0; key++, n--)
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			size_t k = begins(key, n, words[i]);
			if (k == 0)
				continue;
			if (!at_end || k == n)
				return true;
			for (size_t t = 0; t < sizeof(tails) / sizeof(*tails);
			     t++)
				if (begins(key + k, n - k, tails[t]) == n - k)
					return true;
		}
	return false;
}

bool
sa_mask_key(const char *key)
{
	return secret_key(key, strlen(key), false);
}

/* The length of "://user:pass@" up to and with the '@' when s stands at
 * "://", else 0. */
static size_t
url_login(const char *s, size_t n)
{
	size_t i = 3;
	bool colon = false;

	if (n < 6 || memcmp(s, "://", 3) != 0)
		return 0;
	for (; i < n && i < 512; i++) {
		if (s[i] == '@')
			return colon ? i + 1 : 0;
		if (s[i] == ':')
			colon = true;
		else if (!(isalnum((unsigned char)s[i]) ||
			     strchr("-._~%!$&'()*+,;=", s[i]) != NULL))
			return 0;
	}
	return 0;
}

/* The length of "Bearer TOKEN" at s, 0 where what follows is a word: tokens
 * are long or have digits. */
static size_t
bearer(const char *s, size_t n)
{
	size_t len = 7;
	bool digit = false;

	for (; len < n && !isspace((unsigned char)s[len]); len++)
		digit = digit || isdigit((unsigned char)s[len]);
	return len >= 7 + 16 || (len >= 7 + 8 && digit) ? len : 0;
}

/* The length of a secret that starts right at s by its own looks; *keep is
 * how much of it at the start may stay. 0 where there is none. */
static size_t
secret_at(const char *s, size_t n, size_t *keep)
{
	size_t len;

	*keep = 0;
	if (*s == ':' && (len = url_login(s, n)) > 0) {
		*keep = 3;
		return len - 1;
	}
	if (n > 7 && strncasecmp(s, "bearer ", 7) == 0) {
		*keep = 7;
		return bearer(s, n);
	}
	if (n >= 20 &&
	    (memcmp(s, "AKIA", 4) == 0 || memcmp(s, "ASIA", 4) == 0)) {
		for (len = 4; len < n &&
		     (isupper((unsigned char)s[len]) ||
			 isdigit((unsigned char)s[len]));)
			len++;
		return len >= 20 ? len : 0;
	}
	if (n >= 11 && memcmp(s, "-----BEGIN ", 11) == 0 &&
	    memmem(s, n < 64 ? n : 64, "PRIVATE KEY", 11) != NULL) {
		/* looked for only here, where it ends what was looked at */
		const char *end = memmem(s, n, "-----END ", 9);
		return end != NULL ? (size_t)(end - s) : n;
	}
	return 0;
}

bool
sa_mask_value(const char *value)
{
	size_t keep;

	for (size_t n = strlen(value); n > 0; value++, n--)
		if (strchr(":bBA-", *value) != NULL &&
		    secret_at(value, n, &keep) > 0)
			return true;
	return false;
}

const char *
sa_mask_show(const char *key, const char *value)
{
	return sa_mask_key(key) || sa_mask_value(value) ? SA_MASK : value;
}

/* What stands between a key and its value. */
struct separator {
	size_t len;
	char sign;		 /* '=', ':' or ' ' */
	char quote;		 /* of the value, 0 for none */
	bool quoted_key, nested; /* nested: the quotes have backslashes */
};

static bool
is_quote(char c)
{
	return c == '"' || c == '\'';
}

static struct separator
separator(const char *s, size_t n)
{
	struct separator sep = { .sign = ' ' };
	size_t i = 0;

	while (i < n && (is_quote(s[i]) || s[i] == '\\'))
		sep.quoted_key = is_quote(s[i++]) || sep.quoted_key;
	while (i < n && s[i] == ' ')
		i++;
	if (i < n && (s[i] == '=' || s[i] == ':'))
		sep.sign = s[i++];
	while (i < n && (s[i] == ' ' || s[i] == '\\')) {
		sep.nested = s[i] == '\\';
		i++;
	}
	if (i < n && is_quote(s[i]))
		sep.quote = s[i++];
	sep.len = i;
	return sep;
}

static size_t
value_length(const char *s, size_t n, const struct separator *sep)
{
	static const char ends[] = " \t\r\n,;)]}";
	size_t i = 0;

	for (; i < n && s[i] != '\n'; i++) {
		if (sep->quote != 0) {
			if (s[i] == '\\' && sep->nested)
				break;
			if (s[i] == '\\' && i + 1 < n && s[i + 1] != '\n')
				i++;
			else if (s[i] == sep->quote)
				break;
		} else if (isspace((unsigned char)s[i]) || s[i] == ',')
			break;
		else if (is_quote(s[i]) &&
		    (i + 1 == n || strchr(ends, s[i + 1]) != NULL))
			break;
	}
	return i;
}

/* Whether the value says that there is none. */
static bool
nothing(const char *s, size_t n)
{
	static const char *const words[] = { "N/A", "null", "None", "true",
		"false", "(none)", "<none>" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == n && memcmp(words[i], s, n) == 0)
			return true;
	return n == 0;
}

/* Whether a key and what follows it are a pair and no sentence or class. */
static bool
is_pair(const char *key, size_t n, const struct separator *sep)
{
	size_t dots = 0, last = 0;

	if (sep->len == 0)
		return false;
	if (sep->sign == '=' || (sep->sign == ':' && sep->quoted_key))
		return true;
	if (!secret_key(key, n, true))
		return false;
	for (size_t i = 0; i < n; i++)
		if (key[i] == '.') {
			dots++;
			last = i + 1;
		}
	/* "org.x.security.Token": a class */
	if (dots > 0 && last < n && isupper((unsigned char)key[last]))
		return false;
	if (sep->sign == ':')
		return true;
	/* "--password x" and "fs.s3a.secret.key x", but not "the token is" */
	return (n > 2 && key[0] == '-' && key[1] == '-') || dots > 1;
}

/* A word that is a secret's key, at s: masks what is behind it. Returns how
 * much was taken. */
static size_t
mask_pair(struct sa_buf *out, const char *s, size_t n, size_t key)
{
	struct separator sep = separator(s + key, n - key);

	sa_buf_add(out, s, key);
	if (!is_pair(s, key, &sep))
		return key;
	const char *value = s + key + sep.len;
	size_t len = value_length(value, n - key - sep.len, &sep);
	sa_buf_add(out, s + key, sep.len);
	if (nothing(value, len))
		sa_buf_add(out, value, len);
	else
		sa_buf_adds(out, SA_MASK);
	return key + sep.len + len;
}

char *
sa_mask_text(const char *s, size_t n)
{
	struct sa_buf out = SA_BUF_INIT(SA_BUF_NOMAX);

	while (n > 0) {
		size_t keep, key = 0, used = secret_at(s, n, &keep);
		if (used > 0) {
			sa_buf_add(&out, s, keep);
			sa_buf_adds(&out, SA_MASK);
		} else {
			while (key < n && key_char(s[key]))
				key++;
			if (key > 0 && secret_key(s, key, false))
				used = mask_pair(&out, s, n, key);
			else {
				used = key > 0 ? key : 1;
				sa_buf_add(&out, s, used);
			}
		}
		s += used;
		n -= used;
	}
	return sa_buf_steal(&out);
}
