#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-conn save: names, masters, fields, requests'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'

# fixed FILE: the record with its times made the same.
fixed () {
	real_jq -c '.created_at |= sub("^[0-9T:-]{19}Z$"; "C") |
		.updated_at |= sub("^[0-9T:-]{19}Z$"; "U")' "$1"
}

test_expect_success 'CN-1: only a name is needed, the master is yarn' '
	sa-conn save prod >out 2>err &&
	test_empty err &&
	jq_ok ".name == \"prod\" and .master == \"yarn\"" out &&
	real_jq -c . data/connections/prod.json >stored &&
	test_cmp stored out &&
	test "$(stat -c %a data/connections/prod.json)" = 640 &&
	test "$(stat -c %a data/connections)" = 2770 &&
	test "$(cat data/.gitignore)" = "*"
'

test_expect_success 'the record of a connection' '
	cat >expected <<-\E &&
	{"v":1,"type":"connection","name":"full","master":"spark://h:7077",\
	"deploy_mode":"cluster","spark_conf":{"spark.executor.memory":"2g",\
	"spark.x.password":"****"},"yarn_rm_url":"http://rm:8088",\
	"spark_home":"/opt/spark","env":{"LANG":"C.UTF-8","API_TOKEN":"****"},\
	"yarn_user":"etl","auth_file":"/k/auth","ca_file":"/k/ca.pem",\
	"runtime_guard":"conf","origin":{"master":"person",\
	"deploy_mode":"person","yarn_rm_url":"person","spark_home":"person",\
	"yarn_user":"person","auth_file":"person","ca_file":"person",\
	"runtime_guard":"person","spark_conf.spark.executor.memory":"person",\
	"spark_conf.spark.x.password":"person","env.LANG":"person",\
	"env.API_TOKEN":"person"},"created_at":"C","updated_at":"U"}
	E
	tr -d "\\\\\n" <expected >expected.1 && echo >>expected.1 &&
	sa-conn save full --master spark://h:7077 --deploy-mode cluster \
		--conf spark.executor.memory=2g --conf spark.x.password=pw \
		--yarn-rm-url http://rm:8088 --spark-home /opt/spark \
		--env LANG=C.UTF-8 --env API_TOKEN=pw --yarn-user etl \
		--auth-file /k/auth --ca-file /k/ca.pem \
		--runtime-guard conf >out &&
	fixed out >got &&
	test_cmp expected.1 got &&
	jq_ok ".env.API_TOKEN == \"pw\"" data/connections/full.json &&
	jq_ok ".spark_conf[\"spark.x.password\"] == \"pw\"" \
		data/connections/full.json
'

test_expect_success 'the request of save has the same members' '
	real_jq "{name, master, deploy_mode, spark_conf, env, yarn_rm_url,
		spark_home, yarn_user, auth_file, ca_file, runtime_guard}" \
		data/connections/full.json >request &&
	sa-conn save --data-dir other --request <request >out &&
	fixed out >got &&
	test_cmp expected.1 got
'

for master in yarn local "local[1]" "local[*]" "local[4,2]" "local[*,3]" \
	spark://10.0.0.5:7077 spark://a:7077,b.example.org:7078 \
	"spark://[::1]:7077" k8s://https://10.0.0.1:6443 k8s://cluster \
	k8s://http://h:80/path
do
	test_expect_success "CN-4: the master $master passes" '
		sa-conn save m --master "$master" >out &&
		jq_ok ".master == \$m" out --arg m "$master"
	'
done

nl='
'
for master in yarn-cluster yarn-client YARN http://rm:8088 https://rm:8088 \
	"" " " "yarn " -yarn "local[0]" "local[]" "local[2" "local[2,0]" \
	"local[2, 3]" "local-cluster[2,1,1024]" locals sparkle spark:// \
	spark://h spark://h:0 spark://h:65536 "spark://h:7077," \
	spark://u@h:7077 mesos://h:5050 sc://h:15002 k8s:// k8s://ftp://h \
	"k8s://h?x" "yarn$nl" "$(printf 'yarn\033[2J')"
do
	title=$(printf %s "$master" | tr -c ' -~' '?')
	test_expect_success "CN-3: the master '$title' is refused" '
		sa-conn save kept --master local >/dev/null &&
		test_expect_code 65 sa-conn save kept --master="$master" \
			>out 2>err &&
		test_empty out &&
		test "$(wc -l <err)" -eq 1 &&
		test_match "^sa-conn: connection .kept.: master " err &&
		test_expect_code 1 grep "$(printf "\033")" err &&
		sa-conn show kept >out &&
		jq_ok ".master == \"local\"" out
	'
done

test_expect_success 'the refusal of a master says what to do instead' '
	test_expect_code 65 sa-conn save x --master yarn-cluster 2>err &&
	test_match "yarn-cluster.*deploy_mode cluster" err &&
	test_expect_code 65 sa-conn save x --master http://rm:8088 2>err &&
	test_match "http://rm:8088.*--yarn-rm-url" err &&
	test ! -e data/connections/x.json
'

for name in "" . .. .hidden -x a/b "a b" ../up \
	"$(printf '%065d' 1)" "$(printf 'caf\303\251')"
do
	test_expect_success "the name '$name' is refused" '
		test_expect_code 65 sa-conn save -- "$name" >out 2>err &&
		test_empty out &&
		test_match "^sa-conn: connection name " err &&
		test_expect_code 65 sa-conn show -- "$name" &&
		test_expect_code 65 sa-conn delete -- "$name"
	'
done

test_expect_success 'a name of 64 characters passes' '
	sa-conn save "$(printf "%064d" 1)" >out
'

test_expect_success 'deploy modes' '
	sa-conn save d --deploy-mode client >out &&
	sa-conn save d --deploy-mode cluster >out &&
	jq_ok ".deploy_mode == \"cluster\"" out &&
	test_expect_code 65 sa-conn save d --deploy-mode Cluster &&
	test_expect_code 65 sa-conn save d --master local 2>err &&
	test_match "cluster.*local" err &&
	sa-conn save d --master local --unset deploy_mode >out &&
	jq_ok ".master == \"local\" and .deploy_mode == null" out &&
	test_expect_code 65 sa-conn save d --deploy-mode cluster
'

test_expect_success 'save changes only the fields that are given' '
	sa-conn save e --yarn-rm-url http://rm:8088 \
		--conf spark.a=1 --conf spark.b=2 >before &&
	sa-conn save e --conf spark.b=3 --conf spark.c=x=y >after &&
	jq_ok ".spark_conf == {\"spark.a\": \"1\", \"spark.b\": \"3\",
		\"spark.c\": \"x=y\"}" after &&
	jq_ok ".yarn_rm_url == \"http://rm:8088\"" after &&
	jq_ok ".created_at == \$b[0].created_at" after --slurpfile b before
'

test_expect_success '--unset takes fields and members away' '
	sa-conn save u --yarn-rm-url http://rm:8088 --env A=1 --env B=2 \
		--conf spark.a=1 --conf spark.b=2 --master local >/dev/null &&
	sa-conn save u --unset yarn-rm-url --unset spark_conf.spark.a \
		--unset env --unset master >out &&
	jq_ok ".yarn_rm_url == null and .env == {} and .master == \"yarn\"" \
		out &&
	jq_ok ".spark_conf == {\"spark.b\": \"2\"}" out &&
	jq_ok "(.origin | keys) == [\"spark_conf.spark.b\"]" out &&
	for f in nothing name spark_conf. env. master.x ""
	do
		test_expect_code 65 sa-conn save u --unset "$f" 2>err &&
		test_match "^sa-conn: --unset .$f. is no field" err || return
	done
'

test_expect_success 'CN-6: scalars of a request are kept as text' '
	cat >request <<-\E &&
	{"name": "s", "spark_conf": {"spark.a": 4, "spark.b": true,
		"spark.c": 0.5, "spark.d": "x"}}
	E
	sa-conn save --request <request >out &&
	jq_ok ".spark_conf == {\"spark.a\": \"4\", \"spark.b\": \"true\",
		\"spark.c\": \"0.5\", \"spark.d\": \"x\"}" out &&
	echo "{\"name\":\"s\",\"spark_conf\":{\"spark.a\":null}}" >request &&
	sa-conn save --request <request >out &&
	jq_ok ".spark_conf | has(\"spark.a\") | not" out &&
	echo "{\"name\":\"s\",\"unset\":[\"spark_conf\"]}" >request &&
	sa-conn save --request <request >out &&
	jq_ok ".spark_conf == {}" out
'

test_expect_success 'CN-6: a map that comes as a string is refused' '
	echo "{\"name\":\"s\",\"spark_conf\":\"{}\"}" >request &&
	test_expect_code 65 sa-conn save --request <request 2>err &&
	test_match "spark_conf must be an object" err
'

test_expect_success 'a request has no members beyond its schema' '
	for m in conf conf_file reveal v type origin created_at data_dir json
	do
		echo "{\"name\":\"s\",\"$m\":\"x\"}" >request &&
		test_expect_code 64 sa-conn save --request <request 2>err &&
		test_match "unknown member .$m." err || return
	done &&
	echo "{}" >request &&
	test_expect_code 65 sa-conn save --request <request 2>err &&
	test_match "name" err &&
	test_expect_code 64 sa-conn save s --request <request
'

test_expect_success '--conf-file reads JSON and lines' '
	cat >defaults <<-\E &&
	# a comment
	spark.executor.memory   3g

	spark.a=b=c
	  spark.b : d e  X
	spark.c
	E
	sed -i "s/ X$/ /" defaults &&
	test_expect_code 65 sa-conn save f --conf-file defaults 2>err &&
	test_match "defaults:6: " err &&
	sed -i "\$d" defaults &&
	sa-conn save f --conf-file defaults --conf spark.a=over >out &&
	jq_ok ".spark_conf == {\"spark.executor.memory\": \"3g\",
		\"spark.a\": \"over\", \"spark.b\": \"d e\"}" out &&
	echo "{\"spark.j\": 7}" >conf.json &&
	sa-conn save g --conf-file conf.json >out &&
	jq_ok ".spark_conf == {\"spark.j\": \"7\"}" out &&
	echo "{\"spark.j\": [7]}" >conf.json &&
	test_expect_code 65 sa-conn save g --conf-file conf.json &&
	echo "{\"spark.master\": \"local\"}" >conf.json &&
	test_expect_code 65 sa-conn save g --conf-file conf.json 2>err &&
	test_match "conf.json: .*spark.master" err &&
	echo "spark.master local" >defaults &&
	test_expect_code 65 sa-conn save g --conf-file defaults 2>err &&
	test_match "defaults:1: .*spark.master" err &&
	test_expect_code 66 sa-conn save g --conf-file nowhere 2>err &&
	test_match "nowhere" err
'

test_expect_success 'keys that are forced are nobody'\''s to set' '
	for k in spark.master spark.submit.deployMode SPARK.MASTER \
		spark.Master spark.remote spark.yarn.submit.waitAppCompletion \
		spark.kubernetes.driver.pod.name "spark.a b" "spark" "x.y" \
		" spark.a" "spark." "--conf"
	do
		test_expect_code 65 sa-conn save k "--conf=$k=1" 2>err &&
		test_match "^sa-conn: " err || return
	done &&
	test ! -e data/connections/k.json &&
	test_expect_code 64 sa-conn save k --conf spark.a
'

for url in http://rm:8088 https://rm.example.org:8090/gateway \
	http://a:8088,http://b:8088 "http://[2001:db8::1]:8088" http://rm
do
	test_expect_success "CN-7: the ResourceManager $url passes" '
		sa-conn save r --yarn-rm-url "$url" >out &&
		jq_ok ".yarn_rm_url == \$u" out --arg u "$url"
	'
done

for url in "" rm:8088 ftp://rm http:// "http://u:p@rm:8088" \
	"http://rm:8088?x" "http://rm:8088/#x" "http://rm:x" "http://rm:0" \
	"http://a:1," "http://rm /" http://169.254.169.254/ \
	"http://[fe80::1]:8088" http://2852039166/ \
	http://metadata.google.internal "http://[::ffff:169.254.169.254]/"
do
	test_expect_success "the ResourceManager '$url' is refused" '
		test_expect_code 65 sa-conn save rm "--yarn-rm-url=$url" \
			>out 2>err &&
		test_empty out &&
		test_match "yarn_rm_url" err
	'
done

test_expect_success 'a login in an URL is not repeated' '
	test_expect_code 65 sa-conn save rm \
		--yarn-rm-url http://joe:sesame@rm:8088 2>err &&
	test_expect_code 1 grep sesame err
'

test_expect_success 'paths are absolute, words are known' '
	for o in spark-home auth-file ca-file
	do
		test_expect_code 65 sa-conn save p "--$o=rel/path" 2>err &&
		test_match "rel/path.*absolute" err || return
	done &&
	test_expect_code 65 sa-conn save p --runtime-guard on &&
	test_expect_code 65 sa-conn save p --yarn-user=-x
'

test_expect_success 'env: what would change a submission unseen is refused' '
	for e in LD_PRELOAD JAVA_TOOL_OPTIONS PYSPARK_SUBMIT_ARGS MASTER \
		SA_ORIGIN _SPARK_CMD_USAGE BASH_ENV 1A "A B"
	do
		test_expect_code 65 sa-conn save v --env "$e=x" 2>err &&
		test_match "env .$e." err || return
	done &&
	sa-conn save v --env MASTERS=1 --env EMPTY= --env OPTS=-Xmx1g >out &&
	jq_ok ".env == {MASTERS: \"1\", EMPTY: \"\", OPTS: \"-Xmx1g\"}" out
'

test_expect_success 'a masked value does not come back as a value' '
	sa-conn save w --conf spark.my.secret=s3cr3t >/dev/null &&
	sa-conn show w >record &&
	test_expect_code 65 sa-conn save <record >out 2>err &&
	test_empty out &&
	test_match "spark.my.secret.*masked" err &&
	jq_ok ".spark_conf[\"spark.my.secret\"] == \"s3cr3t\"" \
		data/connections/w.json &&
	test_expect_code 65 sa-conn save w --env "PW_TOKEN=****" &&
	test_expect_code 65 sa-conn save w --env "A=****"
'

test_expect_success 'a record is copied, with the options on top' '
	sa-conn save from --master local --conf spark.a=1 >/dev/null &&
	sa-conn show from | jq -c ".name = \"to\" | .note = {x: 1} |
		.origin = {master: \"operator\"} | .created_at = \"never\"" \
		>record &&
	sa-conn save --conf spark.b=2 <record >out &&
	jq_ok ".name == \"to\" and .master == \"local\"" out &&
	jq_ok ".spark_conf == {\"spark.a\": \"1\", \"spark.b\": \"2\"}" out &&
	jq_ok ".origin.master == \"person\" and .created_at != \"never\"" out &&
	jq_ok ".note == {x: 1}" out
'

test_expect_success 'with an operand stdin is left alone' '
	(sa-conn save alone >/dev/null && cat) <record >rest &&
	test_cmp record rest
'

test_expect_success 'ST-6: what happens is logged' '
	: >data/log/info.log &&
	: >data/log/debug.log &&
	SPARK_EXECUTOR_LOG_LEVEL=INFO sa-conn save logged \
		--conf spark.my.token=hush 2>err >/dev/null &&
	test_match "\|INFO\|.*saved connection .logged." err &&
	test_match "\|INFO\|.*saved connection .logged." data/log/info.log &&
	test_match "\|DEBUG\|.*save .*logged" data/log/debug.log &&
	test_expect_code 1 grep DEBUG err &&
	test_expect_code 1 grep -r hush data/log &&
	SPARK_EXECUTOR_LOG_LEVEL=INFO sa-conn delete logged 2>err >/dev/null &&
	test_match "\|INFO\|.*deleted connection .logged." err
'

test_done
