#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
#
# What is tried inside a sandbox to get round its network's rules: a test for
# each line of net-probe.py.
. "${SA_SRCDIR:-$(dirname "$0")/..}/t/net-lib.sh"

command -v openssl >/dev/null || skip_all 'no openssl for a certificate'

test_expect_success 'servers run that only this network has' '
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-days 2 -subj /CN=web.example.com -keyout key -out ca &&
	cat key ca >both &&
	serve ../both
'
at_end end_serving

count=$("$python" "$SA_SRCDIR/t/net-probe.py" --count)
# shellcheck disable=SC2034 # tests see it as they are evaluated
options=$("$python" "$SA_SRCDIR/t/net-probe.py" --options)

test_expect_success 'a prober runs to its end' '
	sa-sandbox exec -i -t 200 $options -- python3 - \
		<"$SA_SRCDIR/t/net-probe.py" >lines 2>err &&
	test "$(wc -l <lines)" -eq '"$count"'
'
if test -e lines
then
	while IFS='|' read -r verdict name why
	do
		test "$verdict" = contained ||
			printf '# %s: %s\n' "$name" "$why"
		test_expect_success "$name" "test '$verdict' = contained"
	done <lines
fi

test_expect_success 'and the servers saw nothing of what was refused' '
	cat seen &&
	! grep -e "/no" -e smuggled -e evil -e tunnel seen &&
	grep -q "GET both.example.com /both 11.0.0.1" seen &&
	grep -q "POST web.example.com /body 4" seen &&
	grep -q "GET web.example.com /first" seen
'

ended () {
	! grep -qs '^sandbox-net$' "/proc/$1/comm"
}
test_expect_success 'the network ends with its sandbox, and its caller' '
	{ exec sa-sandbox exec --allow-egress a.b -- sleep 300 & } &&
	caller=$! &&
	at_work () {
		grep -ls "^PPid:	$caller\$" /proc/[0-9]*/status >children
		for i in $(cat children)
		do
			read -r name <"${i%status}comm" || continue
			test "$name" = sandbox-net || continue
			i=${i#/proc/}
			echo "${i%/status}" >net.pid
			return 0
		done
		return 1
	} &&
	wait_for at_work &&
	net=$(cat net.pid) &&
	kill -9 "$caller" &&
	wait_for ended "$net"
'

end_serving
both_users
test_done
