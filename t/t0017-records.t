#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
#
# A line of t/data/records.txt is TYPE[/WHICH] MEMBER:KIND..., sorted; WHICH is
# of a type that has several. It changes only with the format: a member more
# keeps v, one fewer or of another kind raises it.
# shellcheck disable=SC2034
test_description='records: each type as t/data/records.txt has it'
. "${SA_SRCDIR:-$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/confirm-lib.sh"

# shape FILE: the line of the record in FILE, two levels deep. Who runs the
# test, and from where, does not count.
shape () {
	jq -r 'def kind: if type == "object" then
			"{" + (to_entries | map(.key + ":" +
				(if .key | IN("login_uid", "sudo_user", "tty")
				then "any" else .value | type end))
				| sort | join(",")) + "}"
		elif type == "array" and length > 0 then
			"[" + (.[0] | type) + "]"
		else type end;
		.type + " " + (del(.type) | to_entries
			| map(.key + ":" + (.value | kind))
			| sort | join(" "))' "$1"
}

# same FILE...: the records in these files have their lines.
same () {
	for file
	do
		shape "$file" >found &&
		type=$(jq -r .type "$file") &&
		grep "^$type " "$SA_SRCDIR/t/data/records.txt" >wanted &&
		test_cmp wanted found || return
	done
}

test_expect_success 'connections, job files, reports of the guard' '
	sa-conn show demo >connection && sa-conn list >connection_list &&
	echo "spark.sql(\"INSERT OVERWRITE t SELECT 1\")" >draft.py &&
	sa-genjob <draft.py >job_file && sa-genjob list >job_file_list &&
	sa-sqlguard draft.py >guard_report &&
	sa-conn config --json >setting_list &&
	same connection connection_list job_file job_file_list guard_report \
		setting_list
'

test_expect_success 'pendings, approvals, jobs, logs, the audit chain' '
	prepare "exit 3" && sa-prepare list >pending_list &&
	sa-confirm approve --yes "$p" >approval && submit && ended "$j" &&
	sa-yarn status "$j" >job && sa-yarn list >job_list &&
	sa-yarn logs --json "$j" >job_log &&
	sa-confirm audit >audit_list && jq -c ".items[0]" audit_list >audit &&
	sa-confirm audit --verify >check &&
	sa-prepare prune --dry-run >prune_report &&
	same pending.json pending_list approval job job_list job_log audit \
		audit_list check prune_report
'

# same_as WHICH FILE: the record in FILE has the line of TYPE/WHICH.
same_as () {
	shape "$2" >found &&
	type=$(jq -r .type "$2") &&
	sed -n "s|^$type/$1 |$type |p" "$SA_SRCDIR/t/data/records.txt" \
		>wanted && test_cmp wanted found
}

test_expect_success 'sandboxes, what ran in them, their files' '
	PATH=$SA_BUILDDIR/t:$PATH &&
	sa-sandbox create --owner o --expires 1h >sandbox &&
	sa-sandbox list >sandbox_list &&
	sa-sandbox exec -- ls <sandbox >exec_result &&
	box=$(jq -r .sandbox sandbox) && echo x |
		sa-sandbox write "$box" file >written &&
	sa-sandbox read "$box" file --json >sandbox_file &&
	sa-sandbox ls "$box" >sandbox_entries &&
	sa-sandbox gc >gc_report && sa-sandbox destroy "$box" >destroyed &&
	same sandbox sandbox_list exec_result sandbox_file sandbox_entries \
		gc_report destroyed
'

if sa-sandbox exec -- true </dev/null 2>why
then
	test_expect_success 'commands that are detached' '
		sa-sandbox exec -d --expires 1h -- sleep 60 </dev/null >exec &&
		box=$(jq -r .sandbox exec) && id=$(jq -r .exec exec) &&
		sa-sandbox kill "$box" "$id" >ended &&
		sa-sandbox logs --json "$box" >exec_log &&
		sa-sandbox list "$box" >exec_list &&
		test_expect_code 143 sa-sandbox wait "$box" >waited &&
		sa-sandbox destroy "$box" >out &&
		same exec exec_log exec_list && same_as ended ended &&
		same_as detached waited
	'
else
	test_skip 'commands that are detached' "$(head -n 1 why)"
fi

# What only a cluster tells: the id, its words, where to look at it. From here
# on ended is that of runs made by hand.
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/yarn-lib.sh"
if command -v python3 >/dev/null
then
	start_yarn '{"rms": [{}]}'
	mkdir hadoop && : >hadoop/yarn-site.xml
	sa-conn save yc --master yarn --deploy-mode cluster \
		--yarn-rm-url "$rm" --yarn-user alice \
		--env "HADOOP_CONF_DIR=$PWD/hadoop" >/dev/null
fi

# on_yarn STATE FINAL [MEMBERS]: so the cluster says of $j
on_yarn () {
	app=$(jq -r .application_id job.json) &&
	scenario ".apps = [{id: \"$app\", state: \"$1\", finalStatus: \"$2\",
		applicationTags: $(jq .tag job.json)} + (${3:-{\}})] |
		.logs[\"container${app#application}_01_000001\"] =
			{stdout: \"out\\n\"}" &&
	sa-yarn status "$j" >record
}

test_expect_success python3 'jobs on a cluster, as long as they run and after' '
	echo "# fake: exit 0" >x.py && sa-prepare -c yc x.py >pending.json &&
	p=$(jq -r .pending_id pending.json) && submit &&
	same_as submitted job.json &&
	on_yarn RUNNING UNDEFINED && same_as running record &&
	sa-yarn logs --json "$j" >log && same_as cluster log &&
	on_yarn FINISHED FAILED "{diagnostics: \"exit code 1\"}" &&
	same_as failed record
'

test_expect_success 'tools' '
	sa-mcp --list-tools --json >tool_list && same tool_list
'

test_expect_success 'sa(7) names each type, or what a list of it holds' '
	sed "s|[/ ].*||" "$SA_SRCDIR/t/data/records.txt" | uniq >types &&
	while read -r type
	do
		grep -qE "^\.It ($type|${type%_list}) Ta" \
			"$SA_SRCDIR/man/sa.7" || {
			echo "sa(7) lacks $type"
			return 1
		}
	done <types
'

test_done
