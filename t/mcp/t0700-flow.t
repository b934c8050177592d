#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='from a draft to its output on Spark, through three clients'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp/mcp-lib.sh"

real_spark
have_clients MCP_NPM MCP_PYTHON2

# Each with a data directory of its own, and the person of that.
# flow NAME COMMAND...
flow () {
	SPARK_EXECUTOR_DATA_DIR=$PWD/$1
	serve "server-$1"
	name=$1
	shift
	cat >"approve-$name" <<-SH &&
	#!/bin/sh
	# The answer is in what is shown: the end of the plan's hash.
	PAGER=cat
	export PAGER
	code=\$(sa-prepare show "\$1" | jq -r '.plan_sha256[-4:]') &&
	printf '%s\\n' 'expect anything else' "send \$code" \\
		>"$PWD/\$1.typed" &&
	exec "$SA_BUILDDIR/t/in-terminal" "$PWD/\$1.typed" \\
		sa-confirm approve "\$1"
	SH
	chmod +x "approve-$name" &&
	client "$@" "$PWD/server-$name" "$PWD/approve-$name"
}

flow typescript node "$js/flow.mjs"
flow sdk "$MCP_PYTHON2" "$SA_SRCDIR/t/mcp/flow.py" sdk
flow agent "$MCP_PYTHON2" "$SA_SRCDIR/t/mcp/flow.py" agent

test_expect_success 'who prepared, approved and submitted is on record' '
	for name in typescript sdk agent
	do
		SPARK_EXECUTOR_DATA_DIR=$PWD/$name sa-confirm audit \
			>$name.audit &&
		jq_ok "[.items[] | [.event, .actor.origin]] | map(
			select(. == [\"prepared\", \"agent\"],
				. == [\"approved\", \"person\"],
				. == [\"submitted\", \"agent\"])
		) | length == 6" $name.audit || exit
	done
'

test_done
