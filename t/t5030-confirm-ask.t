#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-confirm asks at a terminal, in its foreground only'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/confirm-lib.sh"

in_terminal=$SA_BUILDDIR/t/in-terminal
PAGER='cat'
export PAGER

# at_terminal ANSWER COMMAND: COMMAND of a shell, answered.
at_terminal () {
	printf '%s\n' "expect anything else" "send $1" >script &&
	"$in_terminal" script sh -c "$2" >shown
}

code_of () {
	jq -r .plan_sha256 pending.json | sed 's/.*\(....\)$/\1/'
}

test_expect_success 'the last four characters of the plan are a yes' '
	prepare "say hello" &&
	at_terminal "$(code_of)" "sa-confirm $p >job.json" &&
	j=$(jq -r .job_id job.json) && ended "$j" &&
	test_match "1  # fake: say hello" shown &&
	test_match "^COMMAND" shown &&
	test_match "^submit $p: .x. on demo[?]" shown &&
	test_match "^type the hash.s last 4 characters to submit, " shown &&
	test_match "$(jq -r .plan_sha256 pending.json)" shown &&
	test_match "submitted $j" shown
'

for answer in "" y yes 0 " "
do
	test_expect_success "the answer '$answer' is a no" '
		prepare "exit 0" &&
		test_expect_code 1 at_terminal "$answer" \
			"sa-confirm $p >out" &&
		jq_ok ".status == \"PENDING\"" out &&
		status_is PENDING &&
		test_match "reject $p" shown
	'
done

test_expect_success 'a pipeline is asked at the terminal too' '
	prepare "exit 0" &&
	at_terminal "$(code_of)" \
		"cat pending.json | sa-confirm | cat >job.json" &&
	jq_ok ".type == \"job\"" job.json &&
	test_match "1  # fake: exit 0" shown
'

test_expect_success 'end of file and a terminal that goes are a no' '
	prepare "exit 0" &&
	printf "%s\n" "expect anything else" "type \\x04" >script &&
	test_expect_code 1 "$in_terminal" script \
		sh -c "sa-confirm $p >out" &&
	status_is PENDING &&
	printf "%s\n" "expect anything else" hangup >script &&
	{ "$in_terminal" script sh -c "sa-confirm $p >out"; :; } &&
	printf "%s\n" "expect anything else" "type \\x03" >script &&
	{ "$in_terminal" script sh -c "sa-confirm $p >out"; :; } &&
	status_is PENDING && test "$(starts "$p")" -eq 0
'

test_expect_success 'in the background nobody is asked' '
	prepare "exit 0" &&
	>script &&
	"$in_terminal" script sh -mc "
		sa-confirm $p >out 2>err & wait \$!; echo \$? >code
	" &&
	echo 1 >expected && test_cmp expected code &&
	test_match "no terminal in whose foreground" err &&
	jq_ok ".status == \"PENDING\"" out
'

test_expect_success 'a pager that is quit early changes nothing' '
	prepare "exit 0" &&
	printf "%s\n" "expect anything else" "send $(code_of)" >script &&
	SA_PAGER="head -n 1" "$in_terminal" script sa-confirm --json "$p" \
		>shown &&
	status_is SUBMITTED &&
	>script &&
	SA_PAGER="head -n 1" "$in_terminal" script sa-confirm review "$p" \
		>shown &&
	test "$(wc -l <shown)" -eq 1
'

test_expect_success 'control characters of a script are seen, not obeyed' '
	printf "# \033]0;owned\007 \033[2J\342\200\256\n" >x.py &&
	echo "# fake: exit 0" >>x.py &&
	p=$(sa-prepare -c demo x.py | jq -r .pending_id) &&
	test_expect_code 1 at_terminal no "sa-confirm $p >out" &&
	test_expect_code 1 grep -F "$(printf "\033]0")" shown &&
	test_expect_code 1 grep "$(printf "\342\200\256")" shown &&
	test_match "x1[bB]" shown
'

test_expect_success 'approve asks the same way' '
	prepare "exit 0" &&
	test_expect_code 1 at_terminal no "sa-confirm approve $p >out" &&
	test_match "^approve $p: .x. on demo[?]" shown &&
	test ! -e "data/approvals/$p.json" &&
	at_terminal "$(code_of)" "sa-confirm approve $p >out" &&
	jq_ok ".type == \"approval\" and (.approved_by.tty | test(\"/dev/\"))" \
		out &&
	test_expect_code 1 setsid -w sa-confirm approve "$p" </dev/null
'

test_done
