#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='two hundred who confirm the same pending: one job'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/confirm-lib.sh"

n=200
test_expect_success "$n at a time" '
	prepare "await go" &&
	mkdir race &&
	i=0 && while test $i -lt $n
	do
		i=$((i + 1))
		{
			sa-confirm --yes "$p" >race/$i.out 2>race/$i.err
			echo $? >race/$i.code
		} &
	done && wait &&
	cat race/*.code | sort | uniq -c | sed "s/^ *//" >codes &&
	printf "%s\n" "1 0" "$((n - 1)) 65" >expected &&
	test_cmp expected codes &&
	cat race/*.out >job.json &&
	j=$(jq -r .job_id job.json) &&
	test "$(grep -l "$p.*$j" race/*.err | wc -l)" -eq $((n - 1)) &&
	test "$(starts "$p")" -eq 1 &&
	ls data/runs >runs && echo "$j" >expected && test_cmp expected runs &&
	touch go && ended "$j" &&
	sa-confirm audit --verify
'

test_expect_success 'confirm and reject: one of them' '
	for i in 1 2 3 4 5 6 7 8
	do
		prepare "exit 0" || return 1
		sa-confirm reject "$p" >rejected 2>err & sa-confirm --yes "$p" \
			>job.json 2>err2; confirmed=$?
		wait $!; rejected=$?
		case $confirmed.$rejected in
		0.65) test "$(starts "$p")" -eq 1 && status_is SUBMITTED ;;
		65.0) test "$(starts "$p")" -eq 0 && status_is CANCELLED ;;
		*) echo "confirm $confirmed, reject $rejected" && false ;;
		esac || return 1
	done
'

test_done
