#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='a submission that is stopped before each of its writes'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
command -v strace >/dev/null || skip_all 'no strace'
strace -qq -o /dev/null true 2>/dev/null || skip_all 'strace may not trace'
. "$SA_SRCDIR/t/confirm-lib.sh"

# All by which state changes; log lines would only make it longer.
calls='?write,?pwrite64,?fsync,?rename,?renameat,?renameat2,?link,?linkat,
?unlink,?unlinkat,?mkdir,?mkdirat,?fchmod,?fchmodat,?ftruncate'
calls=$(echo "$calls" | tr -d '\n')
# Looking for leaks does not go together with being traced.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
export ASAN_OPTIONS
prepare "exit 0" && rm -rf data/log && : >data/log

# killing_at N COMMAND...: KILL in place of the Nth call.
killing_at () {
	at=$1
	shift
	strace -D -qq -o /dev/null -e "trace=$calls" \
		-e "inject=$calls:signal=KILL:when=$at" "$@"
}

mkdir bin && cp "$SA_BUILDDIR/sa-confirm" bin/ || tl_fatal 'no sa-confirm'
cat >bin/sa-supervise <<S
#!/bin/sh
exec strace -D -qq -o /dev/null -e 'trace=$calls' \\
	-e "inject=$calls:signal=KILL:when=\$SA_TEST_AT" \\
	'$SA_BUILDDIR/sa-supervise' "\$@"
S
chmod +x bin/sa-supervise

n=1
while test "$n" -lt 400
do
	test_expect_success "sa-confirm, call $n" '
		prepare "say end" &&
		{ killing_at $n sa-confirm --yes "$p" >job.json; code=$?; } &&
		echo $code >code && holds
	'
	test "$(cat code)" -eq 137 || break
	n=$((n + 1))
done
test_expect_success 'sa-confirm came to its end' '
	test "$(cat code)" -eq 0 && test "$n" -gt 5 && test "$n" -lt 400
'

n=1
while test "$n" -lt 400
do
	test_expect_success "sa-supervise, call $n" '
		prepare "say end" &&
		{ SA_TEST_AT=$n bin/sa-confirm --yes "$p" >job.json; :; } &&
		holds
	'
	jq -r .state once >code
	test "$(cat code)" != SUCCEEDED || test "$n" -lt 6 || break
	n=$((n + 1))
done
test_expect_success 'sa-supervise came to its end' '
	test "$n" -gt 5 && test "$n" -lt 400
'
sort outcomes | uniq -c | sed 's/^/#/'

test_expect_success 'the audit is whole' '
	sa-confirm audit --verify >out && jq_ok .ok out
'

test_done
