#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-conn check, sa-yarn check: what is wrong, what to do'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/yarn-lib.sh"
start_yarn '{"rms":[{},{"state":"STANDBY"}]}'
fake_spark
mkdir hadoop
HADOOP_CONF_DIR=$PWD/hadoop
export HADOOP_CONF_DIR
echo '<configuration/>' >hadoop/yarn-site.xml

# NAME OK: the items of that name, all so
item () {
	jq_ok "[.items[] | select(.name == \$n)] |
		length > 0 and all(.ok == $2)" out --arg n "$1"
}

all_well='.conf = {"yarn.log-aggregation-enable": "true",
	"yarn.log.server.web-service.url": "http://{rm0}/ws/v1/cluster"}'

test_expect_success 'golden: check' '
	sa-conn save dev --yarn-rm-url "$rm" >out && scenario "$all_well |
		.rms = [{}, {state: \"STANDBY\"}]" &&
	sa-yarn check --connection dev >out 2>err && test_empty err &&
	jq_ok "keys_unsorted == [\"v\",\"type\",\"what\",\"ok\",\"items\"]" \
		out &&
	jq_ok "all(.items[]; keys_unsorted ==
		[\"name\",\"ok\",\"detail\",\"hint\"])" out &&
	jq_ok ".type == \"check\" and .ok and .what == \"cluster\"" out &&
	jq_ok "[.items[] | select(.name == \"resource_manager\") | .detail |
		test(\"ACTIVE, Hadoop 3.5.0\"), test(\"STANDBY\")] ==
		[true, false, false, true]" out &&
	for name in resource_manager_url clock active authentication \
		log_aggregation log_server
	do
		item "$name" true || return 1
	done &&
	echo "{\"connection\":\"dev\"}" >in &&
	sa-yarn check --request <in >again && jq_ok ".ok" again
'

# WHAT, its scenario, item
standby='{state: "STANDBY"}'
no_server='.conf["yarn.log.server.web-service.url"] = null'
for row in "none is active|.rms = [$standby, $standby]|active" \
	'one is not there|.rms = [{}, {state: "REFUSED"}]|resource_manager' \
	'two are active|.rms = [{}, {}]|active' \
	'a login is wanted|.auth = "negotiate"|resource_manager' \
	"no log server|$no_server|log_server"
do
	name=${row%%|*} rest=${row#*|}
	change=${rest%|*} bad=${rest##*|}
	test_expect_success "$name: said, with what to do, and 1" '
		scenario "$all_well | .rms = [{}, {state: \"STANDBY\"}] |
			$change" &&
		said () {
			sa-yarn check --connection dev >out 2>err
			test $? -eq 1 && jq -e --arg n "$bad" \
				"any(.items[]; .name == \$n and (.ok | not))" \
				out
		} && wait_for said &&
		jq_ok ".ok == false" out &&
		jq_ok "any(.items[]; .name == \$n and (.ok | not) and
			.detail != null)" out --arg n "$bad"
	'
done

test_expect_success 'a clock that is off' '
	scenario "$all_well | .rms = [{}, {state: \"STANDBY\"}] |
		.rules = [{path: \"/info\", headers:
			{Date: \"Mon, 30 Nov 2020 10:00:00 GMT\"}}]" &&
	{ sa-yarn check --connection dev >out 2>err || :; } &&
	jq -e "any(.items[]; .name == \"clock\")" out
'

test_expect_success 'the ResourceManager of the settings, and none' '
	scenario "$all_well | .rms = [{}, {state: \"STANDBY\"}]" &&
	YARN_RESOURCE_MANAGER_URL=$rm sa-yarn check >out &&
	jq_ok ".ok and (.items[0].detail | test(\"setting\"))" out &&
	test_expect_code 1 env -u HADOOP_CONF_DIR sa-yarn check >out &&
	jq_ok ".items[0].name == \"cluster\"" out &&
	jq_ok ".items[0].hint | test(\"YARN_RESOURCE_MANAGER_URL\")" out &&
	test_expect_code 66 sa-yarn check --connection nope >out 2>err &&
	test_empty out
'

test_expect_success 'sa-conn check: Spark, Java, Hadoop and the cluster' '
	scenario "$all_well | .rms = [{}, {state: \"STANDBY\"}]" &&
	sa-conn check dev >out 2>err && test_empty err &&
	jq_ok ".ok and .what == \"connection\"" out &&
	for name in connection spark_submit java hadoop_conf_dir active
	do
		item "$name" true || return 1
	done &&
	jq_ok "any(.items[]; .name == \"java\" and
		(.detail | test(\"17.0.15\")))" out &&
	"$SA_BUILDDIR/t/in-terminal" /dev/null sa-conn check dev >text &&
	test_match "^ok +java +.*17.0.15" text
'

test_expect_success 'sa-conn check: without Spark, without Hadoop, without RM' '
	sa-conn save bare --yarn-rm-url http://127.0.0.1:1 >out &&
	test_expect_code 1 env -u HADOOP_CONF_DIR sa-conn check bare >out &&
	item hadoop_conf_dir false && item spark_submit true &&
	item resource_manager false &&
	SPARK_HOME=$PWD/nowhere test_expect_code 1 sa-conn check bare >out &&
	item spark_submit false &&
	echo "exit 3" >"$JAVA_HOME/bin/java" &&
	test_expect_code 1 sa-conn check bare >out && item java false
'

# NAME, CONTENT, OK
for row in 'as it should be|token|true' 'with a line break|token\n|false' \
	'with a carriage return|token\r|false' 'with nothing in it||false'
do
	name=${row%%|*} rest=${row#*|}
	test_expect_success "a token file $name" '
		printf "${rest%|*}" >token &&
		key=spark.kubernetes.authenticate.submission.oauthTokenFile &&
		sa-conn save k8s --master k8s://https://127.0.0.1:1 \
			--conf "$key=$PWD/token" >out &&
		{ sa-conn check k8s >out || :; } &&
		item token_file "${row##*|}" &&
		if grep "token_file.*false" out
		then ! grep -q "\"token\"" out
		fi
	'
done

test_expect_success 'credentials that others may read, or nobody' '
	echo "basic a:b" >auth && chmod 644 auth &&
	sa-conn save dev --auth-file "$PWD/auth" --ca-file "$PWD/no.pem" >out &&
	test_expect_code 1 sa-conn check dev >out &&
	item auth_file false && item ca_file false &&
	chmod 600 auth && test_expect_code 1 sa-conn check dev >out &&
	item auth_file true
'

test_expect_success 'an agent'\''s ResourceManager: only known hosts' '
	policy="$XDG_CONFIG_HOME/sa/config" && mkdir -p "${policy%/*}" &&
	sa-conn save known --yarn-rm-url http://127.0.0.1:1 >out &&
	echo "rm_hosts = 10.1.1.1" >"$policy" &&
	SA_ORIGIN=agent sa-conn save theirs \
		--yarn-rm-url http://10.1.1.1:8088 >out &&
	rm "$policy" &&
	test_expect_code 1 sa-yarn check --connection theirs >out 2>err &&
	jq_ok ".items[0].detail | test(\"agent.*10.1.1.1:8088\")" out &&
	SA_ORIGIN=agent sa-conn save ours --yarn-rm-url http://127.0.0.1:1 \
		>out &&
	test_expect_code 1 sa-yarn check --connection ours >out &&
	item resource_manager false &&
	echo "rm_hosts = 10.9.9.9, *.example.org" >"$policy" &&
	test_expect_code 1 sa-yarn check --connection ours >out &&
	jq_ok ".items[0].detail | test(\"agent\")" out &&
	echo "rm_hosts = 127.0.0.1" >"$policy" &&
	test_expect_code 1 sa-yarn check --connection ours >out &&
	item resource_manager false &&
	SA_RM_HOSTS=10.9.9.9 test_expect_code 1 sa-yarn check \
		--connection ours >out &&
	jq_ok ".items[0].detail | test(\"agent\")" out
'

test_expect_success 'a yarn-site.xml that is broken, with what to do' '
	echo "<configuration><property>" >hadoop/yarn-site.xml &&
	test_expect_code 1 sa-yarn check >out &&
	jq_ok ".items[0] | .hint | test(\"HADOOP_CONF_DIR.*yarn_rm_url\")" out
'

test_expect_success 'an agent'\''s ResourceManager is judged when it is saved' '
	rm -f "$XDG_CONFIG_HOME/sa/config" &&
	sa-conn save known --yarn-rm-url http://127.0.0.1:1 >out &&
	for url in http://10.1.1.1:8088 http://127.0.0.1:2 \
		http://127.0.0.1:1,http://10.1.1.1
	do
		SA_ORIGIN=agent test_expect_code 77 sa-conn save new \
			--yarn-rm-url "$url" >out 2>err &&
		test_empty out && test_match "agent.*rm_hosts" err &&
		test_expect_code 66 sa-conn show new >out 2>err || return 1
	done &&
	SA_ORIGIN=agent test_expect_code 65 sa-conn save new \
		--yarn-rm-url ftp://10.1.1.1 >out 2>err &&
	cat >hadoop/yarn-site.xml <<-\EOF &&
	<configuration><property>
	<name>yarn.resourcemanager.webapp.address</name>
	<value>10.1.1.1:8088</value></property></configuration>
	EOF
	SA_ORIGIN=agent sa-conn save new --yarn-rm-url http://10.1.1.1:8088 \
		>out && jq_ok ".origin.yarn_rm_url == \"agent\"" out
'

# Without a policy; connections that persons saved alone.
forget_hosts () {
	rm -f "$XDG_CONFIG_HOME/sa/config" hadoop/yarn-site.xml &&
	rm -rf "$SPARK_EXECUTOR_DATA_DIR/connections"
}

# by_agent CODE MASTER
by_agent () {
	SA_ORIGIN=agent test_expect_code "$1" sa-conn save new \
		--master "$2" >out 2>err &&
	if test "$1" -eq 0
	then rm "$SPARK_EXECUTOR_DATA_DIR/connections/new.json"
	else
		test_empty out && test_match "agent.*rm_hosts" err &&
		test_expect_code 66 sa-conn show new >out 2>err
	fi
}

test_expect_success 'an agent'\''s master: only known hosts' '
	forget_hosts && sa-conn save local --master local >out &&
	sa-conn save rm --yarn-rm-url http://10.1.1.1:8088 >out &&
	for master in spark://10.1.1.1:7077 spark://10.1.1.1:8088 \
		k8s://https://10.1.1.1:8088 k8s://10.1.1.1
	do
		by_agent 77 "$master" || return 1
	done &&
	sa-conn save spark --master spark://10.1.1.2:7077,10.1.1.3:7077 >out &&
	sa-conn save kube --master k8s://https://10.1.1.4:6443 >out &&
	by_agent 0 spark://10.1.1.2:7077 &&
	by_agent 0 spark://10.1.1.3:7077,10.1.1.2:7077 &&
	by_agent 77 spark://10.1.1.2:7077,10.1.1.4:7077 &&
	by_agent 0 k8s://https://10.1.1.4:6443 &&
	by_agent 0 k8s://10.1.1.4:6443/ &&
	by_agent 77 k8s://https://10.1.1.4:22 &&
	by_agent 77 k8s://https://10.1.1.2:7077 &&
	by_agent 0 yarn && by_agent 0 "local[2]" &&
	SA_ORIGIN=agent test_expect_code 77 sa-conn save new \
		--yarn-rm-url http://10.1.1.2:7077 >out 2>err &&
	SA_ORIGIN=agent test_expect_code 65 sa-conn save new \
		--master spark://x >out 2>err
'

test_expect_success 'what an agent saved lets no agent name a host' '
	forget_hosts &&
	sa-conn save spark --master spark://10.1.1.2:7077 >out &&
	jq ".origin.master = \"agent\"" \
		"$SPARK_EXECUTOR_DATA_DIR/connections/spark.json" >new.json &&
	mv new.json "$SPARK_EXECUTOR_DATA_DIR/connections/spark.json" &&
	by_agent 77 spark://10.1.1.2:7077
'

test_expect_success 'an agent'\''s API server: that of the own kubeconfig' '
	forget_hosts && KUBECONFIG=$PWD/kubeconfig && export KUBECONFIG &&
	cat >kubeconfig <<-\EOF &&
	current-context: c
	contexts: [{name: c, context: {cluster: k}}]
	clusters: [{name: k, cluster: {server: "https://10.1.1.5:6443"}}]
	EOF
	by_agent 0 k8s://https://10.1.1.5:6443 &&
	by_agent 77 k8s://https://10.1.1.6:6443 &&
	by_agent 77 spark://10.1.1.5:6443
'

test_expect_success 'rm_hosts is for masters, too' '
	forget_hosts && policy="$XDG_CONFIG_HOME/sa/config" &&
	sa-conn save spark --master spark://10.1.1.2:7077 >out &&
	KUBECONFIG=$PWD/kubeconfig && export KUBECONFIG &&
	echo "rm_hosts = 10.9.9.9, *.example.org" >"$policy" &&
	by_agent 77 spark://10.1.1.2:7077 &&
	by_agent 77 k8s://https://10.1.1.5:6443 &&
	by_agent 0 spark://10.9.9.9:7077 && by_agent 0 k8s://a.example.org &&
	SA_ORIGIN=agent sa-conn save theirs --master spark://10.9.9.9:7077 \
		>out &&
	rm "$policy" && test_expect_code 1 sa-yarn check -c theirs >out &&
	jq_ok ".items[0].detail | test(\"agent.*10.9.9.9:8080.*master\")" out
'

test_done
