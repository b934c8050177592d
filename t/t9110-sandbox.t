#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
#
# With the backend of the tests, which isolates nothing and needs nothing.
# shellcheck disable=SC2034
test_description='sa-sandbox: verbs, options, exit statuses, records'
. "${SA_SRCDIR:-$(dirname "$0")/..}/t/test-lib.sh"

PATH=$SA_BUILDDIR/t:$PATH

# fails CODE REGEX COMMAND...: nothing on stdout, the reason on stderr.
fails () {
	code=$1
	regex=$2
	shift 2
	test_expect_code "$code" "$@" >out 2>err &&
	test_empty out &&
	test_match "^sa-sandbox: $regex" err
}

# create OPTION...: its record in box.json, its name in $box.
create () {
	sa-sandbox create "$@" >box.json && box=$(jq -r .sandbox box.json)
}

# none_left: no sandbox is there.
none_left () {
	sa-sandbox list >left.json && jq_ok ".items == []" left.json
}

# request CODE TEXT VERB [OPTION...]: what a model asks for.
request () {
	code=$1
	printf "%s" "$2" >request
	verb=$3
	shift 3
	test_expect_code "$code" env SA_ORIGIN=agent \
		sa-sandbox "$verb" --request "$@" <request >out 2>err
}

test_expect_success jq 'a sandbox from its beginning to its end' '
	>none && create --env A=1 --env-file none &&
	jq_ok ".type == \"sandbox\" and .backend == \"sh\" and
		.spec.env == [\"A\"] and .expires_at == null" box.json &&
	sa-sandbox list >out &&
	jq_ok ".items[0].sandbox == \"$box\" and .next == null" out &&
	sa-sandbox list --after "$box" >out && jq_ok ".items == []" out &&
	sa-sandbox destroy <box.json >out &&
	jq_ok ".sandbox == \"$box\" and .state == \"destroyed\"" out &&
	sa-sandbox destroy "$box" >out && jq_ok ".state == \"destroyed\"" out &&
	fails 66 "unknown sandbox" sa-sandbox ls "$box" &&
	none_left
'

test_expect_success jq 'several are destroyed at once, or none' '
	create && a=$box && create && b=$box &&
	fails 65 ".x. is no name" sa-sandbox destroy "$a" x "$b" &&
	sa-sandbox destroy "$a" "$b" >out && none_left
'

test_expect_success 'names that are none are explained' '
	for name in "" None null
	do
		fails 65 "the sandbox.s name is .$name.; a variable or a" \
			sa-sandbox ls "$name" || return 1
	done &&
	fails 65 ".../x. is no name of a sandbox; names are sa-sandbox-" \
		sa-sandbox ls ../x &&
	fails 65 "no record on stdin" sa-sandbox ls </dev/null &&
	echo "{\"v\":1,\"type\":\"job\"}" >record &&
	fails 65 "stdin: a record of type .job. has no use here" \
		sa-sandbox ls <record
'

test_expect_success 'a limit that cannot be enforced is refused by its name' '
	fails 77 "the backend .sh. cannot enforce --memory here; another" \
		sa-sandbox create --memory 1G &&
	fails 77 ".*--cpus" sa-sandbox create --cpus 1.5 &&
	fails 77 ".*--pids" sa-sandbox create --pids 9 &&
	fails 77 ".*--disk" sa-sandbox create --disk 1G &&
	fails 77 ".*--ro" sa-sandbox create --ro . &&
	fails 77 ".*--root" sa-sandbox create --root / &&
	fails 77 ".*--workdir" sa-sandbox create --workdir /x &&
	fails 77 ".*--allow-egress" sa-sandbox create --allow-egress a.b &&
	fails 77 ".*--allow-cidr" sa-sandbox create --allow-cidr 10.0.0.0/8 &&
	fails 77 ".*--open-network" sa-sandbox create --open-network &&
	none_left
'

test_expect_success jq 'what the backend does not have is refused by its name' '
	create && fails 125 "the backend .sh. does not run commands detached" \
		sa-sandbox exec -d --in "$box" -- true &&
	fails 125 "the backend .sh. has no terminals" \
		sa-sandbox exec --pty --in "$box" -- true &&
	for verb in logs kill list
	do
		fails 77 "the backend .sh. has no detached commands" \
			sa-sandbox $verb "$box" || return 1
	done &&
	fails 125 "the backend .sh. has no detached" sa-sandbox wait "$box" &&
	sa-sandbox destroy "$box" >out
'

test_expect_success 'values that are not valid' '
	fails 65 "memory .1Q. is no size" sa-sandbox create --memory 1Q &&
	fails 65 "cpus .inf. is no number" sa-sandbox create --cpus inf &&
	fails 65 "expires .0. is no time" sa-sandbox create --expires 0 &&
	fails 65 "allow_egress .1.2.3.4. is an address" \
		sa-sandbox create --allow-egress 1.2.3.4 &&
	fails 65 "open_network and allow_egress exclude" \
		sa-sandbox create --open-network --allow-egress a.b &&
	fails 65 "there is no sandbox backend .x.; it is one of: sh" \
		sa-sandbox create --backend x &&
	fails 64 "--env .A. is not of the form" sa-sandbox create --env A &&
	fails 65 "env .1A. is not of the form" sa-sandbox create -e 1A=x &&
	echo nonsense >file &&
	fails 65 "file:1: the line is not NAME=VALUE" \
		sa-sandbox create --env-file file &&
	fails 66 ".*no-file" sa-sandbox create --env-file no-file
'

test_expect_success jq 'the environment reaches a command unchanged' '
	printf "# a comment\n\nFILE=from the file\nBOTH=1\n" >vars &&
	create --env-file vars --env BOTH="a '\''b'\'' \$HOME" &&
	jq_ok ".spec.env == [\"FILE\", \"BOTH\"]" box.json &&
	sa-sandbox exec --in "$box" -- sh -c "echo \$FILE; echo \"\$BOTH\"" \
		>out &&
	printf "%s\n" "from the file" "a '\''b'\'' \$HOME" >expected &&
	test_cmp expected out && sa-sandbox destroy "$box" >out
'

test_expect_success 'exec without a sandbox leaves none' '
	test_expect_code 3 sa-sandbox exec -- \
		sh -c "echo out; echo err >&2; exit 3" </dev/null >out 2>err &&
	echo out | test_cmp - out && echo err | test_cmp - err &&
	fails 77 ".*--memory" sa-sandbox create -m 1G &&
	fails 125 ".*--memory" sa-sandbox exec -m 1G -- true </dev/null &&
	none_left
'

test_expect_success 'the status is the command'\''s own, or tells ours' '
	for code in 0 1 64 65 66 67 68 69 70 77 78 124 125 126 127 200 255
	do
		test_expect_code $code sa-sandbox exec -- sh -c "exit $code" \
			</dev/null || return 1
	done &&
	test_expect_code 127 sa-sandbox exec -- no-such-program </dev/null &&
	test_expect_code 126 sa-sandbox exec -- / </dev/null &&
	test_expect_code 137 sa-sandbox exec -- sh -c "kill -9 \$\$" \
		</dev/null &&
	test_expect_code 124 sa-sandbox exec -t 0.2 -- sleep 60 \
		</dev/null 2>err &&
	test_match "^sa-sandbox: timed out after 0.2 seconds" err &&
	fails 125 "unknown sandbox" sa-sandbox exec \
		--in sa-sandbox-000000000000 -- true &&
	fails 125 "--timeout .0. is no number" \
		sa-sandbox exec --timeout 0 -- true </dev/null &&
	fails 125 "--timeout .1e18. is longer than" \
		sa-sandbox exec -t 1e18 -- true </dev/null &&
	fails 125 "--timeout .nan. is" sa-sandbox exec -t nan -- true \
		</dev/null &&
	fails 64 "exec: an operand is missing" sa-sandbox exec </dev/null &&
	SA_ERROR_FD=3 test_expect_code 125 sa-sandbox exec --in x -- true \
		3>object 2>err &&
	grep -q "\"kind\":\"invalid\"" object && none_left
'

test_expect_success jq 'a sandbox that is piped in' '
	create &&
	sa-sandbox exec -- sh -c "echo made >file; echo out" <box.json >r1 &&
	jq_ok ".type == \"exec_result\" and .sandbox == \"$box\" and
		.exit_code == 0 and .stdout == \"out\\n\" and
		.stderr == \"\" and
		.timed_out == false and .applied_timeout == null and
		.sandbox_terminated == false" r1 &&
	sa-sandbox exec -- cat file <r1 >r2 &&
	jq_ok ".stdout == \"made\\n\"" r2 &&
	test_expect_code 7 sa-sandbox exec -- sh -c "exit 7" <r2 >r3 &&
	jq_ok ".exit_code == 7" r3 &&
	test_expect_code 124 sa-sandbox exec -t 0.2 -- sleep 9 <r3 >r4 &&
	jq_ok ".exit_code == null and .timed_out" r4 &&
	sa-sandbox read - file <r4 >out && echo made | test_cmp - out &&
	sa-sandbox ls <r4 >out &&
	jq_ok ".entries == [{\"name\":\"file\",\"is_dir\":false}]" out &&
	sa-sandbox destroy <r4 >out && none_left &&
	>none && fails 125 "no record on stdin.*--in" \
		sa-sandbox exec -- true <none
'

test_expect_success 'options of a new sandbox do not fit one that stands' '
	create && fails 64 "--memory is for a new sandbox" \
		sa-sandbox exec --memory 1G --in "$box" -- true &&
	fails 64 "--env is for a new sandbox" \
		sa-sandbox exec --env A=1 -- true <box.json &&
	sa-sandbox destroy "$box" >out
'

test_expect_success jq 'only the tail of what is printed is kept' '
	sa-sandbox exec --json -- sh -c "seq 100000; seq 5 >&2" \
		</dev/null >out &&
	jq_ok "(.stdout | length) <= 51200 and .stdout_truncated and
		(.stdout | startswith(\"\\n\") | not) and
		(.stdout | endswith(\"\\n99999\\n100000\\n\")) and
		(.stderr == \"1\\n2\\n3\\n4\\n5\\n\") and
		(.stderr_truncated | not) and .sandbox_terminated" out &&
	sa-sandbox exec --json -- seq 3000 </dev/null >out &&
	jq_ok "(.stdout | split(\"\\n\") | length) == 2001 and
		.stdout_truncated and
		(.stdout | startswith(\"1001\\n\"))" out &&
	sa-sandbox exec -- seq 30000 </dev/null >out &&
	seq 30000 | test_cmp - out
'

test_expect_success jq 'output that is no text' '
	printf "a\377b\0c" >bytes &&
	create && sa-sandbox write "$box" bytes <bytes >out &&
	sa-sandbox exec --in "$box" -- cat bytes >out &&
	test_cmp bytes out &&
	sa-sandbox exec --json --in "$box" -- cat bytes >out &&
	jq_ok ".exit_code == 0 and (.stdout | startswith(\"a\"))" out &&
	sa-sandbox destroy "$box" >out
'

test_expect_success 'stdin is for the command only where that is said' '
	echo input | sa-sandbox exec -i -- cat >out &&
	echo input | test_cmp - out &&
	sa-sandbox exec -- cat </dev/null >out && test_empty out &&
	sa-sandbox exec -i -- true </dev/zero
'

test_expect_success 'what a command leaves behind does not hold it up' '
	sa-sandbox exec -t 50 -- sh -c "sleep 60 & echo started" \
		</dev/null >out &&
	echo started | test_cmp - out
'

test_expect_success 'a signal ends the command, and leaves nothing' '
	for sig in TERM INT HUP QUIT
	do
		{ env --default-signal sa-sandbox exec -- sh -c \
			"echo >$PWD/go.$sig; sleep 60" \
			</dev/null >out 2>&1 & } &&
		pid=$! && wait_for test -e "go.$sig" &&
		kill -s "$sig" "$pid" &&
		{ wait "$pid"; echo $? >code; } &&
		test_match "^1[23]|^14" code && none_left || return 1
	done
'

test_expect_success 'a reader that has gone ends the command' '
	{ sa-sandbox exec -t 50 -- yes </dev/null; echo $? >code; } |
		head -n 1 >out &&
	echo y | test_cmp - out && echo 141 | test_cmp - code && none_left
'

test_expect_success jq 'files with hostile names' '
	create &&
	for name in "with space" "with'\''quote" "semi;colon" "\$dollar" "-x" \
		"-" "~" "a/b c/d" "$(printf "new\nline")" "$(printf "\303\251")"
	do
		printf %s "$name" >content &&
		sa-sandbox write -- "$box" "$name" <content >out &&
		jq_ok ".type == \"sandbox_file\" and .path == \$n and
			.bytes_written == (\$n | utf8bytelength)" \
			out --arg n "$name" &&
		sa-sandbox read -- "$box" "$name" >out &&
		test_cmp content out || return 1
	done &&
	sa-sandbox ls "$box" >out &&
	jq_ok "[.entries[].name] == [\"\$dollar\", \"-\", \"-x\", \"a\",
		\"new\nline\", \"semi;colon\", \"with space\",
		\"with'\''quote\",
		\"~\", \"é\"] and
		([.entries[] | select(.is_dir).name] == [\"a\"])" out &&
	sa-sandbox ls "$box" --text >out && test_match "^new.nline$" out &&
	test_match "^a/$" out &&
	sa-sandbox ls "$box" a/"b c" --text >out && echo d | test_cmp - out &&
	bad=$(printf "bad\\377") && sa-sandbox write "$box" "$bad" <out >json &&
	jq_ok ".path | startswith(\"bad\")" json &&
	sa-sandbox read "$box" "$bad" >got && test_cmp out got &&
	fails 66 "there is no .bad.xfex" sa-sandbox read "$box" \
		"$(printf "bad\\376x")" &&
	sa-sandbox destroy "$box" >out
'

test_expect_success jq 'what is no file, or too large' '
	create && sa-sandbox exec --in "$box" -- mkdir dir &&
	fails 66 "there is no .x. in the sandbox" sa-sandbox read "$box" x &&
	fails 65 ".dir. is a directory" sa-sandbox read "$box" dir &&
	fails 65 ".dir. is a directory" \
		sa-sandbox write "$box" dir </dev/null &&
	fails 65 ".dir/. is a dir" sa-sandbox write "$box" dir/ </dev/null &&
	fails 65 "the path is empty" sa-sandbox read "$box" "" &&
	fails 66 "there is no .x." sa-sandbox ls "$box" x &&
	sa-sandbox ls "$box" dir --text >out &&
	echo "(empty)" | test_cmp - out &&
	head -c 100 /dev/zero | sa-sandbox write "$box" zeros >out &&
	fails 65 ".zeros. has 100 bytes, which is over the limit of 99" \
		sa-sandbox read "$box" zeros --max-size 99 &&
	sa-sandbox read "$box" zeros --max-size 100 | wc -c >out &&
	test_match "^ *100$" out &&
	fails 65 "--max-size .1G. is over" \
		sa-sandbox read "$box" zeros --max-size 1G &&
	fails 64 "write wants the name" sa-sandbox write - x </dev/null &&
	sa-sandbox destroy "$box" >out
'

test_expect_success jq 'a file in parts, of whole lines' '
	create && seq 10 | sa-sandbox write "$box" ten >out &&
	sa-sandbox read "$box" ten --json >out &&
	jq_ok ".size == 21 and .lines == 10 and .first_line == 1 and
		.next == null and (.content | endswith(\"9\n10\n\"))" out &&
	sa-sandbox read "$box" ten --json --offset 3 -n 2 >out &&
	jq_ok ".content == \"3\n4\n\" and .next == 5" out &&
	sa-sandbox read "$box" ten --text --offset 9 -n 1 >out &&
	printf "9\n[... 1 more line; read on with offset=10]\n" |
		test_cmp - out &&
	sa-sandbox read "$box" ten --text --offset 11 >out &&
	echo "(no lines at offset 11; file has 10 lines)" | test_cmp - out &&
	seq 30000 | sa-sandbox write "$box" many >out &&
	sa-sandbox read "$box" many --json -n 30000 >out &&
	jq_ok "(.content | length) <= 51200 and .lines == 30000 and
		.next > 9000" out &&
	next=$(jq .next out) &&
	sa-sandbox read "$box" many --json -n 1 --offset "$next" >out &&
	jq_ok ".content == \"$next\n\"" out &&
	sa-sandbox read "$box" many --json >out && jq_ok ".next == 2001" out &&
	{ echo short && head -c 60000 /dev/zero | tr "\0" x; } |
		sa-sandbox write "$box" long >out &&
	sa-sandbox read "$box" long --json >out &&
	jq_ok ".content == \"short\n\" and .next == 2 and .lines == 2" out &&
	fails 65 "line 2 is longer than the 50.0KB that are read" \
		sa-sandbox read "$box" long --json --offset 2 &&
	sa-sandbox destroy "$box" >out
'

test_expect_success jq 'what a model asks for' '
	create && in="\"sandbox\":\"$box\"" &&
	request 0 "{$in,\"command\":\"echo a | tr a b; exit 4\",
		\"timeout_seconds\":1000}" exec &&
	jq_ok ".exit_code == 4 and .stdout == \"b\n\" and
		.applied_timeout == 300" out &&
	request 0 "{$in,\"command\":\"sleep 9\",
		\"timeout_seconds\":0.25}" exec --text &&
	printf "(no output)\n[timed out after 0.25s]\n" | test_cmp - out &&
	request 0 "{$in,\"command\":\"printf o; echo e >&2\"}" \
		exec --text &&
	printf "[stdout]\no\n[stderr]\ne\n[exit code: 0]\n" | test_cmp - out &&
	request 0 "{$in,\"command\":\"seq 3000\"}" exec --text &&
	head -n 3 out >got &&
	printf "[stdout]\n[... earlier output truncated]\n1001\n" |
		test_cmp - got &&
	request 0 "{$in,\"path\":\"d/f\",\"content\":\"x\n\"}" \
		write --text &&
	echo "Wrote 2 bytes to '\''d/f'\''." | test_cmp - out &&
	request 0 "{$in,\"path\":\"d/f\",\"offset\":1}" read &&
	jq_ok ".content == \"x\n\"" out &&
	request 0 "{$in}" ls && jq_ok ".entries[0].is_dir" out &&
	request 0 "{$in}" destroy && none_left
'

test_expect_success 'what a model may not ask for' '
	for member in "\"open_network\":true" "\"allow_egress\":[\"a.b\"]" \
		"\"allow_cidr\":[\"10.0.0.0/8\"]" "\"ro\":[\"/\"]" \
		"\"root\":\"/\"" "\"env_file\":\"x\"" "\"backend\":\"sh\"" \
		"\"interactive\":true" "\"in\":\"x\""
	do
		request 64 "{\"command\":\"id\",$member}" exec &&
		test_match "unknown member" err || return 1
	done &&
	for seconds in 0 -1 1e999
	do
		request 65 "{\"command\":\"id\",\"timeout_seconds\":$seconds}" \
			exec && test_empty out || return 1
	done &&
	request 65 "{\"command\":\"id\",\"timeout_seconds\":\"5\"}" exec &&
	test_match "timeout_seconds must be a number" err &&
	request 65 "{}" exec && test_match "expected: command" err &&
	request 77 "{\"command\":\"id\",\"memory\":\"1G\"}" exec &&
	request 65 "{\"command\":\"a\\u0000b\"}" exec && none_left
'

test_expect_success jq 'one holder at a time' '
	create --owner team &&
	fails 77 "the sandbox belongs to .team. and not to .me." \
		sa-sandbox attach "$box" --owner me --holder a &&
	fails 64 "--holder is missing" sa-sandbox attach "$box" --owner team &&
	sa-sandbox attach --owner team --holder a <box.json >held.json &&
	jq_ok ".holder == \"a\" and .owner == \"team\"" held.json &&
	sa-sandbox attach "$box" --owner team --holder a >out &&
	fails 77 "the sandbox is held by .a., so .b. cannot" \
		sa-sandbox attach "$box" --owner team --holder b &&
	fails 125 ".*is held by .a." sa-sandbox exec --in "$box" -- true &&
	fails 77 ".*is held by .a." sa-sandbox ls "$box" --holder b &&
	sa-sandbox ls "$box" --holder a >out &&
	sa-sandbox exec -- true <held.json >out &&
	sa-sandbox release "$box" --holder b >out &&
	fails 77 ".*is held by" sa-sandbox ls "$box" &&
	sa-sandbox release "$box" --holder a >out &&
	jq_ok ".holder == null" out && sa-sandbox ls "$box" >out &&
	sa-sandbox destroy "$box" >out &&
	create && fails 77 "the sandbox belongs to .nobody." \
		sa-sandbox attach "$box" --owner team --holder a &&
	sa-sandbox destroy "$box" >out
'

test_expect_success jq 'one that expires' '
	create --expires 1h &&
	sa-sandbox exec --json -t 7200 -- true <box.json >out &&
	jq_ok ".applied_timeout > 3500 and .applied_timeout <= 3600" out &&
	file=$SPARK_EXECUTOR_DATA_DIR/sandboxes/$box/box.json &&
	jq -c ".expires_at = \"2020-01-01T00:00:00Z\"" "$file" >new &&
	cp new "$file" &&
	fails 66 ".*has expired" sa-sandbox ls "$box" &&
	sa-sandbox gc --dry-run >out &&
	jq_ok ".dry_run and .items[0].sandbox == \"$box\"" out &&
	sa-sandbox gc >out && jq_ok ".items[0].why == \"expired\"" out &&
	sa-sandbox gc >out && jq_ok ".items == []" out && none_left
'

test_expect_success jq 'check says no where something is not enforced' '
	test_expect_code 1 sa-sandbox check >out &&
	jq_ok ".what == \"sandbox\" and .ok == false" out
'

test_expect_success 'a lost answer is 74' '
	test_expect_code 74 sa-sandbox list >/dev/full 2>err &&
	create && echo x | sa-sandbox write "$box" f >out &&
	test_expect_code 74 sa-sandbox read "$box" f >/dev/full 2>err &&
	test_expect_code 125 sa-sandbox exec -- echo x </dev/null \
		>/dev/full 2>err &&
	sa-sandbox destroy "$box" >out && none_left
'

both_users
test_done
