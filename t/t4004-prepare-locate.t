#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-prepare finds spark-submit, Java and configurations'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

fake_spark
spark=$SPARK_HOME
java=$JAVA_HOME
unset SPARK_HOME
PATH=$SA_BUILDDIR:/usr/bin:/bin
sa-conn save dev --master 'local[2]' >/dev/null
echo 'print(1)' >a.py

# distribution DIR: a Spark that is told by its jars directory
distribution () {
	mkdir -p "$1/bin" "$1/jars" "$1/conf" &&
	: >"$1/jars/spark-yarn_2.13-4.3.0.jar" &&
	cp "$spark/bin/spark-submit" "$1/bin/"
}

# python FILE DIR: a Python whose package pyspark is DIR
python () {
	mkdir -p "$(dirname "$1")" &&
	printf '#!/bin/sh\necho "%s"\n' "$2" >"$1" && chmod +x "$1"
}

distribution of-connection
distribution of-home
distribution of-path
distribution of-python
sa-conn save own --master local --spark-home "$PWD/of-connection" >/dev/null

found () {
	jq_ok ".plan.spark_submit.path == \$p and .plan.spark_home == \$h and
		.plan.spark_submit.how == \$w and .plan.env.SPARK_HOME == \$h" \
		out --arg p "$PWD/$1/bin/spark-submit" --arg h "$PWD/$1" \
		--arg w "$2"
}

test_expect_success 'the connection says it before all others' '
	SPARK_HOME=$PWD/of-home && export SPARK_HOME &&
	PATH=$PWD/of-path/bin:$PATH &&
	sa-prepare -c own a.py >out &&
	found of-connection "the connection'\''s spark_home"
'

test_expect_success 'then SPARK_HOME' '
	SPARK_HOME=$PWD/of-home && export SPARK_HOME &&
	PATH=$PWD/of-path/bin:$PATH &&
	sa-prepare -c dev a.py >out && found of-home SPARK_HOME
'

test_expect_success 'then PATH' '
	PATH=$PWD/of-path/bin:$PATH SA_PYTHON=$PWD/no-python \
		sa-prepare -c dev a.py >out && found of-path PATH
'

test_expect_success 'a link on PATH leads to its distribution' '
	mkdir -p links && ln -s "$PWD/of-path/bin/spark-submit" links/ &&
	PATH=$PWD/links:$PATH sa-prepare -c dev a.py >out &&
	jq_ok ".plan.spark_home == \$h" out --arg h "$PWD/of-path"
'

test_expect_success 'a script that pip made: the Python beside it is asked' '
	mkdir -p venv/bin && cp "$spark/bin/spark-submit" venv/bin/ &&
	python venv/bin/python3 "$PWD/of-python" &&
	PATH=$PWD/venv/bin:$PATH sa-prepare -c dev a.py >out &&
	jq_ok ".plan.spark_home == \$h and .plan.env.PYSPARK_PYTHON == \$p" \
		out --arg h "$PWD/of-python" --arg p "$PWD/venv/bin/python3"
'

test_expect_success 'then the package of the Python that the setting names' '
	python named/python3 "$PWD/of-python" &&
	SA_PYTHON=$PWD/named/python3 sa-prepare -c dev a.py >out &&
	found of-python python &&
	jq_ok ".plan.env.PYSPARK_PYTHON == \$p" out \
		--arg p "$PWD/named/python3" &&
	SA_PYTHON=named/python3 sa-prepare -c dev a.py >out &&
	found of-python python &&
	PYSPARK_PYTHON=/mine SA_PYTHON=named/python3 \
		sa-prepare -c dev a.py >out &&
	jq_ok ".plan.env.PYSPARK_PYTHON == \"/mine\"" out
'

test_expect_success 'a Python without it, and one that is none' '
	python empty/python3 "" &&
	test_expect_code 78 env SA_PYTHON="$PWD/empty/python3" \
		sa-prepare -c dev a.py 2>err &&
	test_match "empty/python3.* no package pyspark" err &&
	test_expect_code 78 env SA_PYTHON=no-such-python \
		sa-prepare -c dev a.py 2>err &&
	test_match "no-such-python" err
'

test_expect_success 'a Spark that is said to be somewhere has to be there' '
	PATH=$PWD/of-path/bin:$PATH && rm of-connection/bin/spark-submit &&
	test_expect_code 78 sa-prepare -c own a.py 2>err &&
	test_match "of-connection" err &&
	test_expect_code 78 env SPARK_HOME="$PWD/nowhere" \
		sa-prepare -c dev a.py 2>err &&
	test_match "nowhere" err
'

SPARK_HOME=$PWD/of-home
export SPARK_HOME

test_expect_success 'Java: the connection, JAVA_HOME, PATH' '
	cp -r "$java" java2 &&
	sa-conn save j --master local --env JAVA_HOME="$PWD/java2" >/dev/null &&
	sa-prepare -c j a.py >out &&
	jq_ok ".plan.java.path == \$p" out --arg p "$PWD/java2/bin/java" &&
	sa-prepare -c dev a.py >out &&
	jq_ok ".plan.java.path == \$p" out --arg p "$java/bin/java" &&
	unset JAVA_HOME && PATH=$PWD/java2/bin:$PATH &&
	sa-prepare -c dev a.py >out &&
	jq_ok ".plan.java.path == \$p" out --arg p "$PWD/java2/bin/java" &&
	jq_ok ".plan.env | has(\"JAVA_HOME\") | not" out
'

test_expect_success 'no Java anywhere' '
	mkdir -p only && ln -sf "$(command -v env)" only/ &&
	unset JAVA_HOME && test_expect_code 78 env PATH="$PWD/only" \
		"$SA_BUILDDIR/sa-prepare" -c dev a.py 2>err &&
	test_match "no Java" err
'

test_expect_success 'the files of the configuration directory' '
	echo "spark.x 1" >of-home/conf/spark-defaults.conf &&
	echo "export Y=1" >of-home/conf/spark-env.sh &&
	sa-prepare -c dev a.py >out &&
	jq_ok ".plan.spark_conf_dir == \$h + \"/conf\" and
		.plan.spark_defaults == {sha256: \$s,
			path: (\$h + \"/conf/spark-defaults.conf\")} and
		.plan.spark_env.path == \$h + \"/conf/spark-env.sh\"" out \
		--arg h "$PWD/of-home" --arg s "$(sha256sum \
			<of-home/conf/spark-defaults.conf | cut -d " " -f 1)" &&
	mkdir -p conf2 &&
	SPARK_CONF_DIR=$PWD/conf2 sa-prepare -c dev a.py >out &&
	jq_ok ".plan.spark_conf_dir == \$d and .plan.spark_defaults == null and
		.plan.env.SPARK_CONF_DIR == \$d" out --arg d "$PWD/conf2" &&
	test_expect_code 78 env SPARK_CONF_DIR="$PWD/none" \
		sa-prepare -c dev a.py 2>err &&
	test_match "SPARK_CONF_DIR" err
'

test_expect_success 'spark-env.sh may say where Hadoop is configured' '
	sa-conn save y --master yarn >/dev/null && sa-prepare -c y a.py >out &&
	rm of-home/conf/spark-env.sh &&
	test_expect_code 78 sa-prepare -c y a.py &&
	: >conf2/yarn-site.xml &&
	YARN_CONF_DIR=$PWD/conf2 sa-prepare -c y a.py >out &&
	jq_ok ".plan.hadoop_conf_dir == \$d" out --arg d "$PWD/conf2" &&
	test_expect_code 78 env HADOOP_CONF_DIR="$PWD/none" \
		sa-prepare -c y a.py 2>err && test_match "HADOOP_CONF_DIR" err
'

test_expect_success 'the environment is an allow list, then the connection' '
	sa-conn save e --master local --env MINE=1 --yarn-user etl >/dev/null &&
	SPARK_SUBMIT_OPTS=-Dx LD_PRELOAD= OTHER=x LC_CTYPE=C MINE=2 \
		SPARK_LOCAL_IP=127.0.0.1 sa-prepare -c e a.py >out &&
	jq_ok ".plan.env | .MINE == \"1\" and .LC_CTYPE == \"C\" and
		.SPARK_LOCAL_IP == \"127.0.0.1\" and
		.HADOOP_USER_NAME == \"etl\" and
		(has(\"OTHER\") or has(\"SPARK_SUBMIT_OPTS\") or
			has(\"LD_PRELOAD\") or has(\"SPARK_EXECUTOR_DATA_DIR\")
			| not)" out
'

test_expect_success 'options of the submitting JVM come from a connection' '
	sa-conn save o --master local \
		--env SPARK_SUBMIT_OPTS=-Xss8m >/dev/null &&
	SPARK_SUBMIT_OPTS=-Dx sa-prepare -c o a.py >out &&
	jq_ok ".plan.env.SPARK_SUBMIT_OPTS == \"-Xss8m\"" out &&
	sa-confirm review "$(jq -r .pending_id out)" >text &&
	test_match "SPARK_SUBMIT_OPTS=-Xss8m" text
'

test_expect_success 'the locale is one of UTF-8, unless the connection says' '
	env -u LC_ALL LANG=C.UTF-8 sa-prepare -c e a.py >out &&
	jq_ok ".plan.env | .LANG == \"C.UTF-8\" and
		(has(\"LC_CTYPE\") or has(\"LC_ALL\") | not)" out &&
	for set in -uX LANG= LANG=C LANG=xx_YY.UTF-8 LC_CTYPE=POSIX
	do
		env -u LC_ALL -u LANG "$set" sa-prepare -c e a.py >out &&
		jq_ok ".plan.env.LC_CTYPE == \"C.UTF-8\"" out || return 1
	done &&
	LC_ALL=C LANG=C.UTF-8 sa-prepare -c e a.py >out &&
	jq_ok ".plan.env.LC_ALL == \"C.UTF-8\"" out &&
	sa-conn save l --master local --env LC_CTYPE=POSIX >/dev/null &&
	env -u LC_ALL LANG=C.UTF-8 sa-prepare -c l a.py >out &&
	jq_ok ".plan.env.LC_CTYPE == \"POSIX\"" out
'

# Each field of a connection that alters what runs alters the plan.
for change in '--master local[3]' '--conf spark.executor.cores=2' \
	'--env MINE=2' '--yarn-rm-url http://rm:8088' '--yarn-user other' \
	'--auth-file /a' '--ca-file /c' '--runtime-guard off'
do
	test_expect_success "the plan changes with $change" '
		sa-conn save c --master "local[2]" --env MINE=1 >/dev/null &&
		sa-prepare -c c a.py >out &&
		sa-conn save c $change >/dev/null &&
		sa-prepare -c c a.py >out2 && sa-conn delete c >/dev/null &&
		test "$(jq -r .plan_sha256 out)" != \
			"$(jq -r .plan_sha256 out2)"
	'
done

test_expect_success 'an RM from the settings is in the plan' '
	YARN_RESOURCE_MANAGER_URL=http://rm:8088 sa-prepare -c dev a.py >out &&
	jq_ok ".plan.yarn_rm_url == \"http://rm:8088\"" out
'

test_expect_success 'a property of the predecessor is checked again' '
	echo "{\"name\": \"old\", \"master\": \"local\",
		\"spark_conf\": {\"spark.executor.cores\": 2}}" \
		>data/connections/old.json &&
	sa-prepare -c old a.py >out &&
	jq_ok ".plan.conf[\"spark.executor.cores\"].value == \"2\"" out &&
	echo "{\"name\": \"old\", \"master\": \"local\",
		\"spark_conf\": {\"spark.master\": \"yarn\"}}" \
		>data/connections/old.json &&
	test_expect_code 65 sa-prepare -c old a.py 2>err &&
	test_match "old.*spark.master" err
'

test_done
