#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-prepare: checks, pins and plans a script, runs nothing'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

fake_spark
sa-conn save dev --master 'local[2]' --conf spark.executor.memory=2g >/dev/null
echo 'print(1)' >a.py
id=p_20261129T101500_4f0c9a

test_expect_success 'a pending of a script, by its path' '
	sa-prepare -c dev a.py one "two words" --three >out 2>err &&
	test_empty err &&
	jq_ok ".v == 1 and .type == \"pending\"" out &&
	jq_ok ".status == \"PENDING\"" out &&
	jq_ok ".connection == \"dev\" and .name == \"a\"" out &&
	jq_ok ".script_path == \"a.py\" and .job_id == null" out &&
	jq_ok ".plan.args == [\"one\",\"two words\",\"--three\"]" out &&
	jq_ok ".guard.verdict == \"allow\"" out &&
	test ! -e "$SPARK_HOME/starts.jsonl"
'

test_expect_success 'the golden record: each member and its type' '
	sa-prepare -c dev a.py >out &&
	real_jq -S "
		def shape: if type == \"object\" then map_values(shape)
			elif type == \"array\" then map(shape)
			else type end;
		.plan.env = {} | shape" out >got &&
	test_cmp "$SA_SRCDIR/t/data/pending.json" got
'

test_expect_success 'the copy has the name of the script and is read-only' '
	sa-prepare -c dev a.py >out &&
	dir=data/pending/$(jq -r .pending_id out) &&
	test_cmp a.py "$dir/script/a.py" &&
	test "$(stat -c %a "$dir/script/a.py")" = 440 &&
	sum=$(sha256sum <a.py | cut -d " " -f 1) &&
	jq_ok ".script_sha256 == \$s and .plan.script.sha256 == \$s" out \
		--arg s "$sum" &&
	jq -c . "$dir/record.json" >stored &&
	jq -c . out >shown &&
	test_cmp stored shown
'

test_expect_success 'plan_sha256 is what the page says' '
	sa-prepare -c dev a.py >out &&
	real_jq -jcS .plan out | sha256sum | cut -d " " -f 1 >sum &&
	jq -r .plan_sha256 out >said &&
	test_cmp sum said
'

test_expect_success 'equal inputs give an equal plan, each pending its own id' '
	sa-prepare -c dev a.py >out && sa-prepare -c dev a.py >out2 &&
	test "$(jq -r .plan_sha256 out)" = "$(jq -r .plan_sha256 out2)" &&
	test "$(jq -r .pending_id out)" != "$(jq -r .pending_id out2)"
'

# changed NAME COMMAND: the plan of COMMAND differs from the one of
# "sa-prepare -c dev a.py".
changed () {
	title=$1
	shift
	test_expect_success "the plan changes with $title" "
		sa-prepare -c dev a.py >out &&
		$* >out2 2>/dev/null &&
		test \"\$(jq -r .plan_sha256 out)\" != \
			\"\$(jq -r .plan_sha256 out2)\"
	"
}
echo x >f.txt
mkdir elsewhere other-conf
echo 'print(2)' >elsewhere/a.py
changed 'an argument' sa-prepare -c dev a.py x
changed 'the name' sa-prepare -c dev --name b a.py
changed 'a property' sa-prepare -c dev --conf spark.executor.memory=3g a.py
changed 'a file' sa-prepare -c dev --files f.txt a.py
changed 'a Python file' sa-prepare -c dev --py-files elsewhere/a.py a.py
changed 'the working directory' sa-prepare -c dev --workdir elsewhere a.py
changed 'strictness' sa-prepare -c dev --strict a.py
changed 'the script' sa-prepare -c dev elsewhere/a.py
changed 'the environment' LC_NUMERIC=POSIX sa-prepare -c dev a.py
changed 'the configuration directory' \
	SPARK_CONF_DIR='$PWD/other-conf' sa-prepare -c dev a.py
changed 'spark-defaults.conf' \
	'echo "spark.x 1" >"$SPARK_HOME/conf/spark-defaults.conf" &&
	sa-prepare -c dev a.py'
changed 'spark-submit' \
	'echo >>"$SPARK_HOME/bin/spark-submit" && sa-prepare -c dev a.py'
changed 'the connection' \
	'sa-conn save dev --runtime-guard off >/dev/null &&
	sa-prepare -c dev a.py'

test_expect_success 'the plan does not change with key, expiry and time' '
	sa-prepare -c dev a.py >out &&
	sa-prepare -c dev --key k --expires 90s a.py >out2 &&
	test "$(jq -r .plan_sha256 out)" = "$(jq -r .plan_sha256 out2)"
'

test_expect_success 'the runtime guard is in the plan unless it is off' '
	sa-conn save off --master local --runtime-guard off >/dev/null &&
	sa-conn save on --master local --runtime-guard conf >/dev/null &&
	sa-prepare -c off a.py >out && jq_ok ".plan.forced == {}" out &&
	sa-prepare -c on a.py >out && jq_ok ".plan.forced == {
		\"spark.sql.reflect.allowList\": \"none\",
		\"spark.sql.scripting.enabled\": \"false\",
		\"spark.sql.variable.substitute\": \"false\"}" out &&
	test_expect_code 65 sa-prepare -c on \
		--conf spark.sql.scripting.enabled=true a.py 2>err &&
	test_match "spark.sql.scripting.enabled" err
'

test_expect_success 'a property of --conf wins, with its origin' '
	sa-prepare -c dev --conf spark.executor.memory=5g a.py >out &&
	jq_ok ".plan.conf[\"spark.executor.memory\"] ==
		{value: \"5g\", origin: \"person\"}" out &&
	test_expect_code 65 sa-prepare -c dev --conf spark.master=yarn a.py
'

test_expect_success 'the name comes from --name, the conf, the script' '
	sa-prepare -c dev --conf spark.app.name=c a.py >out &&
	jq_ok ".name == \"c\" and .plan.name == \"c\"" out &&
	sa-prepare -c dev --name n --conf spark.app.name=c a.py >out &&
	jq_ok ".name == \"n\"" out &&
	test_expect_code 65 sa-prepare -c dev --name "" a.py
'

test_expect_success 'expiry: the setting, the option, nonsense' '
	sa-prepare -c dev a.py >out &&
	jq_ok "(.expires_at | fromdate) - (.created_at | fromdate)
		| . >= 86400 and . <= 86401" out &&
	SA_PENDING_TTL=1h sa-prepare -c dev a.py >out &&
	jq_ok "(.expires_at | fromdate) - (.created_at | fromdate)
		| . >= 3600 and . <= 3601" out &&
	test_expect_code 65 sa-prepare -c dev --expires soon a.py 2>err &&
	test_match "soon" err
'

# refused CODE REGEX COMMAND...: nothing on stdout, nothing in the store
refused () {
	want=$1 regex=$2
	shift 2
	sa-prepare list >before || return
	test_expect_code "$want" "$@" >out 2>err || return
	sa-prepare list >after || return
	test_empty out && test_match "$regex" err && test_cmp before after
}

test_expect_success 'the connection is looked at before the script' '
	refused 64 "connection" sa-prepare no-such.py &&
	refused 66 "nowhere" sa-prepare -c nowhere no-such.py
'

test_expect_success 'a script that is missing, empty, a directory' '
	: >empty.py && mkdir -p dir.py &&
	for s in no-such.py empty.py dir.py ""
	do
		refused 65 "sa-genjob.*mounted" sa-prepare -c dev "$s" ||
			return 1
	done
'

test_expect_success 'a script that is no Python by its name' '
	cp a.py a.txt && refused 65 "\.py" sa-prepare -c dev a.txt
'

test_expect_success 'a script of 1 MiB passes, a byte more does not' '
	printf "#%1048575s" "" >big.py && sa-prepare -c dev big.py >out &&
	jq_ok ".plan.script.size == 1048576" out &&
	echo >>big.py && refused 65 "1048576" sa-prepare -c dev big.py &&
	test_expect_code 1 grep sa-genjob err
'

test_expect_success 'the guard refuses before Spark is looked for' '
	echo "spark.sql(\"DROP TABLE t\")" >drop.py &&
	unset SPARK_HOME &&
	refused 65 "drop.py" env SA_ERROR_FD=3 sa-prepare -c dev drop.py \
		3>object &&
	jq_ok ".error.code == 65 and .error.detail.type == \"guard_report\" and
		.error.detail.verdict == \"reject\"" object
'

test_expect_success 'no spark-submit, no Java: 78' '
	(
		unset SPARK_HOME && PATH=$SA_BUILDDIR:/usr/bin:/bin &&
		refused 78 "spark-submit" sa-prepare -c dev a.py
	) &&
	refused 78 "nowhere" env SPARK_HOME=/nowhere sa-prepare -c dev a.py &&
	refused 78 "nowhere" env JAVA_HOME=/nowhere sa-prepare -c dev a.py
'

test_expect_success 'YARN wants a Hadoop configuration' '
	sa-conn save yarn --master yarn >/dev/null && mkdir -p hadoop &&
	refused 78 "HADOOP_CONF_DIR" sa-prepare -c yarn a.py &&
	refused 78 "hadoop/yarn-site.xml" \
		env HADOOP_CONF_DIR="$PWD/hadoop" sa-prepare -c yarn a.py &&
	: >hadoop/yarn-site.xml &&
	HADOOP_CONF_DIR=$PWD/hadoop sa-prepare -c yarn a.py >out &&
	jq_ok ".plan.hadoop_conf_dir | endswith(\"/hadoop\")" out
'

test_expect_success 'what Hadoop needs can be in the conf' '
	mkdir -p empty &&
	sa-conn save rm --master yarn \
		--conf spark.hadoop.yarn.resourcemanager.address=h:1 >out &&
	HADOOP_CONF_DIR=$PWD/empty sa-prepare -c rm a.py >out
'

test_expect_success 'the deploy mode is the connection'\''s, else client' '
	sa-conn save client --master spark://h:7077 --deploy-mode client \
		>/dev/null &&
	sa-prepare -c client a.py >out &&
	jq_ok ".plan.deploy_mode == \"client\"" out &&
	sa-prepare -c dev a.py >out &&
	jq_ok ".plan.deploy_mode == \"client\"" out
'

test_expect_success 'a job_file record: its path, and the hash it gives' '
	jq -n --arg s "$(sha256sum <a.py | cut -d " " -f 1)" \
		--arg p "$PWD/a.py" \
		"{v: 1, type: \"job_file\", script_path: \$p, sha256: \$s,
		name: \"of no use\", more: 1}" >job &&
	sa-prepare -c dev --arg x <job >out &&
	jq_ok ".name == \"a\" and .plan.args == [\"x\"]" out &&
	sa-prepare -c dev --arg x - y <job >out &&
	jq_ok ".plan.args == [\"x\", \"y\"]" out &&
	jq ".sha256 = \"00\"" job >drift &&
	test_expect_code 77 sa-prepare -c dev <drift 2>err &&
	test_match "sha256" err
'

test_expect_success 'stdin is not read before -c is known to be there' '
	test_expect_code 64 sa-prepare <a.py &&
	echo rest | { test_expect_code 64 sa-prepare 2>/dev/null; cat; } >got &&
	test "$(cat got)" = rest
'

test_expect_success 'records that are none: 65' '
	test_expect_code 65 sa-prepare -c dev </dev/null 2>err &&
	test_match "no record" err &&
	jq -c "{v: 1, type: \"job_file\", script_path: \"a.py\",
		sha256: \"00\"}" -n >good &&
	head -c 20 good >cut && test_expect_code 65 sa-prepare -c dev <cut &&
	sed "s/{/{\"v\":1,/" good >twice &&
	test_expect_code 65 sa-prepare -c dev <twice 2>err &&
	test_match "duplicate" err &&
	jq -c ".v = 2" good >v2 && test_expect_code 65 sa-prepare -c dev <v2 &&
	jq -c ".type = \"job\"" good >type &&
	test_expect_code 65 sa-prepare -c dev <type &&
	jq -c ".script_path = 1" good >number &&
	test_expect_code 65 sa-prepare -c dev <number &&
	jq -c "del(.sha256)" good >nosum &&
	test_expect_code 65 sa-prepare -c dev <nosum &&
	printf "{\"v\":1,\"type\":\"job_file\",\"x\":\"\377\"}" >bytes &&
	test_expect_code 65 sa-prepare -c dev <bytes &&
	head -c 17000000 /dev/zero | tr "\0" " " >large &&
	test_expect_code 65 sa-prepare -c dev <large 2>err &&
	test_match "limit" err
'

test_expect_success 'a request: what it takes' '
	jq -n "{connection: \"dev\", script_path: \"a.py\", name: \"r\",
		args: [\"a\", 1, true],
		spark_conf: {\"spark.executor.cores\": 2},
		key: \"k1\", expires: \"1h\", strict: true,
		strict_insert: true}" >request &&
	sa-prepare --request <request >out &&
	jq_ok ".plan.args == [\"a\", \"1\", \"true\"] and .name == \"r\"" out &&
	jq_ok ".plan.conf[\"spark.executor.cores\"].value == \"2\"" out
'

test_expect_success 'a request: what it never takes' '
	for m in yes on_event waive force reveal plan workdir files py_files \
		with_siblings policy unresolved arg conf v type
	do
		jq ".[\"$m\"] = true" request >bad &&
		test_expect_code 64 sa-prepare --request <bad >out 2>err &&
		test_empty out && test_match "$m" err || return 1
	done &&
	jq "del(.connection)" request >bad &&
	test_expect_code 65 sa-prepare --request <bad 2>err &&
	test_match connection err &&
	jq "del(.script_path)" request >bad &&
	test_expect_code 65 sa-prepare --request <bad 2>err &&
	test_match script_path err &&
	jq ".args = {}" request >bad &&
	test_expect_code 65 sa-prepare --request <bad
'

test_expect_success 'the members of requests are these' '
	for verb in prepare list show cancel
	do
		echo "{\"no-such\": 1}" >bad &&
		test_expect_code 64 env SA_ERROR_FD=3 \
			sa-prepare $verb --request <bad 3>object &&
		printf "%s " $verb &&
		jq -r ".error.hint" object || return 1
	done >got &&
	test_cmp "$SA_SRCDIR/t/data/prepare-requests.txt" got
'

test_expect_success 'an agent: strict, few properties, no files' '
	SA_ORIGIN=agent && export SA_ORIGIN &&
	sa-prepare -c dev a.py >out &&
	jq_ok ".origin == \"agent\" and .plan.guard.strict" out &&
	sa-prepare -c dev --conf spark.executor.memory=1g a.py >out &&
	jq_ok ".plan.conf[\"spark.executor.memory\"].origin == \"agent\"" out &&
	refused 77 "spark.jars" sa-prepare -c dev --conf spark.jars=x a.py &&
	refused 77 "unresolved" sa-prepare -c dev --unresolved a.py &&
	refused 77 "files" sa-prepare -c dev --files f.txt a.py &&
	refused 77 "workdir" sa-prepare -c dev --workdir / a.py &&
	refused 77 "siblings" sa-prepare -c dev --with-siblings a.py
'

test_expect_success 'secrets are stored and never shown' '
	sa-conn save vault --master local \
		--conf spark.hadoop.fs.password=hunter2 >/dev/null &&
	sa-prepare -c vault a.py --token hunter2 >out &&
	p=$(jq -r .pending_id out) &&
	sa-prepare show "$p" >shown && sa-prepare list >listed &&
	cat out shown listed >all &&
	test_expect_code 1 grep hunter2 all &&
	jq_ok ".plan.args == [\"--token\", \"****\"]" shown &&
	jq_ok ".plan.conf[\"spark.hadoop.fs.password\"].value == \"hunter2\"" \
		"data/pending/$p/record.json" &&
	test_expect_code 1 grep -r hunter2 data/log &&
	refused 65 "masked" sa-prepare -c dev a.py "****"
'

test_expect_success 'arguments that spark-submit would change' '
	refused 65 "carriage" sa-prepare -c dev a.py "$(printf "a\rb")" &&
	refused 65 "UTF-8" sa-prepare -c dev a.py "$(printf "\377")"
'

test_expect_success 'a command line that could not be run' '
	long=$(head -c 98304 /dev/zero | tr "\0" x) &&
	refused 65 "longest" sa-prepare -c dev a.py "$long" &&
	sa-prepare -c dev a.py "${long#xxxxx}" >out &&
	jq -n --arg a "${long#xxxxx}" "{connection: \"dev\",
		script_path: \"a.py\", args: [range(12) | \$a]}" >request &&
	test_expect_code 65 sa-prepare --request <request 2>err &&
	test_match "1048576" err
'

test_expect_success 'a data directory whose name Spark would expand' '
	SPARK_EXECUTOR_DATA_DIR="$PWD/d#ta" && export SPARK_EXECUTOR_DATA_DIR &&
	sa-conn save dev --master local >/dev/null &&
	test_expect_code 78 sa-prepare -c dev a.py 2>err &&
	test_match "#" err
'

test_expect_success 'an answer that cannot be written is 74' '
	test_expect_code 74 sa-prepare -c dev a.py >/dev/full
'

test_expect_success 'closed standard descriptors do no harm' '
	sa-prepare -c dev a.py <&- >out && jq_ok ".status" out &&
	test_expect_code 74 sa-prepare -c dev a.py >&- &&
	sa-prepare -c dev a.py 2>&- >out && jq_ok ".status" out
'

test_expect_success 'it is in the audit log and an event' '
	cat >hook <<-\HOOK &&
	#!/bin/sh
	cat >"$OUT.tmp" && mv "$OUT.tmp" "$OUT"
	HOOK
	chmod +x hook && OUT=$PWD/event && export OUT &&
	sa-prepare -c dev --on-event "$PWD/hook" a.py >out &&
	wait_for test -e event &&
	test "$(jq -r .pending_id event)" = "$(jq -r .pending_id out)" &&
	cat data/audit/*.jsonl >audit &&
	jq -c "select(.id == \"$(jq -r .pending_id out)\").event" audit >got &&
	printf "\"prepare\"\n\"prepared\"\n" >expected &&
	test_cmp expected got
'

test_done
