# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh disable=SC2034,SC2154
#
# One submission to YARN during which one thing breaks. After confirm-lib.sh.
# A script has connections cluster and client, sets
#
#	mode		cluster or client
#	fault		what breaks
#	moment, delay	when: so long after the job was claimed, had its mark,
#			spark-submit was started, the application submitted,
#			or spark-submit ended
#	patience	seconds that anything may take
#	grace		seconds until what is not found is LOST
#
# and has the functions
#
#	write_program	x.py, which says "end", soon or where $fault is a kill
#			never
#	rm_apps TAG	what the ResourceManager says of applications
#	submitted JOB	whether it has one
#
# Then a round is first_part && break_it && all_is_true. The last one writes a
# line to outcome and adds it to outcomes; it fails where two applications were
# made, or the answer is not what the ResourceManager and the driver say, or
# none at all, or what was to be killed goes on.

first_part () {
	write_program && sa-prepare -c "$mode" x.py >pending.json &&
	p=$(jq -r .pending_id pending.json) && rm -f once job.json &&
	{ sa-confirm --yes "$p" >job.json 2>confirm.err & } && confirming=$! &&
	reach "$moment" && sleep "$delay"
}

# What comes later may never come, as something else fails.
reach () {
	reach_left=$((patience * 4))
	until has_come "$1" || test "$((reach_left -= 1))" -eq 0
	do
		sleep 0.05
	done
}

in_time () {
	deadline=$(($(date +%s) + patience))
	until "$@" >/dev/null 2>&1
	do
		test "$(date +%s)" -lt "$deadline" || {
			echo "waited $patience s in vain: $*"
			"$@"
			return 1
		}
		sleep 0.2
	done
}

has_come () {
	j=$(jq -r ".job_id // empty" "data/pending/$p/record.json") &&
	test -n "$j" || return
	case $1 in
	claimed) ;;
	marked) test -e "data/runs/$j/exec.json" ;;
	started) test -s "data/runs/$j/stderr" ;;
	submitted) submitted "$j" ;;
	ended) test -e "data/runs/$j/exit.json" ;;
	esac
}

# The driver's own process, or the group that it leads.
signal_driver () {
	pid=$(jq -r .pid "data/runs/$j/exec.json") || return 0
	kill "-$1" "$2$pid" || :
}

# A command of its own that is killed on its way.
killed_on_its_way () {
	{ "$@" >/dev/null & } && victim=$! && sleep "$delay" &&
	sleep "$delay" && { kill -KILL "$victim" || :; } &&
	{ wait "$victim" || :; }
}

break_it () {
	case $fault in
	none) ;;
	submit-*) signal_driver "${fault#submit-}" '' ;;
	supervise-KILL) kill_supervisor ;;
	confirm-KILL) kill -KILL "$confirming" || : ;;
	host-KILL)
		kill_supervisor && { kill -KILL "$confirming" || :; } &&
		signal_driver KILL - ;;
	kill) sa-yarn kill -t 2 "$j" >/dev/null || : ;;
	kill-KILL) killed_on_its_way sa-yarn kill "$j" ;;
	reconcile-KILL) killed_on_its_way sa-yarn status --reconcile "$j" ;;
	wait-KILL) killed_on_its_way sa-yarn wait "$j" ;;
	esac
}

confirmed_again () {
	sa-confirm --yes --once "$p" >once 2>again.err || {
		cat again.err
		return 1
	}
}

is_over () {
	sa-yarn status --reconcile --grace-seconds "$grace" "$j" >record &&
	jq -e '.finished_at != null' record
}

# What the state must be, of how many were submitted and how it ended.
check_cluster () {
	case $count.$(jq -r .state record) in
	1.SUCCEEDED|1.FAILED|1.KILLED)
		jq_ok ".apps.app[0] | .id == \$r[0].application_id and
			.finalStatus == \$r[0].state" apps.json \
			--slurpfile r record ;;
	0.LOST) test ! -e "$run/exit.json" || jq_ok \
		".exit_code >= 128 or .signal != null" \
		"$run/exit.json" ;;
	0.FAILED) test ! -e "$run/exec.json" ||
		jq_ok ".exit_code > 0 and .exit_code < 128" "$run/exit.json" ;;
	0.KILLED) jq_ok ".kill_requested_at != null" record ;;
	*) echo "$count applications, $(jq -r .state record)" && false ;;
	esac
}

# The driver's word, or the cluster's where it says worse or is the only one.
cluster_says () {
	jq_ok "any(.apps.app[]?; .state == \"$1\" or .finalStatus == \"$1\")" \
		apps.json
}

check_client () {
	case $(jq -r .state record) in
	SUCCEEDED)
		jq_ok ".exit_code == 0" "$run/exit.json" &&
		grep -q "^end$" "$run/stdout" &&
		jq_ok "all(.apps.app[]?; .state != \"KILLED\")" apps.json ;;
	FAILED)
		test ! -e "$run/exec.json" || cluster_says FAILED || jq_ok \
			".exit_code != 0 or .signal != null" "$run/exit.json" ;;
	LOST) test ! -e "$run/exit.json" ;;
	KILLED) jq_ok ".kill_requested_at != null" record ;;
	esac
}

nothing_goes_on () {
	rm_apps "$tag" >apps.json &&
	jq_ok "all(.apps.app[]?; .state |
		IN(\"FINISHED\", \"FAILED\", \"KILLED\"))" apps.json
}

group_is_empty () {
	test -e "$run/exec.json" || return 0
	ps -eo pgid= >groups &&
	awk -v g="$(jq -r .pgid "$run/exec.json")" \
		'$1 == g { n = 1 } END { exit n }' groups
}

# A wish that was stored is carried out by whoever looks; where it was not, it
# can be made again.
killed_for_good () {
	case $fault in
	kill*) ;;
	*) return 0 ;;
	esac
	jq -e '.kill_requested_at != null' "$run/record.json" >/dev/null ||
		sa-yarn kill "$j" >/dev/null || return
	if test "$mode" = client
	then sa-yarn kill "$j" >/dev/null || return
	fi
	in_time is_over && in_time nothing_goes_on && in_time group_is_empty
}

# Nothing else ends those that were to be killed.
check_killed () {
	case $fault.$count in
	kill*.1) jq_ok '.state == "KILLED"' record ;;
	esac
}

verdict () {
	case $(jq -r .state record) in
	SUCCEEDED) echo 0 ;;
	LOST) echo 69 ;;
	*) echo 1 ;;
	esac
}

all_is_true () {
	{ wait "$confirming" || :; } && in_time confirmed_again &&
	j=$(jq -r .job_id once) && run=data/runs/$j &&
	tag=$(jq -r .tag "$run/record.json") &&
	killed_for_good && in_time is_over &&
	# what is LOST may end on the cluster yet, which tells more then
	in_time nothing_goes_on && in_time is_over &&
	count=$(jq '[.apps.app[]?] | length' apps.json) &&
	test "$(starts "$p")" -le 1 && test "$count" -le 1 &&
	"check_$mode" && check_killed &&
	jq_ok '.type == "job"' "$run/record.json" &&
	test_expect_code "$(verdict)" sa-yarn wait "$j" >waited &&
	jq -r .state record >state && jq -r .state waited >state2 &&
	test_cmp state state2 &&
	echo "$mode, $fault: $count applications, $(cat state)" >outcome &&
	cat outcome >>outcomes
}
