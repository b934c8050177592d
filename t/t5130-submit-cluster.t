#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='submission to clusters: ids, time-outs, who decides'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/confirm-lib.sh"

# Our own copies, as they are installed, with a sa-yarn that tells what it was
# asked.
test -x "$SA_BUILDDIR/sa-confirm" || skip_all 'no build directory'
mkdir -p own/bin own/libexec/sa hadoop && : >hadoop/yarn-site.xml &&
cp "$SA_BUILDDIR/sa-confirm" own/bin &&
cp "$SA_BUILDDIR/sa-supervise" own/libexec/sa || exit 99
cat >own/bin/sa-yarn <<'SH'
#!/bin/sh
# asked.VERB: what came, and the environment; answer: what to do then
top=$(dirname "$0")/../..
{ echo "$@" && env; } >"$top/asked.$1.tmp"
mv "$top/asked.$1.tmp" "$top/asked.$1"
test ! -e "$top/answer" || . "$top/answer"
SH
chmod +x own/bin/sa-yarn
PATH=$PWD/own/bin:$PATH
HADOOP_CONF_DIR=$PWD/hadoop
export HADOOP_CONF_DIR
sa-conn save yc --master yarn --deploy-mode cluster >/dev/null
sa-conn save silent --master yarn --deploy-mode cluster \
	--env FAKE_SPARK_APP_ID=none >/dev/null
sa-conn save client --master yarn >/dev/null
sa-conn save quiet --master yarn --env FAKE_SPARK_APP_ID=none >/dev/null
sa-conn save kube --master k8s://http://127.0.0.1:1 --deploy-mode cluster \
	--conf spark.kubernetes.container.image=i --env KUBECONFIG=/k >/dev/null
sa-conn save alone --master spark://h:7077 --deploy-mode cluster >/dev/null

# run CONNECTION COMMAND...: submitted; $j
run () {
	rm -f asked.* answer.tmp
	c=$1
	shift
	printf '# fake: %s\n' "$@" >x.py
	sa-prepare -c "$c" x.py >pending.json &&
	p=$(jq -r .pending_id pending.json) && submit
}

# gone: nobody holds the job's alive any more
gone () {
	wait_for flock -n "data/runs/$j/alive" true
}

record () {
	jq_ok "$1" "data/runs/$j/record.json"
}

test_expect_success 'YARN: the id, nobody waits, nobody decides here' '
	run yc "exit 0" &&
	jq_ok ".deploy_mode == \"cluster\" and (.application_id |
		test(\"^application_[0-9]+_[0-9]+$\"))" job.json &&
	gone && jq_ok ".exit_code == 0" "data/runs/$j/exit.json" &&
	record ".state == \"ACCEPTED\" and .exit_code == null and
		.finished_at == null" &&
	test ! -e asked.status && status_is SUBMITTED &&
	sa-confirm --yes --once "$p" >once &&
	jq_ok ".state == \"ACCEPTED\"" once &&
	jq -s ".[-1]" "$SPARK_HOME/starts.jsonl" >start &&
	jq_ok ".conf[\"spark.yarn.submit.waitAppCompletion\"] == \"false\" and
		.conf[\"spark.yarn.maxAppAttempts\"] == \"1\" and
		.deploy_mode == \"cluster\" and
		(.conf[\"spark.yarn.tags\"] | startswith(\$t + \",sa-s-\"))" \
		start --arg t "$(jq -r .tag job.json)"
'

test_expect_success 'without an id the cluster is asked' '
	run silent "exit 0" && gone &&
	head -n 1 asked.status >got &&
	echo "status --data-dir=$(pwd -P)/data --reconcile $j" >expected &&
	test_cmp expected got &&
	record ".state == \"SUBMITTING\" and .finished_at == null"
'

test_expect_success 'and where spark-submit failed, with an id or without' '
	run yc "after exit 1" && gone && test -e asked.status &&
	record ".state == \"ACCEPTED\" and .application_id != null" &&
	run silent "after exit 1" && gone && test -e asked.status &&
	record ".state == \"SUBMITTING\"" &&
	jq_ok ".exit_code == 1" "data/runs/$j/exit.json"
'

test_expect_success 'client mode: a driver'\''s 0 is final once it was asked' '
	cat >answer <<-\S &&
	: >"$top/asking"
	until test -e "$top/go"; do sleep 0.05; done
	S
	rm -f go asking && run client "exit 0" && wait_for test -e asking &&
	jq_ok ".exit_code == 0" "data/runs/$j/exit.json" &&
	sa-confirm --yes --once "$p" >once &&
	jq_ok ".state == \"RUNNING\"" once &&
	touch go && ended "$j" && record ".state == \"SUCCEEDED\"" &&
	test_match "--reconcile $j --grace-seconds=10$" asked.status
'

test_expect_success 'the cluster'\''s KILLED beats that 0' '
	cat >answer <<-\S &&
	set -- "$top"/data/runs/"$4"
	jq -c ".yarn_state = \"KILLED\" | .final_status = \"KILLED\"" \
		"$1/record.json" >"$top/new" && mv "$top/new" "$1/record.json"
	S
	run client "exit 0" && ended "$j" &&
	record ".state == \"KILLED\" and .exit_code == 0" &&
	rm answer
'

test_expect_success 'client mode: a failure is final before it was asked' '
	cat >answer <<-\S &&
	: >"$top/asking"
	until test -e "$top/go"; do sleep 0.05; done
	S
	rm -f go asking && run client "exit 3" && wait_for test -e asking &&
	record ".state == \"FAILED\" and .exit_code == 3" &&
	touch go && gone && rm answer &&
	run quiet "exit 3" && ended "$j" && gone && test ! -e asked.status
'

test_expect_success 'who cannot be asked leaves the driver'\''s word' '
	echo "exit 69" >answer && run client "exit 0" && ended "$j" &&
	record ".state == \"SUCCEEDED\"" &&
	test_match "cluster was asked, status 69" data/log/info.log &&
	rm answer
'

test_expect_success 'no id in time: spark-submit is ended' '
	SA_SUBMIT_TIMEOUT=1s && export SA_SUBMIT_TIMEOUT &&
	run yc "before sleep 300" && gone &&
	jq_ok ".exit_code == 143 and .timed_out" "data/runs/$j/exit.json" &&
	record ".state == \"SUBMITTING\" and .application_id == null" &&
	test -e asked.status &&
	test_match "no application id within 1s" data/log/info.log
'

test_expect_success 'client mode: the time runs from the SparkContext on' '
	SA_SUBMIT_TIMEOUT=1s && export SA_SUBMIT_TIMEOUT &&
	run quiet "sleep 300" && ended "$j" &&
	record ".state == \"FAILED\" and (.diagnostics |
		contains(\"no application id in time\"))" &&
	run client "before sleep 2.5" && ended "$j" &&
	record ".state == \"SUCCEEDED\"" &&
	run client "sleep 2.5" && ended "$j" &&
	record ".state == \"SUCCEEDED\""
'

test_expect_success 'Kubernetes: sa-yarn launch in place of spark-submit' '
	id=spark-d5fb726aef8d4f119d0b7dc463392358 &&
	line="26/11/29 21:40:20 INFO Client: Deployed Spark application a" &&
	echo "echo \"$line with application ID x with application ID $id and" \
		"submission ID default:sa-n-driver into Kubernetes\" >&2" \
		>answer &&
	run kube "exit 0" && gone &&
	jq_ok ".application_id == \$i and .state == \"SUBMITTED\"" job.json \
		--arg i "$id" &&
	head -n 1 asked.launch >got &&
	echo "launch --data-dir=$(pwd -P)/data $j" >expected &&
	test_cmp expected got &&
	test_match "^KUBECONFIG=/k$" asked.launch &&
	test_match "^SPARK_EXECUTOR_DATA_DIR=" asked.launch &&
	test "$(starts "$p")" -eq 0 && test ! -e asked.status &&
	rm answer
'

test_expect_success 'a launch that fails is looked after' '
	echo "test \$1 != launch || exit 65" >answer && run kube "exit 0" &&
	gone && test -e asked.status && record ".state == \"SUBMITTING\"" &&
	jq_ok ".exit_code == 65" "data/runs/$j/exit.json" && rm answer
'

test_expect_success 'standalone: the answer of the REST server' '
	echo "echo sa-yarn: submission ID is driver-20261129205934-0000 >&2" \
		>answer &&
	run alone "exit 0" && gone &&
	jq_ok ".application_id == \"driver-20261129205934-0000\" and
		.state == \"SUBMITTED\"" job.json && rm answer
'

test_expect_success 'secrets go by a file that is gone then' '
	printf "# fake: before await go\n" >x.py && rm -f go &&
	sa-prepare -c yc --conf spark.x.password=hunter2 x.py >pending.json &&
	p=$(jq -r .pending_id pending.json) &&
	{ sa-confirm --yes "$p" >job.json & } &&
	wait_for sh -c "ls data/runs/*/spark.properties" &&
	stat -c %a data/runs/*/spark.properties >mode &&
	touch go && wait && echo 600 >expected && test_cmp expected mode &&
	j=$(jq -r .job_id job.json) && gone &&
	test ! -e "data/runs/$j/spark.properties" &&
	jq -s ".[-1]" "$SPARK_HOME/starts.jsonl" >start &&
	jq_ok ".conf[\"spark.x.password\"] == \"hunter2\" and
		(.argv | tostring | contains(\"hunter2\") | not)" start
'

test_expect_success 'spark-submit that cannot be executed failed' '
	printf "#!/nowhere\n" >"$SPARK_HOME/bin/broken" &&
	chmod +x "$SPARK_HOME/bin/broken" &&
	cp "$SPARK_HOME/bin/spark-submit" kept &&
	mv "$SPARK_HOME/bin/broken" "$SPARK_HOME/bin/spark-submit" &&
	sa-prepare -c yc x.py >pending.json &&
	p=$(jq -r .pending_id pending.json) && rm -f asked.status &&
	test_expect_code 78 sa-confirm --yes "$p" >out 2>err &&
	mv kept "$SPARK_HOME/bin/spark-submit" &&
	j=$(jq -r .job_id "data/pending/$p/record.json") &&
	record ".state == \"FAILED\"" && test ! -e asked.status
'

test_done
