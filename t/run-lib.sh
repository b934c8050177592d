# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh
#
# Run directories made by hand, for what a supervisor leaves behind. After
# test-lib.sh:
#
#	new_run [MEMBERS]	sets $job and $run, its directory; MEMBERS are
#				jq's, laid over the record
#	supervise		a process that holds alive: $supervisor
#	start_driver COMMAND...	in a session of its own, with the run's output
#				files, once its mark is there: $driver
#	ended EXIT_CODE [SIGNAL]	exit.json
#
# What was started is ended with the script.

tl_runs=0
: >"$TMPDIR/pids"
# shellcheck disable=SC2016
at_end 'while read -r tl_pid
	do
		kill -9 "$tl_pid" "-$tl_pid"
	done <"$tl_dir/tmp/pids" >"$tl_dir/out" 2>&1'

# Bodies run in subshells, so that the number is in a file.
new_run () {
	tl_runs=$(cat "$TMPDIR/runs" 2>/dev/null || echo 0)
	tl_runs=$((tl_runs + 1))
	echo "$tl_runs" >"$TMPDIR/runs"
	job=$(printf 'j_20261129T101502_%06x' "$tl_runs")
	run=$SPARK_EXECUTOR_DATA_DIR/runs/$job
	mkdir -p "$run" &&
	real_jq -nc --arg id "$job" '{v: 1, type: "job", job_id: $id,
		pending_id: "p_20261129T101500_4f0c9a", connection: "demo",
		name: "sales", master: "local[2]", deploy_mode: null,
		state: "SUBMITTING", application_id: null, tag: null,
		yarn_state: null, final_status: null, exit_code: null,
		signal: null, diagnostics: null, yarn_rm_url: null,
		yarn_user: null, tracking_url: null,
		submitted_at: "2026-11-29T10:15:02Z", started_at: null,
		finished_at: null, kill_requested_at: null,
		checked_at: null} + ('"${1:-{\}}"')' >"$run/record.json"
}

supervise () {
	( exec 9>>"$run/alive" && flock 9 && : >"$run/held" &&
		exec sleep 300 ) &
	supervisor=$!
	echo "$supervisor" >>"$TMPDIR/pids"
	wait_for test -e "$run/held" && rm "$run/held"
}

start_driver () {
	# shellcheck disable=SC2016
	setsid sh -c 'until test -e "$0/exec.json"
		do
			sleep 0.02
		done
		exec "$@"' "$run" "$@" \
		>>"$run/stdout" 2>>"$run/stderr" </dev/null &
	driver=$!
	echo "$driver" >>"$TMPDIR/pids"
	wait_for leads_group "$driver" &&
	jq -nc --arg host "$(uname -n)" \
		--arg boot "$(cat /proc/sys/kernel/random/boot_id)" \
		--argjson pid "$driver" \
		--argjson ticks "$(sed 's/.*) //' "/proc/$driver/stat" |
			cut -d ' ' -f 20)" \
		'{host: $host, boot_id: $boot, pid: $pid, pgid: $pid,
		start_ticks: $ticks, at: "2026-11-29T10:15:03Z"}' \
		>"$run/.exec.tmp" &&
	mv "$run/.exec.tmp" "$run/exec.json"
}

leads_group () {
	test "$(sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 3)" = "$1"
}

ended () {
	jq -nc --argjson code "$1" --argjson signal "${2:-null}" \
		'{exit_code: $code, signal: $signal,
		at: "2026-11-29T10:16:00Z"}' >"$run/.exit.tmp" &&
	mv "$run/.exit.tmp" "$run/exit.json"
}
