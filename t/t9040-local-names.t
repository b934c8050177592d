#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# Names, paths and records of the sandboxes of this host, where somebody
# inside chose them, or somebody outside broke them.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test_have_prereq jq || skip_all "no jq"
need_sandbox
all=$SPARK_EXECUTOR_DATA_DIR/sandboxes

create () {
	sa-sandbox create "$@" >box.json && box=$(jq -r .sandbox box.json)
}
in_box () {
	sa-sandbox exec --in "$box" "$@" </dev/null
}
destroy () {
	sa-sandbox destroy "$box" >out && test ! -e "$all/$box"
}
# fails CODE REGEX COMMAND...: one line says why.
fails () {
	code=$1
	regex=$2
	shift 2
	test_expect_code "$code" "$@" >out 2>err && test_empty out &&
	test_match "$regex" err
}
is_text () {
	iconv -f UTF-8 -t UTF-8 <"$1" >is_text.out
}

cat >names.py <<'PY'
import os
for n in (b"new\nline", b'quote"s\'', b"\xff\xfe", b"\x1b[31m", b"back\\slash",
          b"tab\t", b" ", b"-rf", b"\xc3(", b"\xed\xa0\x80", b"$(id)", b"*"):
    os.mkdir(n)
    with open(n + b"/" + n, "wb") as f:
        f.write(n)
PY
test_expect_success 'names with newlines, quotes and no text keep JSON valid' '
	create &&
	sa-sandbox exec --in "$box" -i -- python3 - <names.py &&
	sa-sandbox ls "$box" >out && is_text out &&
	jq_ok "(.entries | length) == 12 and all(.entries[]; .is_dir) and
		any(.entries[]; .name == \"new\nline\") and
		any(.entries[]; .name == \"\\u001b[31m\")" out &&
	for name in "$(printf "new\nline")" "$(printf "\377\376")" \
		"$(printf "\355\240\200")" "$(printf "\033[31m")" -rf "*" " "
	do
		printf %s "$name" >want &&
		sa-sandbox read -- "$box" "$name/$name" >got &&
		test_cmp want got &&
		sa-sandbox ls -- "$box" "$name" >got && is_text got &&
		jq_ok "(.entries | length) == 1" got &&
		fails 65 "is a directory" sa-sandbox read -- "$box" "$name" &&
		is_text err && test "$(grep -c "^sa-sandbox: " err)" -eq 1 &&
		test_expect_code 1 grep -q "$(printf "\033")" err &&
		fails 65 "is a directory" sa-sandbox write -- "$box" "$name" &&
		is_text err && test_expect_code 1 grep -q "^line" err &&
		sa-sandbox write -- "$box" "$name/$name" <names.py >got &&
		is_text got && jq_ok ".bytes_written > 200" got || return 1
	done && destroy
'

test_expect_success 'output that is no text keeps JSON valid' '
	sa-sandbox exec --json -- printf "\377\"\n\033\000\355\240\200" \
		</dev/null >out &&
	is_text out && jq_ok ".exit_code == 0" out &&
	test_expect_code 127 sa-sandbox exec --json -- \
		"$(printf "no\n\377such")" </dev/null >out &&
	is_text out && jq_ok ".exit_code == 127" out
'

test_expect_success 'paths that lead up, are too long, empty or hold NUL' '
	create &&
	sa-sandbox read "$box" ../../../../../etc/passwd >out &&
	test_match "^user:x:1000:" out &&
	test_expect_code 1 grep -q daemon out &&
	sa-sandbox ls "$box" ../.. >out &&
	jq_ok "any(.entries[]; .name == \"workspace\")" out &&
	long=$(printf "%05000d" 0 | sed "s/0/x/g; s/xx/x\\//g") &&
	for path in "$long" "$(printf "%0300d" 0)" "$(printf "%09999d" 0)"
	do
		for verb in "read" "ls"
		do
			{ sa-sandbox $verb "$box" "$path" >out 2>err
				echo $? >code; } &&
			test_empty out && test_match "^6[56]" code || return 1
		done &&
		fails 65 "" sa-sandbox write "$box" "$path" || return 1
	done &&
	fails 65 "the path is empty" sa-sandbox read "$box" "" &&
	for verb in read write
	do
		printf "{\"sandbox\":\"%s\",\"path\":\"a\\\\u0000b\"%s}" \
			"$box" "$(test $verb = read ||
				echo ",\"content\":\"x\"")" >request &&
		test_expect_code 65 sa-sandbox $verb --request <request \
			>out 2>err && test_empty out || return 1
	done && destroy
'

test_expect_success 'links in place of its own directories lead nowhere else' '
	create --workdir /workspace/sub &&
	mkdir outside && echo outside >outside/f && chmod 755 outside &&
	in_box -- sh -c "cd / && rmdir /workspace/sub &&
		ln -s $PWD/outside /workspace/sub" &&
	fails 125 "" in_box -- cat f &&
	fails 74 "" sa-sandbox read "$box" f &&
	fails 65 "" sa-sandbox write "$box" g &&
	fails 74 "" sa-sandbox ls "$box" &&
	echo f >want && ls outside | test_cmp want - &&
	sa-sandbox write "$box" /workspace/h <want >out &&
	{ sa-sandbox write "$box" "$PWD/outside/f" <want >out 2>err || :; } &&
	test "$(cat outside/f)" = outside && destroy
'

test_expect_success 'a working directory that a command removed is made anew' '
	create --workdir /workspace/a/b && in_box -- rm -r /workspace/a &&
	in_box -- pwd >out && echo /workspace/a/b | test_cmp - out && destroy
'

test_expect_success 'a link to nothing is replaced, not followed' '
	create && in_box -- ln -s "$PWD/outside/new" link &&
	echo x | sa-sandbox write "$box" link >out &&
	test ! -e outside/new && in_box -- test ! -L link && destroy
'

test_expect_success 'a directory of others, or a link to one, is refused' '
	create && mv "$all" elsewhere && ln -s "$PWD/elsewhere" "$all" &&
	test_expect_code 125 in_box -- true 2>err &&
	{ sa-sandbox gc >out 2>err || :; } &&
	test -d "elsewhere/$box" && rm "$all" && mv elsewhere "$all" &&
	mv "$all/$box" elsewhere && ln -s "$PWD/elsewhere" "$all/$box" &&
	test_expect_code 125 in_box -- true 2>err &&
	{ sa-sandbox gc >out 2>err || :; } &&
	test -d elsewhere/tree && rm "$all/$box" && mv elsewhere "$all/$box" &&
	destroy
'

test_expect_success ROOT 'so is one that belongs to another user' '
	create && chown 65534 "$all/$box" &&
	test_expect_code 125 in_box -- true 2>err &&
	test_match "open to others" err &&
	chown 0 "$all/$box" && destroy
'

test_expect_success 'what is broken stops no other, and gc removes it' '
	create && good=$box && in_box -- sh -c "echo kept >f" &&
	for how in ": >record.json" "echo x >record.json" \
		"head -c 50 record.json >x; mv x record.json" \
		"rm record.json" "rm private.json" "echo [] >private.json" \
		"rm record.json; mkdir record.json" \
		"rm record.json; ln -s record.json record.json" \
		"rm -rf tree" "rm -rf tree; ln -s / tree" \
		"rm lock; rm record.json" "rm -rf ./*" \
		"sed -i s/sandbox/job/ record.json"
	do
		create && (cd "$all/$box" && eval "$how") &&
		test_expect_code 125 in_box -- true 2>err &&
		test_match "^sa-sandbox: " err &&
		sa-sandbox list >list.json 2>err &&
		test_match "^sa-sandbox: 1 that expired or are broken" err &&
		jq_ok "any(.items[]; .sandbox == \"$good\")" list.json &&
		sa-sandbox gc >gc.json &&
		jq_ok "any(.items[]; .sandbox == \"$box\")" gc.json ||
			{ echo "after $how"; ls -la "$all/$box"; return 1; }
	done &&
	ls "$all" >left && echo "$good" | test_cmp - left &&
	box=$good && in_box -- cat f >out && echo kept | test_cmp - out &&
	destroy
'

test_expect_success 'a clock that went back does not end what is new' '
	create --expires 1h && file=$all/$box/record.json &&
	jq -c ".created_at = \"2035-01-01T00:00:00Z\" |
		.expires_at = \"2035-01-01T01:00:00Z\"" "$file" >new &&
	cat new >"$file" && in_box -- true &&
	sa-sandbox gc >gc.json && jq_ok ".items == []" gc.json && destroy
'

test_expect_success 'what an init of another boot left is no line to one' '
	create && in_box -- sh -c "sleep $mark &" && wait_for marked &&
	pid=$(marked) &&
	init=$(sed -n "s/^PPid:.//p" "/proc/$pid/status") &&
	kill -9 "$init" && wait_for none_marked &&
	test -S "$all/$box/ctl.sock" &&
	sa-sandbox list >list.json &&
	jq_ok ".items[0].state == \"ready\"" list.json &&
	in_box -- echo again >out && echo again | test_cmp - out && destroy
'

test_expect_success 'the number of a process that is not its own kills none' '
	{ sleep "$mark" & } && pid=$! && wait_for marked &&
	create --expires 1s --owner me && file=$all/$box/record.json &&
	jq -c --argjson p $pid ".holder = (\$p | tostring) | .pid = \$p |
		.init = \$p" "$file" >new && cat new >"$file" &&
	sleep 2 && sa-sandbox gc >gc.json &&
	jq_ok ".items[0].sandbox == \"$box\"" gc.json &&
	test ! -e "$all/$box" && marked && kill $pid
'

test_expect_success 'nothing is left' '
	test -z "$(ls -A "$all")"
'

both_users
test_done
