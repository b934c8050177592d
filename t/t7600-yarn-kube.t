#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='sa-yarn: jobs on Kubernetes'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/kube-lib.sh"
start_kube --token secret-token
printf 'secret-token' >token
key=spark.kubernetes.authenticate.submission.oauthTokenFile
fake_spark
sa-conn save k --master "k8s://$kube" --deploy-mode cluster \
	--conf "$key=$PWD/token" --conf spark.kubernetes.container.image=i \
	>/dev/null

running='{running: {startedAt: "2026-11-29T21:18:00Z"}}'
end='"startedAt": "2026-11-29T21:18:00Z", "finishedAt": "2026-11-29T21:18:09Z"'

ended_with () {
	echo "{terminated: {exitCode: $1, reason: \"$2\", $end}}"
}

is () {
	sa-yarn status "$job" >now &&
	jq_ok ".state == \$s and (${2:-true})" now --arg s "$1"
}

test_expect_success 'the pod by its label, its state and its end' '
	kube_run && pod Pending null "del(.spec.nodeName)" &&
	is SUBMITTED ".application_id == \"$app\"" &&
	pod Pending "{waiting: {reason: \"ErrImagePull\", message: \"x\"}}" &&
	is ACCEPTED ".diagnostics == \"ErrImagePull: x\"" &&
	pod Running "$running" &&
	is RUNNING ".started_at == \"2026-11-29T21:18:00Z\"" &&
	map && wrote 2026-11-29T21:18:01Z hello &&
	pod Succeeded "$(ended_with 0 Completed)" &&
	is SUCCEEDED ".exit_code == 0 and
		.finished_at == \"2026-11-29T21:18:09Z\"" &&
	test ! -e "kube/configmaps/${pod%-driver}.json" &&
	echo hello >expected && test_cmp expected "$run/driver.log"
'

test_expect_success 'how it failed' '
	kube_run && pod Failed "$(ended_with 3 Error)" &&
	is FAILED ".exit_code == 3 and .final_status == \"Error\"" &&
	kube_run && pod Failed "$(ended_with 137 OOMKilled)" &&
	is FAILED ".diagnostics | test(\"137; OOMKilled\")" &&
	kube_run && pod Failed null ".status |= (del(.containerStatuses) |
		.reason = \"Evicted\" | .message = \"low on memory\")" &&
	is FAILED ".diagnostics == \"Evicted: low on memory\"" &&
	kube_run && pod Running "$(ended_with 1 Error)" &&
	is FAILED ".exit_code == 1"
'

test_expect_success 'one that never was leaves no ConfigMap behind' '
	kube_run && map && ended 1 &&
	sa-yarn status --reconcile --grace-seconds 0 "$job" >now &&
	jq_ok ".state == \"FAILED\"" now &&
	test ! -e "kube/configmaps/${pod%-driver}.json"
'

test_expect_success 'a pod of that name that is not ours is none' '
	kube_run &&
	pod Running "$running" ".metadata.labels[\"sa-job\"] = \"x\"" &&
	sa-yarn status --reconcile --grace-seconds 0 "$job" >status &&
	jq_ok ".state == \"LOST\"" status
'

test_expect_success 'a pod that is gone: its end was seen, asked for, or not' '
	kube_run "{application_id: \"$app\", state: \"RUNNING\",
		yarn_state: \"Running\"}" &&
	is LOST "(.diagnostics | test(\"no longer knows\"))" &&
	kube_run "{application_id: \"$app\", state: \"RUNNING\",
		yarn_state: \"Running\",
		kill_requested_at: \"2026-11-29T21:18:00Z\"}" &&
	is KILLED
'

test_expect_success 'all of a store in one list, page by page' '
	rm -rf "$SPARK_EXECUTOR_DATA_DIR/runs" kube/pods &&
	kube_run && pod Running "$running" &&
	python3 - "$run" "kube/pods/$pod.json" <<-\PY &&
	import os, shutil, sys
	run, pod = sys.argv[1:]
	job = os.path.basename(run)
	for n in range(229):
	    other = job[:-6] + "%06x" % (n + 0x100000)
	    shutil.copytree(run, os.path.join(os.path.dirname(run), other))
	    for path in (os.path.join(os.path.dirname(run), other,
	                              "record.json"),
	                 pod.replace(job[-6:], other[-6:])):
	        with open(pod if "/pods/" in path else path) as file:
	            text = file.read()
	        with open(path, "w") as file:
	            file.write(text.replace(job[-6:], other[-6:]))
	PY
	: >"$TMPDIR/requests" && sa-yarn list -n 500 --json >list &&
	jq_ok "[.items[] | select(.state == \"RUNNING\")] | length == 230" \
		list && test "$(asked true)" -eq 2 &&
	rules "[{\"path\": \"continue=200\", \"times\": 1, \"status\": 410}]" &&
	: >"$TMPDIR/requests" && sa-yarn list -n 500 --json >list &&
	jq_ok "[.items[] | select(.state == \"RUNNING\")] | length == 230" \
		list && test "$(asked true)" -eq 4 && rm kube/rules &&
	rm -rf "$SPARK_EXECUTOR_DATA_DIR/runs" kube/pods
'

test_expect_success 'kill: the log first, then the pod; the ConfigMap after' '
	kube_run && pod Running "$running" && map &&
	wrote 2026-11-29T21:18:01Z last && : >"$TMPDIR/requests" &&
	sa-yarn kill "$job" >status &&
	jq_ok ".state == \"KILLED\"" status &&
	test ! -e "kube/pods/$pod.json" &&
	test ! -e "kube/configmaps/${pod%-driver}.json" &&
	echo last >expected && test_cmp expected "$run/driver.log" &&
	sa-yarn logs "$job" >out && test_cmp expected out
'

test_expect_success 'kill --application leaves the job'\''s own pod' '
	kube_run "{application_id: \"$app\", state: \"RUNNING\",
		yarn_state: \"Running\"}" && pod Running "$running" \
		".metadata.labels[\"spark-app-selector\"] = \"$app\"" &&
	: >"$TMPDIR/requests" &&
	test_expect_code 66 sa-yarn kill --application spark-other "$job" \
		>out 2>err && test_empty out &&
	test "$(asked ".method != \"GET\"")" -eq 0 &&
	sa-yarn kill "$job" >status && jq_ok ".state == \"KILLED\"" status
'

test_expect_success 'kill leaves a pod that is not ours' '
	kube_run "{application_id: \"$app\", state: \"RUNNING\",
		yarn_state: \"Running\"}" && pod Running "$running" \
		".metadata.labels[\"sa-job\"] = \"x\"" &&
	: >"$TMPDIR/requests" && sa-yarn kill "$job" >status 2>err &&
	jq_ok ".state == \"LOST\"" status && test -e "kube/pods/$pod.json" &&
	test "$(asked ".method != \"GET\"")" -eq 0
'

test_expect_success 'the log: whole, its end, its beginning, a part' '
	kube_run && pod Running "$running" &&
	for i in 1 2 3 4 5
	do
		wrote "2026-11-29T21:18:0$i.12345678${i}Z" "line $i" || return
	done &&
	wrote 2026-11-29T21:18:06Z "half " P &&
	wrote 2026-11-29T21:18:06Z rest &&
	sa-yarn logs "$job" >all && seq -f "line %.0f" 5 >expected &&
	echo "half rest" >>expected && test_cmp expected all &&
	sa-yarn logs --tail 2 "$job" >out && tail -n 2 all >expected &&
	test_cmp expected out && sa-yarn logs --head 2 "$job" >out &&
	head -n 2 all >expected && test_cmp expected out &&
	sa-yarn logs --json --offset 7 --bytes 7 "$job" >out &&
	jq_ok ".content == \"line 2\\n\" and .next == 14" out &&
	sa-yarn logs --stream all "$job" >out && test_cmp all out
'

# Lines of one second come in several readings, some between two looks.
test_expect_success 'followed: no line lost, none twice' '
	kube_run && pod Running "$running" &&
	wrote 2026-11-29T21:18:01.5Z "line 0" &&
	{ sa-yarn logs -f "$job" >followed 2>err & } &&
	i=0 &&
	while test $((i += 1)) -le 40
	do
		wrote "2026-11-29T21:18:$((i / 10 + 11)).000000001Z" \
			"line $i" && sleep 0.1 || return
	done &&
	pod Succeeded "$(ended_with 0 Completed)" && wait &&
	seq -f "line %.0f" 0 40 >expected && test_cmp expected followed
'

test_expect_success 'a log that was rotated goes on with what is there' '
	kube_run && pod Running "$running" &&
	wrote 2026-11-29T21:18:01Z "old 1" &&
	wrote 2026-11-29T21:18:01Z "old 2" &&
	{ sa-yarn logs -f "$job" >followed 2>err & } &&
	wait_for grep -q "old 2" followed &&
	rm "kube/logs/$pod/spark-kubernetes-driver" &&
	wrote 2026-11-29T21:18:02Z "new 1" &&
	wait_for grep -q "new 1" followed &&
	wrote 2026-11-29T21:18:03Z "new 2" &&
	pod Succeeded "$(ended_with 0 Completed)" && wait &&
	printf "%s\n" "old 1" "old 2" "new 1" "new 2" >expected &&
	test_cmp expected followed
'

test_expect_success 'rights: which one lacks, and where' '
	kube_run && pod Running "$running" &&
	rules "[{\"path\": \"/log\", \"status\": 403, \"message\":
		\"pods is forbidden\"}]" &&
	test_expect_code 66 sa-yarn logs "$job" >out 2>err &&
	test_match "can-i get pods/log -n default" err && rm kube/rules &&
	rules "[{\"status\": 403, \"message\": \"forbidden\"}]" &&
	sa-yarn status "$job" >status 2>err && rm kube/rules &&
	printf wrong >token && test_expect_code 1 sa-yarn check -c k >out &&
	printf secret-token >token &&
	jq_ok ".items[0].hint | test(\"may have expired\")" out
'

# executor NAME [LABELS]: one, and what it wrote
executor () {
	jq -n --arg n "$1" --arg j "$job" '{kind: "Pod", metadata: {name: $n,
		uid: $n, labels: ({"sa-job": $j, "spark-role": "executor"} +
		('"${2:-{\}}"'))}, spec: {nodeName: "n1", containers:
		[{name: "sidecar"}, {name: "spark-kubernetes-executor"}]},
		status: {phase: "Running"}}' >"kube/pods/$1.json" &&
	mkdir -p "kube/logs/$1" &&
	echo "2026-11-29T21:18:03Z stderr F from $1" \
		>"kube/logs/$1/spark-kubernetes-executor"
}

test_expect_success 'logs of executors behind the driver'\''s' '
	kube_run && pod Running "$running" &&
	wrote 2026-11-29T21:18:01Z hello &&
	executor x-exec-1 && executor x-exec-2 &&
	executor y-exec-1 "{\"sa-job\": \"other\"}" &&
	sa-yarn logs --executors "$job" >out &&
	{
		printf "==> driver %s stdout <==\nhello\n" "$pod" &&
		printf "\n==> executor x-exec-%d stdout <==\nfrom x-exec-%d\n" \
			1 1 2 2
	} >expected && test_cmp expected out &&
	sa-yarn logs --executors --json "$job" >out &&
	jq -s . out >all && jq_ok "[.[] | [.role, .content]] ==
		[[\"driver\", \"hello\\n\"],
		[\"executor\", \"from x-exec-1\\n\"],
		[\"executor\", \"from x-exec-2\\n\"]]" all &&
	rm kube/logs/x-exec-1/* &&
	test_expect_code 66 sa-yarn logs --executors "$job" >out 2>err &&
	grep -x "from x-exec-2" out && test_match "x-exec-1" err &&
	rm kube/pods/*-exec-*
'

test_expect_success 'in client mode: of executors alone, without an id' '
	new_run "{master: \"k8s://$kube\", deploy_mode: \"client\",
		connection: \"k\", state: \"RUNNING\"}" &&
	supervise && start_driver sleep 60 && echo here >>"$run/stdout" &&
	executor x-exec-1 && sa-yarn logs --executors "$job" >out 2>err &&
	echo "from x-exec-1" >expected && test_cmp expected out &&
	sa-yarn logs "$job" >out && echo here >expected &&
	test_cmp expected out && rm kube/pods/x-exec-1.json &&
	test_expect_code 66 sa-yarn logs --executors "$job" >out 2>err &&
	test_empty out && test_match "no containers of job .*(any more)" err &&
	test_match "driver is on this host" err
'

# What has been launched is in starts, an argument a line.
cat >"$SPARK_HOME/bin/spark-submit" <<S
#!/bin/sh
printf '%s\n' "\$@" end >>'$PWD/starts'
echo "26/11/29 21:40:20 INFO Client: Deployed Spark application x with" \
	"application ID $app and submission ID default:x into Kubernetes" >&2
S

test_expect_success 'launch: the ConfigMap, the template, spark-submit' '
	rm -rf "$SPARK_EXECUTOR_DATA_DIR/runs" &&
	echo "print(1)" >x.py && sa-prepare -c k x.py >pending.json &&
	sa-confirm --yes <pending.json >job.json 2>err &&
	job=$(jq -r .job_id job.json) && name_pod &&
	jq_ok ".application_id == \"$app\"" job.json &&
	run=$SPARK_EXECUTOR_DATA_DIR/runs/$job &&
	jq_ok ".spec.volumes[0].configMap.name == \$n" \
		"$run/pod-template.yaml" --arg n "${pod%-driver}" &&
	jq_ok ".immutable and .data[\"x.py\"] == \"print(1)\n\" and
		.metadata.labels[\"sa-job\"] == \$j" \
		"kube/configmaps/${pod%-driver}.json" --arg j "$job" &&
	key=spark.kubernetes.driver.podTemplateFile &&
	test_match "^$key=.*/runs/$job/pod-template.yaml$" starts &&
	grep -x "local:///opt/sa-job/x.py" starts
'

# launched: once more, as sa-supervise does it
launched () {
	jq -c ".state = \"SUBMITTING\"" "$run/record.json" >"$run/.new" &&
	mv "$run/.new" "$run/record.json" &&
	sa-yarn launch "$job" >out 2>err
}

test_expect_success 'launch: what is there is adopted only if it is ours' '
	job=$(jq -r .job_id job.json) && name_pod &&
	run=$SPARK_EXECUTOR_DATA_DIR/runs/$job && launched &&
	map=kube/configmaps/${pod%-driver}.json &&
	cp "$map" kept && jq ".data[\"x.py\"] = \"other\"" kept >"$map" &&
	test_expect_code 65 launched && test_match "another script" err &&
	jq ".metadata.labels[\"sa-job\"] = \"x\"" kept >"$map" &&
	test_expect_code 65 launched && test_match "without the label" err &&
	cp kept "$map" && n=$(grep -cx end starts) &&
	pod Running "$running" && launched &&
	test "$(grep -cx end starts)" -eq "$n" &&
	pod Running "$running" ".metadata.labels[\"sa-job\"] = \"x\"" &&
	test_expect_code 65 launched
'

test_expect_success 'launch: what is not UTF-8 is carried as it is' '
	printf "# coding: latin-1\nprint(\"\\351\")\n" >l.py &&
	sa-prepare -c k l.py >pending.json &&
	sa-confirm --yes <pending.json >job.json 2>err &&
	job=$(jq -r .job_id job.json) && name_pod &&
	map=kube/configmaps/${pod%-driver}.json &&
	jq_ok "(.data // {}) == {}" "$map" &&
	jq -r ".binaryData[\"l.py\"]" "$map" | base64 -d >got &&
	test_cmp l.py got &&
	run=$SPARK_EXECUTOR_DATA_DIR/runs/$job && launched &&
	jq ".binaryData[\"l.py\"] = \"eA==\"" "$map" >new && mv new "$map" &&
	test_expect_code 65 launched && test_match "another script" err
'

test_expect_success 'launch: the run-time guard, its rules and the script' '
	: >starts && echo "import sys; spark.sql(sys.argv[1])" >g.py &&
	sa-prepare -c k --runtime-guard g.py "SELECT 1" >pending.json &&
	sa-confirm --yes <pending.json >job.json 2>err &&
	job=$(jq -r .job_id job.json) && name_pod &&
	map=kube/configmaps/${pod%-driver}.json &&
	jq -j ".data[\"g.py\"]" "$map" >got && test_cmp g.py got &&
	jq -j ".data[\"sa-runguard.py\"]" "$map" >got &&
	test_cmp "$SA_BUILDDIR/sa-runguard.py" got &&
	jq_ok ".data | length == 2" "$map" &&
	{
		echo local:///opt/sa-job/sa-runguard.py &&
		jq -r ".plan.guard_wrapper.rules | join(\",\")" pending.json &&
		sha256sum <g.py | cut -d " " -f 1 &&
		printf "%s\n" /opt/sa-job/g.py "SELECT 1" end
	} >expected && tail -n 6 starts >got && test_cmp expected got
'

kubeconfig () {
	jq -n --arg s "$kube" --arg u "$1" '{"current-context": "x",
		contexts: [{name: "x", context: {cluster: "c", user: "u",
		namespace: "n"}}], clusters: [{name: "c", cluster:
		{server: $s}}], users: [{name: "u", user: ($u | fromjson)}]}' \
		>config
}

test_expect_success 'a kubeconfig: its login, or why not' '
	sa-conn save y --master "k8s://$kube" --deploy-mode cluster \
		--env "KUBECONFIG=$PWD/none:$PWD/config" >out &&
	kubeconfig "{\"tokenFile\": \"token\"}" && sa-yarn check -c y >out &&
	kubeconfig "{\"token\": \"secret-token\"}" && sa-yarn check -c y >out &&
	jq_ok ".items[0].detail | test(\"namespace .default.\")" out &&
	kubeconfig "{\"exec\": {\"command\": \"aws\"}}" &&
	test_expect_code 1 sa-yarn check -c y >out &&
	jq_ok ".items[0].detail | test(\"exec plugin .aws.\")" out &&
	echo "a: &x [*x]" >config &&
	test_expect_code 1 sa-yarn check -c y >out &&
	jq_ok ".items[0].detail | test(\"config:1: anchors\")" out
'

test_expect_success 'an agent does not choose who gets the login' '
	kubeconfig "{\"token\": \"secret-token\"}" &&
	for c in "$SPARK_EXECUTOR_DATA_DIR"/connections/*.json
	do
		jq ".origin.master = \"agent\"" "$c" >new && mv new "$c" ||
			return 1
	done &&
	sa-yarn check -c y >out &&
	sed "s/127.0.0.1/127.0.0.2/" config >new && mv new config &&
	: >"$TMPDIR/requests" && test_expect_code 1 sa-yarn check -c y >out &&
	jq_ok ".items[0].detail | test(\"an agent chose\")" out &&
	test "$(asked true)" -eq 0
'

test_done
