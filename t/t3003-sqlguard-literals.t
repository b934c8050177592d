#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the guard reads string literals as Python does'
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
	test_match "^4[0-9] literals, 0 differ" out
'

test_expect_success 'with CRLF, with CR, with a mark at the beginning' '
	sed "s/$/\r/" "$SA_SRCDIR/t/data/literals.py" >crlf.py &&
	tr "\n" "\r" <"$SA_SRCDIR/t/data/literals.py" >cr.py &&
	{ printf "\357\273\277"; cat "$SA_SRCDIR/t/data/literals.py"; } \
		>bom.py &&
	compare crlf.py cr.py bom.py >out &&
	test_match ", 0 differ" out
'

test_expect_success 'the comparison can fail' '
	printf "#!/bin/sh\necho [1,0,\\\"y\\\"]\n" >wrong &&
	chmod +x wrong &&
	echo "\"x\"" >x.py &&
	test_expect_code 1 "$python" "$SA_SRCDIR/t/py-literals.py" ./wrong \
		x.py >out &&
	test_match "1 literals, 1 differ" out
'

test_expect_success 'and over the library that came with it' '
	lib=$("$python" -c "import os; print(os.path.dirname(os.__file__))") &&
	compare "$lib"/[a-c]*.py "$lib"/str*.py "$lib"/t[e-o]*.py >out &&
	test_match "[0-9]{3} literals, 0 differ" out
'

test_done
