/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/master.h"

#include <stdio.h>
#include <string.h>

#include "spark/url.h"
#include "tap.h"

static void
test_kinds(void)
{
	static const struct {
		const char *master;
		enum sa_master_kind kind;
	} good[] = {
		{ "yarn", SA_MASTER_YARN },
		{ "local", SA_MASTER_LOCAL },
		{ "local[1]", SA_MASTER_LOCAL },
		{ "local[9999999]", SA_MASTER_LOCAL },
		{ "local[*,1]", SA_MASTER_LOCAL },
		{ "spark://h:1", SA_MASTER_STANDALONE },
		{ "spark://h:65535,[::1]:7077,h_2.x-y:7077",
		    SA_MASTER_STANDALONE },
		{ "k8s://h", SA_MASTER_KUBERNETES },
		{ "k8s://https://[2001:db8::1]:6443/p/q~%20",
		    SA_MASTER_KUBERNETES },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		enum sa_master_kind kind = SA_MASTER_LOCAL;
		struct sa_err err = SA_ERR_INIT;
		ok(sa_master_check(good[i].master, &kind, &err) == 0,
		    good[i].master);
		is_int(kind, good[i].kind, "... its kind");
		is_str(err.msg, "", "... and err is untouched");
	}
}

static void
test_refused(void)
{
	static const char *const bad[] = { "", "local[", "local[]x", "local[1",
		"local[1]x", "local[-1]", "local[+1]", "local[00]",
		"local[10000000]", "local[1,]", "local[1,*]", "local[1,2,3]",
		"local[**]", "local(2)", "spark:/h:1", "spark://:1",
		"spark://h:", "spark://h:00", "spark://h:99999",
		"spark://h:7077/", "spark://[::1]", "spark://[::g]:1",
		"spark://[::1:7077", "spark://h:1,,h:1", "spark://-h:1",
		"k8s://https://", "k8s://h:", "k8s://h:x", "k8s://h/ ",
		"k8s://u@h", "k8s://h#f", "yarn\n", "yarn ", " yarn", "Yarn" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		enum sa_master_kind kind;
		struct sa_err err = SA_ERR_INIT;
		ok(sa_master_check(bad[i], &kind, &err) == -1,
		    bad[i][0] == '\0' ? "an empty one" : "a bad one");
		is_int(err.kind, SA_INVALID, "... is invalid");
		ok(err.hint[0] != '\0', "... and there is advice");
		ok(strchr(err.msg, '\n') == NULL, "... in one line");
	}
}

static void
test_modes(void)
{
	struct sa_err err = SA_ERR_INIT;

	is_int(sa_master_check_mode(SA_MASTER_YARN, NULL, &err), 0,
	    "no mode is client");
	is_int(sa_master_check_mode(SA_MASTER_LOCAL, "client", &err), 0,
	    "local and client");
	is_int(sa_master_check_mode(SA_MASTER_KUBERNETES, "cluster", &err), 0,
	    "a cluster has a cluster mode");
	is_int(sa_master_check_mode(SA_MASTER_LOCAL, "cluster", &err), -1,
	    "local has none");
	is_int(err.kind, SA_INVALID, "... it is invalid");
	is_int(sa_master_check_mode(SA_MASTER_YARN, "", &err), -1,
	    "the empty mode is none");
	is_int(sa_master_check_mode(SA_MASTER_YARN, "x", NULL), -1,
	    "nobody has to look at the error");
}

static void
test_urls(void)
{
	struct sa_err err = SA_ERR_INIT;
	char name[280] = "";

	is_int(sa_url_host("a.b-c_d:1"), 7, "a host ends at its port");
	is_int(sa_url_host("[::1]:1"), 5, "an address in brackets");
	is_int(sa_url_host("[::1"), 0, "a bracket that stays open");
	is_int(sa_url_host("[]"), 0, "nothing in brackets");
	is_int(sa_url_host(""), 0, "no host");
	memset(name, 'a', 253);
	is_int(sa_url_host(name), 253, "the longest name");
	name[253] = 'a';
	is_int(sa_url_host(name), 0, "one longer");
	is_int(sa_url_port(":8088/"), 5, "a port");
	is_int(sa_url_port(":"), 0, "an empty port");
	is_int(sa_url_port(":065535"), 7, "zeros in front");
	is_int(sa_url_port(":000000080"), 0, "too many of them");
	is_int(sa_url_check_rm("HTTP://a,https://b:1/c", &err), 0, "two URLs");
	is_int(sa_url_check_rm("http://a,,http://b", &err), -1,
	    "three, one "
	    "empty");
	is_int(sa_url_check_rm("http://0xa9fea9fe", &err), -1,
	    "an address in hexadecimal");
	is_int(sa_url_check_rm("http://[fd00:ec2::254]", &err), -1,
	    "the metadata address in IPv6");
	is_int(sa_url_check_rm("http://169.253.1.1", &err), 0,
	    "an address beside the link-local ones");
}

int
main(void)
{
	test_kinds();
	test_refused();
	test_modes();
	test_urls();
	return tap_done();
}
