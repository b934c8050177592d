#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-sqlguard --format: text, JSON, SARIF, GitHub'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'
mkdir 'a b'
printf 'import os\nx = "é"; os.system("ls"); spark.sql("DROP TABLE t")\n' \
	>'a b/no,1:2%.py'
echo 'spark.sql("SELECT 1")' >yes.py

test_expect_success 'json is what there is without' '
	test_expect_code 1 sa-sqlguard yes.py "a b/no,1:2%.py" >expected &&
	test_expect_code 1 sa-sqlguard --format=json yes.py "a b/no,1:2%.py" \
		>got &&
	test_cmp expected got
'

test_expect_success 'text, in a pipe too' '
	test_expect_code 1 sa-sqlguard --format=text yes.py "a b/no,1:2%.py" \
		>out &&
	test_match "^yes.py: allow$" out &&
	test_match "^a b/no,1:2%.py:2:13: warning: .*\[python-code\]$" out &&
	test_match "^a b/no,1:2%.py:2:38: error: DROP.*\[sql-sta" out &&
	test_match "^a b/no,1:2%.py: reject$" out
'

test_expect_success 'text: the caret stands under the word' '
	printf "\\357\\273\\277spark.sql(\"DROP TABLE t\")\r\n" >bom.py &&
	test_expect_code 1 sa-sqlguard --format=text bom.py >out &&
	test_match "^bom.py:1:12:" out && test_match "^ {15}\^$" out &&
	printf "x = 1\r\n\\014spark.sql(\"\"\"\r\n  -- c\r\n%s\"\"\")\r" \
		"	DROP TABLE t" >ff.py &&
	test_expect_code 1 sa-sqlguard --format=text ff.py >out &&
	test_match "^ff.py:4:2:" out && test_match "^ {5}\^$" out &&
	test_match "^    text: -- c.n DROP TABLE t$" out &&
	printf "spark.sql(\"SELECT 1 AS \`日本\`; DROP TABLE t\")" >wide.py &&
	test_expect_code 1 sa-sqlguard --format=text wide.py >out &&
	test_match "^wide.py:1:30:" out && test_match "^ {35}\^$" out
'

test_expect_success 'github: a command for each finding, and its escapes' '
	test_expect_code 1 sa-sqlguard --format=github yes.py \
		"./a b/no,1:2%.py" >out &&
	test "$(wc -l <out)" -eq 2 &&
	file="file=a b/no%2C1%3A2%25.py" &&
	test_match "^::warning $file,line=2,col=13,title=python-code::" out &&
	test_match "^::error $file,line=2,col=38,title=sql-statement::" out &&
	test_match "::DROP TABLE: only .*%0Atext: DROP TABLE t%0Ahint: r" out &&
	sa-sqlguard --format=github yes.py >out &&
	test_empty out
'

test_expect_success 'github: a statement of many lines stays in one' '
	test_expect_code 1 sa-sqlguard --sql --format=github \
		"DROP TABLE a
		::error::100% b" >out &&
	test "$(wc -l <out)" -eq 1 &&
	test_match "^::error line=1,col=1,title=sql-statement::" out &&
	test_match "100%25 b" out
'

top=$PWD
# The members that SARIF 2.1.0 requires, and its types and ranges.
cat >valid.jq <<'E'
def text: (.text | type) == "string";
def level: IN("none", "note", "warning", "error");
def uri: type == "string" and test("^(file:///)?[A-Za-z0-9._~%/-]+$") and
	(gsub("%[0-9A-F]{2}"; "") | contains("%") | not);
def only($names): (keys - $names) == [];
only(["$schema", "version", "runs"]) and .version == "2.1.0" and
(."$schema" | endswith("sarif-2.1.0.json")) and (.runs | length) == 1 and
(.runs[0] |
	only(["tool", "columnKind", "results", "invocations"]) and
	.columnKind == "unicodeCodePoints" and
	(.tool | only(["driver"])) and
	(.tool.driver | only(["name", "version", "rules"]) and
		.name == "sa-sqlguard" and
		([.rules[].id] | length == (unique | length)) and
		all(.rules[]; only(["id", "shortDescription",
			"fullDescription", "help", "defaultConfiguration"]) and
			(.shortDescription | text) and (.help | text) and
			(.fullDescription | text) and
			(.defaultConfiguration.level | level))) and
	([.tool.driver.rules[].id] as $ids | all(.results[];
		only(["ruleId", "ruleIndex", "level", "message",
			"locations"]) and
		$ids[.ruleIndex] == .ruleId and (.level | level) and
		(.message | text) and (.locations | type) == "array" and
		all(.locations[].physicalLocation;
			(.artifactLocation.uri | uri) and
			.region.startLine >= 1 and
			.region.startColumn >= 1))) and
	(.invocations | length) == 1 and
	all(.invocations[];
		(.executionSuccessful | type) == "boolean" and
		(.exitCode | type) == "number" and
		all(.toolExecutionNotifications // [] | .[];
			(.level | level) and (.message | text))))
E

# sarif CODE ARGUMENT...: a valid log in out
sarif () {
	code=$1
	shift
	test_expect_code "$code" sa-sqlguard --format=sarif "$@" >out 2>err &&
	jq -e -f "$top/valid.jq" out >valid &&
	test "$(cat valid)" = true
}

test_expect_success 'sarif: one valid log for all files' '
	sarif 1 yes.py "a b/no,1:2%.py" yes.py "$PWD/a b/no,1:2%.py" &&
	jq -r ".runs[0].results[] | .ruleId, .level" out >got &&
	printf "%s\n" python-code warning sql-statement error python-code \
		warning sql-statement error >expected &&
	test_cmp expected got &&
	jq_ok "[.runs[0].results[].locations[0].physicalLocation |
		.artifactLocation.uri] | unique ==
		[\"a%20b/no%2C1%3A2%25.py\"]" out &&
	jq_ok ".runs[0].results[1].locations[0].physicalLocation.region ==
		{startLine: 2, startColumn: 38}" out &&
	jq_ok ".runs[0].invocations == [{executionSuccessful: true,
		exitCode: 1}]" out
'

test_expect_success 'sarif: nothing found, statements, stdin' '
	sarif 0 yes.py &&
	jq_ok ".runs[0].results == []" out &&
	sarif 1 --sql "SELECT 1" "DROP TABLE t" &&
	jq_ok ".runs[0].results | length == 1 and .[0].locations == []" out &&
	printf "DROP TABLE a\\000SELECT 1\\000DROP TABLE b" >in &&
	sarif 1 --sql -0 <in &&
	jq_ok "[.runs[0].results[].message.text | contains(\"only queries\")] |
		length == 2 and all" out &&
	sarif 1 - <"a b/no,1:2%.py"
'

test_expect_success 'sarif: a file elsewhere' '
	mkdir sub && cd sub &&
	sarif 1 "../a b/no,1:2%.py" &&
	jq_ok ".runs[0].results[0].locations[0].physicalLocation
		.artifactLocation.uri == \"../a%20b/no%2C1%3A2%25.py\"" out &&
	sarif 1 "$top/a b/no,1:2%.py" &&
	jq_ok ".runs[0].results[0].locations[0].physicalLocation
		.artifactLocation.uri | startswith(\"file:///\")" out
'

test_expect_success 'sarif: what could not be judged is in it' '
	sarif 66 yes.py missing "a b/no,1:2%.py" &&
	test_match "missing" err &&
	jq_ok ".runs[0] | (.results | length) == 2 and
		(.invocations[0] | .executionSuccessful == false and
		.exitCode == 66 and (.toolExecutionNotifications[0].message
		.text | contains(\"missing\")))" out
'

test_expect_success 'the rules are those of the policy' '
	sarif 0 yes.py &&
	jq -r ".runs[0].tool.driver.rules[].id" out >rules &&
	sa-sqlguard --print-policy | sed -n "s/ = .*//p" >policy &&
	test_cmp policy rules
'

test_expect_success '64: no such format; nothing with -q' '
	test_expect_code 64 sa-sqlguard --format=xml yes.py >out 2>err &&
	test_empty out &&
	test_match "sarif" err &&
	test_expect_code 64 sa-sqlguard --json --format=sarif yes.py >out &&
	sa-sqlguard --json --format=json yes.py >out &&
	sa-sqlguard -q --format=sarif yes.py >out &&
	test_empty out
'

test_done
