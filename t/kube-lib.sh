# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh disable=SC2154
#
# An API server that t/fake-kube.py plays. After test-lib.sh and run-lib.sh;
# outside of bodies:
#
#	start_kube [OPTION...]	sets $kube, its URL; what there is lies in kube/
# and in them:
#	kube_run [MEMBERS]	as new_run: in cluster mode, of the connection
#				k; spark-submit ended with 0. Sets $pod
#	pod PHASE STATE [JQ]	the run's pod, as jq changes it
#	map			its ConfigMap
#	wrote TIME TEXT		a line of its driver
#	rules JSON		of fake-kube.py
#	asked JQ		how many requests fit

store_id=0123456789ab
app=spark-d5fb726aef8d4f119d0b7dc463392358

start_kube () {
	mkdir -p kube/pods kube/configmaps "$SPARK_EXECUTOR_DATA_DIR" &&
	echo "$store_id" >"$SPARK_EXECUTOR_DATA_DIR/store-id"
	python3 "$SA_SRCDIR/t/fake-kube.py" --parent $$ \
		--log "$TMPDIR/requests" "$@" kube >"$TMPDIR/port" \
		2>"$TMPDIR/kube.err" </dev/null &
	echo $! >>"$TMPDIR/pids"
	wait_for test -s "$TMPDIR/port" || tl_fatal "no fake-kube.py"
	kube=http://127.0.0.1:$(jq .port "$TMPDIR/port")
}

kube_run () {
	new_run "{master: \"k8s://$kube\", deploy_mode: \"cluster\",
		connection: \"k\"} + (${1:-{\}})" &&
	jq -c '.tag = ("sa-" + .job_id | ascii_downcase)' "$run/record.json" \
		>"$run/.new" && mv "$run/.new" "$run/record.json" &&
	echo '{"host":"elsewhere","boot_id":"x","pid":2,"pgid":2,
		"start_ticks":1,"at":"2026-11-29T10:15:03Z"}' \
		>"$run/exec.json" &&
	ended 0 && name_pod
}

name_pod () {
	pod=sa-$(echo "$job" | tr '[:upper:]_' '[:lower:]-')-driver
}

pod () {
	mkdir -p kube/pods &&
	jq -n --arg n "$pod" --arg j "$job" --arg s "$store_id" --arg p "$1" \
		--arg a "$app" '{kind: "Pod", metadata: {name: $n,
		uid: "uid-\($n)", labels: {"sa-job": $j, "sa-store": $s,
		"spark-role": "driver", "spark-app-selector": $a}},
		spec: {nodeName: "n1",
		containers: [{name: "spark-kubernetes-driver"}]},
		status: {phase: $p, startTime: "2026-11-29T21:17:59Z",
		containerStatuses: [{name: "spark-kubernetes-driver",
		state: ('"$2"')}]}} | '"${3:-.}" >kube/.pod &&
	mv kube/.pod "kube/pods/$pod.json"
}

map () {
	jq -n --arg n "${pod%-driver}" --arg j "$job" '{kind: "ConfigMap",
		metadata: {name: $n, uid: "u", labels: {"sa-job": $j}}}' \
		>"kube/configmaps/${pod%-driver}.json"
}

wrote () {
	mkdir -p "kube/logs/$pod" &&
	printf '%s stdout %s\n' "$1" "${3:-F} $2" \
		>>"kube/logs/$pod/spark-kubernetes-driver"
}

rules () {
	echo "$1" >kube/.rules && mv kube/.rules kube/rules
}

asked () {
	jq -n "[inputs | select($1)] | length" "$TMPDIR/requests"
}
