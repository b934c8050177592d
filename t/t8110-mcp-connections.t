#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='save_connection, list_connections, get_, delete_connection'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-call-lib.sh"

mkdir data || skip_all 'no data directory'

test_expect_success 'CN-8: a list without arguments, and with none in it' '
	gives list_connections "" ".items == [] and
		.type == \"connection_list\"" &&
	gives list_connections "{}" ".items == []" &&
	gives list_connections null ".items == []"
'

test_expect_success 'CN-1: a name is enough' '
	gives save_connection "{\"name\": \"prod\"}" \
		".master == \"yarn\" and .origin.master == \"agent\""
'

test_expect_success 'CN-6, MC-2, MC-8: spark_conf is an object of any scalars' '
	gives save_connection "{\"name\": \"dev\", \"master\": \"local[2]\",
		\"spark_conf\": {\"spark.executor.memory\": \"2g\",
		\"spark.executor.instances\": 4,
		\"spark.dynamicAllocation.enabled\": true,
		\"spark.sql.adaptive.x\": 1.5}}" \
		".spark_conf == {\"spark.executor.memory\": \"2g\",
		\"spark.executor.instances\": \"4\",
		\"spark.dynamicAllocation.enabled\": \"true\",
		\"spark.sql.adaptive.x\": \"1.5\"}" &&
	gives get_connection "{\"name\": \"dev\"}" \
		".spark_conf[\"spark.executor.instances\"] == \"4\" and
		.master == \"local[2]\"" &&
	gives save_connection "{\"name\": \"dev\", \"spark_conf\":
		\"{\\\"spark.executor.cores\\\": 3}\"}" \
		".spark_conf[\"spark.executor.cores\"] == \"3\"" &&
	gives save_connection "{\"name\": \"dev\", \"spark_conf\":
		{\"spark.executor.cores\": null}}" \
		".spark_conf | has(\"spark.executor.cores\") | not"
'

test_expect_success 'only what is given changes; unset takes away' '
	gives save_connection \
		"{\"name\": \"dev\", \"deploy_mode\": \"client\"}" \
		".deploy_mode == \"client\" and (.spark_conf | length) == 4" &&
	gives save_connection "{\"name\": \"dev\", \"unset\":
		[\"deploy_mode\", \"spark_conf.spark.sql.adaptive.x\"]}" \
		"(has(\"deploy_mode\") | not) and
		(.spark_conf | length) == 3" &&
	fails invalid 400 "unset .nothing. is no field" save_connection \
		"{\"name\": \"dev\", \"unset\": [\"nothing\"]}"
'

test_expect_success 'CN-3: a master is judged when it is saved' '
	fails invalid 400 "yarn-cluster.*" save_connection \
		"{\"name\": \"x\", \"master\": \"yarn-cluster\"}" &&
	test_match "^next: .*deploy_mode cluster" text &&
	for m in "" http://h:1 -x
	do
		fails invalid 400 "master" save_connection \
			"{\"name\": \"x\", \"master\": \"$m\"}" || return 1
	done &&
	fails not_found 404 "unknown connection: x" get_connection \
		"{\"name\": \"x\"}"
'

test_expect_success 'what a model may not set is named' '
	for key in spark.jars spark.driver.extraJavaOptions spark.hadoop.fs.x
	do
		fails refused 403 "conf .$key. is not for an agent" \
			save_connection "{\"name\": \"x\", \"spark_conf\":
			{\"$key\": \"y\"}}" &&
		test_match "^next: leave it out" text || return 1
	done &&
	fails invalid 400 "conf .spark.master. cannot be set" save_connection \
		"{\"name\": \"x\",
		\"spark_conf\": {\"spark.master\": \"y\"}}" &&
	for m in env spark_home auth_file ca_file yarn_user runtime_guard reveal
	do
		fails usage 400 "$m" save_connection \
			"{\"name\": \"x\", \"$m\": \"y\"}" || return 1
	done &&
	fails refused 403 "evil.example.*none of the hosts" save_connection \
		"{\"name\": \"x\",
		\"yarn_rm_url\": \"http://evil.example:8088\"}" &&
	test_match "^next: use a connection that a person saved" text &&
	fails not_found 404 "unknown" get_connection "{\"name\": \"x\"}"
'

test_expect_success 'a ResourceManager that a person named may be named' '
	sa-conn save theirs --yarn-rm-url http://rm1.example:8088 >out &&
	gives save_connection "{\"name\": \"mine\",
		\"yarn_rm_url\": \"http://rm1.example:8088\"}" \
		".yarn_rm_url == \"http://rm1.example:8088\""
'

test_expect_success 'what a person made is not changed or deleted' '
	cp data/connections/theirs.json before &&
	fails refused 403 "theirs. is not an agent.s to change" \
		save_connection \
		"{\"name\": \"theirs\", \"master\": \"local\"}" &&
	fails refused 403 "theirs. is not an agent.s to change" \
		delete_connection "{\"name\": \"theirs\"}" &&
	sa-conn save dev --spark-home /opt/spark >out &&
	fails refused 403 "spark_home was set by person" save_connection \
		"{\"name\": \"dev\", \"master\": \"local\"}" &&
	test_cmp before data/connections/theirs.json
'

test_expect_success 'what a model made it may delete' '
	gives delete_connection "{\"name\": \"mine\"}" ".name == \"mine\"" &&
	fails not_found 404 "unknown connection: mine" delete_connection \
		"{\"name\": \"mine\"}"
'

test_expect_success 'secrets of persons are masked' '
	sa-conn save s --conf spark.x.password=hunter2 --env A_TOKEN=hunter2 \
		>out &&
	gives get_connection "{\"name\": \"s\"}" \
		".spark_conf[\"spark.x.password\"] == \"****\" and
		.env.A_TOKEN == \"****\"" &&
	gives list_connections "{}" ".items | length >= 4" &&
	test_expect_code 1 grep hunter2 answer
'

test_expect_success 'a list goes on where it ended' '
	gives list_connections "{\"limit\": 2}" "(.items | length) == 2" &&
	jq -r .next record >next &&
	gives list_connections "{\"limit\": 100, \"after\": \"$(cat next)\"}" \
		"has(\"next\") | not" &&
	jq_ok ".items[0].name > \$n" record --arg n "$(cat next)"
'

test_expect_success 'CN-10: an unknown one is 404 and says where to look' '
	fails not_found 404 "^not_found .404.: unknown connection: nope" \
		get_connection "{\"name\": \"nope\"}" &&
	test_match "^next: list_connections" text
'

test_expect_success 'wrong arguments are for the model to mend' '
	fails usage 400 "name is missing" get_connection "{}" &&
	fails usage 400 "there is no argument nam" get_connection \
		"{\"nam\": \"x\", \"name\": \"x\"}" &&
	fails invalid 400 "name" get_connection "{\"name\": 5}" &&
	fails invalid 400 "deploy_mode" save_connection \
		"{\"name\": \"x\", \"deploy_mode\": \"both\"}" &&
	fails invalid 400 "limit" list_connections "{\"limit\": 0}" &&
	fails invalid 400 "limit" list_connections "{\"limit\": 101}" &&
	fails invalid 400 "not valid" save_connection "{\"name\": \"../x\"}"
'

test_done
