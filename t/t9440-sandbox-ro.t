#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# What --ro shows of the host, below directories too of which the sandbox has
# its own.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

need_sandbox
test_have_prereq jq || skip_all "no jq"
umask 022

# A project with a neighbour, at a place that every sandbox has its own of.
top=$(mktemp -d "/tmp/sa-ro.XXXXXX") && top=$(cd "$top" && pwd -P)
at_end 'rm -rf "$top"'
chmod 755 "$top"
mkdir "$top/project" "$top/project/sub" "$top/other"
echo shown >"$top/project/file"
echo deep >"$top/project/sub/file"
echo secret >"$top/other/file"
chmod -R a+rwX "$top/project"
ln -s ../other/file "$top/project/out"

create () {
	sa-sandbox create "$@" >box.json && box=$(jq -r .sandbox box.json)
}
destroy () {
	sa-sandbox destroy "$box" >destroyed && test ! -e "data/sandboxes/$box"
}
# in_box OPTION... -- WORD...: in a named one, where $box is set, else in one
# in memory.
in_box () {
	if test -n "${box:-}"
	then sa-sandbox exec --in "$box" "$@" </dev/null
	else sa-sandbox exec "$@" </dev/null
	fi
}
# both BODY OPTION...: evaluates it with a sandbox of each kind that has the
# options; in_box "$@" is a command there.
both () {
	body=$1 && shift &&
	box= && eval "$body" &&
	create "$@" && set -- && eval "$body" && destroy
}

test_expect_success 'a project in /tmp is read, and nothing else of /tmp' '
	both "in_box \"\$@\" -- sh -c \"cat $top/project/file &&
		cat $top/project/sub/file && ls $top && ls -A /tmp \" >out &&
		printf \"%s\n\" shown deep project \${top#/tmp/} >want &&
		test_cmp want out" --ro "$top/project"
'

test_expect_success 'and not written' '
	cat >tries <<-EOF &&
	echo x >$top/project/new
	echo x >>$top/project/file
	rm $top/project/file
	mkdir $top/project/dir
	mv $top/project $top/moved
	rmdir $top/project
	chmod 777 $top/project
	touch $top/project/file
	EOF
	both "while read -r try
		do
			in_box \"\$@\" -- sh -c \"\$try\" 2>err && return 1
			test_match \"Read-only|busy\" err || return 1
		done <tries" --ro "$top/project" &&
	test "$(cat "$top/project/file")" = shown && ls "$top/project" >out &&
	printf "%s\n" file out sub | test_cmp - out
'

test_expect_success 'beside it the sandbox writes as it likes' '
	both "in_box \"\$@\" -- sh -c \"echo mine >$top/mine &&
		echo x >/tmp/x && cat $top/mine\" >out &&
		echo mine | test_cmp - out" --ro "$top/project" &&
	test ! -e "$top/mine" && test ! -e /tmp/x
'

test_expect_success 'a link in it leads where it leads inside' '
	both "in_box \"\$@\" -- sh -c \"cat $top/project/out || echo none\" \
		>out 2>err && echo none | test_cmp - out" --ro "$top/project"
'

test_expect_success 'single files, several, and one in the other' '
	both "in_box \"\$@\" -- sh -c \"cat $top/project/file $top/other/file;
		ls $top/project; echo x >$top/other/file\" >out 2>err
		printf \"%s\n\" shown secret file | test_cmp - out &&
		test_match \"Read-only file system\" err" \
		--ro "$top/project/file" --ro "$top/other/file" &&
	both "in_box \"\$@\" -- cat $top/project/file $top/project/sub/file \
		>out && printf \"%s\n\" shown deep | test_cmp - out" \
		--ro "$top/project" --ro "$top/project/sub"
'

test_expect_success 'below the other directories of its own' '
	for dir in /run /var/tmp
	do
		test -w $dir || continue
		other=$(mktemp -d "$dir/sa-ro.XXXXXX") && chmod 755 "$other" &&
		echo there >"$other/file" &&
		{ both "in_box \"\$@\" -- cat $other/file >out &&
			echo there | test_cmp - out" --ro "$other" ||
			failed=1; } &&
		rm -r "$other" && test -z "${failed:-}" || return 1
	done
'

test_expect_success 'a relative path, and where commands start' '
	cd "$top/project" && data=$SPARK_EXECUTOR_DATA_DIR &&
	in_box --ro . -w "$top/project/sub" -- sh -c "pwd; cat file" \
		>"$TMPDIR/out" &&
	printf "%s\n" "$top/project/sub" deep | test_cmp - "$TMPDIR/out" &&
	cd "$TMPDIR" && create --ro "$top/project" -w "$top/project" &&
	in_box -- cat file >out && echo shown | test_cmp - out && destroy
'

test_expect_success 'a link is followed once, when the sandbox is made' '
	ln -s project "$top/link" && mkdir "$top/way" &&
	ln -s .. "$top/way/up" &&
	both "in_box \"\$@\" -- cat $top/link/file $top/way/up/link/file >out &&
		printf \"%s\n\" shown shown | test_cmp - out" \
		--ro "$top/link" --ro "$top/way/up/link" &&
	create --ro "$top/link" && rm "$top/link" &&
	ln -s other "$top/link" && in_box -- cat "$top/link/file" >out &&
	echo shown | test_cmp - out && destroy && rm "$top/link"
'

test_expect_success 'what becomes a link leads nowhere else' '
	mkdir "$top/a" && cp -R "$top/project" "$top/a/b" &&
	for swapped in a a/b
	do
		create --ro "$top/a/b" && mv "$top/$swapped" "$top/old" &&
		case $swapped in
		a) mkdir "$top/evil" && ln -s ../other "$top/evil/b" &&
			ln -s evil "$top/a" ;;
		*) ln -s ../other "$top/a/b" ;;
		esac &&
		test_expect_code 125 in_box -- cat "$top/a/b/file" \
			>out 2>err && test_empty out &&
		test_match "cannot show .$top/a/b. to a sandbox: Too many" \
			err && test_match "a link has taken its place" err &&
		rm "$top/$swapped" && mv "$top/old" "$top/$swapped" &&
		in_box -- cat "$top/a/b/file" >out &&
		echo shown | test_cmp - out && destroy || return 1
	done &&
	create --ro "$top/a/b" && rm -r "$top/a/b" &&
	test_expect_code 125 in_box -- true 2>err &&
	test_match "cannot show .$top/a/b. to a sandbox: No such" err &&
	mkdir "$top/a/b" && in_box -- ls "$top/a/b" >out && test_empty out &&
	destroy
'

test_expect_success 'nothing that a program puts in the way changes it' '
	create --ro "$top/project" --ro "$top/other/file" && i=0 &&
	for way in "ln -s /usr $top" "ln -s /proc/1/root $top" \
		"echo x >$top" "mkdir -p $top/project; echo x >$top/project/y" \
		"mkdir -p $top/other/file/x; echo x >$top/other/file/y" \
		"mkdir $top; mkfifo $top/other"
	do
		i=$((i + 1)) &&
		in_box -- sh -c "mv $top /tmp/away.$i; $way" &&
		in_box -- sh -c "cat $top/project/file $top/other/file
			ls $top; echo x >$top/project/y || true" >out 2>err &&
		printf "%s\n" shown secret other project | test_cmp - out &&
		test_match "Read-only file system" err || return 1
	done && destroy
'

test_expect_success 'the other verbs see what commands see' '
	create --ro "$top/project" --ro "$top/other/file" &&
	sa-sandbox read "$box" "$top/project/file" >out &&
	echo shown | test_cmp - out &&
	sa-sandbox read "$box" "$top/other/file" >out &&
	echo secret | test_cmp - out &&
	sa-sandbox ls "$box" "$top/project" --text >out &&
	printf "%s\n" file out sub/ | test_cmp - out &&
	sa-sandbox ls "$box" "$top" --text >out &&
	printf "%s\n" other/ project/ | test_cmp - out &&
	in_box -- ln -s "$top/project" "$top/other/file" . &&
	for path in "$top/project/file" "$top/project/new" project/new \
		"$top/project/sub/new" "$top/project/a/b" "$top/other/file"
	do
		echo x | test_expect_code 65 sa-sandbox write "$box" "$path" \
			>out 2>err && test_empty out || return 1
	done &&
	in_box -- cat "$top/project/file" "$top/other/file" >out &&
	printf "%s\n" shown secret | test_cmp - out && destroy &&
	test "$(cat "$top/other/file")" = secret
'

test_expect_success 'what is shown is not counted as its own' '
	head -c 3000000 /dev/zero >"$top/project/big" &&
	create --ro "$top/project" --disk 2M &&
	in_box -- sh -c "sleep 1.5; wc -c <$top/project/big" >out &&
	echo 3000000 | test_cmp - out && destroy && rm "$top/project/big"
'

test_expect_success 'the state of this toolkit is not shown with it' '
	cd "$top/project" && SPARK_EXECUTOR_DATA_DIR=data &&
	export SPARK_EXECUTOR_DATA_DIR && create -e SECRET=hush --ro . &&
	test_expect_code 1 in_box -- sh -c "ls -A $PWD/data
		cat $PWD/data/sandboxes/*/private.json" \
		>"$TMPDIR/out" 2>"$TMPDIR/err" &&
	test_empty "$TMPDIR/out" && sa-sandbox exec --ro . --ro ../project -- \
		ls -A "$top/project/data" </dev/null >"$TMPDIR/out" &&
	test_empty "$TMPDIR/out" &&
	sa-sandbox exec --ro "$top" -- sh -c "ls -A $top/project/data" \
		</dev/null >"$TMPDIR/out" && test_empty "$TMPDIR/out" &&
	for path in data data/sandboxes data/sandboxes/$box/private.json
	do
		test_expect_code 77 sa-sandbox create --ro $path \
			2>"$TMPDIR/err" &&
		test_match "it is of the data directory" "$TMPDIR/err" ||
			return 1
	done &&
	destroy && rm -r data
'

# What the page warns of.
test_expect_success python3 'a socket in what is shown can be connected to' '
	mkdir "$top/sockets" && cat >serve.py <<-\P &&
	import os, socket, sys
	os.chdir(sys.argv[1])
	s = socket.socket(socket.AF_UNIX)
	s.bind("s")
	os.chmod("s", 0o777)
	s.listen()
	s.settimeout(60)
	s.accept()[0].send(b"served")
	P
	cat >ask.py <<-\P &&
	import socket, sys
	s = socket.socket(socket.AF_UNIX)
	s.connect(sys.argv[1])
	print(s.recv(9).decode())
	P
	{ python3 serve.py "$top/sockets" & } &&
	wait_for test -S "$top/sockets/s" &&
	sa-sandbox exec --ro "$top/sockets" -- python3 -c "$(cat ask.py)" \
		"$top/sockets/s" </dev/null >out && wait &&
	echo served | test_cmp - out
'

test_expect_success 'what would cover its own is refused' '
	ln -s / "$top/all" && ln -s /proc/self "$top/self" &&
	for path in / /proc /proc/self /dev /dev/null /sys /tmp /var /var/tmp \
		/home/ /run "$top/all" "$top/self" "$top/none"
	do
		test_expect_code 77 sa-sandbox create --ro "$path" >out 2>err &&
		test_empty out && test_match "cannot show" err &&
		test_expect_code 125 sa-sandbox exec --ro "$path" -- true \
			</dev/null 2>err || return 1
	done && odd=$(printf "%s/\\377" "$top") && mkdir "$odd" &&
	ln -s "$odd" "$top/odd" &&
	test_expect_code 77 sa-sandbox create --ro "$top/odd" 2>err &&
	test_match "a name that is not in UTF-8" err &&
	test_expect_code 65 sa-sandbox create --ro "" 2>err &&
	test_match "ro .. is no absolute path" err &&
	sa-sandbox list >list.json && jq_ok ".items == []" list.json
'

both_users
test_done
