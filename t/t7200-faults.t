#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='submissions to YARN where something breaks at any moment'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq ps python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/yarn-lib.sh"
. "$SA_SRCDIR/t/confirm-lib.sh"
. "$SA_SRCDIR/t/faults-lib.sh"
start_yarn '{"rms":[{},{"state":"STANDBY"}]}'
mkdir hadoop && : >hadoop/yarn-site.xml && : >apps || exit 99
HADOOP_CONF_DIR=$PWD/hadoop
export HADOOP_CONF_DIR
sa-conn save cluster --master yarn --deploy-mode cluster --yarn-rm-url "$rm" \
	--env FAKE_SPARK_APPS="$PWD/apps" >/dev/null
sa-conn save client --master yarn --yarn-rm-url "$rm" \
	--env FAKE_SPARK_APPS="$PWD/apps" >/dev/null

rounds=${SA_TEST_ROUNDS:-10}
test -z "${SA_TEST_LONG:-}" || rounds=${SA_TEST_ROUNDS:-40}
patience=60
grace=1
seed=${SA_TEST_SEED:-$(date +%s)}
echo "# $rounds rounds, seed $seed"

# A round: MODE FAULT RM MOMENT DELAY WAITS LASTS END QUIET FAILS BAD CUT
# RM is what is wrong with that for BAD seconds.
awk -v n="$rounds" -v seed="$seed" '
	function one(list, v, k) {
		k = split(list, v, " ")
		return v[1 + int(rand() * k)]
	}
	BEGIN {
		srand(seed)
		k = split("submit-KILL submit-TERM supervise-KILL " \
			"confirm-KILL host-KILL kill kill-KILL " \
			"reconcile-KILL wait-KILL none", faults, " ")
		for (i = 0; i < n; i++)
			printf "%s %s %s %s %.3f %.2f %.2f " \
				"%s %s %s %.2f %d\n",
				one("cluster cluster client"),
				faults[1 + i % k],
				one("ok ok ok drop cut 5xx slow standby " \
					"starting failover"),
				one("claimed marked started submitted ended"),
				rand() * 0.4, rand(), 1 + rand() * 1.5,
				one("SUCCEEDED SUCCEEDED FAILED KILLED"),
				one("loud loud quiet"),
				one("never never never before after"),
				rand() * 1.5,
				int(rand() * 2) * int(rand() * 300)
	}' >plan || tl_fatal 'no plan'

# waits, lasts, end: how an application in cluster mode goes.
# quiet: nobody logs its id. fails: when spark-submit does.
write_program () {
	{
		echo "# fake: before sleep 0.1"
		echo "# fake: submit pace 0.08"
		test "$quiet" != quiet || echo "# fake: submit quiet"
		test "$fails" = never || echo "# fake: $fails exit 1"
		life="[$waits,$lasts,\"$end\"]"
		test "$mode" = client ||
			echo "# fake: submit with {\"life\":$life}"
		case $fault in
		kill*) echo "# fake: sleep 300" ;;
		*) echo "# fake: sleep 0.3" ;;
		esac
		echo "# fake: say end"
	} >x.py
}

# What the ResourceManager does until it is well again.
rm_is () {
	case $1 in
	ok) rules= ;;
	drop) rules='.rules = [{server: "rm0", drop: true}]' ;;
	cut) rules=".rules = [{server: \"rm0\", cut: $cut}]" ;;
	5xx) rules='.rules = [{server: "rm0", status: 503, body: "oops"}]' ;;
	slow) rules='.rules = [{server: "rm0", delay: 0.7}]' ;;
	standby) rules='.rms[0].state = "STANDBY"' ;;
	starting) rules='.rms[0].state = "INITIALIZING"' ;;
	failover) rules='.rms |= reverse' ;;
	esac
	scenario ".rms += [{state: \"STANDBY\"}] | .kill = [\"KILLING\"] |
		.submitted = \"$PWD/apps\" | ${rules:-.}"
}

rm_apps () {
	python3 - "${rm%%,*}/ws/v1/cluster/apps?applicationTags=$1" <<-'PY'
	import sys, urllib.request
	with urllib.request.urlopen(sys.argv[1]) as answer:
	    print(answer.read().decode())
	PY
}

submitted () {
	grep -qi -- "sa-$1," apps
}

i=0
while read -r mode fault rm_fault moment delay waits lasts end quiet fails \
	bad cut
do
	i=$((i + 1))
	case $fault in
	kill*) lasts=300 ;;
	esac
	test_expect_success "$i: $mode, $fault, RM $rm_fault, $moment" '
		: >outcome && rm_is "$rm_fault" && first_part && break_it &&
		sleep "$bad" && rm_is ok && all_is_true
	'
	sed "s/^/# /" outcome
done <plan
sort outcomes | uniq -c | sed 's/^/#/'

test_expect_success 'the audit is whole' '
	sa-confirm audit --verify >out && jq_ok .ok out
'

test_done
