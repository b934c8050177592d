# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh disable=SC2154
#
# Jobs on a cluster that t/fake-yarn.py plays. After run-lib.sh; outside of
# bodies:
#
#	start_yarn SCENARIO	sets $rm, its URLs
# and in them:
#	scenario JQ-EXPRESSION	another one: {} | EXPRESSION
#	app JOB STATE FINAL [MEMBERS]	one application that carries JOB's tags
#	asked JQ-EXPRESSION	how many requests since then fit
#	forget			the requests
#	new_cluster_run [MEMBERS]	as new_run: cluster mode on YARN, after
#				spark-submit ended with 0
#	empty_store		no runs

store_id=0123456789ab

start_yarn () {
	mkdir -p "$SPARK_EXECUTOR_DATA_DIR" &&
	echo "$store_id" >"$SPARK_EXECUTOR_DATA_DIR/store-id"
	printf '%s\n' "$1" >"$TMPDIR/scenario"
	: >"$TMPDIR/requests"
	python3 "$SA_SRCDIR/t/fake-yarn.py" --parent $$ \
		--log "$TMPDIR/requests" "$TMPDIR/scenario" \
		>"$TMPDIR/ports" 2>"$TMPDIR/yarn.err" </dev/null &
	echo $! >>"$TMPDIR/pids"
	wait_for test -s "$TMPDIR/ports" || tl_fatal "no fake-yarn.py"
	rm=$(jq -r '[.rm[] | "http://127.0.0.1:\(.)"] | join(",")' \
		"$TMPDIR/ports")
}

scenario () {
	jq -nc "{rms: [{}]} | $1" >"$TMPDIR/scenario.new" &&
	mv "$TMPDIR/scenario.new" "$TMPDIR/scenario"
}

# As text for scenario; ids of jobs are numbers in the order of their making.
app () {
	printf '{id: "application_1700000000000_%s", state: "%s",
		finalStatus: "%s", applicationTags: "sa-%s,sa-s-%s"} + (%s)' \
		"$(app_number "$1")" "$2" "$3" \
		"$(echo "$1" | tr '[:upper:]' '[:lower:]')" "$store_id" \
		"${4:-{\}}"
}

app_number () {
	printf %04d "0x${1##*_}"
}

app_of () {
	echo "application_1700000000000_$(app_number "$1")"
}

asked () {
	jq -n "[inputs | select($1)] | length" "$TMPDIR/requests"
}

forget () {
	: >"$TMPDIR/requests"
}

empty_store () {
	rm -rf "$SPARK_EXECUTOR_DATA_DIR/runs"
}

new_cluster_run () {
	new_run "{master: \"yarn\", deploy_mode: \"cluster\",
		yarn_rm_url: \"$rm\", yarn_user: \"alice\"} + (${1:-{\}})" &&
	jq -c '.tag = ("sa-" + .job_id | ascii_downcase)' "$run/record.json" \
		>"$run/.new" && mv "$run/.new" "$run/record.json" &&
	echo '{"host":"elsewhere","boot_id":"x","pid":2,"pgid":2,
		"start_ticks":1,"at":"2026-11-29T10:15:03Z"}' \
		>"$run/exec.json" &&
	ended 0
}

# One whose application was seen to run.
running_run () {
	new_cluster_run '{state: "RUNNING", yarn_state: "RUNNING"}' &&
	jq -c --arg a "$(app_of "$job")" '.application_id = $a' \
		"$run/record.json" >"$run/.new" &&
	mv "$run/.new" "$run/record.json"
}
