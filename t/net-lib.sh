# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh
#
# For tests of a sandbox's network, in place of test-lib.sh: the script runs
# in a network of its own (t/in-network.c), in which box-net.py serves. Names
# of the Internet, of a neighbour and of this machine, and what lies:
tn_hosts () {
	cat <<-\EOF
	127.0.0.1 localhost
	11.0.0.1 web.example.com other.example.com git.example.org
	11.0.0.2 a.example.net b.example.net
	10.99.0.1 intra.example.com
	127.0.0.1 loop.example.com
	169.254.169.254 meta.example.com
	::ffff:127.0.0.1 mapped.example.com
	64:ff9b::7f00:1 nat64.example.com
	2002:7f00:1:: sixtofour.example.com
	10.99.0.1 both.example.com
	11.0.0.1 both.example.com
	11.0.0.9 silent.example.com
	EOF
}

if test -z "${SA_TEST_NETWORK:-}"
then
	tn_build=${SA_BUILDDIR:-$(pwd)}
	if ! test -x "$tn_build/t/in-network"
	then
		echo "Bail out! run it from a build directory, after make check"
		exit 99
	fi
	tn_file=$(mktemp) || exit 99
	tn_hosts >"$tn_file"
	chmod 644 "$tn_file"
	if tn_why=$("$tn_build/t/in-network" "$tn_file" true)
	then
		SA_TEST_NETWORK=$tn_file "$tn_build/t/in-network" "$tn_file" \
			sh "$0" "$@"
		tn_status=$?
		rm -f "$tn_file"
		exit "$tn_status"
	fi
	rm -f "$tn_file"
	echo "1..0 # SKIP $tn_why"
	exit 0
fi
export SA_TEST_NETWORK

. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

python=/usr/bin/python3
test -x "$python" || skip_all "no $python"
need_sandbox "$SA_BUILDDIR/t/in-sandbox" '{}' 30 true

# The servers, in the directory "served"; what they saw is in "seen".
serve () {
	mkdir -p served &&
	: >seen &&
	{ (cd served && exec "$python" "$SA_SRCDIR/t/box-net.py" ../seen "$@") &
	} &&
	echo $! >server.pid &&
	wait_for grep -q ^ready seen
}
end_serving () {
	kill "$(cat server.pid)" 2>/dev/null &&
		wait_for has_ended "$(cat server.pid)"
}
has_ended () {
	! kill -0 "$1" 2>/dev/null
}

# net OPTION... -- COMMAND...: a sandbox for one command; its record is in
# "record", and the exit status is the command's.
net () {
	sa-sandbox exec --json "$@" </dev/null >record
}
