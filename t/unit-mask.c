/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mask.h"
#include "tap.h"

#define PEM \
	"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"

static void
test_keys(void)
{
	static const char *const secret[] = { "password",
		"spark.ssl.keyPassword", "PASSWD", "fs.s3a.secret.key",
		"fs.s3a.access.key", "AWS_SECRET_ACCESS_KEY", "api-key",
		"apikey", "API_KEY", "private.key", "x.token.y",
		"client_credentials", "keytab", "passPhrase" };
	static const char *const open[] = { "", "pass", "spark.master", "key",
		"spark.executor.cores", "monkey", "apis.key", "accesskeys..",
		"tok.en" };

	for (size_t i = 0; i < sizeof(secret) / sizeof(*secret); i++)
		ok(sa_mask_key(secret[i]), secret[i]);
	for (size_t i = 0; i < sizeof(open) / sizeof(*open); i++)
		ok(sa_mask_key(open[i]) == (strncmp(open[i], "access", 6) == 0),
		    open[i]);
}

static void
test_values(void)
{
	static const char *const secret[] = { "jdbc:mysql://u:p@h/db",
		"see https://u:p%40@h", PEM, "Bearer abcdef0123456789",
		"x AKIAABCDEFGHIJKLMNOP", "bearer abcdefgh1" };
	static const char *const open[] = { "", "spark://h:7077",
		"https://u@h/", "http://h/a:b@c", "://", "a bearer of news",
		"AKIA1234", "-----BEGIN CERTIFICATE-----", "user:pass@host",
		"://u:p", "Bearer " };

	for (size_t i = 0; i < sizeof(secret) / sizeof(*secret); i++) {
		ok(sa_mask_value(secret[i]), "a secret by its looks");
		is_str(sa_mask_show("x", secret[i]), SA_MASK, "is not shown");
	}
	for (size_t i = 0; i < sizeof(open) / sizeof(*open); i++)
		is_str(sa_mask_show("x", open[i]), open[i], "is shown");
	is_str(sa_mask_show("x.password", "a"), SA_MASK, "by its key");
}

static const struct {
	const char *in, *out; /* out NULL: stays as it is */
} texts[] = {
	{ "password=hunter2 next", "password=**** next" },
	{ "spark.ssl.keyPassword hunter2 x", "spark.ssl.keyPassword **** x" },
	{ "--password hunter2 x", "--password **** x" },
	{ "--conf a.token=abc,b=c", "--conf a.token=****,b=c" },
	{ "{\"password\":\"a\\\"b'c\",\"x\":1}",
	    "{\"password\":\"****\",\"x\":1}" },
	{ "{\\\"secret\\\":\\\"abc\\\",\\\"x\\\":1}",
	    "{\\\"secret\\\":\\\"****\\\",\\\"x\\\":1}" },
	{ "{'password': 'a b', 'x': 1}", "{'password': '****', 'x': 1}" },
	{ "password = 'it\"s' rest", "password = '****' rest" },
	{ "conf \"a.b.secret.key=a/b+c\" x", "conf \"a.b.secret.key=****\" x" },
	{ "password=a\"b c", "password=**** c" },
	{ "password=\"open\nnext", "password=\"****\nnext" },
	{ "password=\"a\\\nnext", "password=\"****\nnext" },
	{ "Authorization: Bearer abcdef0123456789 x",
	    "Authorization: Bearer **** x" },
	{ "must not end with a line break:Bearer 8d11f7a0c5e94b7b",
	    "must not end with a line break:Bearer ****" },
	{ "at jdbc:mysql://bob:hunter2@db:3306/x",
	    "at jdbc:mysql://****@db:3306/x" },
	{ "key AKIAABCDEFGHIJKLMNOP.", "key ****." },
	{ "a " PEM " b", "a ****-----END RSA PRIVATE KEY----- b" },
	{ "-----BEGIN PRIVATE KEY-----\nMII", "****" },
	{ "client token: abc", "client token: ****" },
	{ "secretKey: abc", "secretKey: ****" },
	{ "api_key_value: abc", "api_key_value: ****" },
	{ "token=", NULL },
	{ "client token: N/A", NULL },
	{ "\"token\":null,\"x\":1", NULL },
	{ "the token is 5", NULL },
	{ "a token. Then more", NULL },
	{ "INFO HadoopDelegationTokenManager: Updating tokens.", NULL },
	{ "at org.apache.hadoop.security.token.Token is here", NULL },
	{ "org.apache.hadoop.security.token.Token: text", NULL },
	{ "tokens: 5", NULL },
	{ "user.keytab and", NULL },
	{ "bearer of bad news", NULL },
	{ "spark.executor.memory=2g", NULL },
	{ "", NULL },
	{ "://", NULL },
};

static void
test_text(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		cleanup_free char *got =
		    sa_mask_text(texts[i].in, strlen(texts[i].in));
		cleanup_free char *name = sa_xasprintf("text %zu", i + 1);
		is_str(got, texts[i].out ? texts[i].out : texts[i].in, name);
	}
	cleanup_free char *nul = sa_mask_text("a\0password=x\0b", 14);
	ok(memcmp(nul, "a\0password=****", 15) == 0, "NULs do not end it");
}

/* The worst of a size takes what twice the half takes, not four times. */
static void
test_linear(void)
{
	static const char *const parts[] = { "-----BEGIN X ", "://a:b", "token",
		"password=\"", "AKIA", "bearer ", "\\\\", "AAAAAAAA",
		"a.b.token " };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
		while (b.len < 2000000)
			sa_buf_adds(&b, parts[i]);
		long long begin = sa_clock_ms();
		free(sa_mask_text(b.s, b.len));
		/* the quadratic ones took minutes */
		ok(sa_clock_ms() - begin < 20000, parts[i]);
		sa_buf_release(&b);
	}
}

int
main(void)
{
	test_keys();
	test_values();
	test_text();
	test_linear();
	return tap_done();
}
