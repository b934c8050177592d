#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='kill -9 of each process of a real Spark job at any moment'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"

test_have_prereq LONG,pgrep || skip_all 'only with scripts/check --all'
real_spark

# SA_TEST_SEED repeats what another run printed. 30 in SA_TEST_ROUNDS are a
# whole run, after a change of how jobs are run.
rounds=${SA_TEST_ROUNDS:-12}
seed=${SA_TEST_SEED:-$(date +%s)}
echo "# $rounds rounds, seed $seed"

sa-conn save demo --master "local[1]" >conn.json || tl_fatal 'no connection'

# The moments are spread over the life of what is killed: sa-confirm's is
# short; of the others one half is counted from the claim, while Spark starts,
# the other from where the script runs.
awk -v n="$rounds" -v seed="$seed" 'BEGIN {
	split("confirm supervise jvm python", who, " ")
	srand(seed)
	for (i = 0; i < n; i++) {
		w = who[i % 4 + 1]
		from = w == "python" || int(i / 4) % 2 ? "script" : "claim"
		if (w == "confirm")
			from = "begin"
		printf "%.3f %s %s %s\n", rand() * (from == "begin" ? 0.4 : \
			from == "claim" ? 5 : 1.2), from, w,
			i % 3 ? "plain" : "session"
	}
}' >plan

cat >plain.py <<'PY'
import sys, time
with open(sys.argv[1], "a") as f:
    f.write("start\n")
time.sleep(1.5)
print("end", flush=True)
PY

cat >session.py <<'PY'
import sys
from pyspark.sql import SparkSession
with open(sys.argv[1], "a") as f:
    f.write("start\n")
spark = SparkSession.builder.getOrCreate()
spark.range(1000).selectExpr("sum(id)").show()
print("end", flush=True)
PY

pendings=$SPARK_EXECUTOR_DATA_DIR/pending
runs=$SPARK_EXECUTOR_DATA_DIR/runs

# group: the processes of the run's group that are no zombies
group () {
	pgid=$(jq .pgid "$runs/$j/exec.json" 2>/dev/null) || return 0
	for stat in /proc/[0-9]*/stat
	do
		sed "s/^\([0-9]*\) (\(.*\)) [^Z] [0-9]* $pgid .*/\1 \2/;t;d" \
			"$stat" 2>/dev/null
	done
	return 0
}

supervisor () {
	pgrep -f "^[^ ]*sa-supervise --data-dir=$SPARK_EXECUTOR_DATA_DIR .*$j"
}

# The process that the round is about, if it is there.
victim () {
	case $1 in
	confirm) echo "$confirm" ;;
	supervise) supervisor ;;
	jvm) group | sed -n 's/ java$//p' ;;
	python) group | sed -n 's/ python.*//p' ;;
	esac | head -n 1
}

job_of () {
	j=$(jq -r '.job_id // empty' "$pendings/$p/record.json")
	test -n "$j"
}

begin () {
	:
}

claim () {
	job_of
}

script () {
	job_of && test -s starts
}

# Where confirm is killed early there may be no run yet.
readable () {
	for f in "$pendings"/p_*/record.json "$runs"/j_*/record.json
	do
		test "$f" = "$runs/j_*/record.json" ||
		jq -e '.v == 1 and (.type | IN("pending", "job"))' "$f" ||
			return
	done >checked &&
	sa-yarn list --jsonl >all &&
	test "$(wc -l <all)" -eq \
		"$(find "$runs" -maxdepth 1 -name "j_*" 2>/dev/null | wc -l)"
}

# What status says against what /proc shows before and after.
truthful () {
	group >before
	supervisor >>before
	sa-yarn status "$j" >status.json && group >after &&
	state=$(jq -r .state status.json) &&
	case $state in
	RUNNING|SUBMITTING) test -s before || test -s after ;;
	*) test_empty after ;;
	esac || {
		echo "status says $state; before and after:"
		cat before after
		return 1
	}
}

# At most one run, and one that nobody killed came to its end.
accounted () {
	starts=$(wc -l <starts) && state=$(jq -r .state end.json) &&
	ended=$(grep -c '^end$' "$runs/$j/stdout") || :
	case $who.$starts.$state in
	*.1.SUCCEEDED) test "$ended" -eq 1 ;;
	confirm.0.FAILED|supervise.0.FAILED)
		jq_ok '.diagnostics | contains("never ran")' end.json ;;
	supervise.1.LOST) test "$ended" -eq 1 ;;
	jvm.[01].FAILED|python.[01].FAILED) ;;
	*) false ;;
	esac || {
		echo "$who killed, $starts starts, $ended ends, $state"
		return 1
	}
}

nothing_left () {
	! supervisor && test -z "$(group)"
}

i=0
while read -r delay from who script
do
	i=$((i + 1))
	test_expect_success "round $i: $who, $delay s after $from, $script" '
		p=$(sa-prepare -c demo "$script.py" "$PWD/starts" |
			jq -r .pending_id) &&
		>starts &&
		{ sa-confirm --yes "$p" >job.json 2>err & } && confirm=$! &&
		wait_for "$from" && sleep "$delay" && pid=$(victim "$who") &&
		{ test -z "$pid" || kill -KILL "$pid" || :; } &&
		{ wait "$confirm" || :; } &&
		readable &&
		if ! job_of
		then sa-confirm --yes "$p" >job.json 2>err && job_of
		fi &&
		truthful &&
		{ sa-yarn wait -t 120 "$j" >end.json || :; } &&
		truthful && wait_for nothing_left && accounted && readable &&
		test_expect_code 65 sa-confirm --yes "$p" >again 2>err &&
		test_match "$j" err &&
		echo "$who $script: $state, $starts starts" >>outcomes
	'
done <plan
sort outcomes | uniq -c | sed 's/^/#/'

test_expect_success 'the audit is whole' '
	sa-confirm audit --verify >out && jq_ok .ok out
'

test_done
