#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
#
# The examples of sa-sandbox(1), and what people do with it. What a sandbox
# must not let through is in tests of its own.
# shellcheck disable=SC2034
test_description='sa-sandbox on this host: programs, files, pipelines'
. "${SA_SRCDIR:-$(dirname "$0")/..}/t/test-lib.sh"

need_sandbox

# create OPTION...: its record in box.json, its name in $box.
create () {
	sa-sandbox create "$@" >box.json && box=$(jq -r .sandbox box.json)
}

none_left () {
	test -z "$(ls -A "$SPARK_EXECUTOR_DATA_DIR/sandboxes")"
}

test_expect_success python3 'one command, in a sandbox of its own' '
	sa-sandbox exec -- python3 -c "print(6 * 7)" </dev/null >out &&
	echo 42 | test_cmp - out && none_left
'

test_expect_success 'files of a single command, with limits and without' '
	for limit in "--pids 64" "--disk 64M" "--memory 256M"
	do
		# shellcheck disable=SC2086
		sa-sandbox exec $limit -w /tmp/a/b -- sh -c "
			pwd
			for d in . /workspace /home/user /var/tmp /dev/shm
			do echo x >\$d/f && cat \$d/f || exit
			done" </dev/null >out &&
		printf "/tmp/a/b\nx\nx\nx\nx\nx\n" | test_cmp - out || return 1
	done &&
	for dir in /usr/a /workspaces /home /
	do
		test_expect_code 125 sa-sandbox exec -w $dir -- true \
			</dev/null 2>err &&
		test_match "working directory .$dir. cannot be made" err ||
			return 1
	done && none_left
'

test_expect_success jq,cc 'a program is built, run and taken out' '
	cat >main.c <<-\C &&
	#include <stdio.h>
	int main(void) { puts("built"); return 3; }
	C
	create --pids 64 --expires 1h &&
	sa-sandbox write "$box" src/main.c <main.c >out &&
	sa-sandbox exec --in "$box" -- cc -o main src/main.c &&
	test_expect_code 3 sa-sandbox exec --in "$box" -t 5 -- ./main >out &&
	echo built | test_cmp - out &&
	sa-sandbox read "$box" main --max-size 64M >main &&
	sa-sandbox exec --in "$box" -- cat main | test_cmp main - &&
	sa-sandbox destroy "$box" >out && none_left
'

test_expect_success jq,make 'a pipeline' '
	create &&
	printf "report:\n\techo done >report\n" |
		sa-sandbox write "$box" Makefile >out &&
	sa-sandbox exec -- make -s report <box.json |
		sa-sandbox exec -- cat report >result.json &&
	jq_ok ".stdout == \"done\n\" and .exit_code == 0" result.json &&
	sa-sandbox destroy <result.json >out && none_left
'

test_expect_success 'input, output and errors are as they are' '
	head -c 300000 /dev/urandom >bytes &&
	sa-sandbox exec -i -- sh -c "cat; echo end >&2" <bytes >out 2>err &&
	test_cmp bytes out && echo end | test_cmp - err
'

test_expect_success 'exit statuses' '
	for code in 0 1 66 70 125 255
	do
		test_expect_code $code sa-sandbox exec -- sh -c "exit $code" \
			</dev/null || return 1
	done &&
	test_expect_code 127 sa-sandbox exec -- no-such </dev/null 2>err &&
	test_match "no-such" err &&
	test_expect_code 126 sa-sandbox exec -- / </dev/null 2>err &&
	test_expect_code 143 sa-sandbox exec -- sh -c "kill \$\$" </dev/null &&
	test_expect_code 124 sa-sandbox exec -t 0.3 -- sleep 60 </dev/null \
		2>err && none_left
'

test_expect_success 'a signal, or a reader that has gone, leaves nothing' '
	{ sa-sandbox exec -- sh -c "echo go; sleep 60" \
		</dev/null >go 2>&1 & } &&
	pid=$! && wait_for test -s go && kill "$pid" &&
	{ wait "$pid"; test $? -eq 143; } && none_left &&
	{ sa-sandbox exec -- yes </dev/null; echo $? >code; } |
		head -n 1 >out &&
	echo 141 | test_cmp - code && none_left
'

test_expect_success jq 'its environment, directory and files' '
	create --env GREETING="good day" --workdir /workspace/sub &&
	sa-sandbox exec --in "$box" -- sh -c "echo \$GREETING; pwd; env" >out &&
	test_match "^good day$" out && test_match "^/workspace/sub$" out &&
	test_expect_code 1 grep SPARK_EXECUTOR_DATA_DIR out &&
	echo x | sa-sandbox write "$box" here >out &&
	sa-sandbox exec --in "$box" -- cat /workspace/sub/here >out &&
	echo x | test_cmp - out &&
	sa-sandbox ls "$box" /workspace --text >out &&
	echo sub/ | test_cmp - out && sa-sandbox destroy "$box" >out
'

test_expect_success jq 'one holder at a time, of many who try' '
	create --owner team &&
	for i in 1 2 3 4 5 6 7 8
	do
		{ sa-sandbox attach "$box" --owner team --holder "h$i" \
			>"got.$i" 2>/dev/null & } || return 1
	done &&
	wait && cat got.* >all && test "$(wc -l <all)" -eq 1 &&
	holder=$(jq -r .holder all) &&
	sa-sandbox release "$box" --holder "$holder" >out &&
	sa-sandbox destroy "$box" >out && none_left
'

both_users
test_done
