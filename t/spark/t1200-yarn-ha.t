#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='sa-yarn on a real pair of ResourceManagers: failover, kill'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/yarn-lib.sh"
. "$SA_SRCDIR/t/spark/engines-lib.sh"
engine yarn-ha
rm=$YARN_RESOURCE_MANAGER_URL
mkdir -p "$SPARK_EXECUTOR_DATA_DIR"
echo "$store_id" >"$SPARK_EXECUTOR_DATA_DIR/store-id"

active_rm () {
	for tl_url in $(echo "$rm" | tr , ' ')
	do
		curl -s --noproxy '*' -m 10 "$tl_url/ws/v1/cluster/info" \
			-H 'Accept: application/json' |
			jq -e '.clusterInfo.haState == "ACTIVE"' >/dev/null &&
			echo "$tl_url" && return
	done
	return 1
}

# An application that only waits to be killed; it has these tags: $posted.
post () {
	url=$(active_rm)/ws/v1/cluster/apps &&
	posted=$(curl -s --noproxy '*' -X POST \
		"$url/new-application?user.name=alice" |
		jq -r '."application-id"') &&
	jq -nc --arg id "$posted" --arg tags "$1" '{"application-id": $id,
		"application-name": "sleeper", "application-type": "SPARK",
		"am-container-spec": {commands: {command: "sleep 600"}},
		"max-app-attempts": 1, resource: {memory: 256, vCores: 1},
		"application-tags": {tag: ($tags / ",")}}' >app.json &&
	curl -s --noproxy '*' -X POST -H 'Content-Type: application/json' \
		--data @app.json "$url?user.name=alice"
}

# One whose submitter is gone, and its application.
sleeping_run () {
	new_cluster_run &&
	post "$(jq -r .tag "$run/record.json"),sa-s-$store_id"
}

is_accepted () {
	sa-yarn status "$job" >out 2>err &&
	jq -e '.state == "ACCEPTED" or .state == "RUNNING"' out
}

answers () {
	sa-yarn status "$job" >out 2>err && test ! -s err
}

test_expect_success 'check: one is active, the other stands by' '
	sa-conn save prod --yarn-rm-url "$rm" >out &&
	sa-yarn check --connection prod >out &&
	jq_ok "[.items[] | select(.name == \"resource_manager\") | .detail |
		test(\"STANDBY\")] | sort == [false, true]" out
'

test_expect_success 'status: found by its tag, whichever comes first' '
	sleeping_run && wait_for is_accepted &&
	jq_ok ".application_id == \$a" out --arg a "$posted" &&
	turned=${rm#*,},${rm%,*} &&
	jq -c --arg u "$turned" ".yarn_rm_url = \$u" "$run/record.json" >new &&
	mv new "$run/record.json" &&
	sa-yarn status "$job" >out 2>err && test_empty err &&
	sa-yarn list -n 1 >out && jq_ok ".items[0].yarn_state == \"ACCEPTED\" or
		.items[0].yarn_state == \"RUNNING\"" out &&
	sa-yarn kill "$job" >out && jq_ok ".state == \"KILLED\"" out
'

test_expect_success 'wait: nobody is active, then the other one' '
	sleeping_run && wait_for is_accepted &&
	{ sa-yarn wait "$job" >waited 2>wait.err & } && waiter=$! &&
	engines yarn-ha active none &&
	sa-yarn status "$job" >out 2>err &&
	jq_ok ".state == \"ACCEPTED\" or .state == \"RUNNING\"" out &&
	test "$(wc -l <err)" -eq 1 && kill -0 "$waiter" &&
	engines yarn-ha active rm2 && wait_for answers &&
	kill -0 "$waiter" && test_empty waited &&
	sa-yarn kill "$job" >out && jq_ok ".state == \"KILLED\"" out &&
	test_expect_code 1 wait "$waiter" &&
	jq_ok ".state == \"KILLED\"" waited
'

test_expect_success 'wait, kill: the active one is killed -9' '
	sleeping_run && wait_for is_accepted &&
	{ sa-yarn wait "$job" >waited 2>wait.err & } && waiter=$! &&
	engines yarn-ha kill rm2 &&
	engines yarn-ha active rm1 && wait_for answers &&
	sa-yarn kill "$job" >out 2>err && jq_ok ".state == \"KILLED\"" out &&
	test_expect_code 1 wait "$waiter" &&
	engines yarn-ha start rm2
'

test_expect_success 'somebody else'\''s application: by --force alone' '
	new_cluster_run && post "theirs" &&
	jq -c --arg a "$posted" ".application_id = \$a" "$run/record.json" \
		>new && mv new "$run/record.json" &&
	wait_for is_accepted &&
	test_expect_code 77 sa-yarn kill "$job" >out 2>err &&
	test_match "does not carry the tag" err && is_accepted &&
	sa-yarn kill --force "$job" >out && jq_ok ".state == \"KILLED\"" out
'

test_expect_success 'two with one tag: the newest is followed, both end' '
	sleeping_run && first=$posted &&
	post "$(jq -r .tag "$run/record.json"),sa-s-$store_id" &&
	wait_for is_accepted &&
	sa-yarn status --reconcile "$job" >out &&
	jq_ok ".application_id == \$a" out --arg a "$posted" &&
	sa-yarn kill "$job" >out &&
	rm_get "/ws/v1/cluster/apps/$first" >app &&
	jq_ok ".app.state == \"KILLED\"" app
'

test_expect_success 'many: one list, and all that ended' '
	empty_store && jobs= && i=0 &&
	while test $((i += 1)) -le 5
	do
		sleeping_run && jobs="$jobs $job" || return 1
	done &&
	wait_for is_accepted && sa-yarn list >out 2>err && test_empty err &&
	jq_ok "all(.items[]; .application_id != null)" out &&
	for job in $jobs
	do
		sa-yarn kill "$job" >out || return 1
	done &&
	test_expect_code 1 sa-yarn wait $jobs >out 2>err &&
	test "$(wc -l <out)" -eq 5
'

test_done
