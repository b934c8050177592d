#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='submission to a real YARN, in both modes'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/spark/engines-lib.sh"

engine yarn
wrapper=$SA_BUILDDIR/sa-runguard.py
# shellcheck disable=SC2086
sa-conn save cluster --master yarn --deploy-mode cluster $small >/dev/null
# shellcheck disable=SC2086
sa-conn save client --master yarn $small >/dev/null

# within SECONDS COMMAND...: a JVM takes its time on a machine that has none
within () {
	left=$1
	shift
	until "$@"
	do
		left=$((left - 1))
		test "$left" -gt 0 || return
		sleep 1
	done
}

# last: $j and $app, the job that was submitted last
last () {
	j=$(jq -r .job_id job.json) &&
	app=$(jq -r .application_id "data/runs/$j/record.json")
}

has_id () {
	last && test "$app" != null
}

# submit PREPARE_OPTION...: job.json, $j, $app
submit () {
	sa-prepare "$@" >pending.json &&
	sa-confirm --yes <pending.json >job.json && within 150 has_id
}

# over STATE FINAL_STATUS: the application's end, ten minutes at most
has_ended () {
	rm_get "/ws/v1/cluster/apps/$app" >app.json &&
	jq -e '.app.state | IN("FINISHED", "FAILED", "KILLED")' \
		app.json >/dev/null
}
over () {
	within 600 has_ended &&
	jq_ok '[.app.state, .app.finalStatus] == [$s, $f]' app.json \
		--arg s "$1" --arg f "$2"
}

# told: what there is to know of a job that does not come as far as it should
told () {
	sa-yarn status "$j"
	tail -n 40 "data/runs/$j/stderr"
	return 1
}

cat >same.py <<'PY'
"""What a script is told of itself, written to a file."""
import json, os, pickle, sys, traceback
from pyspark.sql import SparkSession, functions as F
import beside


class Point:
    def __init__(self, x):
        self.x = x


spark = SparkSession.builder.getOrCreate()
spark.range(4).createOrReplaceTempView("t")
try:
    raise KeyError("k")
except KeyError:
    trace = traceback.format_exc()
with open(sys.argv[1], "w") as f:
    json.dump([
        __name__, __doc__, os.path.basename(__file__),
        os.path.isabs(__file__), sys.argv[0], sys.argv[2:],
        sys.path[0] == os.path.dirname(os.path.realpath(__file__)),
        pickle.loads(pickle.dumps(Point(3))).x, beside.X,
        open("d.csv").read(), trace.replace(os.getcwd(), "."),
        [r[0] for r in spark.range(3).select(
            F.udf(lambda x: x + 5, "long")("id")).collect()],
        spark.sql("SELECT * FROM t").count()], f)
sys.exit(3)
PY
echo 'X = 7' >beside.py
echo data >d.csv

test_expect_success 'cluster mode: an id, one application with both tags' '
	submit -c cluster --files d.csv --py-files beside.py same.py \
		"$PWD/plain.json" a "b c" &&
	echo "$app" | grep "^application_" &&
	within 100 flock -n "data/runs/$j/alive" true &&
	jq_ok ".exit_code == 0" "data/runs/$j/exit.json" &&
	tag=$(jq -r .tag job.json) &&
	rm_get "/ws/v1/cluster/apps?applicationTags=$tag" >found &&
	jq_ok "[.apps.app[].id] == [\$a]" found --arg a "$app" &&
	jq_ok ".apps.app[0].applicationTags | split(\",\") | sort ==
		([\$t, \"sa-s-\" + \$s] | sort)" found --arg t "$tag" \
		--arg s "$(cat data/store-id)"
'

test_expect_success 'nobody is left that waits' '
	last && pid=$(jq -r .pid "data/runs/$j/exec.json") &&
	test ! -e "/proc/$pid" &&
	{ sed "s/.*) //" /proc/[0-9]*/stat >processes 2>/dev/null || :; } &&
	test_expect_code 1 awk -v g="$pid" \
		"\$3 == g { n++ } END { exit n == 0 }" processes
'

test_expect_success 'one attempt, and what spark-submit said decides nothing' '
	last && over FINISHED FAILED &&
	rm_get "/ws/v1/cluster/apps/$app/appattempts" >attempts &&
	jq_ok ".appAttempts.appAttempt | length == 1" attempts &&
	jq_ok ".state | IN(\"SUBMITTED\", \"ACCEPTED\")" \
		"data/runs/$j/record.json"
'

test_expect_success 'the wrapper travels; the script sees no difference' '
	test -e "$wrapper" &&
	submit -c cluster --runtime-guard --files d.csv --py-files beside.py \
		same.py "$PWD/guarded.json" a "b c" &&
	over FINISHED FAILED &&
	real_jq -S . plain.json >expected && real_jq -S . guarded.json >got &&
	test_cmp expected got &&
	jq_ok ".[4] == \"same.py\" and .[5] == [\"a\", \"b c\"] and .[8] == 7" \
		got
'

test_expect_success 'and it refuses there' '
	cat >drop.py <<-\PY &&
	import sys
	from pyspark.sql import SparkSession
	spark = SparkSession.builder.getOrCreate()
	try:
	    spark.sql(sys.argv[1])
	except Exception as e:
	    open(sys.argv[2], "w").write(type(e).__name__)
	PY
	submit -c cluster --runtime-guard drop.py "DROP TABLE IF EXISTS x" \
		"$PWD/refused" && over FINISHED SUCCEEDED &&
	test "$(cat refused)" = SqlRefused
'

test_expect_success 'client mode: RUNNING when it runs, the driver decides' '
	cat >wait.py <<-\PY &&
	import os, sys, time
	from pyspark.sql import SparkSession
	spark = SparkSession.builder.getOrCreate()
	print("COUNT", spark.range(10).count(), flush=True)
	while not os.path.exists(sys.argv[1]):
	    time.sleep(0.2)
	sys.exit(3)
	PY
	submit -c client wait.py "$PWD/go" &&
	{ within 300 grep -q "^COUNT 10$" "data/runs/$j/stdout" || told; } &&
	jq_ok ".state == \"RUNNING\"" "data/runs/$j/record.json" &&
	touch go && within 100 flock -n "data/runs/$j/alive" true &&
	jq_ok ".state == \"FAILED\" and .exit_code == 3" \
		"data/runs/$j/record.json" &&
	over FINISHED SUCCEEDED
'

test_expect_success 'client mode: KILLED beats the 0 of a driver that goes on' '
	sed "s/sys.exit(3)/print(\"END\", flush=True)/" wait.py >on.py &&
	rm -f go && submit -c client on.py "$PWD/go" &&
	within 300 grep -q "^COUNT 10$" "data/runs/$j/stdout" &&
	url=$YARN_RESOURCE_MANAGER_URL/ws/v1/cluster/apps/$app/state &&
	curl -s --noproxy "*" -X PUT -H "Content-Type: application/json" \
		-d "{\"state\": \"KILLED\"}" "$url?user.name=$(id -un)" \
		>answer &&
	over KILLED KILLED && touch go &&
	within 100 flock -n "data/runs/$j/alive" true &&
	test_match "^END$" "data/runs/$j/stdout" &&
	jq_ok ".exit_code == 0" "data/runs/$j/exit.json" &&
	jq_ok ".state == \"KILLED\" and .exit_code == 0 and
		.yarn_state == \"KILLED\"" "data/runs/$j/record.json"
'

test_expect_success 'a ResourceManager that is not there' '
	echo "print(1)" >one.py &&
	{ engines yarn stop rm >/dev/null 2>err || cat err; } &&
	SA_SUBMIT_TIMEOUT=60s && export SA_SUBMIT_TIMEOUT &&
	sa-prepare -c cluster one.py >pending.json &&
	sa-confirm --yes <pending.json >job.json && last &&
	jq_ok ".application_id == null and .state == \"SUBMITTING\"" job.json &&
	within 150 test -e "data/runs/$j/exit.json" &&
	jq_ok ".timed_out and (.exit_code == 143 or .signal == 15)" \
		"data/runs/$j/exit.json" &&
	test_match "Retrying connect" "data/runs/$j/stderr"
'

test_done
