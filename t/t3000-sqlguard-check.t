#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-sqlguard check: scripts, verdicts, options'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'

# verdict CODE VERDICT FILE [WORD...]: exit status and record agree.
verdict () {
	code=$1 want=$2 file=$3
	shift 3
	test_expect_code "$code" sa-sqlguard "$@" "$file" >out 2>err &&
	jq_ok '.v == 1 and .type == "guard_report" and .verdict == $w' out \
		--arg w "$want" &&
	test_empty err
}

# The list of SG-11: what is taken out of a script, and how it is judged.
test_expect_success 'extraction: single, double, format, several literals' '
	printf "spark.sql(%sDROP TABLE t%s)\n" "'\''" "'\''" >single.py &&
	verdict 1 reject single.py &&
	echo "spark.sql(\"DROP TABLE t\")" >double.py &&
	verdict 1 reject double.py &&
	echo "spark.sql(f\"DROP TABLE {t}\")" >format.py &&
	verdict 1 reject format.py &&
	printf "%s\n" "spark.sql(\"SELECT 1\")" "spark.sql(\"DROP TABLE t\")" \
		>several.py &&
	verdict 1 reject several.py &&
	jq_ok ".statements | map(.head) == [\"SELECT\", \"DROP TABLE\"]" out &&
	jq_ok ".findings[0].line == 2 and .findings[0].column == 12" out
'

test_expect_success 'English is no SQL' '
	cat >prose.py <<-\E &&
	"""Create the tables and drop the old ones."""
	log.info("Drop duplicates and update the metrics table")
	print("Select from the list below", "Set up the environment")
	raise ValueError("Delete the rows by hand")
	E
	verdict 0 allow prose.py &&
	jq_ok ".findings == [] and .statements == []" out
'

test_expect_success 'statements that may not run' '
	for q in "DROP TABLE t" "DELETE FROM t" "UPDATE t SET a = 1" \
		"TRUNCATE TABLE t" "ALTER TABLE t ADD COLUMN a INT" \
		"CREATE TABLE t (a INT)" "MERGE INTO t USING u ON a" \
		"GRANT SELECT ON t TO u" "REVOKE SELECT ON t FROM u" \
		"SET a = b" "SHOW TABLES" "REPLACE TABLE t AS SELECT 1" \
		"KILL 1" "EXEC p" "SELECT 1; DROP TABLE t" \
		"WITH x AS (DROP TABLE t) SELECT 1" \
		"WITH x AS (SELECT 1) DELETE FROM t" \
		"/* c */ DROP TABLE t" "-- c\\nDROP TABLE t"
	do
		echo "spark.sql(\"$q\")" >no.py &&
		verdict 1 reject no.py ||
			return 1
	done
'

test_expect_success 'statements that may' '
	for q in "SELECT 1" "INSERT INTO t SELECT 1" \
		"INSERT INTO t VALUES (1)" \
		"WITH x AS (SELECT 1) SELECT * FROM x" \
		"/* DROP TABLE t */ SELECT 1" "SELECT 1 -- DROP TABLE t" \
		"FROM t SELECT a" "TABLE t" "VALUES (1)"
	do
		echo "spark.sql(\"$q\")" >yes.py &&
		verdict 0 allow yes.py ||
			return 1
	done
'

test_expect_success 'INSERT OVERWRITE warns, --strict-insert refuses (SG-13)' '
	echo "spark.sql(\"INSERT OVERWRITE TABLE t SELECT 1\")" >over.py &&
	verdict 0 warn over.py &&
	verdict 1 reject over.py --strict-insert &&
	echo "df.write.mode(\"overwrite\").saveAsTable(\"t\")" >mode.py &&
	verdict 0 warn mode.py &&
	verdict 1 reject mode.py --strict-insert &&
	verdict 1 reject mode.py --strict &&
	echo "spark.sql(\"INSERT OVERWRITE DIRECTORY '\''/d'\'' SELECT 1\")" \
		>dir.py &&
	verdict 1 reject dir.py
'

test_expect_success 'code and destructive calls: warn, refuse if strict' '
	printf "import os\nos.system(\"date\")\n" >code.py &&
	verdict 0 warn code.py &&
	verdict 1 reject code.py --strict &&
	SA_ORIGIN=agent verdict 1 reject code.py &&
	echo "df.writeTo(\"t\").createOrReplace()" >make.py &&
	verdict 0 warn make.py &&
	verdict 1 reject make.py --strict
'

test_expect_success 'text that cannot be known' '
	echo "spark.sql(open(\"q\").read())" >open.py &&
	verdict 1 unresolved open.py &&
	jq_ok ".findings[0].rule == \"python-unresolved\"" out &&
	verdict 1 unresolved open.py --unresolved=reject &&
	verdict 0 warn open.py --unresolved=warn &&
	echo "spark.sql(f\"{verb} TABLE t\")" >head.py &&
	verdict 1 unresolved head.py &&
	jq_ok ".findings[0].statement == \"{} TABLE t\"" out &&
	echo "spark.sql(f\"SELECT * FROM {t} WHERE a = {b}\")" >tail.py &&
	verdict 0 allow tail.py
'

test_expect_success 'a finding points into the literal' '
	cat >place.py <<-\E &&
	q = ("SELECT 1; "
	     "é" "DROP TABLE t")
	p = """SELECT 1
	;
	  DROP TABLE u"""
	spark.sql(p)
	E
	verdict 1 reject place.py &&
	jq_ok ".findings[] | select(.statement | test(\"TABLE u\")) |
		.line == 5 and .column == 3" out
'

test_expect_success 'at most 100 findings, and how many more' '
	for i in $(seq 150); do echo "spark.sql(\"DROP TABLE t$i\")"; done \
		>many.py &&
	verdict 1 reject many.py &&
	jq_ok "(.findings | length) == 101" out &&
	jq_ok ".findings[100].rule == \"report-limit\"" out &&
	jq_ok ".findings[100].message | test(\"^50 \")" out &&
	for i in $(seq 1100); do echo "spark.sql(\"SELECT $i\")"; done \
		>select.py &&
	verdict 0 allow select.py &&
	jq_ok "(.statements | length) == 1000 and .more_statements == 100" out
'

test_expect_success 'several files: a record a line, the worst exit status' '
	test_expect_code 1 sa-sqlguard yes.py no.py yes.py >out &&
	test "$(wc -l <out)" -eq 3 &&
	jq -r .path out >paths &&
	printf "%s\n" yes.py no.py yes.py >expected &&
	test_cmp expected paths &&
	sa-sqlguard yes.py code.py >out &&
	test_expect_code 66 sa-sqlguard yes.py missing no.py >out 2>err &&
	test_match "^sa-sqlguard: .*missing" err &&
	test "$(wc -l <out)" -eq 2 &&
	test_expect_code 66 sa-sqlguard missing gone >out &&
	test_empty out
'

test_expect_success 'stdin, -q' '
	sa-sqlguard <yes.py >out &&
	jq_ok ".path == \"-\"" out &&
	sa-sqlguard check - <yes.py >out &&
	jq_ok ".verdict == \"allow\"" out &&
	test_expect_code 1 sa-sqlguard -q no.py >out 2>err &&
	test_empty out &&
	test_empty err &&
	sa-sqlguard -q yes.py >out &&
	test_empty out
'

test_expect_success 'at a terminal: as a compiler would' '
	echo "spark.sql(\"GRANT ALL ON t TO u\")" >no.py &&
	: >script &&
	test_expect_code 1 "$SA_BUILDDIR/t/in-terminal" script \
		sa-sqlguard no.py >out &&
	tr -d "\r" <out >seen &&
	test_match "^no.py:1:12: error: GRANT.*: .*\[sql-statement\]$" seen &&
	test_match "^    spark.sql\(.GRANT" seen &&
	test_match "^ {15}\^$" seen &&
	test_match "^no.py: reject$" seen &&
	test_expect_code 64 "$SA_BUILDDIR/t/in-terminal" script sa-sqlguard
'

test_expect_success 'one of many functions or lists is not lost' '
	many () {
		echo "L = [\"SELECT 1\"]" &&
		echo "def f(q): spark.sql(q)" &&
		echo "f(\"SELECT 1\")" &&
		printf "H = [" && printf "$1, " $(seq 40) && echo "$2]" &&
		echo "$3" && echo "spark.sql(L[-1])"
	} &&
	many "lambda q: %d" f "H[i](\"DROP \" + \"TABLE t\")" >f.py &&
	test_expect_code 1 sa-sqlguard -q f.py &&
	many "[%d]" L "H[i].append(\"DROP \" + \"TABLE t\")" >l.py &&
	test_expect_code 1 sa-sqlguard -q l.py &&
	many "%d" f "H[40](\"SELECT \" + \"2\")" >ok.py && sa-sqlguard -q ok.py
'

test_expect_success '--request' '
	echo "{\"code\": \"spark.sql(q)\"}" | \
		test_expect_code 1 sa-sqlguard --request >out &&
	jq_ok ".verdict == \"unresolved\" and .path == null" out &&
	echo "{\"code\": \"SELECT 1\", \"sql\": true}" |
		sa-sqlguard --request >out &&
	jq_ok ".verdict == \"allow\"" out &&
	echo "{\"path\": \"code.py\", \"strict\": true}" |
		test_expect_code 1 sa-sqlguard --request >out &&
	jq_ok ".path == \"code.py\"" out &&
	echo "{\"code\": \"x\", \"unresolved\": \"warn\"}" |
		test_expect_code 64 sa-sqlguard --request >out 2>err &&
	test_match "unresolved" err
'

test_done
