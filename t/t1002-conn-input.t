#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-conn: broken input, lost output, bad stores'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'

test_expect_success 'a good record' '
	sa-conn save good --master local >record &&
	sa-conn save <record >out &&
	jq_ok ".name == \"good\"" out
'

# refused CODE PATTERN FILE [VERB...]: what comes on stdin is refused.
refused () {
	code=$1 pattern=$2 file=$3
	shift 3
	test_expect_code "$code" sa-conn "$@" <"$file" >out 2>err &&
	test_empty out &&
	test "$(wc -l <err)" -eq "$(test "$code" -eq 64 && echo 2 || echo 1)" &&
	test_match "$pattern" err
}

test_expect_success 'empty, blank and truncated input' '
	>empty &&
	refused 65 "no record on stdin" empty save &&
	refused 65 "no record on stdin" empty show &&
	refused 65 "no record on stdin" empty delete &&
	refused 65 "no record on request" empty save --request &&
	printf "\n \n" >blank &&
	refused 65 "no record" blank save &&
	head -c 60 record >cut &&
	refused 65 "stdin:[0-9]+:[0-9]+: " cut save
'

test_expect_success 'not an object, two of them, text behind it' '
	for t in "[]" "1" "\"x\"" "null" "$(cat record record)" "{} x"
	do
		printf "%s" "$t" >input &&
		refused 65 "stdin:[0-9]+:[0-9]+: " input save || return
	done
'

test_expect_success 'a duplicate key' '
	sed "s/^{/{\"master\":\"yarn\",/" record >input &&
	refused 65 "stdin:1:.*master" input save
'

test_expect_success 'bad UTF-8' '
	sed "s/local/$(printf "loc\\377l")/" record >input &&
	refused 65 "stdin:1:" input save
'

test_expect_success 'another type, another version, none' '
	jq ".type = \"job\"" record >input &&
	refused 65 "type .job.* expected: connection" input save &&
	jq ".v = 2" record >input &&
	refused 65 "version 2" input save &&
	jq ".v = \"1\"" record >input &&
	refused 65 "version" input save &&
	jq "del(.v, .type)" record >input &&
	refused 65 "version none" input save
'

test_expect_success 'fields of the wrong type' '
	for c in ".master = 1" ".deploy_mode = {}" ".spark_conf = []" \
		".env = \"A=1\"" ".spark_conf[\"spark.a\"] = {}" \
		".yarn_rm_url = true" ".name = 1" "del(.name)"
	do
		jq "$c" record >input &&
		refused 65 "^sa-conn: " input save || return
	done
'

test_expect_success 'members of a request of the wrong type' '
	for c in ".master = 1" ".spark_conf = []" ".unset = \"env\"" \
		".unset = [{}]" ".spark_conf[\"spark.a\"] = []" ".name = 1" \
		".env = 7"
	do
		echo "{\"name\": \"r\"}" | jq "$c" >input &&
		refused 65 "request: .* must be" input save --request || return
	done &&
	test ! -e data/connections/r.json
'

# 16 MiB is what is read of a record.
test_expect_success 'at the limit of size, and one byte over it' '
	n=$((16 * 1024 * 1024)) &&
	jq -c . record >input &&
	head -c $((n - $(wc -c <input))) /dev/zero | tr "\0" " " >>input &&
	sa-conn save <input >out &&
	printf " " >>input &&
	refused 65 "over the limit of $n bytes" input save
'

test_expect_success 'a value at the limit of size, and one byte over it' '
	v=$(head -c 65536 /dev/zero | tr "\0" x) &&
	sa-conn save long --conf "spark.a=$v" >out &&
	jq_ok ".spark_conf[\"spark.a\"] | length == 65536" out &&
	test_expect_code 65 sa-conn save long --conf "spark.a=${v}x" 2>err &&
	test_match "65537.*65536" err
'

test_expect_success 'closed standard descriptors' '
	test_expect_code 65 sa-conn save <&- >out 2>err &&
	test_match "no record" err &&
	test_expect_code 74 sa-conn save closed >&- 2>err &&
	test_match "^sa-conn: cannot write to stdout" err &&
	test -e data/connections/closed.json &&
	sa-conn list >out 2>&- &&
	jq_ok ".items | length == 3" out
'

test_expect_success 'a full device and a reader that is gone' '
	test_expect_code 74 sa-conn list >/dev/full 2>err &&
	test_match "^sa-conn: cannot write to stdout" err &&
	test_expect_code 74 sa-conn show good >/dev/full &&
	test_expect_code 74 sa-conn config >/dev/full &&
	{ sa-conn list; echo $? >status; } 2>err | : &&
	grep -qx -e 141 -e 0 status &&
	test_empty err
'

test_expect_success '64: wrong words' '
	test_expect_code 64 sa-conn nothing 2>err &&
	test_match "^sa-conn: " err && test_match "^usage: sa-conn" err &&
	test_expect_code 64 sa-conn save a b &&
	test_expect_code 64 sa-conn save a --limit 3 &&
	test_expect_code 64 sa-conn save a --master &&
	test_expect_code 64 sa-conn config x &&
	echo "{}" | test_expect_code 64 sa-conn config --request
'

test_expect_success '77: an agent keeps to what agents may set' '
	SA_ORIGIN=agent && export SA_ORIGIN &&
	YARN_RESOURCE_MANAGER_URL=http://rm:8088 sa-conn save agent1 \
		--master yarn --deploy-mode client \
		--yarn-rm-url http://rm:8088 --conf spark.executor.memory=4g \
		--conf spark.sql.adaptive.enabled=true >out &&
	jq_ok ".origin | (length == 5) and ([.[]] | unique == [\"agent\"])" \
		out &&
	for o in spark-home=/x auth-file=/x ca-file=/x yarn-user=x \
		runtime-guard=off env=A=1 conf=spark.jars=x \
		conf=spark.driver.extraJavaOptions=-X \
		conf=spark.hadoop.fs.defaultFS=x conf=spark.Executor.Memory=1g \
		conf=spark.yarn.jar=x conf=spark.submit.pyFiles=x \
		conf=spark.yarn.tags=x
	do
		test_expect_code 77 sa-conn save agent1 "--$o" >out 2>err &&
		test_empty out &&
		key=${o#conf=} && key=$(echo "${key%%=*}" | tr - _) &&
		grep -qiF -e "$key" err || { echo "$o"; return 1; }
	done &&
	echo "spark.plugins x" >file &&
	test_expect_code 77 sa-conn save agent1 --conf-file file &&
	sa-conn save agent1 --conf spark.executor.memory=5g >out &&
	test_expect_code 77 sa-conn save good --conf spark.executor.memory=5g \
		2>err &&
	test_match "good.*master.*person" err &&
	test_expect_code 77 sa-conn delete good &&
	echo "{\"name\":\"old\"}" >data/connections/old.json &&
	test_expect_code 77 sa-conn save old --master local &&
	test_expect_code 77 sa-conn delete old &&
	sa-conn delete agent1 >out
'

test_expect_success '77: what a person changes is no more an agent'\''s' '
	SA_ORIGIN=agent sa-conn save mixed >out &&
	sa-conn save mixed --conf spark.jars=/x.jar >out &&
	jq_ok ".origin == {master: \"agent\",
		\"spark_conf.spark.jars\": \"person\"}" out &&
	SA_ORIGIN=agent test_expect_code 77 sa-conn save mixed --master local \
		2>err &&
	test_match "spark.jars" err
'

test_expect_success 'an error as an object' '
	SA_ERROR_FD=5 test_expect_code 66 sa-conn show gone 5>object 2>err &&
	jq_ok ".error.kind == \"not_found\" and .error.http == 404 and
		.error.code == 66 and .error.retryable == false" object
'

test_expect_success '78: a setting that is not valid' '
	SPARK_EXECUTOR_LOG_LEVEL=loud test_expect_code 78 sa-conn list 2>err &&
	test_match "SPARK_EXECUTOR_LOG_LEVEL.*loud" err &&
	echo "nonsense = 1" >conf &&
	SA_CONFIG=conf test_expect_code 78 sa-conn list 2>err &&
	test_match "conf:1.*nonsense" err
'

test_expect_success '75: a lock that is not had in time' '
	{ sh -c "flock 9 && : >locked && exec sleep 60" \
		9>>data/connections/.lock & } &&
	holder=$! &&
	wait_for test -e locked &&
	test_expect_code 75 sa-conn save good --master yarn >out 2>err &&
	kill $holder &&
	test_empty out &&
	test_match "connection .good. is locked" err &&
	sa-conn show good >out &&
	jq_ok ".master == \"local\"" out
'

test_expect_success '74: a store of others, and one that is no directory' '
	test_expect_code 74 sa-conn save x --data-dir /dev/null/x 2>err &&
	test_match "/dev/null/x.*data directory" err &&
	>file &&
	test_expect_code 74 sa-conn list --data-dir file 2>err &&
	test_match "file.*data directory" err &&
	mkdir mine && chmod 755 mine &&
	test_expect_code 74 as_nobody sa-conn save x --data-dir "$PWD/mine/d" \
		2>err &&
	test_match "mine/d.*[Dd]enied" err
'

test_expect_success TMPFS '74: a full file system keeps the old record' '
	mkdir full &&
	cat >body <<-\S &&
	sa-conn save a --master local --data-dir full/d >/dev/null || exit 1
	head -c 1000000 /dev/zero >full/fill 2>/dev/null
	v=$(head -c 60000 /dev/zero | tr "\0" x)
	sa-conn save a --master yarn --conf "spark.a=$v" --data-dir full/d \
		>out 2>err
	test $? -eq 74 || exit 2
	sa-conn show a --data-dir full/d >shown || exit 3
	ls -A full/d/connections >names
	S
	with_tmpfs size=128k full sh body &&
	test_empty out &&
	test_match "No space left" err &&
	jq_ok ".master == \"local\"" shown &&
	printf "%s\n" .lock a.json >expected &&
	test_cmp expected names
'

test_expect_success 'saves of one connection at once lose nothing' '
	sa-conn save many >/dev/null &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
	do
		{
			while sa-conn save many --conf "spark.k$i=$i" \
				>/dev/null 2>&1
				test $? -eq 75
			do
				:
			done &
		}
	done &&
	wait &&
	sa-conn show many >out &&
	jq_ok ".spark_conf | length == 20" out &&
	jq_ok "[.spark_conf[] | tonumber] | add == 210" out
'

test_done
