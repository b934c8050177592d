#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-confirm on a store that is full, read-only, not ours'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/confirm-lib.sh"

# What runs on a mount of its own, and so in a shell of its own.
cat >on-mount <<'S'
. "$SA_SRCDIR/t/confirm-lib.sh"
fill () {
	cat /dev/zero >data/fill 2>/dev/null
	test -s data/fill
}
refused () {
	test_expect_code 74 sa-confirm "$@" >out 2>err &&
	test_empty out &&
	status_is PENDING &&
	test "$(starts "$p")" -eq 0
}
S

# on_mount BODY: with the functions of this library too.
on_mount () {
	{
		sed -e '/^\. .*confirm-lib/d' "$SA_SRCDIR/t/confirm-lib.sh"
		sed -e 1d on-mount
		printf '%s\n' "$1"
	} >body &&
	with_tmpfs size=1m "$PWD/data" sh -c '
		test_expect_code () {
			want=$1; shift; got=0; "$@" || got=$?
			test "$got" -eq "$want" ||
				{ echo "exit $got: $*" >&2; return 1; }
		}
		test_empty () { test ! -s "$1"; }
		jq_ok () { e=$1 f=$2; shift 2; jq -e "$@" "$e" "$f"; }
		wait_for () {
			left=300
			until "$@" >/dev/null 2>&1
			do
				left=$((left - 1))
				test "$left" -gt 0 || return 1
				sleep 0.1
			done
		}
		fake_spark () { :; }
		tl_fatal () { echo "$*" >&2; exit 1; }
		. ./body
	'
}

mkdir -p data

test_expect_success TMPFS 'a full disk: 74, and nothing has happened' '
	on_mount "
		prepare \"exit 0\" && fill && refused --yes \"\$p\" &&
		refused reject \"\$p\" && refused approve --yes \"\$p\" &&
		sa-confirm review \"\$p\" >out &&
		rm data/fill && sa-confirm audit --verify && submit &&
		ended \"\$j\"
	"
'

test_expect_success TMPFS 'a disk that is full when the driver ends' '
	on_mount "
		prepare \"await go\" && submit && fill && touch go &&
		sleep 1.5 && jq -e .finished_at==null \
			\"data/runs/\$j/record.json\" &&
		rm data/fill && ended \"\$j\" &&
		jq_ok \".state == \\\"SUCCEEDED\\\"\" \
			\"data/runs/\$j/record.json\"
	"
'

test_expect_success ROOT,TMPFS 'a read-only store can be read' '
	on_mount "
		prepare \"exit 0\" && mount -o remount,ro data &&
		refused --yes \"\$p\" && refused reject \"\$p\" &&
		sa-confirm review \"\$p\" >out &&
		sa-confirm audit --verify && sa-confirm --dry-run \"\$p\"
	"
'

test_expect_success ROOT,setpriv 'a store of somebody else' '
	prepare "exit 0" &&
	test_expect_code 74 as_nobody sa-confirm --yes "$p" >out 2>err &&
	test_empty out &&
	test_match "data" err &&
	status_is PENDING
'

test_done
