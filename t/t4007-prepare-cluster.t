#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-prepare for drivers that run in a cluster'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

fake_spark
mkdir hadoop && : >hadoop/yarn-site.xml
HADOOP_CONF_DIR=$PWD/hadoop
export HADOOP_CONF_DIR
wrapper=$SA_BUILDDIR/sa-runguard.py
test -e "$wrapper" || skip_all 'the commands are not those of a build directory'
sa-conn save yarn --master yarn --deploy-mode cluster >/dev/null
sa-conn save k8s --master k8s://https://127.0.0.1:1 --deploy-mode cluster \
	--conf spark.kubernetes.container.image=img >/dev/null
sa-conn save alone --master spark://h:7077 --deploy-mode cluster >/dev/null
echo 'print(1)' >a.py

refused () {
	code=$1 words=$2
	shift 2
	test_expect_code "$code" "$@" >out 2>err && test_empty out &&
	test_match "$words" err
}

# command PENDING: the arguments of its command line, one a line
command_of () {
	sa-confirm review "$1" | sed -n "/^COMMAND/,/^PLAN/p" |
		sed -n 2p | xargs -n 1 >argv
}

test_expect_success 'YARN: run once, and nobody waits' '
	sa-prepare -c yarn a.py >out && p=$(jq -r .pending_id out) &&
	jq_ok ".plan.deploy_mode == \"cluster\" and .plan.forced[
		\"spark.yarn.submit.waitAppCompletion\"] == \"false\" and
		.plan.forced[\"spark.yarn.maxAppAttempts\"] == \"1\"" out &&
	sa-confirm review "$p" >review &&
	test_match "^deploy mode +cluster" review &&
	test_match "maxAppAttempts = 1 +.forced" review &&
	command_of "$p" &&
	grep -x -e cluster -e "spark.yarn.maxAppAttempts=1" \
		-e "spark.yarn.submit.waitAppCompletion=false" argv >got &&
	test "$(wc -l <got)" -eq 3 &&
	test "$(tail -n 1 argv)" = "$(pwd -P)/data/pending/$p/script/a.py"
'

test_expect_success 'more attempts where they are asked for' '
	sa-prepare -c yarn --conf spark.yarn.maxAppAttempts=3 a.py >out &&
	jq_ok ".plan.forced | has(\"spark.yarn.maxAppAttempts\") | not" out &&
	command_of "$(jq -r .pending_id out)" &&
	test "$(grep -c maxAppAttempts argv)" -eq 1 &&
	grep -x "spark.yarn.maxAppAttempts=3" argv
'

test_expect_success 'what is forced in cluster mode is nobody'\''s' '
	for key in spark.yarn.submit.waitAppCompletion \
		spark.kubernetes.submission.waitAppCompletion \
		spark.kubernetes.driver.pod.name \
		spark.kubernetes.driver.label.sa-job \
		spark.kubernetes.driver.label.sa-store \
		spark.kubernetes.executor.label.sa-job \
		spark.YARN.submit.waitappcompletion
	do
		refused 65 "$key" sa-prepare -c yarn --conf "$key=x" a.py ||
			return
	done &&
	refused 65 "does not set it" sa-prepare -c yarn \
		--waive forced:spark.yarn.submit.waitAppCompletion a.py
'

test_expect_success 'on YARN the wrapper is the program, the script beside' '
	echo x >d.csv &&
	sa-prepare -c yarn --runtime-guard --files d.csv a.py one >out &&
	p=$(jq -r .pending_id out) && dir=$(pwd -P)/data/pending/$p &&
	command_of "$p" &&
	grep -x "$dir/script/a.py,$dir/deps/d.csv" argv &&
	tail -n 5 argv >got &&
	sed -n 1p got | grep -x "$dir/guard/sa-runguard.py" &&
	test "$(sed -n 3p got)" = "$(jq -r .script_sha256 out)" &&
	test "$(tail -n 2 got | tr "\n" " ")" = "a.py one "
'

test_expect_success 'files of one name would not arrive' '
	mkdir -p d && cp a.py d/a.py && echo x >d/sa-runguard.py &&
	refused 65 "named .a.py." sa-prepare -c yarn --files d/a.py a.py &&
	refused 65 "named .a.py." sa-prepare -c yarn --py-files d/a.py a.py &&
	echo "x = 1" >m.py &&
	refused 65 "named .m.py." \
		sa-prepare -c yarn --py-files m.py --files m.py a.py
'
test_expect_success 'nor one of the wrapper'\''s name' '
	refused 65 "sa-runguard.py" sa-prepare -c yarn --runtime-guard \
		--files d/sa-runguard.py a.py &&
	sa-prepare -c yarn --files d/sa-runguard.py a.py >out
'

test_expect_success 'Kubernetes: where the script is mounted' '
	sa-prepare -c k8s a.py one >out && p=$(jq -r .pending_id out) &&
	command_of "$p" &&
	test "$(tail -n 2 argv | tr "\n" " ")" = \
		"local:///opt/sa-job/a.py one " &&
	grep -x "spark.kubernetes.submission.waitAppCompletion=false" argv
'
test_expect_success 'and the wrapper beside it' '
	sa-prepare -c k8s --runtime-guard a.py >out &&
	command_of "$(jq -r .pending_id out)" && tail -n 4 argv >got &&
	test "$(sed -n 1p got)" = "local:///opt/sa-job/sa-runguard.py" &&
	test "$(tail -n 1 got)" = "/opt/sa-job/a.py"
'

test_expect_success 'it needs an image, from wherever' '
	sa-conn save bare --master k8s://h --deploy-mode cluster >/dev/null &&
	refused 65 "spark.kubernetes.container.image" \
		sa-prepare -c bare a.py &&
	sa-prepare -c bare --conf \
		spark.kubernetes.driver.container.image=i a.py >out &&
	echo "spark.kubernetes.container.image  i" \
		>"$SPARK_HOME/conf/spark-defaults.conf" &&
	sa-prepare -c bare a.py >out &&
	echo "#spark.kubernetes.container.image i" \
		>"$SPARK_HOME/conf/spark-defaults.conf" &&
	refused 65 "container.image" sa-prepare -c bare a.py &&
	sa-conn save bare --deploy-mode client >out &&
	sa-prepare -c bare a.py >out
'

test_expect_success 'the template is ours' '
	for key in podTemplateFile podtemplatefile podTemplateContainerName
	do
		refused 65 "$key.*forced" sa-prepare -c k8s --conf \
			"spark.kubernetes.driver.$key=x" a.py || return
	done &&
	echo "spark.kubernetes.driver.podTemplateFile=/x" \
		>"$SPARK_HOME/conf/spark-defaults.conf" &&
	refused 65 "spark-defaults.conf.*template" sa-prepare -c k8s a.py &&
	rm "$SPARK_HOME/conf/spark-defaults.conf" &&
	sa-prepare -c k8s --conf \
		spark.kubernetes.executor.podTemplateFile=/x a.py >out
'

test_expect_success 'what a ConfigMap cannot hold' '
	cp a.py "a b.py" && refused 65 "ConfigMap" sa-prepare -c k8s "a b.py" &&
	{ cat a.py && head -c 999992 /dev/zero | tr "\0" "#"; } >big.py &&
	test "$(wc -c <big.py)" -eq 1000001 &&
	refused 65 "1000001 bytes.*1000000" sa-prepare -c k8s big.py &&
	head -c 1000000 big.py >fits.py && sa-prepare -c k8s fits.py >out &&
	sa-prepare -c yarn big.py >out
'
test_expect_success 'it holds the wrapper too' '
	refused 65 "with what guards it" \
		sa-prepare -c k8s --runtime-guard fits.py
'

test_expect_success 'other files need a place to be copied to' '
	echo "x = 1" >m.py &&
	refused 65 "spark.kubernetes.file.upload.path" \
		sa-prepare -c k8s --py-files m.py a.py &&
	sa-prepare -c k8s --py-files m.py --conf \
		spark.kubernetes.file.upload.path=s3a://b/p a.py >out
'

test_expect_success 'standalone: what the worker will run' '
	sa-prepare -c alone a.py >out && p=$(jq -r .pending_id out) &&
	jq_ok ".plan.deploy_mode == \"cluster\" and
		(.plan.forced | length == 3)" out &&
	command_of "$p" && grep -x client argv &&
	test "$(tail -n 1 argv)" = "$(pwd -P)/data/pending/$p/script/a.py"
'

test_expect_success 'a Spark without the part for this master' '
	mkdir "$SPARK_HOME/jars" && : >"$SPARK_HOME/jars/spark-core_2.13.jar" &&
	refused 78 "spark-yarn_.*jar" sa-prepare -c yarn a.py &&
	refused 78 "spark-kubernetes_.*jar" sa-prepare -c k8s a.py &&
	sa-prepare -c alone a.py >out &&
	: >"$SPARK_HOME/jars/spark-yarn_2.13-4.3.0.jar" &&
	: >"$SPARK_HOME/jars/spark-kubernetes_2.13-4.3.0.jar" &&
	sa-prepare -c yarn a.py >out && sa-prepare -c k8s a.py >out
'

test_done
