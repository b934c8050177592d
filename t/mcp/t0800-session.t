#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='a session of commands in a sandbox, through two clients'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp/mcp-lib.sh"

have_clients MCP_NPM MCP_PYTHON2
need_sandbox

serve server --sandbox-tools --pids 64
steps=$SA_SRCDIR/t/mcp/session.json

# gone: no sandbox and no session is left.
gone () {
	test -z "$(find "$SPARK_EXECUTOR_DATA_DIR/sandboxes" \
		"$SPARK_EXECUTOR_DATA_DIR/sessions" -mindepth 1)"
}

client node "$js/session.mjs" "$steps" "$PWD/server"
test_expect_success 'its sandbox is gone with it' 'wait_for gone'
client "$MCP_PYTHON2" "$SA_SRCDIR/t/mcp/session.py" "$steps" "$PWD/server"
test_expect_success 'and the other one too' 'wait_for gone'

test_done
