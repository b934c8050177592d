#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description="the operator's file sets the policy; the rest tightens it"
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/operator-lib.sh"

test_have_prereq TMPFS,jq || skip_all "no $tl_missing"
test -d /etc || skip_all 'no /etc'

# The value of a key, and where it is from.
value () {
	jq -r --arg k "$1" '.items[] | select(.key == $k) |
		"\(.value) \(.source)"' out
}

person () {
	mkdir -p "$XDG_CONFIG_HOME/sa" &&
	printf '%s\n' "$@" >"$XDG_CONFIG_HOME/sa/config"
}

# refused COMMAND...: under the operator's confirm = other-uid
refused () {
	test_expect_code 78 as_operator "confirm = other-uid" "$@" \
		>out 2>err &&
	test_empty out &&
	test_match "would loosen .* of /etc/sa/config:1" err
}

test_expect_success 'its settings count, and policy among them' '
	as_operator "confirm = other-uid
	approvers = staff
	log_level = ERROR" sa-conn config --json >out &&
	value confirm >got && value log_level >>got && value approvers >>got &&
	cat >expected <<-\X &&
	other-uid /etc/sa/config:1
	ERROR /etc/sa/config:3
	staff /etc/sa/config:2
	X
	test_cmp expected got
'

test_expect_success 'it may loosen the default' '
	as_operator "confirm = open" sa-conn config --json >out &&
	value confirm >got &&
	echo "open /etc/sa/config:1" >expected &&
	test_cmp expected got
'

test_expect_success 'the environment does not loosen it' '
	refused env SA_CONFIRM=shell sa-conn list &&
	test_match "environment SA_CONFIRM" err &&
	refused env SA_CONFIRM=open sa-conn list &&
	refused env SA_APPROVERS=me sa-conn list &&
	refused env SA_ALLOWED_SIGNERS=/mine sa-conn list
'

test_expect_success 'not by way of a stricter one with its own signers' '
	test_expect_code 78 as_operator "confirm = other-uid" \
		env SA_CONFIRM=signed SA_ALLOWED_SIGNERS=/mine \
		sa-conn list >out 2>err &&
	test_match "would loosen .confirm = signed. of environment" err
'

test_expect_success 'nor does a file that SA_CONFIG names' '
	echo "confirm = open" >extra &&
	refused env SA_CONFIG=extra sa-conn list &&
	test_match "extra:1" err
'

test_expect_success "nor the person's" '
	person "confirm = open" &&
	refused sa-conn list &&
	person "data_dir = elsewhere" "signing_key = /key" &&
	as_operator "confirm = other-uid" env -u SPARK_EXECUTOR_DATA_DIR \
		sa-conn config --json >out &&
	value data_dir >got && value signing_key >>got &&
	test_match "^elsewhere .*/sa/config:1" got &&
	test_match "^/key .*/sa/config:2" got &&
	person ""
'

test_expect_success 'all may tighten it' '
	as_operator "confirm = other-uid" env SA_CONFIRM=signed \
		sa-conn config --json >out &&
	value confirm >got &&
	echo "signed environment SA_CONFIRM" >expected &&
	test_cmp expected got &&
	echo "confirm = signed" >extra &&
	as_operator "confirm = shell" env SA_CONFIG=extra \
		sa-conn config --json >out &&
	value confirm >got &&
	echo "signed extra:1" >expected &&
	test_cmp expected got &&
	person "confirm = signed" &&
	test_expect_code 78 as_operator "confirm = other-uid" \
		env SA_CONFIRM=other-uid sa-conn list >out 2>err &&
	test_match "would loosen .confirm = signed." err &&
	person ""
'

test_expect_success 'a file that is broken stops everything' '
	test_expect_code 78 as_operator "confirm = maybe" sa-conn list 2>err &&
	test_match "/etc/sa/config:1: confirm is .maybe." err &&
	test_expect_code 78 as_operator "no_such = 1" sa-conn list 2>err &&
	test_match "unknown key .no_such." err
'

test_expect_success ROOT,setpriv 'so does one that cannot be read' '
	as_nobody true &&
	test_expect_code 78 as_operator "confirm = signed" sh -c "
		chmod 600 /etc/sa/config && exec setpriv --reuid 65534 \
			--regid 65534 --clear-groups $tl_dir/bin/sa-conn list
	" 2>err &&
	test_match "cannot open ./etc/sa/config.: Permission denied" err
'

test_done
