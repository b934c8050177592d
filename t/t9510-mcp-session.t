#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='a model works in a sandbox: twenty calls, and each tool'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-box-lib.sh"

# content FILE PATH: writes it there.
content () {
	jq -n --rawfile c "$1" --arg p "$2" '{path: $p, content: $c}' \
		>arguments &&
	ask sandbox_write_file - &&
	says "Wrote $(wc -c <"$1") bytes to '$2'."
}

open_session --pids 64 || tl_fatal 'no server'

test_expect_success 'nothing is made before the first call' '
	test ! -e "$SPARK_EXECUTOR_DATA_DIR/sandboxes" &&
	test ! -e "$SPARK_EXECUTOR_DATA_DIR/sessions"
'

test_expect_success '1, 2: where it is, and what is there' '
	run "pwd; id -u; echo \$SA_SESSION\$SA_ORIGIN" &&
	says "[stdout]
/workspace
1000

[exit code: 0]" &&
	ask sandbox_list_directory && says "(empty)"
'

cat >parse.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include "parse.h"

int
parse(const char *s)
{
	return atoi(s) + 1;
}
C
cat >parse.h <<'C'
int parse(const char *s);
C
cat >test.c <<'C'
#include <stdio.h>
#include "parse.h"

int
main(void)
{
	int got = parse("41");

	if (got != 41) {
		fprintf(stderr, "parse: got %d, wanted 41\n", got);
		return 1;
	}
	puts("ok");
	return 0;
}
C
cat >Makefile <<'MAKE'
test: test.o parse.o
	cc -o test test.o parse.o
check: test
	./test
test.o parse.o: parse.h
MAKE

test_expect_success '3 to 6: files are written, with their directories' '
	content parse.c lib/parse.c && content parse.h lib/parse.h &&
	content test.c lib/test.c && content Makefile lib/Makefile
'

test_expect_success make,cc '7: the tests are run and fail: no error' '
	run "cd lib && make -s check" &&
	jq_ok "has(\"isError\") | not" result &&
	test_match "^parse: got 42, wanted 41$" text &&
	test_match "^\[exit code: 2\]$" text
'

test_expect_success '8: it reads where that comes from, by lines' '
	ask sandbox_read_file "{\"path\": \"lib/parse.c\", \"offset\": 6,
		\"limit\": 3}" &&
	says "parse(const char *s)
{
	return atoi(s) + 1;
[... 1 more line; read on with offset=9]" &&
	ask sandbox_read_file "{\"path\": \"lib/parse.c\", \"offset\": 9}" &&
	says "}" &&
	ask sandbox_read_file "{\"path\": \"lib/parse.c\", \"offset\": 99}" &&
	says "(no lines at offset 99; file has 9 lines)"
'

test_expect_success '9: mends it' '
	sed "s/ + 1//" parse.c >mended.c && content mended.c lib/parse.c
'

test_expect_success make,cc '10: and the tests pass' '
	run "cd lib && make -s check" && says "[stdout]
ok
[exit code: 0]"
'

test_expect_success '11: what there is by now' '
	ask sandbox_list_directory "{\"path\": \"/workspace\"}" &&
	says "lib/" &&
	ask sandbox_list_directory "{\"path\": \"lib\"}" &&
	test_match "^Makefile$" text && test_match "^parse.c$" text
'

test_expect_success '12: much output: the end of it, in whole lines' '
	run "seq 200000" && test "$(wc -l <text)" -eq 2003 &&
	sed -n 2p text >second &&
	echo "[... earlier output truncated]" | test_cmp - second &&
	test_match "^198001$" text && test_match "^200000$" text &&
	test_expect_code 1 grep -x 198000 text
'

test_expect_success '13: into a file, and parts of that' '
	run "seq 200000 >numbers; wc -c numbers" &&
	test_match "^1288895 numbers" text &&
	ask sandbox_read_file "{\"path\": \"numbers\"}" &&
	test "$(wc -l <text)" -eq 2001 &&
	tail -n 1 text >last &&
	echo "[... 198000 more lines; read on with offset=2001]" |
		test_cmp - last &&
	ask sandbox_read_file "{\"path\": \"numbers\", \"offset\": 200000}" &&
	says 200000
'

test_expect_success '14: a command that takes too long' '
	run "echo begun; sleep 60; echo never" 3 && says "[stdout]
begun
[timed out after 3s]"
'

test_expect_success python3 '15, 16: a server goes on, and is asked' '
	run "cd lib && python3 -m http.server 8000 --bind 127.0.0.1 \
		>/tmp/log 2>&1 & echo started" && says "[stdout]
started
[exit code: 0]" &&
	run "for i in 1 2 3 4 5 6 7 8 9 10; do python3 -c \"
import urllib.request as u
print(u.urlopen(\\\"http://127.0.0.1:8000/parse.h\\\").read().decode())
\" 2>/dev/null && break; sleep 0.5; done" 30 &&
	test_match "int parse" text
'

test_expect_success '17: a command that is killed' '
	run "kill -9 \$\$" && says "(no output)
[exit code: 137]"
'

test_expect_success '18: more processes than it may have' '
	run "for i in \$(seq 200); do sleep 30 & done; echo done" 20 &&
	test_match "(fork|Resource temporarily|exit code: 2)" text &&
	run "kill -9 -1; echo still here" && says "[stdout]
still here
[exit code: 0]"
'

test_expect_success '19: nothing leads out of it' '
	echo outside >secret &&
	run "cat $PWD/secret; ls $SPARK_EXECUTOR_DATA_DIR" &&
	test_expect_code 1 grep "^outside" text &&
	test_match "No such file" text &&
	ask sandbox_read_file "{\"path\": \"$PWD/secret\"}" &&
	fails "^not_found .404.: " &&
	run "ln -s $PWD/secret link; ln -s /proc/1/environ env" &&
	ask sandbox_read_file "{\"path\": \"link\"}" && fails "^[a-z_]+ .4" &&
	ask sandbox_read_file "{\"path\": \"env\"}" && fails "^[a-z_]+ .4"
'

test_expect_success '20: what is no text comes as text' '
	run "printf \"a\\\\000b\\\\377\\\\033[31mred\\\\n\"" &&
	jq_ok ".content[0].text == \"[stdout]\\na\ufffdb\ufffd\" +
		\"\\\\x1b[31mred\\n[exit code: 0]\"" result
'

test_expect_success 'it is on the list as long as it lives' '
	b=$(box) && sa-sandbox list >list &&
	jq_ok ".items | length == 1 and .[0].sandbox == \$b and
		(.[0].owner | startswith(\"session \"))" list --arg b "$b"
'

close_session
ended=$?
test_expect_success 'the session ends, and all that it had with it' '
	test "$ended" -eq 0 && test_empty err && all_gone
'

both_users
test_done
