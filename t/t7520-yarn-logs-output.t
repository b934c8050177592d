#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='sa-yarn logs: into a file, at a terminal, to whom'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/yarn-lib.sh"
start_yarn '{"rms":[{}]}'

# logged STDOUT-JQ [JQ-EXPRESSION]: a driver whose log was collected.
logged () {
	container=container_$(app_of "$job" |
		sed 's/application_//')_01_000001
	scenario ".apps = [$(app "$job" FINISHED SUCCEEDED \
		"{logAggregationStatus: \"SUCCEEDED\"}")] |
	.conf = {\"yarn.log.server.web-service.url\":
		\"http://{jhs}/ws/v1/history\"} |
	.logs = {\"$container\": {stdout: $1, stderr: \"the errors\n\"}} |
	${2:-.}"
}

left () {
	find dir -name '.*.*'
}
mkdir dir

test_expect_success 'a file: all of it, in place of the old one' '
	running_run && logged "{lines: 100000}" && echo old >dir/f &&
	sa-yarn logs --output dir/f "$job" >out 2>err && test_empty out &&
	test_empty err && sa-yarn logs --offset 0 "$job" >expected &&
	cmp expected dir/f && left >found && test_empty found &&
	sa-yarn logs -s all -o dir/g "$job" &&
	{ cat expected && echo "the errors"; } >both && cmp both dir/g &&
	(cd dir && sa-yarn logs -n 1 -o h "$job") &&
	tail -n 1 expected >line && cmp line dir/h
'

test_expect_success 'no more than --max-bytes, the newest' '
	running_run && logged "{lines: 100000}" &&
	sa-yarn logs --offset 0 "$job" >all &&
	sa-yarn logs -o dir/f --max-bytes 1000 "$job" 2>err &&
	tail -c 1000 all >expected && cmp expected dir/f &&
	test_match "stdout: 6299000 older bytes are left out" err &&
	sa-yarn logs -o dir/f --head 5 "$job" && head -n 5 all >expected &&
	cmp expected dir/f
'

test_expect_success 'nothing is left of a file that was not to be had' '
	running_run && logged "{lines: 10}" ".logs = {}" && echo old >dir/f &&
	cp dir/f before &&
	test_expect_code 66 sa-yarn logs -o dir/f "$job" 2>err &&
	test_cmp before dir/f && left >found && test_empty found &&
	test_expect_code 74 sa-yarn logs -o none/f "$job" 2>err &&
	test_match "none/f" err &&
	test_expect_code 64 sa-yarn logs -o dir/ "$job" 2>err
'

test_expect_success TMPFS 'a full file system: the old file stays' '
	running_run && logged "{lines: 100000}" &&
	mkdir full && cat >block <<-\B &&
	echo old >full/f
	code=0
	sa-yarn logs -o full/f "$1" 2>err || code=$?
	echo $code >code
	cp full/f after
	find full -name ".*.*" >found
	B
	with_tmpfs size=64k full sh -eu block "$job" &&
	echo 74 >expected && test_cmp expected code &&
	echo old >expected && test_cmp expected after && test_empty found &&
	test_match "full/f" err
'

test_expect_success 'a file of a local job' '
	new_run && ended 0 && seq 1000 >"$run/stdout" &&
	sa-yarn logs -o dir/f "$job" && cmp "$run/stdout" dir/f &&
	sa-yarn logs -o dir/f --max-bytes 10 "$job" 2>err &&
	tail -c 10 "$run/stdout" >expected && cmp expected dir/f
'

test_expect_success 'what excludes each other' '
	running_run && logged "\"x\"" &&
	for o in "--tail 1 --head 1" "--follow --head 1" "--follow --json" \
		"--follow --executors" "--follow --all" "--follow -o f" \
		"-o f --json" "--all --stream stdout" "--all --offset 1" \
		"--executors --offset 1" "--max-bytes 5" \
		"--stream submit --executors" "--stream all --offset 1"
	do
		test_expect_code 64 sa-yarn logs $o "$job" 2>err || return 1
	done
'

test_expect_success 'at a terminal: masked, and control characters visible' '
	running_run && logged "\"password=hunter2 \u001b[31m\n\"" &&
	: >script &&
	"$SA_BUILDDIR/t/in-terminal" script sa-yarn logs "$job" >got &&
	test_match "password=" got && test_expect_code 1 grep hunter2 got &&
	test_match "\\\\x1b" got &&
	sa-yarn logs "$job" >got && grep -q hunter2 got &&
	sa-yarn logs --json "$job" >out &&
	jq_ok ".content | test(\"hunter2\") | not" out
'

test_expect_success 'a login goes to the log server, not to nodes' '
	printf "basic alice:opensesame\n" >login && chmod 600 login &&
	sa-conn save secure --master yarn --deploy-mode cluster \
		--yarn-rm-url "$rm" --auth-file "$PWD/login" >out &&
	running_run && logged "\"x\n\"" ".auth = \"basic alice:opensesame\"" &&
	jq -c ".connection = \"secure\"" "$run/record.json" >"$run/.new" &&
	mv "$run/.new" "$run/record.json" && forget &&
	sa-yarn logs "$job" >got && echo x >expected &&
	test_cmp expected got &&
	test "$(asked ".server == \"jhs\" and
		.headers.authorization != null")" -ge 1 &&
	logged "\"x\n\"" ".auth = \"basic alice:opensesame\" |
		.collected = false" && forget &&
	test_expect_code 66 sa-yarn logs "$job" 2>err &&
	test "$(asked ".server == \"nm\"")" -ge 1 &&
	test "$(asked ".server == \"nm\" and
		.headers.authorization != null")" -eq 0 &&
	test_match "NodeManager.*refuses" err
'

test_done
