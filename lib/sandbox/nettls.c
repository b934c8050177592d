/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/nettls.h"

#include <string.h>

/* RFC 8446, 4 and 5.1; RFC 6066, 3. */
#define RECORD_HEAD 5
#define RECORD_MAX 16384
#define HANDSHAKE 22
#define CLIENT_HELLO 1
#define SERVER_NAME 0
#define HOST_NAME 0

/* What is left to read; bad once something was longer than that. */
struct part {
	const uint8_t *p;
	size_t n;
	bool bad;
};

static struct part
take(struct part *from, size_t n)
{
	struct part out = { from->p, n, from->bad };

	if (from->bad || n > from->n) {
		from->bad = true;
		return (struct part){ NULL, 0, true };
	}
	from->p += n;
	from->n -= n;
	return out;
}

static size_t
number(struct part *from, size_t bytes)
{
	struct part p = take(from, bytes);
	size_t value = 0;

	for (size_t i = 0; i < p.n; i++)
		value = value << 8 | p.p[i];
	return value;
}

/* A part with its length in front, which has that many bytes. */
static struct part
vector(struct part *from, size_t bytes)
{
	return take(from, number(from, bytes));
}

static enum sa_nettls
read_server_name(struct part ext, char name[SA_NETNAME])
{
	struct part list = vector(&ext, 2);
	size_t type = number(&list, 1);
	struct part host = vector(&list, 2);

	/* one name, as everybody sends */
	if (host.bad || list.n > 0 || ext.n > 0 || type != HOST_NAME ||
	    sa_netname_canonical((const char *)host.p, host.n, name) !=
		SA_NETNAME_HOST)
		return SA_NETTLS_NOT;
	return SA_NETTLS_NAME;
}

static enum sa_nettls
read_hello(struct part hello, char name[SA_NETNAME])
{
	enum sa_nettls found = SA_NETTLS_NO_NAME;

	take(&hello, 2 + 32); /* version, random */
	vector(&hello, 1);    /* session */
	vector(&hello, 2);    /* ciphers */
	vector(&hello, 1);    /* compression */
	if (!hello.bad && hello.n == 0)
		return SA_NETTLS_NO_NAME;
	struct part all = vector(&hello, 2);
	while (!all.bad && all.n > 0) {
		size_t type = number(&all, 2);
		struct part ext = vector(&all, 2);
		if (ext.bad || type != SERVER_NAME)
			continue;
		if (found != SA_NETTLS_NO_NAME)
			return SA_NETTLS_NOT; /* twice */
		found = read_server_name(ext, name);
		if (found == SA_NETTLS_NOT)
			return SA_NETTLS_NOT;
	}
	return all.bad || hello.bad || hello.n > 0 ? SA_NETTLS_NOT : found;
}

/* Of a message that begins there, its head included; what is not known yet is
 * as much as can be. */
static size_t
message_size(const uint8_t *p, size_t n)
{
	return n < 4 ? SA_NETTLS_MAX
		     : 4 + ((size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3]);
}

/* Puts together the records of the first message, and none that may follow it
 * (early data); how much, or -1 for what are none. more: they are not all. */
static int
join(struct part in, uint8_t *out, bool *more)
{
	size_t n = 0;

	while (in.n > 0 && n < SA_NETTLS_MAX && n < message_size(out, n)) {
		if (in.p[0] != HANDSHAKE || (in.n > 1 && in.p[1] != 3))
			return -1;
		if (in.n < RECORD_HEAD)
			break;
		take(&in, 3);
		size_t len = number(&in, 2);
		if (len == 0 || len > RECORD_MAX)
			return -1;
		if (len > in.n)
			len = in.n;
		struct part record = take(&in, len);
		if (record.n > SA_NETTLS_MAX - n)
			record.n = SA_NETTLS_MAX - n;
		memcpy(out + n, record.p, record.n);
		n += record.n;
	}
	*more = n < SA_NETTLS_MAX;
	return (int)n;
}

enum sa_nettls
sa_nettls_name(const uint8_t *p, size_t n, char name[SA_NETNAME])
{
	uint8_t whole[SA_NETTLS_MAX];
	bool more = false;
	int len = join((struct part){ p, n, false }, whole, &more);

	*name = '\0';
	if (len < 0 || (len > 0 && whole[0] != CLIENT_HELLO))
		return SA_NETTLS_NOT;
	if (len < 4)
		return more ? SA_NETTLS_MORE : SA_NETTLS_NOT;
	size_t size = message_size(whole, (size_t)len);
	if (size > SA_NETTLS_MAX)
		return SA_NETTLS_NOT;
	if (size > (size_t)len)
		return more ? SA_NETTLS_MORE : SA_NETTLS_NOT;
	enum sa_nettls found =
	    read_hello((struct part){ whole + 4, size - 4, false }, name);
	if (found != SA_NETTLS_NAME)
		*name = '\0';
	return found;
}
