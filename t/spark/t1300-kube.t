#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='jobs on a real API server of Kubernetes, which has no kubelet'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/spark/engines-lib.sh"

# spark-submit is the real one, and so are the API server and what it stores.
# What a kubelet would do is done here: a status is written over the API, and
# logs come from a double of a node's kubelet, which the API server asks.
engine kube
for tool in python3 openssl
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
ns=$KUBE_URL/api/v1/namespaces/default

api () {
	verb=$1 path=$2
	shift 2
	curl -s --noproxy '*' -m 20 --cacert "$KUBE_CA_FILE" -X "$verb" \
		-H "Authorization: Bearer $(cat "$KUBE_TOKEN_FILE")" \
		-H "Content-Type: ${type:-application/json}" "$path" "$@"
}

# A node whose kubelet is ours.
mkdir -p kubelet/logs
cat "$(dirname "$KUBE_CA_FILE")/apiserver.key" "$KUBE_CA_FILE" >tls.pem
python3 "$SA_SRCDIR/t/fake-kube.py" --parent $$ --kubelet --tls tls.pem \
	kubelet >port 2>kubelet.err </dev/null &
wait_for test -s port || tl_fatal 'no kubelet'
api POST "$KUBE_URL/api/v1/nodes" -d '{"metadata": {"name": "n1"}}' >node
type=application/merge-patch+json api PATCH \
	"$KUBE_URL/api/v1/nodes/n1/status" -d '{"status": {"addresses":
	[{"type": "InternalIP", "address": "127.0.0.1"}], "daemonEndpoints":
	{"kubeletEndpoint": {"Port": '"$(jq .port port)"'}}}}' >node
jq -e .status.daemonEndpoints node >/dev/null || tl_fatal 'no node'

# submitted: sets j and pod, for this body
submitted () {
	j=$(jq -r .job_id job.json) &&
	pod=sa-$(echo "$j" | tr '[:upper:]_' '[:lower:]-')-driver
}

# submit [OPTION...]: x.py, to job.json
submit () {
	sa-prepare -c k "$@" x.py >pending.json &&
	sa-confirm --yes <pending.json >job.json && submitted &&
	sa-yarn status --reconcile "$j" >status.json
}

state () {
	sa-yarn status "$j" >status.json &&
	jq_ok ".state == \$s and ($2)" status.json --arg s "$1"
}

# node: the pod gets one
on_node () {
	api POST "$ns/pods/$pod/binding" -d '{"metadata": {"name": "'"$pod"'"},
		"target": {"kind": "Node", "name": "n1"}}' >out &&
	jq_ok '.status == "Success"' out
}

# is PHASE STATE-OF-THE-CONTAINER
is () {
	type=application/merge-patch+json api PATCH "$ns/pods/$pod/status" \
		-d '{"status": {"phase": "'"$1"'", "containerStatuses":
		[{"name": "spark-kubernetes-driver", "image": "i",
		"imageID": "i", "ready": false, "restartCount": 0,
		"state": '"$2"'}]}}' >out &&
	jq_ok '.status.phase == $p' out --arg p "$1"
}

# wrote TIME TEXT: a line of the driver
wrote () {
	mkdir -p "kubelet/logs/$pod" &&
	echo "$1 stdout F $2" >>"kubelet/logs/$pod/spark-kubernetes-driver"
}

there () {
	api GET "$ns/$1" >there.json && jq -e '.kind != "Status"' there.json
}

sa-conn save k --master "k8s://$KUBE_URL" --deploy-mode cluster \
	--env "KUBECONFIG=$KUBECONFIG" \
	--conf spark.kubernetes.container.image=spark >/dev/null
echo 'print("hello")' >x.py
begun='"startedAt": "2026-11-29T21:18:00Z"'

test_expect_success 'check: the server, the login, each right' '
	sa-yarn check -c k >check.json &&
	jq_ok ".ok and ([.items[] | select(.name == \"right\")] |
		length == 9)" check.json
'

test_expect_success 'check: who may do nothing is told which right lacks' '
	key=spark.kubernetes.authenticate.submission.oauthTokenFile &&
	sa-conn save g --master "k8s://$KUBE_URL" --deploy-mode cluster \
		--conf "$key=$KUBE_GUEST_TOKEN_FILE" >out &&
	test_expect_code 1 sa-yarn check -c g >check.json &&
	jq_ok ".items[0] | (.ok | not) and (.hint |
		test(\"can-i list pods -n default\"))" check.json
'

test_expect_success 'spark-submit makes the pod, which mounts the script' '
	submit &&
	state SUBMITTED ".application_id | test(\"^spark-[0-9a-f]{32}$\")" &&
	there "pods/$pod" &&
	jq_ok ".metadata.labels[\"sa-job\"] == \$j" there.json --arg j "$j" &&
	jq_ok "[.spec.containers[0].volumeMounts[] |
		select(.mountPath == \"/opt/sa-job\" and .readOnly)] |
		length == 1" there.json &&
	there "configmaps/${pod%-driver}" &&
	jq_ok ".immutable and .data[\"x.py\"] == \"print(\\\"hello\\\")\n\"" \
		there.json
'

test_expect_success 'what it waits for' '
	submitted &&
	type=application/merge-patch+json api PATCH "$ns/pods/$pod/status" \
		-d "{\"status\": {\"conditions\": [{\"type\": \"PodScheduled\",
		\"status\": \"False\", \"reason\": \"Unschedulable\",
		\"message\": \"0/3 nodes are available\"}]}}" >out &&
	state SUBMITTED ".diagnostics ==
		\"Unschedulable: 0/3 nodes are available\"" &&
	test_expect_code 66 sa-yarn logs "$j" >out 2>err &&
	on_node && is Pending "{\"waiting\": {\"reason\": \"ImagePullBackOff\",
		\"message\": \"Back-off pulling image\"}}" &&
	state ACCEPTED ".diagnostics | test(\"ImagePullBackOff: Back-off\")"
'

test_expect_success 'it runs; its log, followed to its end' '
	submitted && is Running "{\"running\": {$begun}}" &&
	wrote 2026-11-29T21:18:01.000000001Z one &&
	state RUNNING ".started_at == \"2026-11-29T21:18:00Z\"" &&
	sa-yarn logs "$j" >out && echo one >expected &&
	test_cmp expected out &&
	{ sa-yarn wait --logs "$j" >followed 2>err & } &&
	wait_for grep -q one followed &&
	wrote 2026-11-29T21:18:01.000000001Z two &&
	wait_for grep -q two followed &&
	wrote 2026-11-29T21:18:09.5Z three &&
	is Succeeded "{\"terminated\": {\"exitCode\": 0,
		\"reason\": \"Completed\", $begun,
		\"finishedAt\": \"2026-11-29T21:18:09Z\"}}" &&
	wait && printf "%s\n" one two three >expected &&
	test_cmp expected followed &&
	state SUCCEEDED ".exit_code == 0 and .yarn_state == \"Succeeded\""
'

test_expect_success 'its end: the log is kept, the ConfigMap gone' '
	submitted && test_expect_code 1 there "configmaps/${pod%-driver}" &&
	test_cmp expected "$SPARK_EXECUTOR_DATA_DIR/runs/$j/driver.log" &&
	api DELETE "$ns/pods/$pod" -d "{\"gracePeriodSeconds\": 0}" >out &&
	test_expect_code 1 there "pods/$pod" &&
	sa-yarn logs "$j" >out && test_cmp expected out &&
	sa-yarn logs --tail 1 "$j" >out && echo three >expected &&
	test_cmp expected out
'

test_expect_success 'a driver that ran out of memory' '
	submit && on_node &&
	is Failed "{\"terminated\": {\"exitCode\": 137,
		\"reason\": \"OOMKilled\", $begun,
		\"finishedAt\": \"2026-11-29T21:18:09Z\"}}" &&
	test_expect_code 1 sa-yarn wait "$j" >status.json &&
	jq_ok ".state == \"FAILED\" and .exit_code == 137 and
		.final_status == \"OOMKilled\" and
		(.diagnostics | test(\"OOMKilled\"))" status.json
'

test_expect_success 'kill deletes the pod' '
	submit && there "pods/$pod" &&
	sa-yarn kill "$j" >status.json 2>err &&
	jq_ok ".state == \"KILLED\"" status.json &&
	test_expect_code 1 there "pods/$pod" &&
	test_expect_code 1 there "configmaps/${pod%-driver}"
'

test_expect_success 'who may not submit is told which right lacks' '
	sa-prepare -c g --conf spark.kubernetes.container.image=spark \
		x.py >pending.json &&
	sa-confirm --yes <pending.json >job.json && submitted &&
	wait_for test -e "$SPARK_EXECUTOR_DATA_DIR/runs/$j/exit.json" &&
	test_match "right to get pods in namespace .default." \
		"$SPARK_EXECUTOR_DATA_DIR/runs/$j/stderr" &&
	jq_ok ".exit_code == 77" "$SPARK_EXECUTOR_DATA_DIR/runs/$j/exit.json"
'

test_done
