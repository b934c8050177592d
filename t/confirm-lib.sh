# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh disable=SC2034
#
# For the tests of sa-confirm and sa-supervise, after test-lib.sh: a fake
# Spark, a connection demo, and
#
#	prepare COMMAND...	x.py of these commands of fake-spark-submit, and
#				its pending: $p, pending.json
#	prepare_with OPTION... -- COMMAND...
#	submit			$p; its job: $j, job.json
#	status_is STATUS	of the pending $p
#	ended JOB		its record is final, a minute at most
#	starts PENDING		how often spark-submit was started for it
#	kill_supervisor		all of them that this script's jobs have
#	holds			after a kill at any moment: what must be true
#				of $p, whose program says "end" at its end; a
#				line of what was found goes to outcomes

fake_spark
sa-conn save demo --master 'local[2]' >/dev/null || tl_fatal 'no connection'

prepare_with () {
	opts=
	while test "$1" != --
	do
		opts="$opts $1"
		shift
	done
	shift
	printf '# fake: %s\n' "$@" >x.py || return
	# shellcheck disable=SC2086
	sa-prepare -c demo $opts x.py >pending.json &&
	p=$(jq -r .pending_id pending.json)
}

prepare () {
	prepare_with -- "$@"
}

submit () {
	sa-confirm --yes "$p" >job.json &&
	j=$(jq -r .job_id job.json)
}

status_is () {
	jq_ok '.status == $s' "data/pending/$p/record.json" --arg s "$1"
}

ended () {
	wait_for jq -e '.finished_at != null' "data/runs/$1/record.json"
}

starts () {
	test -e "$SPARK_HOME/starts.jsonl" || {
		echo 0
		return
	}
	jq -c --arg p "$1" 'select(.script | contains($p))' \
		"$SPARK_HOME/starts.jsonl" | wc -l
}

settled () {
	sa-confirm --yes --once "$p" >once 2>err || {
		cat err
		return 1
	}
	jq -e '.state | IN("SUCCEEDED", "FAILED", "LOST")' once >/dev/null
}

# Both records can be read; spark-submit was started at most once, and then its
# program ran to its end; what was claimed is not started again; what was not
# still can be.
holds () {
	jq_ok '.status | IN("PENDING", "SUBMITTING", "SUBMITTED", "FAILED")' \
		"data/pending/$p/record.json" &&
	before=$(jq -r .job_id "data/pending/$p/record.json") &&
	wait_for settled &&
	n=$(starts "$p") && state=$(jq -r .state once) &&
	job=$(jq -r .job_id once) &&
	case $before.$n.$state in
	null.1.SUCCEEDED) ;; # confirmed again, as it may be
	j_*.1.SUCCEEDED|j_*.1.LOST) test "$before" = "$job" ;;
	j_*.0.FAILED|j_*.0.LOST) test "$before" = "$job" ;;
	*) echo "job $before, $n starts, $state" && false ;;
	esac &&
	if test "$n" -eq 1
	then wait_for grep -q "^end$" "data/runs/$job/stdout"
	fi &&
	echo "$before.$n.$state" | sed 's/^j_[^.]*/claimed/' >>outcomes
}

# Not what it has forked, which looks the same until it executes something. One
# look decides: once the parent is dead a child cannot be told from it.
kill_supervisor () {
	ps -eo pid=,ppid=,args= | awk -v d="sa-supervise --data-dir=$PWD/" '
		index($0, d) && $3 ~ /sa-supervise$/ { parent[$1] = $2 }
		END { for (s in parent) if (!(parent[s] in parent)) print s }
	' >supervisors
	while read -r s
	do
		kill -KILL "$s"
	done <supervisors
	:
}
