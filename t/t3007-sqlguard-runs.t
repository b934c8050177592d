#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='what programs run is what the guard saw in them'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

python=${SA_TEST_PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 7))' 2>/dev/null ||
	skip_all 'no Python from 3.7 on'

# A third of them passes, a quarter runs something that is refused.
test_expect_success 'programs that put statements together in many ways' '
	mkdir programs &&
	"$python" "$SA_SRCDIR/t/py-runs.py" "$SA_BUILDDIR/sa-sqlguard" \
		programs 400 1 >out &&
	test_match "^400 programs, 1.. passed, 1.. ran what is refused, 0 m" out
'

test_done
