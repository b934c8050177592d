#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the double of YARN answers as a real one did'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test_have_prereq python3 || skip_all 'python3 is not here'

answers=$SA_SRCDIR/t/data/yarn
shapes=$SA_SRCDIR/t/yarn-shapes.py

test_expect_success 'each recorded answer is the one of the double' '
	python3 "$shapes" "$answers"/* >out &&
	test_match "^1\.\.[0-9]{2}" out &&
	test_expect_code 1 grep "^not ok" out
'

# What is compared: a member, a type, the status, a header, a text.
changed () {
	mkdir -p "$1" &&
	sed "$2" "$answers/$3" >"$1/$3" &&
	test_expect_code 1 cmp -s "$1/$3" "$answers/$3" &&
	test_expect_code 1 python3 "$shapes" "$1/$3" >out &&
	test_match "^not ok" out
}
test_expect_success 'an answer that differs is seen' '
	changed member "s/\"queue\"/\"queues\"/" app-running &&
	changed type "s/\"priority\":0/\"priority\":\"0\"/" app-running &&
	changed status "s/ 404 / 400 /" app-unknown &&
	changed header "/^Refresh/d" none-active &&
	changed text "s/no active RM/no RM/" none-active-text
'

# A harness reaps a test when its output is closed, and a double that lives on
# holds that open: what has ended and was not waited for is gone as well.
cat >orphan.py <<'PY'
import os, subprocess, sys
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
argv = [sys.executable, sys.argv[1], "--parent", str(pid), *sys.argv[2:]]
sys.exit(subprocess.call(argv, stdout=subprocess.DEVNULL, timeout=60))
PY
test_expect_success 'the doubles end with a parent that nobody waited for' '
	echo "{}" >scenario && echo "{}" >state && mkdir objects &&
	python3 orphan.py "$SA_SRCDIR/t/fake-yarn.py" scenario &&
	python3 orphan.py "$SA_SRCDIR/t/fake-master.py" state &&
	python3 orphan.py "$SA_SRCDIR/t/fake-kube.py" objects
'

test_done
