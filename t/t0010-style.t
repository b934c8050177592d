#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='what the style guide asks of sources and scripts'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

# Names without directory would be ambiguous, paths relative to the top are
# what people look for.
ln -s "$SA_SRCDIR" src || skip_all 'no symbolic links here'

sources=$(cd "$SA_SRCDIR" && ls cmd/*.[ch] lib/*/*.[ch] t/*.[ch] 2>/dev/null)
scripts=$(cd "$SA_SRCDIR" && ls bootstrap .ci/run t/*.sh t/*.t \
	t/mcp/*.sh t/mcp/*.t t/mcp/tool t/spark/*.sh t/spark/*.t \
	examples/*.sh 2>/dev/null; cd "$SA_SRCDIR" &&
	grep -l '^#!/bin/sh' scripts/* scripts/engines.d/* 2>/dev/null)
cd src || exit

# calls NAMES FILE...: where one of these functions is called, without what
# stands in comments and strings. Prints FILE: STATEMENT.
calls () {
	called=$1
	shift
	awk -v names="$called" '
	function statements(text, file, n, i, part) {
		gsub(/\\./, "", text)
		gsub(/"[^"\n]*"/, "\"\"", text)
		while ((i = index(text, "/*")) > 0) {
			n = index(substr(text, i + 2), "*/")
			text = substr(text, 1, i - 1) substr(text, i + n + 3)
		}
		n = split(text, part, ";")
		for (i = 1; i <= n; i++) {
			gsub(/[ \t\n]+/, " ", part[i])
			if (part[i] ~ "(^|[^A-Za-z0-9_.>])(" names ") ?\\(")
				print file ":" part[i]
		}
	}
	FNR == 1 && NR > 1 { statements(text, file); text = "" }
	{ file = FILENAME; text = text $0 "\n" }
	END { statements(text, file) }
	' "$@"
}

test_expect_success 'there are sources to look at' '
	test "$(echo "$sources" | wc -w)" -gt 4 &&
	test "$(echo "$scripts" | wc -w)" -gt 4
'

test_expect_success 'the search for calls finds what it should' '
	d=$TMPDIR/calls && mkdir "$d" &&
	cat >"$d/x.c" <<-\C &&
	/* system("no") */
	int x = my_system("no"); char *s = "system(no)";
	int y = a +
	    system ("yes");
	C
	calls system "$d/x.c" >"$d/out" &&
	test "$(wc -l <"$d/out")" -eq 1 &&
	test_match "y = a \+ system" "$d/out"
'

banned="strcpy|strcat|strncpy|strncat|strtok|sprintf|vsprintf|gets|atoi|atol|\
atoll|mktemp|tmpnam|tempnam|system|popen|alloca|pipe|mkstemp|creat"
test_expect_success 'no banned function is called' '
	calls "$banned" $sources >"$TMPDIR/found" &&
	test_empty "$TMPDIR/found"
'

# Flags in a variable are out of sight; sa_init opens the standard descriptors.
test_expect_success 'descriptors are opened close-on-exec' '
	calls "open|openat|socket|accept4|pipe2|mkostemp|memfd_create|\
epoll_create1|timerfd_create|signalfd|inotify_init1" $sources |
		sed -e "/CLOEXEC/d" -e "/[( ]flags[ ,)]/d" \
			-e "/^lib.base.cli.c: fd++.*fd == 0/d" \
			>"$TMPDIR/found" &&
	test_empty "$TMPDIR/found" &&
	sed -nE "/(^|[^a-z_])f(re)?open\(.*\"[rwa][^\"e]*\"/p" $sources \
		>"$TMPDIR/found" &&
	test_empty "$TMPDIR/found"
'

test_expect_success 'the library neither prints nor exits' '
	calls "printf|vprintf|puts|putchar|perror|exit|err|errx|warn|warnx" \
		$(ls lib/guard/*.c lib/spark/*.c | grep -v /mk) \
		>"$TMPDIR/found" &&
	test_empty "$TMPDIR/found"
'

test_expect_success 'each file says its licence and owner' '
	for f in $sources $scripts
	do
		head -n 3 "$f" | grep -q "SPDX-License-Identifier: ISC" &&
		head -n 4 "$f" | grep -q "Copyright (c) .* The sa authors" ||
			echo "$f"
	done >"$TMPDIR/found" &&
	test_empty "$TMPDIR/found"
'

test_expect_success 'lines end at column 80, without blanks' '
	for f in $sources $scripts
	do
		expand "$f" | grep -nE ".{81}|[[:blank:]]$" | sed "s|^|$f:|"
	done >"$TMPDIR/found" &&
	test_empty "$TMPDIR/found"
'

word="TO""DO|FIX""ME|X""XX"
test_expect_success 'nothing is left for later without saying what' '
	{ grep -nwE "$word" $sources $scripts >"$TMPDIR/found" || :; } &&
	test_empty "$TMPDIR/found"
'

test_expect_success 'scripts can be executed' '
	for f in $scripts
	do
		case $f in
		t/*.sh|scripts/*.sh) ;;
		*) test -x "$f" || echo "$f" ;;
		esac
	done >"$TMPDIR/found" &&
	test_empty "$TMPDIR/found"
'

# fresh: those of the scripts that shellcheck, which takes its time, has not
# passed yet as they and what they may read are now. The directory
# SA_TEST_LINTED, if there is one, remembers those that passed.
fresh () {
	test -n "${SA_TEST_LINTED:-}" || {
		echo "$scripts"
		return
	}
	rules=$({ shellcheck --version; cat .shellcheckrc t/*.sh t/*/*.sh \
		scripts/common.sh; } | cksum | tr " " .) &&
	echo "$scripts" | xargs cksum | while read -r sum size name
	do
		key=$SA_TEST_LINTED/$rules.$sum.$size
		test -e "$key" && touch "$key" || echo "$name $key"
	done >"$TMPDIR/fresh" &&
	cut -d " " -f 1 "$TMPDIR/fresh"
}
passed () {
	test -n "${SA_TEST_LINTED:-}" || return 0
	mkdir -p "$SA_TEST_LINTED" &&
		cut -d " " -f 2 "$TMPDIR/fresh" | xargs -r touch &&
		find "$SA_TEST_LINTED" -type f -mtime +30 -exec rm -f {} +
}

test_expect_success shellcheck 'shellcheck has nothing to say' '
	fresh >"$TMPDIR/names" &&
	xargs -r -P 2 -n 8 shellcheck <"$TMPDIR/names" &&
	passed
'

cd ..
test_done
