/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "spark/yarnsite.h"
#include "scratch.h"
#include "tap.h"

static void
put(const char *name, const char *text)
{
	sa_io_replace(AT_FDCWD, name, text, strlen(text), 0644, name, NULL);
}

/* The files, made of "name=value" with spaces between; NULL: none. */
static void
put_pairs(const char *file, const char *pairs)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 20);

	sa_buf_adds(&b, "<?xml version=\"1.0\"?>\n<configuration>\n");
	for (const char *s = pairs; *s != '\0';) {
		size_t name = strcspn(s, "="), all = strcspn(s, " ");
		sa_buf_addf(&b,
		    "<property>\n<name>%.*s</name>\n<value>\n %.*s</value>"
		    "</property>\n",
		    (int)name, s, (int)(all - name - 1), s + name + 1);
		s += all + (s[all] == ' ');
	}
	sa_buf_adds(&b, "</configuration>\n");
	put(file, sa_buf_str(&b));
}

#define RM "yarn.resourcemanager."

static void
test_urls(void)
{
	static const struct {
		const char *pairs, *urls, *ids;
	} cases[] = {
		{ "", "http://localhost:8088", NULL },
		{ RM "hostname=rm.example", "http://rm.example:8088", NULL },
		{ RM "hostname=rm " RM "webapp.address=0.0.0.0:9",
		    "http://rm:9", NULL },
		{ RM "hostname=rm " RM
		     "webapp.address=${yarn.resourcemanager.hostname}:9",
		    "http://rm:9", NULL },
		{ RM "webapp.address=${yarn.resourcemanager.hostname}:9",
		    "http://localhost:9", NULL },
		{ RM "webapp.address=a", "http://a:8088", NULL },
		{ RM "webapp.address=[::1]:9", "http://[::1]:9", NULL },
		{ RM "hostname=rm yarn.http.policy=HTTPS_ONLY",
		    "https://rm:8090", NULL },
		{ RM "ha.enabled=true " RM "ha.rm-ids=rm1,,rm2 " RM
		     "hostname.rm1=a " RM "webapp.address.rm2=b:99",
		    "http://a:8088,http://b:99", "rm1,rm2" },
		{ RM "ha.enabled=true " RM "ha.rm-ids=x yarn.http.policy="
		     "HTTPS_ONLY " RM "webapp.https.address.x=c:1",
		    "https://c:1", "x" },
		{ RM "ha.rm-ids=rm1 " RM "hostname=a", "http://a:8088", NULL },
		{ RM "hostname=${a} a=${b}${b} b=x", "http://xx:8088", NULL },
		{ RM "hostname=${${a}} a=b b=h", "http://h:8088", NULL },
		{ RM "hostname=${env.SA_UNIT_HOST}", "http://from.env:8088",
		    NULL },
		{ RM "hostname=${env.SA_UNIT_NO:-or}", "http://or:8088", NULL },
	};

	setenv("SA_UNIT_HOST", "from.env", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sa_err err = SA_ERR_INIT;
		struct sa_yarnsite s;
		put_pairs("yarn-site.xml", cases[i].pairs);
		is_int(sa_yarnsite_read(".", &s, &err), 0, cases[i].pairs);
		is_str(s.rm_urls, cases[i].urls, "its URLs");
		is_str(s.rm_ids, cases[i].ids, "its ids");
		sa_yarnsite_release(&s);
	}
}

static void
test_rest(void)
{
	struct sa_err err = SA_ERR_INIT;
	struct sa_yarnsite s;

	put_pairs("yarn-site.xml",
	    "yarn.log.server.url=http://h:1/jobhistory/logs "
	    "yarn.log.server.web-service.url=http://h:1/ws/v1/history "
	    "yarn.timeline-service.enabled=true "
	    "yarn.timeline-service.hostname=t "
	    "yarn.log-aggregation-enable=TRUE "
	    "hadoop.security.authentication=simple");
	put("core-site.xml",
	    "<configuration><property name=\"hadoop.security.authentication\" "
	    "value=\"kerberos\"><final>true</final></property>"
	    "</configuration>");
	is_int(sa_yarnsite_read(".", &s, &err), 0, "two files");
	is_str(s.log_server, "http://h:1/jobhistory/logs", "the log server");
	is_str(s.log_service, "http://h:1/ws/v1/history", "its service");
	is_str(s.timeline, "http://t:8188", "the timeline service");
	ok(s.aggregation, "logs are aggregated");
	ok(s.secure, "what is final stays");
	sa_yarnsite_release(&s);
	put_pairs("yarn-site.xml", "yarn.timeline-service.hostname=t");
	put_pairs("core-site.xml", "");
	is_int(sa_yarnsite_read(".", &s, &err), 0, "files that say little");
	ok(s.timeline == NULL && s.log_server == NULL && !s.aggregation &&
		!s.secure,
	    "are as Hadoop's defaults");
	sa_yarnsite_release(&s);
}

static void
test_refused(void)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{ "", ":1: no element" },
		{ "<configuration>\n<property>", ":2: " },
		{ "<html/>", "no Hadoop configuration" },
		{ "<!DOCTYPE x [<!ENTITY a \"b\">]><configuration/>",
		    "document type" },
		{ "<!DOCTYPE x SYSTEM \"file:///etc/passwd\">"
		  "<configuration/>",
		    "document type" },
		{ "<configuration>\n\n<xi:include href=\"/etc/passwd\"/>"
		  "</configuration>",
		    ":3: includes" },
		{ "<configuration><property><name>" RM "hostname</name><value>"
		  "a/b?c</value></property></configuration>",
		    "a/b?c" },
		{ "<configuration><property><name>" RM "hostname</name><value>"
		  "169.254.169.254</value></property></configuration>",
		    "169.254" },
		{ "<configuration><property><name>" RM "hostname</name><value>"
		  "${" RM "hostname}</value></property></configuration>",
		    "${" },
		{ "<configuration><property><name>" RM "hostname</name><value>"
		  "a,http://b</value></property></configuration>",
		    "a,http" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sa_err err = SA_ERR_INIT;
		struct sa_yarnsite s;
		put("yarn-site.xml", cases[i].text);
		is_int(sa_yarnsite_read(".", &s, &err), -1, cases[i].part);
		ok(err.kind == SA_CONFIG &&
			strstr(err.msg, cases[i].part) != NULL &&
			strstr(err.msg, "yarn-site.xml") != NULL,
		    err.msg);
	}
	struct sa_err err = SA_ERR_INIT;
	struct sa_yarnsite s;
	is_int(sa_yarnsite_read("nowhere", &s, &err), -1, "no directory");
	ok(err.kind == SA_CONFIG && strstr(err.msg, "'nowhere'") != NULL,
	    err.msg);
}

/* Each value is twice the next: a small file that would be a large one. */
static void
test_blown_up(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 20);
	struct sa_err err = SA_ERR_INIT;
	struct sa_yarnsite s;

	sa_buf_adds(&b, RM "hostname=${x0}");
	for (int i = 0; i < 40; i++)
		sa_buf_addf(&b, " x%d=${x%d}${x%d}", i, i + 1, i + 1);
	sa_buf_adds(&b, " x40=a");
	put_pairs("yarn-site.xml", sa_buf_str(&b));
	is_int(sa_yarnsite_read(".", &s, &err), -1, "one that doubles itself");
	is_int(err.kind, SA_CONFIG, "is refused soon");
	cleanup_free char *long_value = sa_xmalloc(70001);
	memset(long_value, 'a', 70000);
	long_value[70000] = '\0';
	cleanup_free char *pair = sa_xasprintf("a=%s", long_value);
	put_pairs("yarn-site.xml", pair);
	is_int(sa_yarnsite_read(".", &s, &err), -1, "a value over its limit");
	ok(strstr(err.msg, "too long") != NULL, err.msg);
}

int
main(void)
{
	close(scratch());
	test_urls();
	test_rest();
	test_refused();
	test_blown_up();
	return tap_done();
}
