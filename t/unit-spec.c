/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/spec.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "sandbox/attach.h"
#include "sandbox/tail.h"
#include "tap.h"

static const struct tail_row {
	const char *text;
	size_t max;
	const char *want;
	bool cut;
} tails[] = {
	{ "line1\nline2\nline3\n", 8, "line3\n", true },
	{ "e1\ne2\ne3\n", 8, "e2\ne3\n", true },
	{ "line988\nline989\n", 12, "line989\n", true },
	{ "abcdef", 3, "def", true },
	{ "ééé", 4, "éé", true },
	{ "line988\nline989\n", 8, "line989\n", true },
	{ "abcdef\n", 3, "ef\n", true },
	{ "ééé", 5, "éé", true },
	{ "within", 6, "within", false },
	{ "within", 7, "within", false },
	{ "", 4, "", false },
	{ "ab", 0, "", true },
	{ "\n", 1, "\n", false },
	{ "\n\n\n", 2, "\n\n", true },
	{ "x\xe2\x82\xac", 2, "", true },
	{ "x\xf0\x9f\x98\x80yz", 5, "yz", true },
	{ "a\x80\x80\x80\x80\x80z", 6, "\x80\x80\x80\x80\x80z", true },
};

/* However the text comes in, byte by byte or at once. */
static void
test_tails(size_t piece, const char *name)
{
	bool all = true;

	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		const struct tail_row *row = &tails[i];
		cleanup_buf struct sa_buf out = SA_BUF_INIT(100);
		size_t len = strlen(row->text);
		struct sa_tail t;
		sa_tail_init(&t, row->max);
		for (size_t at = 0; at < len; at += piece)
			sa_tail_add(&t, row->text + at,
			    piece < len - at ? piece : len - at);
		bool cut = sa_tail_get(&t, &out);
		bool same = strcmp(sa_buf_str(&out), row->want) == 0 &&
		    cut == row->cut && t.total == len;
		if (!same)
			printf("# row %zu: '%s', cut %d\n", i, sa_buf_str(&out),
			    cut);
		all = all && same;
		sa_tail_free(&t);
	}
	ok(all, name);
}

static void
test_lines(void)
{
	is_int(sa_tail_lines("a\nb\nc\n", 6, 2), 2, "the last two lines");
	is_int(sa_tail_lines("a\nb\nc", 5, 1), 4, "a line without its end");
	is_int(sa_tail_lines("a\nb\n", 4, 9), 0, "fewer than that");
	is_int(sa_tail_lines("", 0, 2), 0, "no lines at all");
	is_int(sa_tail_lines("\n\n", 2, 1), 1, "an empty line is one");
}

/* The spec of a text of JSON. */
static int
spec(const char *text, struct sa_spec *s, struct sa_err *err)
{
	json_auto_t *j = NULL;

	*s = (struct sa_spec){ .asked = 0 };
	sa_err_clear(err);
	if (sa_json_parse(text, strlen(text), "test", &j, err) < 0)
		return -1;
	return sa_spec_parse(j, s, err);
}

static void
test_spec(void)
{
	struct sa_err err = SA_ERR_INIT;
	struct sa_spec s;

	ok(spec("{\"env\":{\"A\":\"1\",\"B\":\"\"},\"memory\":\"64M\","
		"\"cpus\":\"1.5\",\"pids\":20,\"disk\":4096,"
		"\"expires\":\"15m\",\"owner\":\"team/a\","
		"\"allow_egress\":[\"W3.Example.org.\",\"*.Example.org:8443\"],"
		"\"allow_cidr\":[\"10.1.0.0/16\",\"10.2.3.4\"],"
		"\"workdir\":\"/w/../x\",\"ro\":[\"/opt/\"],"
		"\"root\":\"/srv/root\",\"open_network\":false}",
	       &s, &err) == 0,
	    "every field");
	is_str(err.msg, "", "without an error");
	is_str(s.env.v[0], "A=1", "env");
	is_int(s.memory, 64 << 20, "memory");
	is_int(s.millicpus, 1500, "cpus");
	is_int(s.pids, 20, "pids");
	is_int(s.disk, 4096, "disk");
	is_int(s.expires_s, 900, "expires");
	is_str(s.hosts.v[0], "w3.example.org", "a host is canonical");
	is_str(s.hosts.v[1], "*.example.org:8443", "with star and port");
	is_str(s.cidrs.v[0], "10.1.0.0/16", "a range");
	is_str(s.cidrs.v[1], "10.2.3.4/32", "an address");
	is_str(s.workdir, "/x", "workdir");
	is_str(s.ro.v[0], "/opt", "ro");
	is_int(s.asked, (SA_SPEC_ROOT << 1) - 1 - SA_SPEC_OPEN_NETWORK,
	    "what was asked for");
	json_auto_t *record = sa_spec_record(&s);
	cleanup_free char *text = sa_json_text(record);
	is_str(text,
	    "{\"env\":[\"A\",\"B\"],\"open_network\":false,"
	    "\"allow_egress\":[\"w3.example.org\",\"*.example.org:8443\"],"
	    "\"allow_cidr\":[\"10.1.0.0/16\",\"10.2.3.4/32\"],"
	    "\"owner\":\"team/a\",\"memory\":67108864,\"cpus\":\"1.500\","
	    "\"pids\":20,\"disk\":4096,\"expires\":900,\"workdir\":\"/x\","
	    "\"ro\":[\"/opt\"],\"root\":\"/srv/root\"}",
	    "the record, without the values of env");
	is_int(sa_spec_enforceable(&s, ~(unsigned)(SA_SPEC_PIDS | SA_SPEC_ENV),
		   "b", "do this", &err),
	    -1, "what is not enforced is refused");
	is_int(err.kind, SA_REFUSED, "as refused");
	is_str(err.msg, "the backend 'b' cannot enforce --env here",
	    "by its name");
	sa_spec_free(&s);
	ok(spec("{}", &s, &err) == 0 && s.asked == 0, "nothing at all");
	ok(sa_spec_enforceable(&s, 0, "b", NULL, &err) == 0,
	    "needs nothing enforced");
	sa_err_clear(&err);
}

static const char *const wrong[] = {
	"{\"env\":{\"A\":1}}",
	"{\"env\":[\"A\"]}",
	"{\"env\":[\"1A=x\"]}",
	"{\"env\":[\"A B=x\"]}",
	"{\"env\":\"A=x\"}",
	"{\"memory\":\"0\"}",
	"{\"memory\":\"-1\"}",
	"{\"memory\":\"inf\"}",
	"{\"memory\":\"nan\"}",
	"{\"memory\":\"0x10\"}",
	"{\"memory\":\"1Q\"}",
	"{\"memory\":\"M\"}",
	"{\"memory\":\"\"}",
	"{\"memory\":\"9999999T\"}",
	"{\"memory\":true}",
	"{\"cpus\":\"0\"}",
	"{\"cpus\":\"1e400\"}",
	"{\"cpus\":\"5000\"}",
	"{\"pids\":0}",
	"{\"pids\":\"1x\"}",
	"{\"disk\":[]}",
	"{\"expires\":\"0\"}",
	"{\"expires\":\"1y\"}",
	"{\"owner\":\"\"}",
	"{\"owner\":\"None\"}",
	"{\"owner\":\"a\\nb\"}",
	"{\"workdir\":\"w\"}",
	"{\"root\":\"\"}",
	"{\"ro\":[\"a\"]}",
	"{\"ro\":[1]}",
	"{\"open_network\":1}",
	"{\"allow_egress\":[\"\"]}",
	"{\"allow_egress\":[\"127.0.0.1\"]}",
	"{\"allow_egress\":[\"0x7f.1\"]}",
	"{\"allow_egress\":[\"2130706433\"]}",
	"{\"allow_egress\":[\"a.0x\"]}",
	"{\"allow_egress\":[\"[::1]\"]}",
	"{\"allow_egress\":[\"::1\"]}",
	"{\"allow_egress\":[\"a..b\"]}",
	"{\"allow_egress\":[\"-a.b\"]}",
	"{\"allow_egress\":[\"a.*\"]}",
	"{\"allow_egress\":[\"*\"]}",
	"{\"allow_egress\":[\"https://a.b\"]}",
	"{\"allow_egress\":[\"u@a.b\"]}",
	"{\"allow_egress\":[\"a.b:0\"]}",
	"{\"allow_egress\":[\"a.b:65536\"]}",
	"{\"allow_egress\":[\"a.b:\"]}",
	"{\"allow_egress\":[\"bücher.example\"]}",
	"{\"allow_egress\":[\"a%2e.b\"]}",
	"{\"allow_cidr\":[\"0.0.0.0/0\"]}",
	"{\"allow_cidr\":[\"10.0.0.1/8\"]}",
	"{\"allow_cidr\":[\"10.0.0.0/33\"]}",
	"{\"allow_cidr\":[\"10.0.0\"]}",
	"{\"allow_cidr\":[\"::/0\"]}",
	"{\"open_network\":true,\"allow_egress\":[\"a.b\"]}",
	"{\"open_network\":true,\"allow_cidr\":[\"10.0.0.0/8\"]}",
};

static void
test_wrong(void)
{
	struct sa_err err = SA_ERR_INIT;
	struct sa_spec s;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		bool refused =
		    spec(wrong[i], &s, &err) < 0 && err.kind == SA_INVALID;
		ok(refused && s.env.v == NULL, wrong[i]);
	}
	sa_err_clear(&err);
}

static void
test_words(void)
{
	struct sa_err err = SA_ERR_INIT;
	struct sa_spec s;

	spec("{}", &s, &err);
	cleanup_free char *none = sa_spec_network_words(&s);
	ok(strstr(none, "no network at all") != NULL, "no network is told");
	spec("{\"open_network\":true}", &s, &err);
	cleanup_free char *open = sa_spec_network_words(&s);
	ok(strstr(open, "can reach all public") != NULL, "an open one");
	spec("{\"allow_egress\":[\"a.b\",\"c.d:1\"],"
	     "\"allow_cidr\":[\"10.0.0.0/8\"]}",
	    &s, &err);
	cleanup_free char *some = sa_spec_network_words(&s);
	ok(strstr(some, "only a.b, c.d:1 ") != NULL &&
		strstr(some, "addresses 10.0.0.0/8.") != NULL,
	    "and what is listed");
	sa_spec_free(&s);
}

static void
test_budget(void)
{
	ok(sa_attach_budget(60, 0, 100) == 60, "no end: the budget as it is");
	ok(sa_attach_budget(60, 130, 100) == 30, "what is left");
	ok(sa_attach_budget(10, 130, 100) == 10, "less than that");
	ok(sa_attach_budget(60, 100, 100) == 1, "a second at least");
	ok(sa_attach_budget(60, 50, 100) == 1, "when it is over, too");
	ok(sa_attach_budget(0.5, 0, 100) == 0.5, "as short as asked");
}

static void
test_names(void)
{
	static const char *const none[] = { "", "None", "null", "sa-sandbox-",
		"sa-sandbox-0123456789aB", "sa-sandbox-0123456789abc",
		"../sa-sandbox-0123456789ab", "sa-sandbox-0123456789ab\n" };
	struct sa_err err = SA_ERR_INIT;
	char a[SA_BOX_NAME], b[SA_BOX_NAME];

	sa_box_new_name(a);
	sa_box_new_name(b);
	ok(sa_attach_check_name(a, &err) == 0 && strcmp(a, b) != 0,
	    "a new name is one, and new");
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		ok(sa_attach_check_name(none[i], &err) < 0 &&
			err.kind == SA_INVALID,
		    "what is no name is refused");
	sa_err_clear(&err);
}

int
main(void)
{
	test_tails(1, "tails, byte by byte");
	test_tails(3, "tails, in pieces");
	test_tails(100, "tails, at once");
	test_lines();
	test_spec();
	test_wrong();
	test_words();
	test_budget();
	test_names();
	return tap_done();
}
