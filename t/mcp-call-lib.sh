# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh
#
# Calls of the tools through sa-mcp, a process for each. After test-lib.sh:
#
#	call TOOL [ARGUMENTS]	its result is in result, the record of a
#				success in record; err has what sa-mcp said
#	gives TOOL ARGUMENTS JQ	the call succeeds, its record is what the
#				tool's outputSchema says, the text is the same
#				record, and JQ holds for it
#	fails KIND HTTP REGEX TOOL [ARGUMENTS]
#				an error of that kind and class for the model,
#				whose text the expression matches
#	conforms SCHEMA FILE	FILE holds a value that the schema allows
#
# ARGUMENTS is an object in JSON; - is the file arguments. No answer ever says
# how a submission is approved: call looks for that in each.

test -x "$SA_BUILDDIR/sa-mcp" || skip_all 'sa-mcp has not been built'
command -v jq >/dev/null || skip_all 'no jq'

catalog=$SA_SRCDIR/lib/mcp/tools.json
modern='{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
	"io.modelcontextprotocol/clientCapabilities":{}}'

# The part of JSON Schema that the catalogue uses; prints what is wrong.
cat >"$TMPDIR/schema.jq" <<'J'
def name: if type == "number" then
	if . == floor then "integer" else "number" end else type end;
def wrong(s; at):
	if s.type and (name != s.type) then "\(at): \(name), not \(s.type)"
	else
		(if s.enum and (. as $v | s.enum | all(. != $v))
		then "\(at): \(.) is none of the enum" else empty end),
		(if type == "object" then . as $o |
			((s.required // [])[] | . as $k |
				select($o | has($k) | not) |
				"\(at).\($k) is missing"),
			(to_entries[] | . as $e |
				if s.properties[$e.key] then $e.value |
					wrong(s.properties[$e.key];
						"\(at).\($e.key)")
				elif s.additionalProperties == false
				then "\(at).\($e.key) is not known"
				else empty end)
		elif type == "array" then
			to_entries[] | . as $e | $e.value |
				wrong(s.items // {}; "\(at)[\($e.key)]")
		elif type == "number" then
			(if s.minimum and . < s.minimum or
				s.maximum and . > s.maximum
			then "\(at): \(.) is out of range" else empty end)
		else empty end)
	end;
J

conforms () {
	jq -r --argjson schema "$1" "$(cat "$TMPDIR/schema.jq")
		wrong(\$schema; \"\")" "$2" >"$TMPDIR/wrong" &&
	test_empty "$TMPDIR/wrong"
}

# tool NAME JQ: of its entry in the catalogue.
tool () {
	jq -c --arg n "$1" ".tools[] | select(.name == \$n) | $2" "$catalog"
}

# A second after the end of its stdin sa-mcp ends what it is doing.
ml_until_answered () {
	ml_left=3000
	until test -s answer || test "$ml_left" -eq 0
	do
		ml_left=$((ml_left - 1))
		sleep 0.02
	done
}

call () {
	test "${2:-}" = - || printf '%s' "${2:-null}" >arguments
	jq -nc --arg name "$1" --argjson meta "$modern" \
		--slurpfile a arguments '{jsonrpc: "2.0", id: 1,
		method: "tools/call", params: ({name: $name, _meta: $meta} +
		if $a[0] == null then {} else {arguments: $a[0]} end)}' \
		>request &&
	: >answer &&
	{ cat request && ml_until_answered; } | sa-mcp >answer 2>err &&
	test "$(wc -l <answer)" -eq 1 &&
	jq -e .result answer >result || {
		cat answer err
		return 1
	}
	jq .structuredContent result >record
	test_expect_code 1 grep -iE \
		'sa-confirm|approve (-|p_)|--yes|ssh-keygen|signing_key' answer
}

gives () {
	call "$1" "$2" &&
	jq_ok 'has("isError") | not' result &&
	jq_ok '(.content | length) == 1 and
		(.content[0].text | fromjson) == .structuredContent' result &&
	jq_ok '[.. | nulls] == []' record &&
	conforms "$(tool "$1" .outputSchema)" record &&
	jq_ok "$3" record
}

# shellcheck disable=SC2016
fails () {
	fl_kind=$1
	fl_http=$2
	fl_text=$3
	shift 3
	call "$@" &&
	jq_ok '.isError == true and (has("structuredContent") | not)' result &&
	jq -r '.content[].text' result >text &&
	jq_ok '.content[0].text | startswith($k + " (" + $h + "): ")' result \
		--arg k "$fl_kind" --arg h "$fl_http" &&
	test_match "$fl_text" text
}
