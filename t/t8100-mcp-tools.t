#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the catalogue of tools: what a model is told of them'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-call-lib.sh"

# list METHOD: its answer is in answer.
list () {
	jq -nc --argjson meta "$modern" --arg m "$1" '{jsonrpc: "2.0", id: 1,
		method: $m, params: {_meta: $meta}}' | sa-mcp >answer
}
list tools/list || skip_all 'sa-mcp does not answer'
jq .result.tools answer >tools

test_expect_success 'the check of schemas finds what is wrong' '
	s="{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{
		\"a\":{\"type\":\"integer\",\"maximum\":2},
		\"b\":{\"type\":\"string\",\"enum\":[\"x\"]},
		\"c\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},
		\"additionalProperties\":false}" &&
	echo "{\"a\":1,\"b\":\"x\",\"c\":[\"y\"]}" >good &&
	conforms "$s" good &&
	for bad in "[]" "{}" "{\"a\":\"1\"}" "{\"a\":3}" "{\"a\":1.5}" \
		"{\"a\":1,\"b\":\"y\"}" "{\"a\":1,\"c\":[1]}" \
		"{\"a\":1,\"d\":1}" "{\"a\":null}"
	do
		echo "$bad" >bad &&
		test_expect_code 1 conforms "$s" bad 2>/dev/null || return 1
	done
'

test_expect_success 'tools/list is the catalogue, without what runs' '
	jq "[.tools[] | del(.run)]" "$catalog" >expected &&
	jq . tools >got &&
	test_cmp expected got
'

# A tool with what runs and for how long, its hints, its arguments and the
# members of its answer; ! is required.
cat >golden.jq <<'J'
def kind: .type + (if .enum then "(" + (.enum | join("|")) + ")" else "" end) +
	(if .items then " of " + .items.type else "" end) +
	(if .minimum // .maximum then " \(.minimum)..\(.maximum)" else "" end);
def members: (.required // []) as $r | .properties | to_entries[] | .key as $k |
	"    " + .key + (if any($r[]; . == $k) then "!" else "" end) + ": " +
	(.value | kind);
.tools[] | "\(.name): \(.run.argv | join(" ")), \(.run.timeout_seconds) s",
	"  " + (.annotations | [to_entries[] | select(.value) | .key] |
		join(" ")),
	"  in", (.inputSchema | members),
	"  out", (.outputSchema | members)
J

test_expect_success 'golden: the sixteen tools' '
	real_jq -r -f golden.jq "$catalog" >got &&
	test_cmp "$SA_SRCDIR/t/data/mcp-tools.txt" got
'

test_expect_success 'MC-4, MC-11, MC-12: names, each once' '
	jq -r ".[].name" tools | sort >got &&
	printf "%s\n" save_connection list_connections get_connection \
		delete_connection generate_job_file read_job_file \
		update_job_file prepare_submit_job list_pending_submissions \
		get_pending_submission confirm_submit_job \
		cancel_pending_submission list_jobs get_job_status \
		get_job_logs kill_job | sort >expected &&
	test_cmp expected got
'

test_expect_success 'the list has 24 KiB, the instructions 1 KiB at most' '
	test "$(wc -c <answer)" -le 24576 &&
	list server/discover &&
	jq_ok ".result.instructions | utf8bytelength | . > 200 and . <= 1024" \
		answer
'

test_expect_success 'MC-6: everything has words' '
	jq_ok "all(.[]; (.title | length) >= 5 and (.description | length) >= 80
		and (.description | length) <= 600)" tools &&
	jq_ok "all(.[] | .inputSchema, .outputSchema | .. | objects |
		select(.properties | type == \"object\") | .properties[];
		.description | type == \"string\" and length > 2)" tools
'

test_expect_success 'the schemas are what all clients take' '
	jq_ok "all(.[]; .name | test(\"^[a-z][a-z_]{0,44}$\"))" tools &&
	jq_ok "all(.[]; (.annotations | keys) == [\"destructiveHint\",
		\"idempotentHint\", \"openWorldHint\", \"readOnlyHint\"] and
		all(.annotations[]; type == \"boolean\"))" tools &&
	jq_ok "all(.[]; .inputSchema.type == \"object\" and
		(.inputSchema.properties | type) == \"object\" and
		.inputSchema.additionalProperties == false and
		.outputSchema.type == \"object\")" tools &&
	jq_ok "[.[] | .inputSchema, .outputSchema | .. | objects |
		keys[] | select(test(\"^[$]|^(any|one|all)Of$|\" +
			\"^(not|const|if)$\"))] == []" tools &&
	jq_ok "all(.[] | .inputSchema, .outputSchema | .. | objects |
		select(has(\"type\") and (.type | type == \"string\"));
		(.type != \"array\" or (.items.type | type) == \"string\") and
		(.type != \"object\" or has(\"properties\") or
			has(\"additionalProperties\")))" tools &&
	jq_ok "all(.[] | .inputSchema, .outputSchema | .. | objects | .enum |
		arrays; length > 0 and
		all(.[]; type == \"string\" and . != \"\"))" tools
'

test_expect_success 'hints: what reads changes nothing, what ends is told' '
	jq_ok "[.[] | select(.annotations.readOnlyHint) | .name] ==
		[\"list_connections\", \"get_connection\", \"read_job_file\",
		\"list_pending_submissions\", \"get_pending_submission\",
		\"list_jobs\", \"get_job_status\", \"get_job_logs\"]" tools &&
	jq_ok "all(.[] | select(.annotations.readOnlyHint).annotations;
		.destructiveHint == false and .idempotentHint)" tools &&
	jq_ok "all(.[] | select(.name |
			test(\"delete|update|cancel|kill|confirm\"));
		.annotations.destructiveHint)" tools
'

test_expect_success 'each call has a limit, below what clients wait' '
	jq_ok "all(.tools[].run; .timeout_seconds >= 10 and
		.timeout_seconds < 60)" "$catalog" &&
	jq_ok "all(.tools[].run.argv; .[-1] == \"--request\")" "$catalog"
'

test_expect_success 'SB-11: where a script comes from is said at both places' '
	jq_ok ".[] | select(.name == \"prepare_submit_job\") |
		(.description | test(\"generate_job_file\")) and
		(.inputSchema.properties.script_path.description |
			test(\"generate_job_file\"))" tools
'

test_expect_success 'MC-10: what comes out of one is what the next one takes' '
	out () {
		jq_ok "any(.[]; .name == \$t and
			(.outputSchema.required | index(\$m)) != null)" tools \
			--arg t "$1" --arg m "$2"
	} &&
	out generate_job_file script_path && out read_job_file content &&
	out read_job_file path && out read_job_file size &&
	out update_job_file path && out update_job_file bytes_written &&
	out prepare_submit_job pending_id && out confirm_submit_job job_id
'

test_expect_success 'a model is not told how to approve' '
	jq -r .instructions "$catalog" >words && jq -r . tools >>words &&
	test_expect_code 1 grep -iE "sa-(confirm|prepare|conn|yarn|mcp)|--yes" \
		words &&
	test_match "403 not approved" words &&
	test_match "you cannot approve" words
'

test_expect_success 'each tool that is named in words is one' '
	jq -r ".[].name" tools >names && jq -r ".. | strings" tools >words &&
	jq -r .instructions "$catalog" >>words &&
	grep -oE "(list|get|save|delete|generate|read|update|prepare|confirm|\
cancel|kill)_[a-z_]+" words | sort -u >named &&
	test "$(wc -l <named)" -ge 16 &&
	test_expect_code 1 grep -vxF -f names named
'

test_expect_success 'sa-mcp(1) has each tool, its command and its arguments' '
	sed -n "/^.It Tool Ta/,/^.El/p" "$SA_SRCDIR/man/sa-mcp.1" |
		sed -e 1d -e /^.El/d -e "s/^.It //" -e "s/ Ta / /g" \
			-e "s/ or / /; s/,//g" | tr " " "\n" | sort >page &&
	jq -r ".tools[] | .name, .run.argv[:2][],
		(.inputSchema.properties | keys[])" "$catalog" | sort >ours &&
	test_cmp ours page
'

test_done
