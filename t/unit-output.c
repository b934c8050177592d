/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "spark/output.h"
#include "tap.h"

#define ID "application_1795985024802_0007"
#define POD "spark-d5fb726aef8d4f119d0b7dc463392358"

/* What a first line gives: "id state", or "-". */
static char *
first(enum sa_master_kind kind, const char *line)
{
	struct sa_id_scan scan = { .kind = kind, .fd = -1 };

	if (!sa_id_scan_line(&scan, line))
		return sa_xstrdup("-");
	return sa_xasprintf("%s %s", scan.id, scan.state ? scan.state : "-");
}

struct line {
	enum sa_master_kind kind;
	const char *text, *want;
};

static const struct line lines[] = {
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO Client: Application ID is assigned: " ID,
	    ID " SUBMITTED" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO Client: Submitting application " ID
	    " to ResourceManager",
	    ID " SUBMITTED" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO YarnClientImpl: Submitted application " ID,
	    ID " SUBMITTED" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO Client: Application report for " ID
	    " (state: ACCEPTED)",
	    ID " ACCEPTED" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO Client: Application report for " ID
	    " (state: RUNNING)",
	    ID " RUNNING" },
	{ SA_MASTER_YARN,
	    "2026-11-29 20:58:35,123 INFO [main] "
	    "org.apache.spark.deploy.yarn.Client: Submitting application " ID
	    " to ResourceManager",
	    ID " SUBMITTED" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO YarnClientSchedulerBackend: Application " ID
	    " has started running.",
	    ID " RUNNING" },
	{ SA_MASTER_YARN,
	    "{\"ts\":\"x\",\"level\":\"INFO\",\"msg\":\"Submitted application "
	    "" ID "\",\"logger\":\"org.apache.hadoop.yarn.client.api.impl."
	    "YarnClientImpl\"}",
	    ID " SUBMITTED" },
	{ SA_MASTER_STANDALONE,
	    "26/11/29 20:58:35 INFO StandaloneSchedulerBackend: Connected to "
	    "Spark cluster with app ID app-20261129205835-0000",
	    "app-20261129205835-0000 RUNNING" },
	{ SA_MASTER_STANDALONE,
	    "sa-yarn: submission ID is driver-20261129205934-0000",
	    "driver-20261129205934-0000 SUBMITTED" },
	{ SA_MASTER_KUBERNETES,
	    "26/11/29 21:40:20 INFO Client: Deployed Spark application demo "
	    "with application ID " POD " and submission ID "
	    "default:sa-n-driver into Kubernetes",
	    POD " SUBMITTED" },
	{ SA_MASTER_KUBERNETES,
	    "26/11/29 21:40:20 INFO Client: Waiting for application demo "
	    "with application ID " POD " and submission ID "
	    "default:sa-n-driver to finish...",
	    POD " SUBMITTED" },
	/* what anybody can make Spark or a program say */
	{ SA_MASTER_KUBERNETES,
	    "26/11/29 21:40:20 INFO Client: Deployed Spark application x with "
	    "application ID spark-0 and submission ID a:b with application "
	    "ID " POD " and submission ID c:d into Kubernetes",
	    POD " SUBMITTED" },
	{ SA_MASTER_KUBERNETES,
	    "26/11/29 21:40:20 INFO Client: Deployed Spark application x with "
	    "application ID " POD " into Kubernetes",
	    "-" },
	{ SA_MASTER_YARN,
	    "sa-yarn: submission ID is driver-20261129205934-0000", "-" },
	{ SA_MASTER_STANDALONE,
	    "x sa-yarn: submission ID is driver-20261129205934-0000", "-" },
	{ SA_MASTER_YARN, ID, "-" },
	{ SA_MASTER_YARN, "Submitted application " ID, "-" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO SparkContext: Submitted application: " ID,
	    "-" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO SparkContext: Submitted application: x "
	    "Client: Submitting application " ID " to ResourceManager",
	    "-" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO MyClient: Submitting application " ID,
	    "-" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO Client: x Submitting application " ID,
	    "-" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO Client: Submitting application "
	    "application_12_",
	    "-" },
	{ SA_MASTER_YARN,
	    "26/11/29 20:58:35 INFO Client: Submitting application "
	    "application_1_2x",
	    "-" },
	{ SA_MASTER_YARN,
	    "{\"msg\":\"Submitted application " ID "\",\"logger\":\"Mine\"}",
	    "-" },
	{ SA_MASTER_YARN, "{\"msg\":\"Submitted application " ID, "-" },
	{ SA_MASTER_STANDALONE,
	    "26/11/29 20:58:35 INFO Client: Submitting application " ID, "-" },
	{ SA_MASTER_LOCAL,
	    "26/11/29 20:58:35 INFO Client: Submitting application " ID, "-" },
	{ SA_MASTER_YARN, "", "-" },
};

static void
test_lines(void)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		cleanup_free char *got = first(lines[i].kind, lines[i].text);
		is_str(got, lines[i].want, lines[i].text);
	}
}

static void
test_order(void)
{
	struct sa_id_scan scan = { .kind = SA_MASTER_YARN, .fd = -1 };

	ok(sa_id_scan_line(&scan,
	       "I Client: Application report for " ID " (state: RUNNING)"),
	    "a report is news");
	ok(!sa_id_scan_line(&scan,
	       "I Client: Application report for " ID " (state: ACCEPTED)"),
	    "an earlier state is none");
	ok(!sa_id_scan_line(&scan,
	       "I Client: Submitting application application_1_1"),
	    "another id is none");
	is_str(scan.id, ID, "the first id stays");
	is_str(scan.state, "RUNNING", "the last state stays");
}

/* From when on an id is to be expected of a driver on this host. */
static void
test_context(void)
{
	struct sa_id_scan scan = { .kind = SA_MASTER_YARN, .fd = -1 };

	ok(!sa_id_scan_line(&scan,
	       "I SparkContext: Submitted application: Running Spark "
	       "version 4.3.0") &&
		!scan.context,
	    "an application may have any name");
	ok(!sa_id_scan_line(&scan,
	       "26/11/29 20:58:35 INFO SparkContext: Running Spark version "
	       "4.3.0"),
	    "no id");
	ok(scan.context, "but the context starts");
}

/* A file that grows in odd pieces, with a line that is too long. */
static void
test_growing(void)
{
	char path[] = "/tmp/sa-output.XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);
	struct sa_id_scan scan = { .kind = SA_MASTER_YARN, .fd = fd };
	static char noise[10000];
	static const char half[] = "I Client: Submitting appl";
	static const char rest[] = "ication " ID " to ResourceManager\nx";

	memset(noise, 'n', sizeof(noise));
	ok(fd >= 0 && unlink(path) == 0, "a file");
	ok(write(fd, noise, sizeof(noise)) == (ssize_t)sizeof(noise) &&
		!sa_id_scan_more(&scan),
	    "a long line");
	ok(write(fd, "\n", 1) == 1 &&
		write(fd, half, sizeof(half) - 1) == sizeof(half) - 1 &&
		!sa_id_scan_more(&scan),
	    "half a line");
	ok(write(fd, rest, sizeof(rest) - 1) == sizeof(rest) - 1 &&
		sa_id_scan_more(&scan),
	    "the other half");
	is_str(scan.id, ID, "and its id");
	ok(!sa_id_scan_more(&scan), "nothing more");
	close(fd);
}

static void
test_bound(void)
{
	char dir[] = "/tmp/sa-output.XXXXXX";
	struct sa_stream s;
	struct stat sb;
	static char block[65536];
	const long long max = 1048576;

	memset(block, 'x', sizeof(block));
	ok(mkdtemp(dir) != NULL, "a directory");
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok(sa_stream_open(&s, at, "stdout", NULL) == 0, "a stream");
	for (int i = 0; i < 64; i++) {
		if (write(s.fd, block, sizeof(block)) != sizeof(block))
			break;
		sa_stream_bound(&s, max);
	}
	ok(fstat(s.fd, &sb) == 0 && sb.st_size == 64 * (off_t)sizeof(block),
	    "the size counts what was written");
	ok(s.whole || sb.st_blocks * 512 <= max, "no more than the limit");
	ok(s.whole || sb.st_blocks * 512 >= max / 6,
	    "no less than a sixth of it");
	close(s.fd);
	unlinkat(at, "stdout", 0);
	close(at);
	rmdir(dir);
}

int
main(void)
{
	test_lines();
	test_order();
	test_context();
	test_growing();
	test_bound();
	return tap_done();
}
