#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2086 # tests see variables, of which one is words
#
# Hosts and containers that do not let a sandbox be: no command runs there,
# and the message tells what keeps it and what the operator can do.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

python=/usr/bin/python3
test -x "$python" || skip_all "no $python"
need_sandbox

cp "$SA_SRCDIR/t/deny-calls.py" . && mkdir -m 777 nobody
deny="$python $PWD/deny-calls.py"

# refused WHAT REMEDY COMMAND...: the command runs nothing, and says both.
refused () {
	what=$1 remedy=$2
	shift 2
	test_expect_code 125 "$@" sa-sandbox exec -- touch ran \
		</dev/null >out 2>err &&
	test_empty out && cat err &&
	test_match "have $what: " err && test_match "$remedy" err &&
	test_expect_code 77 "$@" sa-sandbox create >out 2>err &&
	test_empty out && test_match "$remedy" err &&
	test_expect_code 1 "$@" sa-sandbox check --json >check.json &&
	jq_ok ".ok == false and (.items | length) == 1 and
		(.items[0] | .name == \"isolation\" and
		(.detail | contains(\"$what\")) and
		(.hint | test(\"$remedy\")))" check.json
}
# hidden COMMAND...: where a part of /proc is hidden, as in containers.
hidden () {
	unshare -m sh -c '
		mount -t tmpfs none /proc/irq && exec "$@"' sh "$@"
}
# set_to NAME VALUE COMMAND...: as if a sysctl of kernel.* had the value.
set_to () {
	unshare -m sh -c '
		mount -t tmpfs -o mode=755 none /proc/sys/kernel &&
		echo "$2" >"/proc/sys/kernel/$1" && shift 2 && exec "$@"
	' sh "$@"
}
for error in EPERM ENOSYS
do
	test_expect_success "a filter of system calls ($error of clone3)" '
		refused namespaces "seccomp=PROFILE" $deny $error clone3
	'
done
test_expect_success 'a filter of system calls (EACCES of mount)' '
	for i in 1 2 3 4 5
	do
		refused "private mounts" "seccomp=PROFILE" \
			$deny EACCES mount || exit
	done
'
if test_have_prereq ROOT && unshare -m true 2>/dev/null
then
	as_nobody true && path=$(as_nobody sh -c 'echo "$PATH"') &&
	cat >user <<-EOF2 && chmod +x user
	#!/bin/sh
	export SPARK_EXECUTOR_DATA_DIR=$PWD/nobody/data TMPDIR=$PWD/nobody
	PATH=$path
	exec setpriv --reuid 65534 --regid 65534 --clear-groups "\$@"
	EOF2
	test_expect_success 'hidden parts of /proc' '
		remedy="systempaths=unconfined.*unmask=ALL.*procMount" &&
		refused /proc "$remedy" hidden &&
		refused /proc "$remedy" hidden ./user
	'
	# What AppArmor and Debian do to a user, and not what does it.
	test_expect_success 'a restriction of AppArmor' '
		refused "private mounts" "AppArmor .*install the one of" \
			set_to apparmor_restrict_unprivileged_userns 1 \
			./user $deny EACCES mount &&
		refused "private mounts" "seccomp=PROFILE" \
			set_to apparmor_restrict_unprivileged_userns 1 \
			$deny EACCES mount
	'
	test_expect_success 'user namespaces for root alone' '
		refused namespaces "unprivileged_userns_clone is 0" \
			set_to unprivileged_userns_clone 0 \
			./user $deny EPERM clone3
	'
	test_expect_success 'a root that has no other id' '
		refused "ids of its own" "no ids for a sandbox" \
			unshare -U --map-root-user
	'
	# of a container without root: 0 is a user of the host
	test_expect_success 'a root that is a user of the host needs none' '
		./user unshare -U --map-root-user sa-sandbox exec -- id -u \
			</dev/null >out &&
		echo 1000 | test_cmp - out
	'
	test_expect_success 'no user namespaces' '
		refused namespaces "user.max_user_namespaces is 0" \
			./user unshare -U --map-root-user sh -c "
			echo 0 >/proc/sys/user/max_user_namespaces &&
			exec \"\$@\"" sh
	'
fi

test_expect_success 'the same commands run where nothing keeps them' '
	sa-sandbox exec -- true </dev/null
'
test_done
