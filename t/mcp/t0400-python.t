#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='clients of Python, SDKs and agents, get what they ask for'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp/mcp-lib.sh"

have_clients MCP_PYTHON1 MCP_PYTHON2
servers
LANGSMITH_TRACING=false
export LANGSMITH_TRACING

for kind in mcp1 langchain
do
	each_client "$MCP_PYTHON1" "$SA_SRCDIR/t/mcp/clients.py" "$kind"
done
for kind in mcp2-legacy mcp2-auto mcp2-modern fastmcp pydantic-ai
do
	each_client "$MCP_PYTHON2" "$SA_SRCDIR/t/mcp/clients.py" "$kind"
done

test_done
