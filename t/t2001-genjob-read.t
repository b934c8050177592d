#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-genjob read, update, list'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'
jobs=$SPARK_EXECUTOR_DATA_DIR/jobs
in_terminal=$SA_BUILDDIR/t/in-terminal

echo 'spark.sql("SELECT 1").show()' >v1.py
echo 'spark.sql("SELECT 2").show()' >v2.py
echo 'spark.sql("DROP TABLE t")' >drop.py
sa-genjob <v1.py >record || skip_all 'no job file to work on'
path=$(jq -r .script_path record)
sha () {
	sha256sum "$1" | cut -d ' ' -f 1
}

test_expect_success 'JF-8: read gives the bytes' '
	sa-genjob read "$path" >out 2>err &&
	test_cmp v1.py out &&
	test_empty err &&
	sa-genjob read <record >out &&
	test_cmp v1.py out &&
	echo "{\"v\":1,\"type\":\"pending\",\"script_path\":\"$path\"}" |
		sa-genjob read >out &&
	test_cmp v1.py out &&
	cd data && sa-genjob read "jobs/$(basename "$path")" >out &&
	test_cmp ../v1.py out
'

test_expect_success 'the record of read, and its request' '
	real_jq -cn --arg p "$path" --arg s "$(sha v1.py)" --rawfile c v1.py \
		"{v: 1, type: \"job_file\", script_path: \$p, size: 29,
		sha256: \$s, path: \$p, content: \$c, warnings: []}" \
		>expected &&
	sa-genjob read --json "$path" >out &&
	test_cmp expected out &&
	for m in path script_path
	do
		jq -n --arg m $m --arg p "$path" "{(\$m): \$p}" >request &&
		sa-genjob read --request <request >out &&
		test_cmp expected out || return
	done &&
	echo "{\"file\":\"x\"}" >request &&
	test_expect_code 64 sa-genjob read --request <request &&
	echo "{}" >request &&
	test_expect_code 65 sa-genjob read --request <request 2>err &&
	test_match "path" err &&
	jq -n --arg p "$path" "{path: \$p, script_path: \$p}" >request &&
	sa-genjob read --request <request >out &&
	test_cmp expected out &&
	jq -n --arg p "$path" "{path: \$p, script_path: \"x\"}" >request &&
	test_expect_code 65 sa-genjob read --request <request 2>err &&
	test_match "path.script_path are two names of one" err
'

test_expect_success 'JF-8: anything that can be read, not only job files' '
	mkdir -p hadoop-conf &&
	echo "<x/>" >hadoop-conf/core-site.xml &&
	sa-genjob read hadoop-conf/core-site.xml >out &&
	test_cmp hadoop-conf/core-site.xml out
'

test_expect_success 'a part is so many lines from one of them on' '
	printf "one\ntwo\nthree" >lines.py &&
	sa-genjob read --offset 2 -n 1 lines.py >out &&
	echo two | test_cmp - out &&
	part () {
		sa-genjob read --json "$@" lines.py |
			jq -c "[.content, .lines, .first_line, .next]" >out &&
		test "$(cat out)" = "$want" || {
			cat out
			return 1
		}
	} &&
	want="[\"one\\n\",3,1,2]" && part -n 1 &&
	want="[\"one\\ntwo\\n\",3,1,3]" && part -n 2 &&
	want="[\"one\\ntwo\\nthree\",3,1,null]" && part -n 3 &&
	part -n 1000000 && part --offset 1 &&
	want="[\"two\\nthree\",3,2,null]" && part --offset 2 -n 2 &&
	want="[\"three\",3,3,null]" && part --offset 3 -n 1 &&
	want="[\"\",3,4,null]" && part --offset 4 &&
	sa-genjob read --json --offset 3 lines.py >out &&
	jq_ok ".size == 13 and .sha256 == \$h" out \
		--arg h "$(sha lines.py)" &&
	>lines.py &&
	want="[\"\",0,1,null]" && part --offset 1 -n 1 &&
	test_expect_code 64 sa-genjob read --offset 0 lines.py &&
	echo "{\"path\":\"lines.py\",\"limit\":0}" >request &&
	test_expect_code 65 sa-genjob read --request <request 2>err &&
	test_match "limit .0. is too small" err
'

test_expect_success 'what cannot be seen is warned of' '
	printf "a\342\200\256b # \320\260x\r\n\tc\r\302\240" >w.py &&
	sa-genjob read --json w.py >out &&
	jq -c ".warnings[] | [.line, .column, .code_point]" out >got &&
	cat >expected <<-\W &&
	[1,2,"U+202E"]
	[1,7,"U+0430"]
	[2,3,"U+000D"]
	[2,4,"U+00A0"]
	W
	test_cmp expected got &&
	jq_ok "all(.warnings[]; .message | length > 10)" out &&
	jq_ok "has(\"more_warnings\") | not" out &&
	yes "$(printf "\342\200\213")" | head -n 130 >w.py &&
	sa-genjob read --json w.py >out &&
	jq_ok "(.warnings | length) == 100 and .more_warnings == 30" out
'

test_expect_success 'JF-9: missing, empty path, directory, empty file' '
	test_expect_code 66 sa-genjob read nowhere.py >out 2>err &&
	test_empty out &&
	test_match "^sa-genjob: .*nowhere.py.*No such file" err &&
	test_expect_code 65 sa-genjob read "" 2>err &&
	test_match "path is empty" err &&
	test_expect_code 65 sa-genjob read data 2>err &&
	test_match "data.* is a directory" err &&
	>empty.py &&
	sa-genjob read empty.py >out &&
	test_empty out &&
	sa-genjob read empty.py --json >out &&
	jq_ok ".content == \"\" and .size == 0" out
'

test_expect_success 'devices and FIFOs are not read, nor what is no text' '
	test_expect_code 65 sa-genjob read /dev/zero 2>err &&
	test_match "regular" err &&
	mkfifo fifo &&
	test_expect_code 65 sa-genjob read fifo &&
	printf "\\377\\376" >latin.py &&
	test_expect_code 65 sa-genjob read latin.py 2>err &&
	test_match "UTF-8" err
'

test_expect_success 'what others may not read is 74' '
	echo secret >closed && chmod 600 closed && chmod 755 . &&
	test_expect_code 74 as_nobody sa-genjob read "$PWD/closed" 2>err &&
	test_match "closed.*[Dd]enied" err
'

test_expect_success 'JF-12: exactly 1 MiB is read, one byte more is not' '
	head -c 1048576 /dev/zero | tr "\0" x >max &&
	sa-genjob read max >out &&
	test_cmp max out &&
	echo >>max &&
	test_expect_code 65 sa-genjob read max >out 2>err &&
	test_empty out &&
	test_match "1048576" err
'

test_expect_success 'a terminal gets no control characters' '
	printf "a\\033[2Jb\\n" >esc.py &&
	>script &&
	"$in_terminal" script sa-genjob read esc.py >out &&
	test_match "a.x1b.2Jb" out &&
	sa-genjob read esc.py >out &&
	test_cmp esc.py out
'

test_expect_success 'JF-10: update replaces what the file holds' '
	sa-genjob update "$path" <v2.py >out 2>err &&
	test_empty err &&
	test_cmp v2.py "$path" &&
	test "$(stat -c %a "$path")" = 640 &&
	real_jq -cn --arg p "$path" --arg s "$(sha v2.py)" \
		"{v: 1, type: \"job_file\", script_path: \$p, size: 29,
		sha256: \$s, guard: {verdict: \"allow\", findings: []},
		path: \$p, bytes_written: 29}" >expected &&
	test_cmp expected out &&
	for m in path script_path
	do
		jq -n --arg m $m --arg p "$path" --rawfile c v2.py \
			"{(\$m): \$p, content: \$c}" >request &&
		sa-genjob update --request <request >out &&
		test_cmp expected out || return
	done
'

test_expect_success 'JF-13: the whole cycle of an edit' '
	p=$(sa-genjob <v1.py | jq -r .script_path) &&
	sa-genjob read "$p" >got && test_cmp v1.py got &&
	sed s/1/2/ got | sa-genjob update "$p" >out &&
	sa-genjob read "$p" >got && test_cmp v2.py got &&
	rm "$p"
'

test_expect_success 'JF-16: the guard looks at an update before it is made' '
	test_expect_code 65 sa-genjob update "$path" <drop.py >out 2>err &&
	test_empty out &&
	test_match "^$path:1:[0-9]+: .*DROP" err &&
	test_cmp v2.py "$path"
'

test_expect_success 'an update that expects another hash is 77' '
	h=$(sha v2.py) &&
	sa-genjob update "$path" --expected-sha256 "$h" <v1.py >out &&
	test_expect_code 77 sa-genjob update "$path" --expected-sha256 "$h" \
		<v2.py 2>err &&
	test_match "$(sha v1.py)" err &&
	test_cmp v1.py "$path" &&
	test_expect_code 65 sa-genjob update "$path" --expected-sha256 x \
		<v2.py &&
	jq -n --arg p "$path" --arg h "$h" \
		"{path: \$p, content: \"print(1)\", expected_sha256: \$h}" \
		>request &&
	test_expect_code 77 sa-genjob update --request <request
'

test_expect_success 'of updates at once that expect one hash, one is made' '
	h=$(sha v1.py) &&
	for i in 1 2 3 4 5 6 7 8 9 10
	do
		{ echo "print($i)" | sa-genjob update "$path" \
			--expected-sha256 "$h" >"up.$i" 2>/dev/null & }
	done &&
	wait &&
	test "$(cat up.? up.?? | wc -l)" -eq 1 &&
	test "$(sha "$path")" = "$(cat up.? up.?? | jq -r .sha256)"
'

# outside PATH: an update of it is refused, and nothing changes.
outside () {
	test_expect_code 65 sa-genjob update "$1" <v1.py >out 2>err &&
	test_empty out &&
	test_match "jobs directory .$jobs." err
}

test_expect_success 'JF-10: nothing outside of the jobs directory' '
	echo keep >victim && mkdir data/jobs-evil data/jobs/sub &&
	echo keep >data/jobs-evil/x.py &&
	outside /etc/passwd &&
	outside victim &&
	outside "$jobs/../../victim" &&
	outside "$jobs/sub/../../../victim" &&
	outside data/jobs/../../victim &&
	outside "$jobs-evil/x.py" &&
	outside "$jobs/../jobs-evil/x.py" &&
	outside "$jobs" &&
	outside "$jobs/" &&
	outside "$jobs/.lock" &&
	outside / &&
	echo keep >expected &&
	test_cmp expected victim &&
	test_cmp expected data/jobs-evil/x.py
'

test_expect_success 'JF-17: links out of the jobs directory are refused' '
	ln -s "$PWD/victim" data/jobs/link.py &&
	ln -s "$PWD" data/jobs/dir &&
	ln victim data/jobs/hard.py &&
	ln -s nowhere data/jobs/dangling.py &&
	mkfifo data/jobs/fifo.py &&
	for p in link.py dir/victim hard.py dangling.py fifo.py sub
	do
		test_expect_code 65 sa-genjob update "$jobs/$p" <v1.py >out \
			2>err &&
		test_empty out &&
		test_match "$p" err || return
	done &&
	test_cmp expected victim &&
	test -L data/jobs/link.py &&
	rm data/jobs/link.py data/jobs/dir data/jobs/hard.py \
		data/jobs/dangling.py data/jobs/fifo.py
'

test_expect_success 'a link inside the jobs directory is refused too' '
	ln -s "$(basename "$path")" data/jobs/alias.py &&
	test_expect_code 65 sa-genjob update "$jobs/alias.py" <v1.py 2>err &&
	test_match "alias.py.* is a link" err &&
	rm data/jobs/alias.py
'

test_expect_success 'a file below a directory of the jobs directory' '
	cp v1.py data/jobs/sub/mine.py &&
	sa-genjob update "$jobs/sub/mine.py" <v2.py >out &&
	test_cmp v2.py data/jobs/sub/mine.py &&
	sa-genjob update "$jobs/./sub//../sub/mine.py" <v1.py >out &&
	test_cmp v1.py data/jobs/sub/mine.py
'

test_expect_success 'JF-11: a file that is not there is not made' '
	test_expect_code 66 sa-genjob update "$jobs/new.py" <v1.py 2>err &&
	test_match "new.py" err &&
	test_expect_code 66 sa-genjob update "$jobs/none/new.py" <v1.py &&
	test ! -e data/jobs/new.py &&
	test_expect_code 66 sa-genjob update --jobs-dir "$PWD/none" \
		"$PWD/none/x.py" <v1.py &&
	test ! -e none
'

test_expect_success 'JF-12: an update of 1 MiB passes, one byte more not' '
	cp v1.py data/jobs/size.py &&
	printf "# " >max.py &&
	head -c 1048573 /dev/zero | tr "\0" x >>max.py && echo >>max.py &&
	sa-genjob update "$jobs/size.py" <max.py >out &&
	jq_ok ".bytes_written == 1048576" out &&
	echo >>max.py &&
	test_expect_code 65 sa-genjob update "$jobs/size.py" <max.py 2>err &&
	test_match "1048576" err &&
	test "$(wc -c <data/jobs/size.py)" -eq 1048576
'

test_expect_success 'an empty update is refused' '
	test_expect_code 65 sa-genjob update "$path" </dev/null 2>err &&
	test_match "stdin" err &&
	jq -n --arg p "$path" "{path: \$p, content: \"\"}" >request &&
	test_expect_code 65 sa-genjob update --request <request &&
	jq -n --arg p "$path" "{path: \$p}" >request &&
	test_expect_code 65 sa-genjob update --request <request 2>err &&
	test_match "content" err &&
	echo "{\"content\":\"x\"}" >request &&
	test_expect_code 65 sa-genjob update --request <request 2>err &&
	test_match "path" err &&
	test_expect_code 65 sa-genjob update "" <v1.py 2>err &&
	test_match "path is empty" err &&
	test_expect_code 64 sa-genjob update <v1.py
'

test_expect_success 'list: the newest first, in pages' '
	rm -rf data/jobs &&
	sa-genjob list >out &&
	test "$(cat out)" = "{\"v\":1,\"type\":\"job_file_list\",\"items\":[],\
\"next\":null}" &&
	mkdir data/jobs &&
	cp v1.py data/jobs/job_20260101T000000_000001.py &&
	cp v1.py data/jobs/job_20260101T000002_000001.py &&
	cp v1.py data/jobs/job_20260101T000001_000001.py &&
	echo x >data/jobs/.job_x.py && echo x >data/jobs/notes.txt &&
	mkdir data/jobs/dir.py && ln -s "$PWD/v1.py" data/jobs/link.py &&
	sa-genjob list >all &&
	jq_ok "[.items[].script_path[-11:-3]] ==
		[\"2_000001\", \"1_000001\", \"0_000001\"]" all &&
	jq_ok "[.items[].sha256] | unique == [\"$(sha v1.py)\"]" all &&
	jq_ok ".items[0] | .type == \"job_file\" and .size == 29" all &&
	sa-genjob list -n 2 >page &&
	sa-genjob list --after "$(jq -r .next page)" >rest &&
	jq_ok "(.items | length == 1) and .next == null" rest &&
	echo "{\"limit\":1}" | sa-genjob list --request >page &&
	jq_ok "(.items | length == 1) and .next != null" page &&
	sa-genjob list --jsonl >lines &&
	real_jq -c ".items[]" all >expected &&
	test_cmp expected lines &&
	"$in_terminal" script sa-genjob list >out &&
	test_match "^MODIFIED +SIZE +SCRIPT" out
'

test_done
