/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * What a sandbox's network allows: addresses, names, ports; the addresses that
 * names have inside, and what is noted of connections.
 */
#include "config.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "sandbox/landlock.h"
#include "sandbox/netlog.h"
#include "sandbox/netnames.h"
#include "sandbox/netrules.h"
#include "scratch.h"
#include "tap.h"

static struct sa_netrules rules;

/* The rules of a request, which are there until the next. */
static void
use(const char *request)
{
	struct sa_err err = SA_ERR_INIT;
	struct sa_spec spec;
	json_auto_t *j = json_loads(request, 0, NULL);

	sa_netrules_free(&rules);
	if (!ok(sa_spec_parse(j, &spec, &err) == 0, request))
		printf("# %s\n", err.msg);
	sa_netrules_init(&rules, &spec);
	sa_spec_free(&spec);
	sa_err_clear(&err);
}

static const char *
judge(const char *text)
{
	struct sa_netaddr a;

	if (!sa_netaddr_parse(text, strlen(text), &a))
		return "no address";
	return sa_netrules_led_to(&rules, &a);
}

static void
test_addresses(void)
{
	static const char *const public[] = { "1.1.1.1", "9.255.255.255",
		"11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
		"128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0",
		"192.0.1.1", "192.167.255.255", "192.169.0.0", "198.17.255.255",
		"198.20.0.0", "223.255.255.255", "2606:4700::1111",
		"2001:200::1", "::ffff:1.1.1.1", "64:ff9b::101:101",
		"2002:101:101::1" };
	static const char *const others[] = { "0.0.0.0", "0.255.255.255",
		"10.0.0.1", "10.255.255.255", "100.64.0.0", "100.127.255.255",
		"100.100.100.200", "127.0.0.1", "127.255.255.255",
		"169.254.0.1", "169.254.169.254", "168.63.129.16", "172.16.0.0",
		"172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1",
		"192.168.0.0", "192.168.255.255", "198.18.0.1",
		"198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1",
		"240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1",
		"::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1",
		"64:ff9b:1::101:101", "2002:7f00:1::1",
		"2002:a00:1::", "2001::1", "2001:db8::1", "3fff::1", "fc00::1",
		"fd00:ec2::254", "fd20:ce::254", "fe80::1", "fec0::1",
		"ff02::1", "100::1", "4000::1", "5f00::1" };

	use("{\"open_network\": true}");
	for (size_t i = 0; i < sizeof(public) / sizeof(*public); i++)
		ok(judge(public[i]) == NULL, public[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ok(judge(others[i]) != NULL, others[i]);
}

static void
test_exceptions(void)
{
	use("{\"allow_cidr\": [\"10.1.0.0/16\", \"192.0.0.0/4\", "
	    "\"169.254.0.0/16\", \"127.0.0.0/8\"]}");
	ok(judge("10.1.2.3") == NULL, "a private range that is listed");
	ok(judge("10.2.0.1") != NULL, "and no other");
	ok(judge("192.168.1.1") != NULL, "not one inside of a larger range");
	ok(judge("169.254.1.1") == NULL, "a link's");
	ok(judge("169.254.169.254") != NULL, "but not the metadata in it");
	ok(judge("::ffff:10.1.2.3") != NULL, "nor what carries one");
	ok(judge("127.0.0.1") != NULL, "nor an interface's");
	use("{\"allow_cidr\": [\"169.254.169.254/32\", \"127.0.0.1/32\"]}");
	ok(judge("169.254.169.254") == NULL, "which have to be listed alone");
	ok(judge("127.0.0.1") == NULL, "both of them");
}

static bool
may(const char *address, uint16_t port)
{
	struct sa_netaddr a;

	return sa_netaddr_parse(address, strlen(address), &a) &&
	    sa_netrules_address(&rules, &a, port) == NULL;
}

static bool
may_name(const char *name, uint16_t port)
{
	return sa_netrules_host(&rules, name, port) == NULL;
}

static void
test_hosts(void)
{
	uint16_t ports[4];

	use("{\"allow_egress\": [\"a.test\", \"a.test:8443\", \"*.b.test\", "
	    "\"c.test:22\"], \"allow_cidr\": [\"11.0.0.0/24\"]}");
	ok(may_name("a.test", 80) && may_name("a.test", 443) &&
		may_name("a.test", 8443) && !may_name("a.test", 22),
	    "a host on its ports");
	ok(may_name("x.b.test", 443) && may_name("x.y.b.test", 80) &&
		!may_name("b.test", 80) && !may_name("xb.test", 80),
	    "those below one, by labels");
	ok(may_name("c.test", 22) && !may_name("c.test", 443),
	    "a port in place of the two");
	ok(sa_netrules_knows(&rules, "c.test") &&
		!sa_netrules_knows(&rules, "d.test"),
	    "which names there are");
	is_int((long long)sa_netrules_ports(&rules, ports, 4), 4,
	    "the ports that are listened on");
	ok(ports[0] == 80 && ports[1] == 443 && ports[2] == 8443 &&
		ports[3] == 22,
	    "are those");
	ok(may("11.0.0.255", 1) && !may("11.0.1.0", 443) && !may("1.1.1.1", 80),
	    "addresses of the range, on all ports");
	ok(!may("11.0.0.1", 25) && !may("11.0.0.1", 0), "but never 25");
	use("{\"open_network\": true}");
	ok(may_name("any.test", 9999) && !may_name("any.test", 25) &&
		may("1.1.1.1", 53) && !may("10.0.0.1", 80) && !may("::1", 80),
	    "an open one");
}

static void
test_names(void)
{
	struct sa_netnames *t = sa_netnames_new();
	uint32_t first = sa_netnames_give(t, "a.test");
	char name[32];

	is_int(sa_netnames_give(t, "a.test"), first, "a name has one address");
	is_str(sa_netnames_at(t, first), "a.test", "which leads back to it");
	ok(sa_netnames_at(t, first + 1) == NULL &&
		sa_netnames_at(t, SA_NETNAMES_BASE) == NULL &&
		sa_netnames_at(t, 0) == NULL &&
		sa_netnames_at(t, UINT32_MAX) == NULL,
	    "others lead nowhere");
	bool fine = true;
	for (int i = 0; i < 3 * SA_NETNAMES_MAX; i++) {
		snprintf(name, sizeof(name), "n%d.test", i);
		uint32_t at = sa_netnames_give(t, name);
		const char *back = sa_netnames_at(t, at);
		fine &= at >> (32 - SA_NETNAMES_BITS) ==
			SA_NETNAMES_BASE >> (32 - SA_NETNAMES_BITS) &&
		    back != NULL && strcmp(back, name) == 0;
	}
	ok(fine, "many, of which the oldest make room");
	ok(strcmp(sa_netnames_at(t, first), "a.test") != 0,
	    "the first is forgotten");
	sa_netnames_free(t);
}

static void
test_log(void)
{
	struct sa_err err = SA_ERR_INIT;
	int dir = scratch();
	char host[32];

	struct sa_netlog_mark mark = sa_netlog_mark(dir);

	ok(mark.made == 0 && mark.seq == 0, "no file is no connection");
	json_auto_t *none = sa_netlog_read(dir, mark);
	is_int((long long)json_array_size(none), 0, "and none is read");
	cleanup_fd int fd = sa_netlog_make(dir, &err);
	struct sa_netlog *log = sa_netlog_map(fd);
	size_t at = sa_netlog_add(log, "a.test", 443, true, NULL);
	log->v[at].bytes += 10;
	mark = sa_netlog_mark(dir);
	for (int i = 0; i < 3; i++)
		sa_netlog_add(log, "b.test", 0, false, "why");
	sa_netlog_add(log, "b.test", 80, true, "why");
	json_auto_t *all =
	    sa_netlog_read(dir, (struct sa_netlog_mark){ .made = mark.made });
	cleanup_free char *text = json_dumps(all, JSON_COMPACT);
	is_str(text,
	    "[{\"host\":\"a.test\",\"port\":443,\"allowed\":true,"
	    "\"reason\":null,\"bytes\":10,\"times\":1},"
	    "{\"host\":\"b.test\",\"port\":null,\"allowed\":false,"
	    "\"reason\":\"why\",\"bytes\":0,\"times\":3},"
	    "{\"host\":\"b.test\",\"port\":80,\"allowed\":true,"
	    "\"reason\":\"why\",\"bytes\":0,\"times\":1}]",
	    "what is read of it");
	json_auto_t *later = sa_netlog_read(dir, mark);
	is_int((long long)json_array_size(later), 2, "those after one");
	for (int i = 0; i < 2 * SA_NETLOG_SIZE; i++) {
		snprintf(host, sizeof(host), "n%d.test", i);
		sa_netlog_add(log, host, 80, i % 2 == 0,
		    i % 2 == 0 ? NULL : "why");
	}
	json_auto_t *last = sa_netlog_read(dir, mark);
	is_int((long long)json_array_size(last), SA_NETLOG_SIZE,
	    "no more than the last");
	is_str(sa_json_str(json_array_get(last, SA_NETLOG_SIZE - 1), "host"),
	    "n199.test", "in order");
	mark.made++;
	json_auto_t *other = sa_netlog_read(dir, mark);
	is_int((long long)json_array_size(other), 0, "another file is none");
}

/* In a child, since there is no way back: a bit for each that it can. */
static int
reach(void)
{
	static const char *const paths[] = { "/etc", "/not/there", NULL };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    sa_landlock_read_only(paths) < 0)
		return 64;
	return (open("/etc/hosts", O_RDONLY | O_CLOEXEC) >= 0) |
	    (open("/etc", O_RDONLY | O_CLOEXEC) >= 0) << 1 |
	    (open("/proc/self/status", O_RDONLY | O_CLOEXEC) >= 0) << 2 |
	    (open("file", O_WRONLY | O_CLOEXEC | O_CREAT, 0600) >= 0) << 3 |
	    (mkdir("directory", 0700) == 0) << 4 |
	    (truncate("there", 0) == 0) << 5;
}

static void
test_read_only(void)
{
	int status = 0;

	if (!sa_landlock_there()) {
		ok(true, "files are read only # skip no Landlock");
		return;
	}
	close(open("there", O_WRONLY | O_CLOEXEC | O_CREAT, 0600));
	pid_t pid = fork();
	if (pid == 0)
		_exit(reach());
	waitpid(pid, &status, 0);
	is_int(WEXITSTATUS(status), 3, "files are read only, and few");
}

int
main(void)
{
	test_addresses();
	test_exceptions();
	test_hosts();
	test_names();
	test_log();
	test_read_only();
	sa_netrules_free(&rules);
	return tap_done();
}
