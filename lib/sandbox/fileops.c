/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/fileops.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"

/*
 * The scripts run in a guest that may lie. What they answer is believed as far
 * as it is about the guest itself: sizes and contents; it is bounded by us.
 * The line that begins a script's own output, and the one with the status of
 * the pipeline's first part, are found among whatever else the way there says.
 */
#define SIZE_LINE "sa-box-size:"
#define STATUS_LINE "sa-box-status:"
#define MISSING 66
#define DIRECTORY 67
#define NO_FILE 68
#define TOO_LARGE 69

/* A chunk of a file on a command line: as base64 it is under the 128 KiB that
 * the kernel takes of one argument. */
#define CHUNK (90 * 1000)
#define SLICE (4 * 1024 * 1024)
#define NAME_BYTES 255

char *
sa_box_quote(const char *word)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_buf_addch(&b, '\'');
	for (; *word != '\0'; word++)
		if (*word == '\'')
			sa_buf_adds(&b, "'\\''");
		else
			sa_buf_addch(&b, *word);
	sa_buf_addch(&b, '\'');
	return sa_buf_steal(&b);
}

char *
sa_box_quote_path(const char *path)
{
	if (*path == '\0')
		return NULL;
	cleanup_free char *safe =
	    sa_xasprintf("%s%s", *path == '/' ? "" : "./", path);
	return sa_box_quote(safe);
}

/* What one script is for; names the path in errors. */
struct op {
	const struct sa_backend *b;
	struct sa_box *box;
	const char *doing; /* "read" */
	char *path;	   /* quoted for the guest */
	char *shown;	   /* for people */
};

static void
op_release(struct op *op)
{
	free(op->path);
	free(op->shown);
}
#define cleanup_op __attribute__((cleanup(op_release)))

static int
op_init(struct op *op, const struct sa_backend *b, struct sa_box *box,
    const char *doing, const char *path, struct sa_err *err)
{
	*op = (struct op){ b, box, doing, sa_box_quote_path(path),
		sa_text_visible(path) };
	if (op->path == NULL)
		return sa_err_set(err, SA_INVALID, "the path is empty");
	return 0;
}

/* The last line of what the guest complained, or nothing. */
static char *
complaint(const struct sa_run_result *r)
{
	const char *s = sa_buf_str(&r->errout), *line = NULL;
	size_t len = 0;

	while (*s != '\0') {
		size_t n = strcspn(s, "\n");
		if (n > 0 &&
		    strncmp(s, STATUS_LINE, strlen(STATUS_LINE)) != 0) {
			line = s;
			len = n;
		}
		s += n + (s[n] == '\n');
	}
	if (line == NULL)
		return sa_xstrdup("");
	cleanup_free char *text = sa_xstrndup(line, len);
	cleanup_free char *clean = sa_text_visible(text);
	return sa_xasprintf(": %s", clean);
}

static int
too_large(const struct op *op, const char *path, long long size, long long max,
    struct sa_err *err)
{
	json_t *detail = json_object();

	sa_json_set_str(detail, "path", path);
	json_object_set_new(detail, "size_bytes", json_integer(size));
	json_object_set_new(detail, "max_bytes", json_integer(max));
	sa_err_set(err, SA_INVALID,
	    "'%s' has %lld bytes, which is over the limit of %lld", op->shown,
	    size, max);
	sa_err_hint(err,
	    "take a part of it with a command in the sandbox, such as head, "
	    "tail, sed -n or grep");
	return sa_err_detail(err, detail);
}

/* Runs a script; 0 whatever its exit status is, as long as it ended. */
static int
run_script(const struct op *op, const char *script, double timeout_s,
    struct sa_run_result *r, struct sa_err *err)
{
	const struct sa_run run = { .command = script,
		.timeout_s = timeout_s,
		.max_output = r->out.max,
		.in = -1,
		.out = -1,
		.errout = -1 };

	if (op->b->run(op->box, &run, r, err) < 0)
		return -1;
	if (r->terminated)
		return sa_err_set(err, SA_REMOTE,
		    "the sandbox ended while '%s' was to be %s", op->shown,
		    op->doing);
	if (r->timed_out)
		return sa_err_set(err, SA_BUSY,
		    "'%s' could not be %s in %g seconds", op->shown, op->doing,
		    timeout_s);
	return 0;
}

/* The failure that a script's exit status stands for. */
static int
failed(const struct op *op, const struct sa_run_result *r, struct sa_err *err)
{
	cleanup_free char *why = complaint(r);

	if (r->exit_code == MISSING)
		return sa_err_set(err, SA_NOT_FOUND,
		    "there is no '%s' in the sandbox, or it may not be read",
		    op->shown);
	if (r->exit_code == DIRECTORY)
		return sa_err_set(err, SA_INVALID, "'%s' is a directory",
		    op->shown);
	if (r->exit_code == NO_FILE)
		return sa_err_set(err, SA_INVALID, "'%s' is no regular file",
		    op->shown);
	return sa_err_set(err, SA_INVALID, "'%s' could not be %s%s", op->shown,
	    op->doing, why);
}

/* Behind the tag of the last line that begins with it, or NULL. */
static const char *
tagged(const struct sa_buf *b, const char *tag)
{
	const char *found = NULL;
	size_t n = strlen(tag);

	for (const char *s = sa_buf_str(b); s != NULL && *s != '\0';) {
		if (strncmp(s, tag, n) == 0)
			found = s + n;
		s = strchr(s, '\n');
		if (s != NULL)
			s++;
	}
	return found;
}

/* The number at the beginning of a line of the guest; -1 for none. */
static long long
number_of(const char *line)
{
	char text[24];
	const char *why = "";
	size_t n = line != NULL ? strspn(line, "0123456789") : 0;

	if (n == 0 || n >= sizeof(text) ||
	    (line[n] != ' ' && line[n] != '\n' && line[n] != '\0'))
		return -1;
	strlcpy(text, line, n + 1);
	long long number = strtonum(text, 0, LLONG_MAX, &why);
	return why == NULL ? number : -1;
}

/* What the first part of a pipeline says of its end, which the status of the
 * pipeline does not. */
static int
check_end(const struct op *op, const struct sa_run_result *r,
    struct sa_err *err)
{
	cleanup_free char *why = complaint(r);

	if (number_of(tagged(&r->errout, STATUS_LINE)) == 0)
		return 0;
	return sa_err_set(err, SA_INVALID, "'%s' could not be %s%s", op->shown,
	    op->doing, *why != '\0' ? why : ": reading it broke off");
}

/* What a pipeline gave as base64 behind text. */
static int
decode(const struct op *op, const struct sa_run_result *r, const char *text,
    struct sa_buf *out, struct sa_err *err)
{
	if (r->exit_code != 0)
		return failed(op, r, err);
	if (r->out_cut || strlen(sa_buf_str(&r->out)) != r->out.len ||
	    !sa_base64_decode(text, out))
		return sa_err_set(err, SA_INVALID,
		    "'%s' could not be %s: the sandbox answered what is not "
		    "its content",
		    op->shown, op->doing);
	return 0;
}

/* Reading. */

static char *
read_script(const struct op *op, long long max)
{
	return sa_xasprintf("p=%s\n"
			    "s=$(stat -Lc %%s -- \"$p\" 2>/dev/null) || exit "
			    "%d\n"
			    "[ -d \"$p\" ] && exit %d\n"
			    "[ -r \"$p\" ] || exit %d\n"
			    "printf '\\n" SIZE_LINE "%%s\\n' \"$s\"\n"
			    "[ -f \"$p\" ] && [ \"$s\" -gt %lld ] && exit %d\n"
			    "{ head -c %lld -- \"$p\"; printf '\\n" STATUS_LINE
			    "%%s\\n' $? >&2; } | base64\n",
	    op->path, MISSING, DIRECTORY, MISSING, max, TOO_LARGE, max + 1);
}

static int
read_by_run(const struct op *op, const char *path, long long max,
    struct sa_buf *out, struct sa_err *err)
{
	cleanup_free char *script = read_script(op, max);
	cleanup_result struct sa_run_result r;

	sa_run_result_init(&r, (size_t)max * 2 + 4096);
	if (run_script(op, script, SA_BOX_FILE_S, &r, err) < 0)
		return -1;
	const char *line = tagged(&r.out, SIZE_LINE);
	long long size = number_of(line);
	if (r.exit_code == TOO_LARGE && size > max)
		return too_large(op, path, size, max, err);
	if (r.exit_code == 0 && size < 0)
		return sa_err_set(err, SA_INVALID,
		    "'%s' could not be read: the sandbox did not say its size",
		    op->shown);
	const char *text = line != NULL ? strchr(line, '\n') : NULL;
	cleanup_buf struct sa_buf content = SA_BUF_INIT((size_t)max + 3);
	if (decode(op, &r, text != NULL ? text : "", &content, err) < 0 ||
	    check_end(op, &r, err) < 0)
		return -1;
	if ((long long)content.len > max)
		return too_large(op, path,
		    size > (long long)content.len ? size
						  : (long long)content.len,
		    max, err);
	if (sa_buf_add(out, content.s, content.len) < 0)
		return too_large(op, path, (long long)content.len,
		    (long long)out->max, err);
	return 0;
}

int
sa_box_read(const struct sa_backend *b, struct sa_box *box, const char *path,
    long long max, struct sa_buf *out, struct sa_err *err)
{
	cleanup_op struct op op;

	if (op_init(&op, b, box, "read", path, err) < 0)
		return -1;
	if (b->read != NULL)
		return b->read(box, path, max, out, err);
	return read_by_run(&op, path, max, out, err);
}

/* Writing: into a file of another name beside it, which then takes its place.
 */

struct writing {
	const struct op *op;
	char *dir;  /* quoted */
	char *temp; /* quoted */
	long long written;
	bool begun;
};

static void
writing_init(struct writing *w, const struct op *op, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash != NULL ? (size_t)(slash - path) : 0;
	cleanup_free char *dir = n > 0 ? sa_xstrndup(path, n)
	    : slash != NULL	       ? sa_xstrdup("/")
				       : sa_xstrdup(".");
	cleanup_free char *temp = sa_xasprintf("%s/.sa-write.%08x%08x",
	    strcmp(dir, "/") ? dir : "", arc4random(), arc4random());

	*w = (struct writing){ .op = op,
		.dir = sa_box_quote_path(dir),
		.temp = sa_box_quote_path(temp) };
}

/* A chunk, and what has to be done before the first and after the last. */
static char *
write_script(const struct writing *w, const char *chunk, size_t len, bool last)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	cleanup_free char *base64 = sa_base64_encode(chunk, len);

	sa_buf_addf(&b, "p=%s\nt=%s\n", w->op->path, w->temp);
	if (!w->begun)
		sa_buf_addf(&b,
		    "[ -d \"$p\" ] && exit %d\n"
		    "mkdir -p -- %s || exit 1\n",
		    DIRECTORY, w->dir);
	sa_buf_addf(&b, "printf %%s '%s' | base64 -d %s \"$t\" || exit 1\n",
	    base64, w->begun ? ">>" : ">");
	if (last)
		sa_buf_addf(&b,
		    "[ \"$(stat -c %%s -- \"$t\")\" = %lld ] || exit 1\n"
		    "if [ -f \"$p\" ] && [ ! -L \"$p\" ]; then\n"
		    "\tm=$(stat -c %%a -- \"$p\") && chmod \"$m\" -- \"$t\" "
		    "|| exit 1\n"
		    "fi\n"
		    "[ -d \"$p\" ] && exit %d\n"
		    "mv -f -- \"$t\" \"$p\"\n",
		    w->written + (long long)len, DIRECTORY);
	return sa_buf_steal(&b);
}

static int
write_chunk(struct writing *w, const char *chunk, size_t len, bool last,
    struct sa_err *err)
{
	cleanup_free char *script = write_script(w, chunk, len, last);
	cleanup_result struct sa_run_result r;

	sa_run_result_init(&r, SA_BOX_HELPER);
	w->begun = true;
	if (run_script(w->op, script, SA_BOX_FILE_S, &r, err) < 0)
		return -1;
	if (r.exit_code != 0)
		return failed(w->op, &r, err);
	w->written += (long long)len;
	return 0;
}

/* Takes the temporary file away, as far as the sandbox still can. */
static void
write_abandon(const struct writing *w)
{
	cleanup_result struct sa_run_result r;
	cleanup_free char *script = sa_xasprintf("rm -f -- %s", w->temp);

	sa_run_result_init(&r, SA_BOX_HELPER);
	if (w->begun)
		run_script(w->op, script, SA_BOX_FILE_S, &r, NULL);
}

/* Fills a chunk; less than its size means that it was the end. */
static int
fill(int fd, char *chunk, size_t *len, struct sa_err *err)
{
	for (*len = 0; *len < CHUNK;) {
		ssize_t n = read(fd, chunk + *len, CHUNK - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot read what is to be written");
		if (n == 0)
			break;
		*len += (size_t)n;
	}
	return 0;
}

static int
write_by_run(const struct op *op, const char *path, int fd, long long *written,
    struct sa_err *err)
{
	struct writing w;
	cleanup_free char *chunk = sa_xmalloc(CHUNK);
	size_t len = CHUNK;
	int rc = 0;

	writing_init(&w, op, path);
	while (rc == 0 && len == CHUNK) {
		rc = fill(fd, chunk, &len, err);
		if (rc == 0)
			rc = write_chunk(&w, chunk, len, len < CHUNK, err);
	}
	if (rc < 0)
		write_abandon(&w);
	else
		*written = w.written;
	free(w.dir);
	free(w.temp);
	return rc;
}

int
sa_box_write(const struct sa_backend *b, struct sa_box *box, const char *path,
    int fd, long long *written, struct sa_err *err)
{
	cleanup_op struct op op;

	if (op_init(&op, b, box, "written", path, err) < 0)
		return -1;
	if (path[strlen(path) - 1] == '/')
		return sa_err_set(err, SA_INVALID, "'%s' is a directory",
		    op.shown);
	if (b->write != NULL)
		return b->write(box, path, fd, written, err);
	return write_by_run(&op, path, fd, written, err);
}

/* Listing: NUL, and then "d NAME" or "f NAME" and NUL for each entry. */

static char *
list_script(const struct op *op)
{
	return sa_xasprintf(
	    "LC_ALL=C; export LC_ALL; unset CDPATH; n=0\n"
	    "[ -e %s ] || exit %d\n"
	    "[ -d %s ] || exit %d\n"
	    "cd -- %s || exit 1\n"
	    "printf '\\0'\n"
	    "for f in .[!.]* ..?* *; do\n"
	    "\t[ -e \"$f\" ] || [ -L \"$f\" ] || continue\n"
	    "\tn=$((n + 1)); [ $n -gt %d ] && exit %d\n"
	    "\tif [ -d \"$f\" ] && [ ! -L \"$f\" ]; then t=d; else t=f; fi\n"
	    "\tprintf '%%s %%s\\0' $t \"$f\" || exit 1\n"
	    "done\n"
	    "exit 0\n",
	    op->path, MISSING, op->path, NO_FILE, op->path, SA_BOX_ENTRIES,
	    TOO_LARGE);
}

static int
by_name(const void *a, const void *b)
{
	const struct sa_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Gives fn the entries of a listing; false where it is none. rc is what fn
 * said. */
static bool
each_entry(const char *s, size_t len, sa_entry_fn *fn, void *ctx, int *rc,
    struct sa_err *err)
{
	const char *end = s + len, *p = memchr(s, '\0', len);

	*rc = 0;
	if (p == NULL || end[-1] != '\0')
		return false;
	for (p++; p < end && *rc == 0; p += strlen(p) + 1) {
		if ((strncmp(p, "d ", 2) != 0 && strncmp(p, "f ", 2) != 0) ||
		    p[2] == '\0' || strchr(p + 2, '/') != NULL)
			return false;
		cleanup_free char *name = sa_xstrdup(p + 2);
		const struct sa_entry e = { name, *p == 'd' };
		*rc = fn(&e, ctx, err);
	}
	return true;
}

static int
too_many(const struct op *op, struct sa_err *err)
{
	return sa_err_set(err, SA_INVALID,
	    "'%s' has more than %d entries; list a part of it with a command",
	    op->shown, SA_BOX_ENTRIES);
}

static int
list_failed(const struct op *op, const struct sa_run_result *r,
    struct sa_err *err)
{
	if (r->exit_code == NO_FILE)
		return sa_err_set(err, SA_INVALID, "'%s' is no directory",
		    op->shown);
	if (r->exit_code == TOO_LARGE)
		return too_many(op, err);
	return failed(op, r, err);
}

static int
list_by_run(const struct op *op, sa_entry_fn *fn, void *ctx, struct sa_err *err)
{
	cleanup_free char *script = list_script(op);
	cleanup_result struct sa_run_result r;

	sa_run_result_init(&r, SA_BOX_ENTRIES * (NAME_BYTES + 3UL) + 4096);
	if (run_script(op, script, SA_BOX_FILE_S, &r, err) < 0)
		return -1;
	if (r.exit_code != 0)
		return list_failed(op, &r, err);
	int rc;
	if (!r.out_cut && r.out.len > 0 &&
	    each_entry(r.out.s, r.out.len, fn, ctx, &rc, err))
		return rc;
	return sa_err_set(err, SA_INVALID,
	    "'%s' could not be listed: the sandbox answered what is no listing",
	    op->shown);
}

/* Entries as they come, to be sorted. */
struct listing {
	const struct op *op;
	struct sa_entry *v;
	size_t n;
};

static int
collect(const struct sa_entry *e, void *ctx, struct sa_err *err)
{
	struct listing *l = ctx;

	if (l->n == SA_BOX_ENTRIES)
		return too_many(l->op, err);
	l->v[l->n++] = (struct sa_entry){ sa_xstrdup(e->name), e->is_dir };
	return 0;
}

static void
listing_release(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].name);
	free(l->v);
}

int
sa_box_list(const struct sa_backend *b, struct sa_box *box, const char *path,
    sa_entry_fn *fn, void *ctx, struct sa_err *err)
{
	cleanup_op struct op op;
	struct listing l = { .op = &op };

	if (op_init(&op, b, box, "listed", path, err) < 0)
		return -1;
	l.v = sa_xcalloc(SA_BOX_ENTRIES, sizeof(*l.v));
	int rc = b->list != NULL ? b->list(box, path, collect, &l, err)
				 : list_by_run(&op, collect, &l, err);
	if (rc == 0)
		qsort(l.v, l.n, sizeof(*l.v), by_name);
	for (size_t i = 0; rc == 0 && i < l.n; i++)
		rc = fn(&l.v[i], ctx, err);
	listing_release(&l);
	return rc;
}

/* Exporting: look, copy slice by slice, look again. */

struct copy {
	const struct op *op;
	const char *path;
	long long max, slice;
	long long size, written;
	long long begun_ms;
	double allowed_s;
};

static double
time_left(const struct copy *c)
{
	double spent = (double)(sa_clock_ms() - c->begun_ms) / 1000;

	return c->allowed_s - spent;
}

/* Runs one step in what is left of the time. */
static int
step(const struct copy *c, const char *script, struct sa_run_result *r,
    struct sa_err *err)
{
	double left = time_left(c);
	double budget = left > SA_BOX_FILE_S ? SA_BOX_FILE_S
	    : left > 1			     ? left
					     : 1;

	if (run_script(c->op, script, budget, r, err) == 0 && time_left(c) > 0)
		return 0;
	if (!r->terminated && time_left(c) <= 0)
		return sa_err_set(err, SA_BUSY,
		    "'%s' was not exported in the %g seconds that a file of up "
		    "to %lld bytes has; the sandbox sends it too slowly",
		    c->op->shown, c->allowed_s, c->max);
	return -1;
}

static int
look(struct copy *c, char **stamp, struct sa_err *err)
{
	cleanup_result struct sa_run_result r;
	cleanup_free char *script = sa_xasprintf(
	    "p=%s\n"
	    "s=$(stat -Lc '%%s %%i %%y %%z' -- \"$p\" 2>/dev/null) || exit "
	    "%d\n"
	    "[ -d \"$p\" ] && exit %d\n"
	    "[ -f \"$p\" ] || exit %d\n"
	    "[ -r \"$p\" ] || exit %d\n"
	    "printf '\\n" SIZE_LINE "%%s\\n' \"$s\"\n",
	    c->op->path, MISSING, DIRECTORY, NO_FILE, MISSING);

	sa_run_result_init(&r, SA_BOX_HELPER);
	if (step(c, script, &r, err) < 0)
		return -1;
	if (r.exit_code != 0)
		return failed(c->op, &r, err);
	const char *line = tagged(&r.out, SIZE_LINE);
	c->size = number_of(line);
	if (c->size < 0)
		return sa_err_set(err, SA_INVALID,
		    "'%s' could not be exported: the sandbox did not say its "
		    "size",
		    c->op->shown);
	*stamp = sa_xstrndup(line, strcspn(line, "\n"));
	return 0;
}

/* Gives sink the next slice; 1 where more may come. */
static int
copy_slice(struct copy *c, sa_sink_fn *sink, void *ctx, struct sa_err *err)
{
	cleanup_result struct sa_run_result r;
	cleanup_buf struct sa_buf bytes = SA_BUF_INIT((size_t)c->slice);
	cleanup_free char *script =
	    sa_xasprintf("p=%s\n"
			 "{ tail -c +%lld -- \"$p\"; printf '\\n" STATUS_LINE
			 "%%s\\n' $? >&2; } | "
			 "head -c %lld | base64\n",
		c->op->path, c->written + 1, c->slice);

	sa_run_result_init(&r, (size_t)c->slice * 2 + 4096);
	if (step(c, script, &r, err) < 0 ||
	    decode(c->op, &r, sa_buf_str(&r.out), &bytes, err) < 0)
		return -1;
	/* a full slice breaks the pipe of what would go on */
	if ((long long)bytes.len < c->slice && check_end(c->op, &r, err) < 0)
		return -1;
	c->written += (long long)bytes.len;
	if (c->written > c->max)
		return too_large(c->op, c->path, c->written, c->max, err);
	if (bytes.len > 0 && sink(bytes.s, bytes.len, ctx, err) < 0)
		return -1;
	return (long long)bytes.len == c->slice;
}

static int
export_by_run(struct copy *c, sa_sink_fn *sink, void *ctx, struct sa_err *err)
{
	cleanup_free char *before = NULL, *after = NULL;
	int more = 1;

	if (look(c, &before, err) < 0)
		return -1;
	if (c->size > c->max)
		return too_large(c->op, c->path, c->size, c->max, err);
	while (more == 1)
		more = copy_slice(c, sink, ctx, err);
	if (more < 0)
		return -1;
	long long size = c->size;
	if (look(c, &after, err) < 0)
		return -1;
	if (c->written != size || strcmp(before, after) != 0) {
		sa_err_set(err, SA_INVALID,
		    "'%s' changed while it was exported: it had %lld bytes, "
		    "%lld were copied, and it has %lld now",
		    c->op->shown, size, c->written, c->size);
		return sa_err_hint(err,
		    "export it once no program writes it any more");
	}
	return 0;
}

int
sa_box_export_sliced(const struct sa_backend *b, struct sa_box *box,
    const char *path, long long max, long long slice, sa_sink_fn *sink,
    void *ctx, struct sa_err *err)
{
	cleanup_op struct op op;
	struct copy c = { .op = &op,
		.path = path,
		.max = max,
		.slice = slice,
		.begun_ms = sa_clock_ms(),
		.allowed_s = (double)max / (1024 * 1024) };

	if (c.allowed_s < SA_BOX_FILE_S)
		c.allowed_s = SA_BOX_FILE_S;
	if (op_init(&op, b, box, "exported", path, err) < 0)
		return -1;
	if (b->export != NULL)
		return b->export(box, path, max, sink, ctx, err);
	return export_by_run(&c, sink, ctx, err);
}

int
sa_box_export(const struct sa_backend *b, struct sa_box *box, const char *path,
    long long max, sa_sink_fn *sink, void *ctx, struct sa_err *err)
{
	return sa_box_export_sliced(b, box, path, max, SLICE, sink, ctx, err);
}
