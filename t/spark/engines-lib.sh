# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh disable=SC2034,SC2154
#
# Real clusters for t/spark/*.t, by scripts/engines. After test-lib.sh:
#
#	engine KIND		one that is this script's own, its variables
#				set; skip_all where it cannot be had
#	engines KIND VERB [OPERAND]	scripts/engines, for that one
#	engine_pids KIND	what runs of it, containers too
#	pids_below DIR		what runs of an engine whose directory that is
#	rm_get PATH		what the active ResourceManager says, as JSON
#	$small			options of sa-conn save for a job that needs
#				little
#
# They lie in the script's directory and are ended with the script. The cache
# with what they consist of is named by SA_TEST_ENGINES, as scripts/check --all
# does; without it there is none, and nothing is fetched.

# No UI: in client mode on YARN, Spark 4.3 starts the pages of its UI while
# another thread puts YARN's filter before them, and a context ends with a
# ConcurrentModificationException now and then.
small='--conf spark.driver.memory=512m --conf spark.executor.memory=512m
	--conf spark.executor.instances=1 --conf spark.ui.enabled=false'

tl_engine_dir () {
	echo "$tl_dir/engine-$1"
}

engines () (
	tl_kind=$1
	shift
	XDG_CACHE_HOME=$SA_TEST_ENGINES "$SA_SRCDIR/scripts/engines" \
		"$tl_kind" "$@" "$(tl_engine_dir "$tl_kind")"
)

# have_engines: or no test of this script can run.
have_engines () {
	real_spark
	test -d "${SA_TEST_ENGINES:-}/sa" ||
		skip_all 'no engines are named; scripts/check --all has them'
	for tl_tool in curl jq
	do
		command -v "$tl_tool" >/dev/null || skip_all "no $tl_tool"
	done
}

end_engine_at_end () {
	at_end "engines $1 down >/dev/null 2>&1"
}

engine () {
	have_engines
	end_engine_at_end "$1"
	engines "$1" up >"$tl_dir/engine.env" 2>"$tl_dir/engine.log" || {
		tl_rc=$?
		sed 's/^/# /' "$tl_dir/engine.log"
		test "$tl_rc" -ne 75 ||
			skip_all "$(tail -n 1 "$tl_dir/engine.log")"
		echo "not ok 1 - $1 comes up"
		echo "1..1"
		exit 1
	}
	. "$tl_dir/engine.env"
}

pids_below () {
	grep -lszF -e "SA_ENGINE=$1/" -e "LOCAL_DIRS=$1/" \
		/proc/[0-9]*/environ | cut -d / -f 3
}

engine_pids () {
	pids_below "$(tl_engine_dir "$1")"
}

rm_get () {
	for tl_url in $(echo "$YARN_RESOURCE_MANAGER_URL" | tr , ' ')
	do
		curl -s --noproxy '*' -m 10 -H 'Accept: application/json' \
			"$tl_url/ws/v1/cluster/info" |
			jq -e '.clusterInfo.haState == "ACTIVE"' >/dev/null ||
			continue
		curl -s --noproxy '*' -m 10 -H 'Accept: application/json' \
			"$tl_url$1"
		return
	done
	echo "no ResourceManager is active" >&2
	return 1
}
