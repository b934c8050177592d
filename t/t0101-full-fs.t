#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='a store that cannot be written to: full, read-only, of others'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

data=$SPARK_EXECUTOR_DATA_DIR

# Each block runs in a mount namespace of its own, as one script; what it
# leaves in the current directory is looked at afterwards.
in_mounts () {
	options=$1
	cat >block
	mkdir -p "$data" &&
	with_tmpfs "$options" "$data" sh -eu block
}

test_expect_success TMPFS,jq 'a full file system' '
	in_mounts size=256k <<-\B &&
	sa-conn save kept --conf spark.app.name=old >/dev/null
	sa-conn list >/dev/null
	cp "$SPARK_EXECUTOR_DATA_DIR/connections/kept.json" before.json
	dd if=/dev/zero of="$SPARK_EXECUTOR_DATA_DIR/fill" bs=4k 2>/dev/null ||
		:
	code=0
	sa-conn save kept --conf spark.app.name=new >out 2>err || code=$?
	echo $code >code
	code=0
	sa-conn save fresh >out2 2>err2 || code=$?
	echo $code >code2
	code=0
	echo "print(1)" | sa-genjob >out3 2>err3 || code=$?
	echo $code >code3
	cp "$SPARK_EXECUTOR_DATA_DIR/connections/kept.json" after.json
	find "$SPARK_EXECUTOR_DATA_DIR" -name ".*.*" ! -name .gitignore >left
	sa-conn show kept >show
	rm "$SPARK_EXECUTOR_DATA_DIR/fill"
	sa-conn save kept --conf spark.app.name=new >again
	B
	test_cmp before.json after.json &&
	test_empty left &&
	for i in "" 2 3
	do
		echo 74 >expected && test_cmp expected code$i &&
		test_empty out$i &&
		test_match "No space left on device" err$i || return 1
	done &&
	test_match "make room below .$data." err &&
	jq_ok ".spark_conf.\"spark.app.name\" == \"old\"" show &&
	jq_ok ".spark_conf.\"spark.app.name\" == \"new\"" again
'

test_expect_success ROOT,TMPFS,jq 'a read-only file system' '
	in_mounts size=1m <<-\B &&
	sa-conn save kept >/dev/null
	mount -o remount,ro "$SPARK_EXECUTOR_DATA_DIR"
	code=0
	sa-conn save kept --conf spark.app.name=new >out 2>err || code=$?
	echo $code >code
	code=0
	sa-conn delete kept >out2 2>err2 || code=$?
	echo $code >code2
	sa-conn show kept >show
	sa-conn list >list
	B
	echo 74 >expected &&
	test_cmp expected code && test_cmp expected code2 &&
	test_empty out && test_empty out2 &&
	test_match "Read-only file system" err &&
	test_match "$data. is on a read-only file system; let" err &&
	jq_ok ".name == \"kept\" and .spark_conf == {}" show &&
	jq_ok "[.items[].name] == [\"kept\"]" list
'

test_expect_success ROOT,TMPFS 'a new store on a read-only file system' '
	in_mounts size=1m <<-\B &&
	mount -o remount,ro "$SPARK_EXECUTOR_DATA_DIR"
	code=0
	sa-conn save kept >out 2>err || code=$?
	echo $code >code
	sa-conn list >list
	B
	echo 74 >expected && test_cmp expected code &&
	test_match "is on a read-only file system" err
'

# Readable for all, as one's own is not.
test_expect_success ROOT,setpriv,jq 'a store of somebody else' '
	mkdir -p "$data" &&
	sa-conn save kept >/dev/null &&
	chmod -R a+rX "$data" &&
	cp "$data/connections/kept.json" before.json &&
	test_expect_code 74 as_nobody sa-conn save kept \
		--conf spark.app.name=new >out 2>err &&
	test_empty out &&
	test_match "Permission denied" err &&
	test_match "$data. belongs to uid 0 and you are uid 65534" err &&
	test_expect_code 74 as_nobody sa-conn delete kept >out 2>err &&
	test_cmp before.json "$data/connections/kept.json" &&
	as_nobody sa-conn show kept >show &&
	jq_ok ".name == \"kept\"" show &&
	chmod 700 "$data" &&
	test_expect_code 74 as_nobody sa-conn list >out 2>err &&
	test_empty out &&
	test_match "cannot open the data directory .$data.: Permission" err
'

test_done
