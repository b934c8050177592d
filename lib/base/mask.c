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

/* Whether the n bytes at s begin with word, where a '?' in word stands for an
 * optional separator. */
static bool
begins(const char *s, size_t n, const char *word)
{
	for (; *word != '\0'; word++) {
		if (*word == '?') {
			if (n > 0 && strchr("._-", *s) != NULL) {
				s++;
				n--;
			}
			continue;
		}
		if (n == 0 || tolower((unsigned char)*s) != *word)
			return false;
		s++;
		n--;
	}
	return true;
}

static bool
secret_key(const char *key, size_t n)
{
	static const char *const words[] = { "password", "passwd", "passphrase",
		"secret", "token", "credential", "keytab", "api?key",
		"access?key", "private?key" };

	for (; n > 0; key++, n--)
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (begins(key, n, words[i]))
				return true;
	return false;
}

bool
sa_mask_key(const char *key)
{
	return secret_key(key, strlen(key));
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
		for (len = 7; len < n && !isspace((unsigned char)s[len]);)
			len++;
		return len;
	}
	if (n >= 20 &&
	    (memcmp(s, "AKIA", 4) == 0 || memcmp(s, "ASIA", 4) == 0)) {
		for (len = 4; len < n &&
		     (isupper((unsigned char)s[len]) ||
			 isdigit((unsigned char)s[len]));)
			len++;
		return len >= 20 ? len : 0;
	}
	if (n >= 11 && memcmp(s, "-----BEGIN ", 11) == 0) {
		const char *end = memmem(s, n, "-----END ", 9);
		const char *key = memmem(s, n < 64 ? n : 64, "PRIVATE KEY", 11);
		if (key != NULL)
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

/* Copies what separates a key from its value; how many bytes of it. */
static size_t
separator(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (s[i] == '"' || s[i] == '\'' || s[i] == '\\'))
		i++;
	size_t blanks = i;
	while (i < n && s[i] == ' ')
		i++;
	if (i < n && (s[i] == '=' || s[i] == ':')) {
		i++;
		while (i < n &&
		    (s[i] == ' ' || s[i] == '"' || s[i] == '\'' ||
			s[i] == '\\'))
			i++;
		return i;
	}
	/* "--password x" but not "the token is" */
	return i > blanks ? i : 0;
}

static size_t
value_length(const char *s, size_t n, bool quoted)
{
	size_t i = 0;

	while (i < n && s[i] != '\n' && s[i] != '"' && s[i] != '\'' &&
	    (quoted || !(isspace((unsigned char)s[i]) || s[i] == ',')))
		i++;
	return i;
}

/* A word that is a secret's key, at s: masks what is behind it. Returns how
 * much was taken. */
static size_t
mask_pair(struct sa_buf *out, const char *s, size_t n, size_t key)
{
	bool option = key > 2 && s[0] == '-' && s[1] == '-';
	size_t sep = separator(s + key, n - key);
	bool sign = sep > 0 && memchr(s + key, '=', sep) != NULL;

	sign = sign || (sep > 0 && memchr(s + key, ':', sep) != NULL);
	sa_buf_add(out, s, key);
	if (sep == 0 || (!sign && !option && memchr(s, '.', key) == NULL))
		return key;
	char last = s[key + sep - 1];
	size_t len = value_length(s + key + sep, n - key - sep,
	    last == '"' || last == '\'');
	sa_buf_add(out, s + key, sep);
	if (len > 0)
		sa_buf_adds(out, SA_MASK);
	return key + sep + len;
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
			if (key > 0 && secret_key(s, key))
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
