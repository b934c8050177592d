#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# What people and agents do in a sandbox of this host: projects are built,
# packages installed, programs of several languages run, and files kept.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test_have_prereq jq || skip_all "no jq"
need_sandbox

create () {
	sa-sandbox create "$@" >box.json && box=$(jq -r .sandbox box.json)
}
in_box () {
	sa-sandbox exec --in "$box" "$@" </dev/null
}
destroy () {
	sa-sandbox destroy "$box" >out
}

test_expect_success make,cc 'make of a small C project' '
	create && mkdir project &&
	printf "%s\n" "int twice(int n);" >project/twice.h &&
	printf "%s\n" "#include \"twice.h\"" "int twice(int n)" \
		"{ return 2 * n; }" >project/twice.c &&
	printf "%s\n" "#include <stdio.h>" "#include \"twice.h\"" \
		"int main(void) { printf(\"%d\\n\", twice(21)); return 0; }" \
		>project/main.c &&
	printf "%b\n" "prog: main.o libtwice.a" \
		"\t\$(CC) -o \$@ main.o libtwice.a" \
		"libtwice.a: twice.o" "\tar rc \$@ twice.o" \
		"main.o twice.o: twice.h" "check: prog" \
		"\ttest \"\$\$(./prog)\" = 42" >project/Makefile &&
	tar -cf project.tar project &&
	sa-sandbox exec --in "$box" -i -- tar -x <project.tar &&
	in_box -t 100 -- make -C project -j 2 check &&
	in_box -- make -C project -q prog &&
	in_box -- tar -c project/prog | tar -x &&
	./project/prog >out && echo 42 | test_cmp - out && destroy
'

python=/usr/bin/python3
"$python" -c "import pip" 2>/dev/null && pip=pip || pip=no-pip
"$python" -c "import ensurepip" 2>/dev/null && venv=venv || venv=no-venv
# installs COMMAND: of the wheel, by pip, which is seen afterwards.
installs () {
	box=$(sa-sandbox create | jq -r .sandbox) && mkdir -p wheels &&
	python3 "$SA_SRCDIR/t/make-wheel.py" wheels &&
	sa-sandbox write "$box" greeting-1.0-py3-none-any.whl \
		<wheels/greeting-1.0-py3-none-any.whl >out &&
	in_box -t 200 -- sh -ec "$1"
}
if test "$pip" = pip
then
	test_expect_success 'pip install of a wheel' '
		installs "python3 -m pip install --no-index ./*.whl" &&
		in_box -- greeting >out &&
		echo "hello from a wheel" | test_cmp - out &&
		in_box -- python3 -c "import greeting" && destroy
	'
else test_skip 'pip install of a wheel' 'no pip'
fi
if test "$venv" = venv
then
	test_expect_success 'pip install of a wheel into an environment' '
		installs "python3 -m venv env
			env/bin/pip install --no-index ./*.whl" &&
		in_box -- env/bin/greeting >out &&
		echo "hello from a wheel" | test_cmp - out &&
		in_box -- env/bin/python -c "import greeting" && destroy
	'
else test_skip 'pip install of a wheel into an environment' 'no venv'
fi

cat >program.py <<'PY'
import getpass
import locale
import multiprocessing
import os
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading


def served():
    server = socket.create_server(("localhost", 0))
    threading.Thread(target=lambda: server.accept()[0].sendall(b"x")).start()
    with socket.create_connection(server.getsockname()) as s:
        return s.recv(1)


if __name__ == "__main__":
    assert getpass.getuser() == "user"
    assert os.path.expanduser("~") == os.getcwd()
    assert locale.getpreferredencoding() == "UTF-8"
    open("n\u00e4me", "w", encoding="utf-8").write("\u00e4")
    with tempfile.NamedTemporaryFile() as f, sqlite3.connect("db") as db:
        db.execute("create table t (a)")
        f.write(b"x")
    with multiprocessing.Pool(2) as pool:
        assert pool.map(abs, [-1, -2]) == [1, 2]
    multiprocessing.Event().set()
    assert served() == b"x" and socket.gethostname() == "sandbox"
    assert socket.gethostbyname("localhost") == "127.0.0.1"
    assert subprocess.check_output(["id", "-un"]) == b"user\n"
    ssl.create_default_context()
    sys.stdout.write("fine\n")
PY
test_expect_success python3 'a Python program' '
	create --workdir /home/user &&
	sa-sandbox write "$box" program.py <program.py >out &&
	in_box -- python3 program.py >out && echo fine | test_cmp - out &&
	sa-sandbox ls "$box" >out &&
	jq_ok "any(.entries[]; .name == \"näme\")" out && destroy
'

# Where there is none in /usr it is shown, with what it stands beside.
node=$(command -v node || :)
case $node in
'') node= ;;
/usr/*) show= ;;
*)
	node=$(readlink -f "$node")
	show=$(dirname "$(dirname "$node")") ;;
esac
cat >program.mjs <<'JS'
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import { Worker } from "node:worker_threads";

assert.equal(os.homedir(), "/home/user");
assert.equal(os.userInfo().username, "user");
fs.mkdtempSync(`${os.tmpdir()}/x-`);
fs.writeFileSync("made", "by node\n");
assert.equal(execFileSync("cat", ["made"]).toString(), "by node\n");
await new Promise((done) => {
	new Worker("1", { eval: true }).on("exit", done);
});
const server = http.createServer((_, answer) => answer.end("hello"));
await new Promise((done) => server.listen(0, "localhost", done));
const url = `http://localhost:${server.address().port}/`;
assert.equal(await (await fetch(url)).text(), "hello");
server.close();
server.closeAllConnections?.();
console.log("fine");
JS
if test -n "$node" && "$node" --version >/dev/null 2>&1
then
	test_expect_success 'a program for node' '
		create ${show:+--ro "$show"} &&
		sa-sandbox write "$box" program.mjs <program.mjs >out &&
		in_box -- "$node" program.mjs >out &&
		echo fine | test_cmp - out &&
		in_box -- cat made >out && echo "by node" | test_cmp - out &&
		destroy
	'
else test_skip 'a program for node' 'no node'
fi

test_expect_success git 'a repository of its own' '
	create --env GIT_AUTHOR_NAME=a --env GIT_AUTHOR_EMAIL=a@example.org \
		--env GIT_COMMITTER_NAME=a \
		--env GIT_COMMITTER_EMAIL=a@example.org &&
	in_box -- git init -q repo &&
	echo one | sa-sandbox write "$box" repo/file >out &&
	in_box -- git -C repo add file &&
	in_box -- git -C repo commit -q -m first &&
	in_box -- git clone -q repo copy &&
	in_box -- git -C copy log --format=%s >out &&
	echo first | test_cmp - out && destroy
'

test_expect_success 'a session of commands that go on where others ended' '
	create --memory 1G --pids 100 &&
	in_box -- mkdir -p src/deep &&
	seq 100 | sa-sandbox write "$box" src/deep/numbers >out &&
	in_box -- sh -c "cd src; export A=1; grep -c 7 deep/numbers >count" &&
	in_box -- sh -c "pwd; echo \${A-unset}; cat src/count" >out &&
	printf "/workspace\nunset\n19\n" | test_cmp - out &&
	in_box -- sed -i s/7/seven/g src/deep/numbers &&
	in_box -- sh -c "echo kept >~/mine; echo kept >/tmp/mine;
		echo kept >/var/tmp/mine" &&
	in_box -- cat /home/user/mine /tmp/mine /var/tmp/mine >out &&
	test "$(grep -c kept out)" -eq 3 &&
	test_expect_code 1 in_box -- grep -q 7 src/deep/numbers &&
	in_box -- sh -c "chmod 600 src/count; ln -s count src/link" &&
	sa-sandbox read "$box" src/link >out && echo 19 | test_cmp - out &&
	in_box -- find src -type f >out && test "$(wc -l <out)" -eq 2 &&
	in_box -- rm -rf src && sa-sandbox ls "$box" >out &&
	jq_ok ".entries == []" out && destroy
'

test_expect_success 'what it may not write says so, and what it may can be' '
	create && test_expect_code 1 in_box -- touch /usr/x 2>err &&
	test_match "Read-only file system" err &&
	in_box -- sh -c "echo x >/dev/null; echo x >/dev/shm/x;
		test -w /tmp && test -w \"\$HOME\" && test -k /tmp &&
		head -c 10 /dev/urandom | wc -c" >out &&
	echo 10 | test_cmp - out &&
	in_box -- sh -c ". /etc/os-release && getent passwd user &&
		getent hosts localhost" >out && destroy
'

both_users
test_done
