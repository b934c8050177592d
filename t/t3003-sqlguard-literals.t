#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the guard reads literals and calls as Python does'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

python=${SA_TEST_PYTHON:-python3}
# Before 3.9 the places of what stands inside of fields are wrong.
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
	skip_all 'no Python from 3.9 on'
print=$SA_BUILDDIR/t/print-literals

compare () {
	PYTHONWARNINGS=ignore "$python" "$SA_SRCDIR/t/py-literals.py" \
		"$print" "$@"
}

test_expect_success 'values and places of every form' '
	compare "$SA_SRCDIR/t/data/literals.py" >out &&
	test_match "^1 files, 4[0-9] literals, [02] calls, 0 differ" out
'

test_expect_success 'calls and their arguments' '
	compare "$SA_SRCDIR/t/data/calls.py" >out &&
	test_match "^1 files, [0-9]+ literals, 12[0-9] calls, 0 differ" out
'

# The syntax of a later Python, with the first one on the path that takes it.
for version in 3.10 3.12 3.14
do
	file=$SA_SRCDIR/t/data/python$(echo $version | tr -d .).py
	found=
	for newer in "$python" python3.15 python3.14 python3.13 python3.12 \
		python3.11 python3.10
	do
		"$newer" -W ignore - "$file" <<-\E 2>/dev/null || continue
		import ast, sys
		ast.parse(open(sys.argv[1]).read())
		E
		found=$newer
		break
	done
	if test -z "$found"
	then
		test_skip "the syntax of $version" "no Python $version"
		continue
	fi
	test_expect_success "the syntax of $version" '
		tr "\n" "\r" <"$file" >cr.py &&
		sed "s/$/\r/" "$file" >crlf.py &&
		PYTHONWARNINGS=ignore "$found" \
			"$SA_SRCDIR/t/py-literals.py" "$print" "$file" cr.py \
			crlf.py >out &&
		test_match "^3 files, .*, 0 differ" out
	'
done

test_expect_success 'with CRLF, with CR, with a mark at the beginning' '
	sed "s/$/\r/" "$SA_SRCDIR/t/data/literals.py" >crlf.py &&
	tr "\n" "\r" <"$SA_SRCDIR/t/data/literals.py" >cr.py &&
	{ printf "\357\273\277"; cat "$SA_SRCDIR/t/data/literals.py"; } \
		>bom.py &&
	tr "\n" "\r" <"$SA_SRCDIR/t/data/calls.py" >calls.py &&
	compare crlf.py cr.py bom.py calls.py >out &&
	test_match "^4 files, .* 0 differ" out
'

test_expect_success 'the comparison can fail' '
	printf "#!/bin/sh\necho [1,0,\\\"y\\\"]\n" >wrong &&
	chmod +x wrong &&
	echo "\"x\"" >x.py &&
	test_expect_code 1 "$python" "$SA_SRCDIR/t/py-literals.py" ./wrong \
		x.py >out &&
	test_match "1 literals, 0 calls, 1 differ" out &&
	echo "f(x, y=[g])" >x.py &&
	cat >wrong <<-\E &&
	#!/bin/sh
	echo "[1,0,\"f(x,y=[h,],)\",\"call\"]"
	E
	test_expect_code 1 "$python" "$SA_SRCDIR/t/py-literals.py" ./wrong \
		x.py >out &&
	test_match "^x.py:1:0: -f\(x,y=\[g,\],\)$" out
'

test_expect_success 'and over the library that came with it' '
	lib=$("$python" -c "import os; print(os.path.dirname(os.__file__))") &&
	compare "$lib"/[a-c]*.py "$lib"/str*.py "$lib"/t[e-o]*.py >out &&
	test_match "[0-9]{3} literals, [0-9]{4} calls, 0 differ" out
'

test_done
