/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * The file operations over run and the rules of a claim, with the backend sh:
 * honest, lying and broken.
 */
#include "config.h"
#include "sandbox/fileops.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "sandbox/attach.h"
#include "sandbox/local.h"
#include "scratch.h"
#include "sh-backend.h"
#include "tap.h"

static const struct sa_backend *sh = &sh_backend;
static struct sa_settings *settings;
static struct sa_box *box;
static struct sa_err err = SA_ERR_INIT;

static int
take(const void *p, size_t len, void *ctx, struct sa_err *e)
{
	if (sa_buf_add(ctx, p, len) < 0)
		return sa_err_set(e, SA_IO, "the sink is full");
	return 0;
}

/* A file with these bytes, to write from. */
static int
file_of(const void *p, size_t len)
{
	FILE *f = tmpfile();

	fwrite(p, 1, len, f);
	fflush(f);
	int fd = dup(fileno(f));
	fclose(f);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static int
put(const char *path, const void *p, size_t len)
{
	cleanup_fd int fd = file_of(p, len);
	long long written = -1;

	sa_err_clear(&err);
	if (sa_box_write(sh, box, path, fd, &written, &err) < 0)
		return -1;
	return written == (long long)len ? 0 : -1;
}

static int
get(const char *path, long long max, struct sa_buf *out)
{
	sa_err_clear(&err);
	sa_buf_release(out);
	return sa_box_read(sh, box, path, max, out, &err);
}

static int
copy_out(const char *path, long long max, long long slice, struct sa_buf *out)
{
	sa_err_clear(&err);
	sa_buf_release(out);
	return sa_box_export_sliced(sh, box, path, max, slice, take, out, &err);
}

/* Runs a command and gives its exit status. */
static int
command(const char *text)
{
	cleanup_result struct sa_run_result r;
	const struct sa_run run = { .command = text,
		.timeout_s = 60,
		.max_output = 4096,
		.in = -1,
		.out = -1,
		.errout = -1 };

	sa_run_result_init(&r, run.max_output);
	return sh->run(box, &run, &r, NULL) < 0 ? -1 : r.exit_code;
}

static const char *const names[] = { "with space.bin", "with'quote.bin",
	"semi;colon.bin", "$dollar.bin", "new\nline", "ends\n", "-x", "-", "~",
	"--", "*", "[a]", "\"both\" 'kinds'", "back\\slash\\", "`id`", "$(id)",
	"bad\xff\xfeutf8", "tab\t", "!", "(", ".hidden", "..hidden",
	"sub dir/-f", "a/b/c/d", "\xc3\xa9\xcc\x81" };

static void
test_names(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1000);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		bool good = put(names[i], names[i], strlen(names[i])) == 0 &&
		    get(names[i], 100, &b) == 0 && strcmp(b.s, names[i]) == 0 &&
		    copy_out(names[i], 100, 64, &b) == 0 &&
		    strcmp(b.s, names[i]) == 0;
		ok(good, "a hostile name is written, read and exported");
		if (!good)
			printf("# name %zu: %s\n", i, err.msg);
	}
	ok(command("echo x") == 0, "the sandbox still works");
}

struct seen {
	struct sa_buf text;
	int n;
};

static int
see(const struct sa_entry *e, void *ctx, struct sa_err *e2)
{
	struct seen *seen = ctx;

	(void)e2;
	sa_buf_addf(&seen->text, "%s%s|", e->name, e->is_dir ? "/" : "");
	seen->n++;
	return 0;
}

static int
list(const char *path, struct seen *seen)
{
	sa_err_clear(&err);
	sa_buf_release(&seen->text);
	seen->n = 0;
	return sa_box_list(sh, box, path, see, seen, &err);
}

static void
test_list(void)
{
	struct seen seen = { .text = SA_BUF_INIT(1 << 20) };

	command("mkdir ls ls/-d ls/dir && cd ls && ln -s dir to-dir && "
		"ln -s nowhere dangling && touch -- -x b '*' '~' ./- "
		"'new\nline' .dot ..dots && mkdir .git && mkdir -p ./--/in");
	ok(list("ls", &seen) == 0, "a directory is listed");
	is_str(sa_buf_str(&seen.text),
	    "*|-|--/|-d/|-x|..dots|.dot|.git/|b|dangling|dir/|new\nline|"
	    "to-dir|~|",
	    "sorted by bytes, links to directories are none");
	ok(list("ls/--", &seen) == 0 && seen.n == 1, "a path like an option");
	ok(list("ls/-d", &seen) == 0 && seen.n == 0, "an empty directory");
	ok(list("ls/to-dir", &seen) == 0, "a link to a directory");
	ok(list(".", &seen) == 0 && seen.n > 20, "the working directory");
	ok(list("nowhere", &seen) < 0 && err.kind == SA_NOT_FOUND,
	    "a missing one");
	ok(list("ls/b", &seen) < 0 && err.kind == SA_INVALID &&
		strstr(err.msg, "no directory") != NULL,
	    "a file is none");
	ok(list("", &seen) < 0 && err.kind == SA_INVALID, "an empty path");
	sa_buf_release(&seen.text);
}

static void
test_reading(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 20);

	command("mkdir dir; printf 12345 >five; : >empty; ln -s five link;"
		"ln -s nowhere dangling; mkfifo fifo;"
		"head -c 70000 /dev/zero >zeros");
	ok(get("five", 5, &b) == 0 && b.len == 5, "as long as the limit");
	ok(get("five", 4, &b) < 0 && err.kind == SA_INVALID,
	    "a byte over the limit");
	is_str(err.msg, "'five' has 5 bytes, which is over the limit of 4",
	    "with its size");
	is_int(sa_json_int(err.detail, "size_bytes", 0), 5, "as detail");
	is_int(sa_json_int(err.detail, "max_bytes", 0), 4, "and the limit");
	is_str(sa_json_str(err.detail, "path"), "five", "and the path");
	ok(get("empty", 5, &b) == 0 && b.len == 0, "an empty file");
	ok(get("link", 5, &b) == 0 && b.len == 5, "a link");
	ok(get("zeros", 70000, &b) == 0 && b.len == 70000, "zeros");
	ok(get("nowhere", 5, &b) < 0 && err.kind == SA_NOT_FOUND, "missing");
	ok(get("dangling", 5, &b) < 0 && err.kind == SA_NOT_FOUND,
	    "a link to nothing");
	ok(get("five/x", 5, &b) < 0 && err.kind == SA_NOT_FOUND,
	    "below a file");
	ok(get("dir", 5, &b) < 0 && err.kind == SA_INVALID &&
		strstr(err.msg, "is a directory") != NULL,
	    "a directory");
	ok(get("/dev/zero", 100, &b) < 0 && err.kind == SA_INVALID &&
		sa_json_int(err.detail, "size_bytes", 0) == 101,
	    "a device without an end");
	ok(get("/proc/self/status", 100000, &b) == 0 && b.len > 100,
	    "a file that says it has no size");
	ok(get("", 5, &b) < 0 && err.kind == SA_INVALID, "an empty path");
}

static bool
is_mode(const char *text)
{
	return command(text) == 0;
}

static void
test_writing(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 20);
	size_t sizes[] = { 0, 1, 89999, 90000, 90001, 180000, 200000 };
	cleanup_free char *bytes = sa_xmalloc(200000);

	arc4random_buf(bytes, 200000);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		ok(put("w/some file", bytes, sizes[i]) == 0 &&
			get("w/some file", 200000, &b) == 0 &&
			b.len == sizes[i] &&
			memcmp(sa_buf_str(&b), bytes, b.len) == 0,
		    "a file of any size is written whole");
	ok(is_mode("test $(stat -c %a w/some\\ file) = 644 && "
		   "test $(stat -c %a w) = 755"),
	    "with the usual modes");
	command("printf old >script && chmod 750 script && "
		"printf old >target && ln -s target alink");
	ok(put("script", "new", 3) == 0 &&
		is_mode("test $(stat -c %a script) = 750 && "
			"test $(cat script) = new"),
	    "the mode of a file stays");
	ok(put("alink", "new", 3) == 0 &&
		is_mode("test ! -L alink && test $(cat target) = old"),
	    "a link is replaced and not followed");
	ok(put("dir", "x", 1) < 0 && err.kind == SA_INVALID &&
		is_mode("test -d dir && test -z \"$(ls -A dir)\""),
	    "a directory is none");
	ok(put("dir/", "x", 1) < 0 && err.kind == SA_INVALID,
	    "nor with a slash");
	ok(put("five/x", "x", 1) < 0 && err.kind == SA_INVALID,
	    "nor below a file");
	is_int(command("test -z \"$(find . -name '.sa-write*')\""), 0,
	    "nothing is left behind");
}

static void
test_export(void)
{
	static const size_t sizes[] = { 0, 1, 63, 64, 128, 1000 };
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 20);
	char bytes[1000];

	arc4random_buf(bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		put("out.bin", bytes, sizes[i]);
		ok(copy_out("out.bin", 1000, 64, &b) == 0 &&
			b.len == sizes[i] &&
			memcmp(sa_buf_str(&b), bytes, b.len) == 0,
		    "byte for byte across slices");
	}
	ok(copy_out("out.bin", 999, 64, &b) < 0 && b.len == 0 &&
		sa_json_int(err.detail, "size_bytes", 0) == 1000,
	    "over the limit: nothing goes out");
	ok(copy_out("nowhere", 9, 64, &b) < 0 && err.kind == SA_NOT_FOUND,
	    "missing");
	ok(copy_out("dir", 9, 64, &b) < 0 &&
		strstr(err.msg, "is a directory") != NULL,
	    "a directory");
	ok(copy_out("/dev/zero", 9, 64, &b) < 0 && b.len == 0 &&
		strstr(err.msg, "no regular file") != NULL,
	    "a device");
	ok(copy_out("fifo", 9, 64, &b) < 0 && b.len == 0, "a fifo");
	ok(copy_out("link", 9, 64, &b) == 0 && b.len == 5, "a link");
	cleanup_buf struct sa_buf small = SA_BUF_INIT(100);
	ok(copy_out("out.bin", 1000, 64, &small) < 0 && err.kind == SA_IO,
	    "a failure of the sink is passed on");
	is_str(err.msg, "the sink is full", "as it is");
}

/* Guests that change what is exported. The third command is the second
 * slice. */
static const char *meanwhile;

static char *
change(const char *text)
{
	if (sh_faults.runs != 2)
		return sa_xstrdup(text);
	return sa_xasprintf("%s\n%s", meanwhile, text);
}

static void
test_changes(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "printf more >>moving", "changed while" },
		{ "printf short >moving", "changed while" },
		{ "head -c 2000 /dev/zero >moving", "over the limit" },
		{ "printf x | dd of=moving bs=1 conv=notrunc 2>/dev/null",
		    "changed while" },
		{ "rm moving; head -c 200 /dev/zero >moving", "changed while" },
		{ "rm moving", "could not be exported" },
	};
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 20);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		command("head -c 200 /dev/zero >moving");
		meanwhile = rows[i].text;
		sh_faults = (struct sh_faults){ .before = change };
		ok(copy_out("moving", 300, 64, &b) < 0 &&
			err.kind == SA_INVALID &&
			strstr(err.msg, rows[i].want) != NULL,
		    rows[i].text);
		sh_faults = (struct sh_faults){ .before = NULL };
	}
}

/* Guests that lie: what they say in place of the truth. */
static const char *lie_out, *lie_err;
static int lie_status, lie_from;
static bool lie_cut, lie_over, lie_late;

static void
lie(struct sa_run_result *r)
{
	if (sh_faults.runs <= lie_from)
		return;
	if (lie_out != NULL) {
		sa_buf_cut(&r->out, 0);
		sa_buf_adds(&r->out, lie_out);
	}
	if (lie_err != NULL) {
		sa_buf_cut(&r->errout, 0);
		sa_buf_adds(&r->errout, lie_err);
	}
	if (lie_status >= 0)
		r->exit_code = lie_status;
	r->out_cut = r->out_cut || lie_cut;
	r->terminated = lie_over;
	r->timed_out = lie_late;
}

static void
honest(void)
{
	lie_out = lie_err = NULL;
	lie_status = -1;
	lie_from = 0;
	lie_cut = lie_over = lie_late = false;
	sh_faults = (struct sh_faults){ .before = NULL };
}

static void
lying(const char *out, const char *errout, int status)
{
	honest();
	lie_out = out;
	lie_err = errout;
	lie_status = status;
	sh_faults.after = lie;
}

static void
test_lying_reads(void)
{
	static const struct {
		const char *out, *errout;
		int status;
		enum sa_kind kind;
	} rows[] = {
		{ "", NULL, -1, SA_INVALID },
		{ "sa-box-size:\nMTIz\n", NULL, -1, SA_INVALID },
		{ "sa-box-size:3x\nMTIz\n", NULL, -1, SA_INVALID },
		{ "sa-box-size:99999999999999999999\nMTIz\n", NULL, -1,
		    SA_INVALID },
		{ "sa-box-size:-3\nMTIz\n", NULL, -1, SA_INVALID },
		{ "sa-box-size:3\nMTI\n", NULL, -1, SA_INVALID },
		{ "sa-box-size:3\nMT!z\n", NULL, -1, SA_INVALID },
		{ "sa-box-size:3\nMTIz\nnotice\n", NULL, -1, SA_INVALID },
		{ "sa-box-size:3\nMTIzNDU2Nzg5MDEyMzQ1Njc4OTA=\n", NULL, -1,
		    SA_INVALID },
		{ "sa-box-size:9", NULL, 69, SA_INVALID },
		{ "sa-box-size:99", NULL, 69, SA_INVALID },
		{ NULL, NULL, 66, SA_NOT_FOUND },
		{ NULL, NULL, 67, SA_INVALID },
		{ NULL, NULL, 68, SA_INVALID },
		{ NULL, NULL, 70, SA_INVALID },
		{ NULL, NULL, 1, SA_INVALID },
		{ NULL, "", -1, SA_INVALID },
		{ NULL, "sa-box-status:1\n", -1, SA_INVALID },
		{ NULL, "sa-box-status:0x\n", -1, SA_INVALID },
	};
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 20);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		lying(rows[i].out, rows[i].errout, rows[i].status);
		bool refused = get("five", 10, &b) < 0 && b.len == 0 &&
		    err.kind == rows[i].kind;
		ok(refused, "a guest that lies about a file");
		if (!refused)
			printf("# row %zu: %s\n", i, err.msg);
	}
	lying("Starting...\n\nsa-box-size:3\nx\nsa-box-size:3\nMTIz\n", NULL,
	    -1);
	ok(get("five", 10, &b) == 0 && strcmp(b.s, "123") == 0,
	    "the last line with a size counts");
	lying(NULL, "head: I/O error\n\nsa-box-status:1\n", -1);
	ok(get("five", 10, &b) < 0 && strstr(err.msg, "I/O error") != NULL,
	    "a reader that broke off is told, with its reason");
	lying(NULL, NULL, -1);
	lie_cut = true;
	ok(get("five", 10, &b) < 0 && err.kind == SA_INVALID, "a cut answer");
	lying(NULL, NULL, -1);
	lie_over = true;
	ok(get("five", 10, &b) < 0 && err.kind == SA_REMOTE,
	    "a sandbox that ended");
	lying(NULL, NULL, -1);
	lie_late = true;
	ok(get("five", 10, &b) < 0 && err.kind == SA_BUSY, "a time-out");
	honest();
}

static void
test_lying_exports(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 20);

	command("head -c 200 /dev/zero >moving");
	lying("no size at all\n", NULL, -1);
	ok(copy_out("moving", 300, 64, &b) < 0 && b.len == 0 &&
		strstr(err.msg, "did not say its size") != NULL,
	    "a guest that does not say the size");
	lying(NULL, NULL, -1);
	lie_from = 2;
	lie_cut = true;
	ok(copy_out("moving", 300, 64, &b) < 0 && b.len == 64,
	    "a slice that was cut is no short file");
	lying("QUJD", NULL, -1);
	lie_from = 2;
	ok(copy_out("moving", 300, 64, &b) < 0 &&
		strstr(err.msg, "changed while") == NULL,
	    "a short slice and then no size");
	lying(NULL, NULL, 3);
	lie_from = 2;
	ok(copy_out("moving", 300, 64, &b) < 0 && err.kind == SA_INVALID,
	    "a slice that failed");
	lying(NULL, NULL, -1);
	lie_from = 2;
	lie_over = true;
	ok(copy_out("moving", 300, 64, &b) < 0 && err.kind == SA_REMOTE,
	    "a sandbox that ended on the way");
	lying("QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQU"
	      "JDQUJDQUJDQUJDQUJDQUJD",
	    NULL, -1);
	lie_from = 1;
	ok(copy_out("moving", 300, 64, &b) < 0 && b.len <= 300,
	    "a guest whose file has no end");
	honest();
}

static void
test_lying_lists(void)
{
	static const struct {
		const char *text;
		size_t len;
		bool good;
	} rows[] = { { "", 0, true }, { "f x", 3, true }, { "\0f x", 4, true },
		{ "\0x x", 4, false }, { "\0f ", 3, false },
		{ "\0f a/b", 6, false }, { "\0d", 2, false },
		{ "\0\0", 2, false } };
	struct seen seen = { .text = SA_BUF_INIT(1 << 20) };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cleanup_free char *base64 =
		    sa_base64_encode(rows[i].text, rows[i].len);
		cleanup_free char *text = sa_xasprintf(
		    "cat >/dev/null; printf %%s '%s' | base64 -d", base64);
		meanwhile = text;
		lying(NULL, NULL, 0);
		sh_faults.runs = 2;
		sh_faults.before = change;
		is_int(list("ls", &seen), rows[i].good ? 0 : -1,
		    "a listing that something stands in front of");
	}
	lying(NULL, NULL, 69);
	ok(list("ls", &seen) < 0 && strstr(err.msg, "more than 10000") != NULL,
	    "too many entries");
	lying("f a", NULL, -1);
	ok(list("ls", &seen) < 0 && err.kind == SA_INVALID,
	    "what is no listing");
	lying(NULL, NULL, -1);
	lie_cut = true;
	ok(list("ls", &seen) < 0 && err.kind == SA_INVALID, "a cut listing");
	honest();
	sa_buf_release(&seen.text);
}

static void
test_full(void)
{
	command("mkdir many && cd many && seq 10000 | xargs touch");
	struct seen seen = { .text = SA_BUF_INIT(1 << 20) };

	ok(list("many", &seen) == 0 && seen.n == 10000, "as many as can be");
	command("touch many/x");
	ok(list("many", &seen) < 0 && seen.n == 0 && err.kind == SA_INVALID,
	    "and one more");
	sa_buf_release(&seen.text);
}

static void
test_claims(void)
{
	struct sa_box_tags tags = { .owner = NULL };

	sa_err_clear(&err);
	ok(sa_attach(sh, box, "other", "h1", &tags, &err) < 0 &&
		err.kind == SA_REFUSED,
	    "another owner is refused");
	is_str(err.msg, "the sandbox belongs to 'team' and not to 'other'",
	    "both are named");
	ok(sa_attach(sh, box, NULL, "h1", &tags, &err) < 0, "and no owner");
	ok(sa_attach(sh, box, "team", "h1", &tags, &err) == 0 &&
		strcmp(tags.holder, "h1") == 0,
	    "the owner has it");
	sa_box_tags_free(&tags);
	ok(sa_attach(sh, box, "team", "h1", &tags, &err) == 0,
	    "who has it may attach again");
	sa_box_tags_free(&tags);
	ok(sa_attach(sh, box, "team", "h2", &tags, &err) < 0 &&
		err.kind == SA_REFUSED,
	    "another may not");
	is_str(err.msg, "the sandbox is held by 'h1', so 'h2' cannot have it",
	    "and is told who has it");
	ok(sa_release(sh, box, "h2", &err) == 0, "to release another's");
	ok(sa_attach(sh, box, "team", "h2", &tags, &err) < 0,
	    "takes nothing away");
	ok(sa_release(sh, box, "h1", &err) == 0, "one's own claim");
	ok(sa_attach(sh, box, "team", "h2", &tags, &err) == 0,
	    "goes to the next");
	sa_box_tags_free(&tags);
	ok(sa_release(sh, box, "h2", &err) == 0 &&
		sa_release(sh, box, "h2", &err) == 0,
	    "releasing twice is once");
}

/* Twenty at once, one of whom may have it. */
static void
test_race(void)
{
	int winners = 0, status;

	for (int i = 0; i < 20; i++)
		if (fork() == 0) {
			struct sa_box_tags tags;
			char holder[8];
			snprintf(holder, sizeof(holder), "h%d", i);
			_exit(sa_attach(sh, box, "team", holder, &tags, NULL) ==
			    0);
		}
	while (wait(&status) > 0)
		winners += WIFEXITED(status) ? WEXITSTATUS(status) : 100;
	is_int(winners, 1, "one of many gets it");
}

static void
test_commands(void)
{
	cleanup_result struct sa_run_result r;
	struct sa_run run = { .command = "echo out; echo err >&2; exit 66",
		.timeout_s = 60,
		.max_output = 100,
		.in = -1,
		.out = -1,
		.errout = -1 };

	sa_run_result_init(&r, 100);
	ok(sh->run(box, &run, &r, NULL) == 0 && r.exit_code == 66 &&
		strcmp(r.out.s, "out\n") == 0 &&
		strcmp(r.errout.s, "err\n") == 0 && !r.out_cut,
	    "a command's own 66 is 66");
	for (int i = 67; i <= 70; i++) {
		cleanup_free char *text = sa_xasprintf("exit %d", i);
		is_int(command(text), i, "and so are the others");
	}
	long long begun = sa_clock_ms();
	is_int(command("sleep 20 & echo started"), 0, "what runs on");
	ok(sa_clock_ms() - begun < 5000, "is not waited for");
	is_int(command("test \"$MARK\" = \"a 'b' $\""), 0,
	    "the environment is there unchanged");
	is_int(command("umask 0022 && cd / && x=1"), 0, "nothing of a shell");
	is_int(command("test -z \"$x\""), 0, "stays for the next");
}

/* A sandbox of the backend in turn. */
static int
make(void)
{
	const char *env = "MARK=a 'b' $";
	struct sa_spec spec = { .asked = SA_SPEC_ENV | SA_SPEC_OWNER };
	char name[SA_BOX_NAME];

	spec.owner = sa_xstrdup("team");
	spec.env.v = sa_xcalloc(1, sizeof(char *));
	spec.env.v[0] = sa_xstrdup(env);
	spec.env.n = 1;
	sa_box_new_name(name);
	sa_err_clear(&err);
	int rc = sh->create(settings, name, &spec, &box, &err);
	sa_spec_free(&spec);
	honest();
	return rc;
}

static void
end(void)
{
	ok(sh->destroy(box, &err) == 0, "it can be destroyed");
	ok(sh->destroy(box, &err) == 0, "twice");
	sh->close(box);
	box = NULL;
}

static void
test_files(void)
{
	test_commands();
	test_names();
	test_list();
	test_reading();
	test_writing();
	test_export();
	test_full();
}

static void
test_guests(void)
{
	test_changes();
	test_lying_reads();
	test_lying_exports();
	test_lying_lists();
}

/* The same where guests are kept apart: by its own operations, and without
 * them. */
static void
test_this_host(void)
{
	struct sa_backend plain = sa_backend_local;

	sh = &sa_backend_local;
	if (make() < 0) {
		tap_skip("sandboxes of this host", err.msg);
		return;
	}
	test_files();
	test_claims();
	end();
	plain.read = NULL;
	plain.write = NULL;
	plain.list = NULL;
	plain.export = NULL;
	sh = &plain;
	if (make() == 0) {
		test_files();
		end();
	}
}

int
main(void)
{
	int dir = scratch();

	umask(022);
	settings = sa_settings_load(NULL, NULL, &err);
	if (settings == NULL || make() < 0) {
		printf("Bail out! %s\n", err.msg);
		return 99;
	}
	test_files();
	test_guests();
	test_claims();
	test_race();
	end();
	test_this_host();
	sa_settings_free(settings);
	sa_err_clear(&err);
	close(dir);
	return tap_done();
}
