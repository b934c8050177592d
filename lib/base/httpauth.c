/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/httpauth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/text.h"

#define SECRET_MAX (64 << 10)
#define FORMS "'basic USER:PASSWORD', 'bearer TOKEN' or 'negotiate'"

void
sa_httpauth_wipe(char **secret)
{
	if (*secret != NULL)
		explicit_bzero(*secret, strlen(*secret));
	free(*secret);
	*secret = NULL;
}

void
sa_httpauth_release(struct sa_httpauth *a)
{
	sa_httpauth_wipe(&a->login);
	sa_httpauth_wipe(&a->bearer);
	a->negotiate = false;
}

bool
sa_httpauth_is_token(const char *text)
{
	const char *s = text;

	while (*s > ' ' && *s < 0x7f)
		s++;
	return *s == '\0' && s > text;
}

/* Whether the open file is one that only we, or root, write; and, where it is
 * private, that nobody else reads. */
static int
check_owner(int fd, const char *name, bool private, struct sa_err *err)
{
	mode_t others = private ? S_IRWXG | S_IRWXO : S_IWGRP | S_IWOTH;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return sa_err_errno(err, SA_CONFIG, errno, "cannot read '%s'",
		    name);
	if (!S_ISREG(st.st_mode))
		return sa_err_set(err, SA_CONFIG, "'%s' is not a file", name);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return sa_err_set(err, SA_CONFIG,
		    "'%s' belongs to somebody else", name);
	if ((st.st_mode & others) == 0)
		return 0;
	sa_err_set(err, SA_CONFIG, "'%s' can be %s by others", name,
	    private ? "read" : "changed");
	return sa_err_hint(err, "chmod %s '%s'", private ? "600" : "go-w",
	    name);
}

/* The file's text without white space around it, NULL with err set; the
 * caller wipes it. */
static char *
read_secret(const char *path, bool private, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SECRET_MAX);
	cleanup_free char *name = sa_text_visible(path);
	cleanup_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char *out = NULL;

	if (fd < 0) {
		sa_err_errno(err, SA_CONFIG, errno, "cannot read '%s'", name);
		return NULL;
	}
	if (check_owner(fd, name, private, err) < 0)
		return NULL;
	int rc = sa_io_read_regular(fd, &b, name, err);
	const char *s = sa_buf_str(&b);
	size_t n = strlen(s), head = strspn(s, " \t\r\n");
	while (n > head && strchr(" \t\r\n", s[n - 1]) != NULL)
		n--;
	if (rc < 0 && err != NULL)
		err->kind = SA_CONFIG;
	else if (rc == 0 && (n == head || strlen(s) != b.len))
		sa_err_set(err, SA_CONFIG, "'%s' %s", name,
		    n == head ? "is empty" : "is not text");
	else if (rc == 0)
		out = sa_xstrndup(s + head, n - head);
	if (b.s != NULL)
		explicit_bzero(b.s, b.len);
	return out;
}

int
sa_httpauth_token(const char *path, char **out, struct sa_err *err)
{
	char *text = read_secret(path, false, err);

	if (text == NULL)
		return -1;
	if (sa_httpauth_is_token(text)) {
		*out = text;
		return 0;
	}
	sa_httpauth_wipe(&text);
	cleanup_free char *name = sa_text_visible(path);
	return sa_err_set(err, SA_CONFIG,
	    "'%s' does not hold one token and nothing else", name);
}

/* What stands behind the word, or NULL where the line begins with another. */
static const char *
behind(const char *line, const char *word)
{
	size_t n = strlen(word);

	if (strncasecmp(line, word, n) != 0 ||
	    (line[n] != ' ' && line[n] != '\t'))
		return NULL;
	return line + n + strspn(line + n, " \t");
}

static bool
parse(const char *line, struct sa_httpauth *out)
{
	const char *s;

	if (strpbrk(line, "\r\n") != NULL)
		return false;
	if (strcasecmp(line, "negotiate") == 0)
		return out->negotiate = true;
	if ((s = behind(line, "basic")) != NULL && strchr(s, ':') != NULL) {
		out->login = sa_xstrdup(s);
		return true;
	}
	if ((s = behind(line, "bearer")) == NULL || !sa_httpauth_is_token(s))
		return false;
	out->bearer = sa_xstrdup(s);
	return true;
}

int
sa_httpauth_read(const char *path, struct sa_httpauth *out, struct sa_err *err)
{
	char *line = read_secret(path, true, err);

	if (line == NULL)
		return -1;
	bool good = parse(line, out);
	sa_httpauth_wipe(&line);
	if (good)
		return 0;
	cleanup_free char *name = sa_text_visible(path);
	sa_err_set(err, SA_CONFIG, "'%s' has no known form", name);
	return sa_err_hint(err, "it is one line: " FORMS);
}
