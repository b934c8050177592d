/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/kubejob.h"
#include "spark/kubelines.h"
#include "spark/kubepod.h"
#include "spark/run.h"
#include "spark/output.h"

#define CHUNK 65536

/* How far a pod's log was read. */
struct progress {
	char *pod;
	struct sa_kubelines_mark mark;
};

struct kubelog {
	struct sa_joblog base;
	struct sa_kube *api;
	const struct sa_store *store;
	char *job_id;
	char *driver; /* its pod; NULL: it is on this host */
	struct progress *seen;
	size_t n;
};

static struct kubelog *
of(struct sa_joblog *l)
{
	return (struct kubelog *)l;
}

static struct progress *
progress_of(struct kubelog *l, const char *pod)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->seen[i].pod, pod) == 0)
			return &l->seen[i];
	l->seen = sa_xrealloc(l->seen, l->n + 1, sizeof(*l->seen));
	l->seen[l->n] = (struct progress){ .pod = sa_xstrdup(pod) };
	return &l->seen[l->n++];
}

static void
add_container(json_t *list, const char *pod, const char *role)
{
	json_array_append_new(list,
	    json_pack("{s:s, s:s, s:i}", "container", pod, "role", role,
		"attempt", 1));
}

static void
add_executor(void *arg, const json_t *pod)
{
	const char *name = sa_json_str(sa_json_obj(pod, "metadata"), "name");

	if (name != NULL)
		add_container(arg, name, "executor");
}

static int
containers(struct sa_joblog *base, bool executors, json_t **out,
    struct sa_err *err)
{
	struct kubelog *l = of(base);
	json_auto_t *list = json_array();

	if (l->driver != NULL)
		add_container(list, l->driver, "driver");
	if (executors) {
		cleanup_free char *labels =
		    sa_xasprintf("sa-job=%s,spark-role=executor", l->job_id);
		if (sa_kube_pods(l->api, labels, add_executor, list, err) < 0)
			return -1;
	}
	*out = sa_steal(&list);
	return 0;
}

/* ---- from the cluster */

static int
to_lines(void *arg, const char *bytes, size_t n)
{
	return sa_kubelines_add(arg, bytes, n);
}

/* "pods/NAME/log?..."; caller frees. */
static char *
log_resource(const char *pod, const char *container, const char *since)
{
	cleanup_free char *name = sa_http_escape(pod);
	cleanup_free char *which =
	    sa_http_escape(container != NULL ? container : "");
	cleanup_free char *when = sa_http_escape(since);

	return sa_xasprintf("pods/%s/log?timestamps=true%s%s%s%s", name,
	    *which != '\0' ? "&container=" : "", which,
	    *when != '\0' ? "&sinceTime=" : "", when);
}

/* What is read of a pod's log, and where it goes. */
struct reading {
	const char *pod, *container;
	struct sa_joblog_part part;
	sa_joblog_fn *take;
	void *arg;
};

static int
ask(struct kubelog *l, const struct reading *r, struct sa_kubelines_mark *mark,
    bool later, struct sa_kubelines *lines, bool *cut, struct sa_err *err)
{
	char since[32];

	sa_kubelines_since(mark, since);
	cleanup_free char *resource =
	    log_resource(r->pod, r->container, later ? "" : since);
	sa_kubelines_begin(lines, mark, later, r->part.from, r->part.max,
	    r->take, r->arg);
	return sa_kube_stream(l->api, resource, to_lines, lines, cut, err);
}

/* From where it was read last, if the part is behind that. */
static int
read_lines(struct kubelog *l, const struct reading *r,
    struct sa_kubelines *lines, bool *cut, struct sa_err *err)
{
	struct sa_kubelines_mark *mark = &progress_of(l, r->pod)->mark;

	if (mark->valid && r->part.from < mark->offset)
		mark->valid = false;
	for (int later = 0; later < 2; later++) {
		if (ask(l, r, mark, later > 0, lines, cut, err) < 0)
			return -1;
		if (!*cut && lines->left != 0)
			sa_kubelines_end(lines);
		if (!lines->broken)
			break;
	}
	return 0;
}

static int
nothing(void *arg, const char *bytes, size_t n)
{
	(void)arg;
	(void)bytes;
	(void)n;
	return 0;
}

/* Makes an offset from the end one from the beginning. */
static int
find_end(struct kubelog *l, struct reading *r, struct sa_err *err)
{
	struct sa_kubelines_mark *mark = &progress_of(l, r->pod)->mark;
	const struct reading all = { .pod = r->pod,
		.container = r->container,
		.part = { .from = mark->valid ? mark->offset : 0, .max = -1 },
		.take = nothing };
	struct sa_kubelines lines;
	bool cut;

	if (r->part.from >= 0)
		return 0;
	if (read_lines(l, &all, &lines, &cut, err) < 0)
		return -1;
	r->part.from += lines.at;
	if (r->part.from < 0)
		r->part.from = 0;
	return 0;
}

static int
read_pod(struct kubelog *l, const struct reading *r, const json_t *pod,
    struct sa_joblog_result *out, struct sa_err *err)
{
	struct reading mine = *r;
	struct sa_kubelines lines;

	mine.container = sa_kubepod_container(pod);
	*out = (struct sa_joblog_result){ .length = -1 };
	snprintf(out->source, sizeof(out->source), "Kubernetes pod %s", r->pod);
	if (find_end(l, &mine, err) < 0 ||
	    read_lines(l, &mine, &lines, &out->cut, err) < 0)
		return -1;
	out->start = mine.part.from;
	out->given = lines.given;
	if (!out->cut && lines.left != 0)
		out->length = lines.at;
	/* it was looked at before its log was read */
	out->complete = sa_kubepod_ended(pod);
	return 0;
}

/* ---- what was kept */

static int
open_kept(const struct kubelog *l, struct stat *sb)
{
	cleanup_free char *path = sa_xasprintf("%s/runs/%s/" SA_KUBE_KEPT,
	    sa_store_path(l->store), l->job_id);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 && fstat(fd, sb) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The first byte from there on that was not cut off. */
static off_t
first_byte(int fd, off_t from, off_t size)
{
	off_t at = from < size ? lseek(fd, from, SEEK_DATA) : size;

	return at < 0 ? (errno == ENXIO ? size : from) : at;
}

static int
read_kept(struct kubelog *l, const struct reading *r,
    struct sa_joblog_result *out, struct sa_err *err)
{
	cleanup_free char *chunk = sa_xmalloc(CHUNK);
	struct stat sb;
	cleanup_fd int fd = open_kept(l, &sb);

	if (fd < 0)
		return sa_err_set(err, SA_NOT_FOUND, "none was kept");
	off_t at = r->part.from >= 0 ? (off_t)r->part.from
				     : sb.st_size + (off_t)r->part.from;
	at = first_byte(fd, at > 0 ? at : 0, sb.st_size);
	*out = (struct sa_joblog_result){ .length = sb.st_size,
		.start = at,
		.complete = true };
	strlcpy(out->source, "the copy that was kept", sizeof(out->source));
	long long left = r->part.max;
	while (left != 0) {
		size_t want = left < 0 || left > CHUNK ? CHUNK : (size_t)left;
		ssize_t n = pread(fd, chunk, want, at);
		if (n <= 0)
			break;
		at += n;
		out->given += n;
		left -= left < 0 ? 0 : n;
		if (r->take(r->arg, chunk, (size_t)n) != 0)
			break;
	}
	return 0;
}

/* ---- reading */

static void
no_log(struct kubelog *l, const struct reading *r, const json_t *pod,
    const struct sa_err *why)
{
	cleanup_free char *name = sa_xasprintf("Kubernetes pod %s", r->pod);

	sa_joblog_failed(&l->base, name, "%s", why->msg);
	/* it will be there when the container has begun */
	l->base.later = pod != NULL && !sa_kubepod_ended(pod);
	if (*why->hint != '\0')
		strlcpy(l->base.hint, why->hint, sizeof(l->base.hint));
}

static int
read_any(struct kubelog *l, struct reading *r, struct sa_joblog_result *out,
    struct sa_err *err)
{
	cleanup_free char *name = sa_http_escape(r->pod);
	cleanup_free char *resource = sa_xasprintf("pods/%s", name);
	struct sa_err why = SA_ERR_INIT;
	json_auto_t *pod = NULL;

	if (sa_kube_call(l->api, "GET", resource, NULL, &pod, &why) == 0 &&
	    read_pod(l, r, pod, out, &why) == 0)
		return 0;
	bool away = pod == NULL && why.kind == SA_REMOTE;
	no_log(l, r, pod, &why);
	sa_err_clear(&why);
	if (l->driver != NULL && strcmp(r->pod, l->driver) == 0) {
		if (read_kept(l, r, out, &why) == 0)
			return 0;
		sa_joblog_failed(&l->base, "the copy that was kept", "%s",
		    why.msg);
		sa_err_clear(&why);
	}
	sa_err_set(err, away ? SA_REMOTE : SA_NOT_FOUND,
	    "no source has the log of '%s'", r->pod);
	return sa_err_hint(err, "%s", l->base.hint);
}

static int
read_log(struct sa_joblog *base, const char *container, const char *file,
    const struct sa_joblog_part *part, sa_joblog_fn *take, void *arg,
    struct sa_joblog_result *out, struct sa_err *err)
{
	struct reading r = { .pod = container,
		.part = *part,
		.take = take,
		.arg = arg };
	struct kubelog *l = of(base);

	sa_joblog_forget(base);
	if (strcmp(file, "stdout") == 0)
		return read_any(l, &r, out, err);
	if (strcmp(file, "stderr") != 0)
		return sa_err_set(err, SA_NOT_FOUND,
		    "Kubernetes has no '%s' of a pod", file);
	sa_info("Kubernetes keeps stderr in the log that is stdout here");
	*out = (struct sa_joblog_result){ .length = 0, .complete = true };
	strlcpy(out->source, "Kubernetes, which has it in stdout",
	    sizeof(out->source));
	return 0;
}

static void
close_log(struct sa_joblog *base)
{
	struct kubelog *l = of(base);

	for (size_t i = 0; i < l->n; i++)
		free(l->seen[i].pod);
	free(l->seen);
	free(l->job_id);
	free(l->driver);
	free(l);
}

static const struct sa_joblog_ops ops = { .containers = containers,
	.read = read_log,
	.close = close_log };

struct sa_joblog *
sa_kubelog_open(struct sa_kube *k, const struct sa_store *st, const json_t *job)
{
	struct kubelog *l = sa_xcalloc(1, sizeof(*l));
	cleanup_free char *resource = sa_kube_pod(job);

	sa_joblog_init(&l->base, &ops);
	l->api = k;
	l->store = st;
	l->job_id = sa_xstrdup(sa_json_str(job, "job_id"));
	if (sa_job_truth(job) == SA_TRUTH_CLUSTER)
		l->driver = sa_xstrdup(strchr(resource, '/') + 1);
	return &l->base;
}

/* ---- keeping */

struct keeping {
	struct sa_stream to;
	long long max;
	struct sa_err *err;
};

static int
keep_bytes(void *arg, const char *bytes, size_t n)
{
	struct keeping *k = arg;

	if (sa_io_write_fd(k->to.fd, bytes, n, SA_KUBE_KEPT, k->err) < 0)
		return 1;
	sa_stream_bound(&k->to, k->max);
	return 0;
}

/* Into a file of another name, which takes the place of what there is once it
 * is whole. */
static int
keep_to(struct kubelog *l, int dir, const char *name, long long max,
    struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	struct keeping k = { .max = max, .err = &local };
	const struct sa_joblog_part all = { .max = -1 };
	struct sa_joblog_result r = { .given = 0 };

	if (sa_stream_open(&k.to, dir, name, err) < 0)
		return -1;
	struct reading from = { .pod = l->driver,
		.part = all,
		.take = keep_bytes,
		.arg = &k };
	int rc = -1;
	json_auto_t *pod = NULL;
	cleanup_free char *resource = sa_xasprintf("pods/%s", l->driver);
	if (sa_kube_call(l->api, "GET", resource, NULL, &pod, &local) == 0 &&
	    read_pod(l, &from, pod, &r, &local) == 0 && local.kind == SA_OK)
		rc = 0;
	close(k.to.fd);
	if (rc == 0 && r.cut)
		rc = sa_err_set(&local, SA_REMOTE, "it broke off");
	if (rc == 0 && renameat(dir, name, dir, SA_KUBE_KEPT) < 0)
		rc = sa_err_errno(&local, SA_IO, errno, "cannot rename '%s'",
		    name);
	/* there is none (any more), or not yet */
	if (rc < 0 && (local.kind == SA_NOT_FOUND || local.kind == SA_INVALID))
		rc = 0;
	if (rc < 0 && err != NULL)
		*err = local;
	else
		sa_err_clear(&local);
	return rc;
}

int
sa_kubelog_keep(struct sa_kube *k, const struct sa_store *st, const json_t *job,
    long long max, struct sa_err *err)
{
	static const char name[] = "." SA_KUBE_KEPT;
	cleanup_free char *rel =
	    sa_xasprintf("runs/%s", sa_json_str(job, "job_id"));
	cleanup_fd int dir = sa_store_dir(st, rel, false, err);

	if (dir < 0)
		return -1;
	struct sa_joblog *l = sa_kubelog_open(k, st, job);
	unlinkat(dir, name, 0);
	int rc = keep_to(of(l), dir, name, max, err);
	unlinkat(dir, name, 0);
	sa_joblog_close(l);
	return rc;
}
