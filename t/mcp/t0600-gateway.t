#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='behind the gateway of README.md sa-mcp answers over HTTP'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp/mcp-lib.sh"

have_clients MCP_NPM
for tool in curl openssl
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
test -x "$SA_BUILDDIR/sa-mcp" || skip_all 'sa-mcp has not been built'
SA_TEST_MCP_CALLS=$SA_SRCDIR/t/mcp/calls-product.json
export SA_TEST_MCP_CALLS

# The block that names this test; what it installs is in the cache.
ln -s "$MCP_NPM" node_modules
awk '
/^<!-- no test: .*t0600-gateway[.]t/ { mine = 1; next }
mine && /^```sh$/ { inside = 1; next }
inside && /^```$/ { exit }
inside { print }
' "$SA_SRCDIR/README.md" >block.sh

test_expect_success 'README.md names the gateway that is tried here' '
	version=$(jq -r ".dependencies[\"mcp-proxy\"]" \
		"$SA_SRCDIR/t/mcp/deps/package.json") &&
	test_match "^npm install mcp-proxy@$version$" block.sh &&
	test_match "mcp-proxy --host 127[.]0[.]0[.]1 --port [0-9]+ " block.sh
'

free_port () {
	node -e 'const s = require("node:net").createServer();
		s.listen(0, "127.0.0.1", () => {
			console.log(s.address().port);
			s.close();
		});'
}

answers () {
	curl -s -f -m 5 --noproxy '*' "http://127.0.0.1:$port/ping"
}

# start: the block on a free port, its pid in gateway. Somebody else may have
# taken the port by then.
start () {
	for round in 1 2 3 4 5
	do
		port=$(free_port)
		sed -e '/^npm install/d' -e "s/--port [0-9]*/--port $port/" \
			-e 's,^node_modules/,exec node_modules/,' \
			-e "s,-- .*/sa-mcp,-- $SA_BUILDDIR/sa-mcp," \
			block.sh >run.sh
		sh -e run.sh >gateway.log 2>&1 &
		gateway=$!
		ticks=300
		until answers >/dev/null
		do
			test "$((ticks -= 1))" -gt 0 &&
				kill -0 "$gateway" 2>/dev/null || break
			sleep 0.1
		done
		answers >/dev/null && kill -0 "$gateway" && return
		kill "$gateway" 2>/dev/null
	done
	cat gateway.log
	tl_fatal 'the gateway does not come up'
}

at_end 'kill "$gateway" 2>/dev/null'
mkdir "$SPARK_EXECUTOR_DATA_DIR"
start

test_expect_success 'it listens on the loopback alone' '
	hex=$(printf "%04X" "$port") &&
	grep -h -i ":$hex 00000000:0000 0A" /proc/net/tcp >listening &&
	grep -h -i "0100007F:$hex " listening &&
	test "$(wc -l <listening)" -eq 1 &&
	test_expect_code 1 grep -i ":$hex 0*:0000 0A" /proc/net/tcp6
'

test_expect_success 'without the key there is nothing' '
	code=$(curl -s --noproxy "*" -o answer -w "%{http_code}" \
		-H "Content-Type: application/json" \
		-d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}" \
		"http://127.0.0.1:$port/mcp") &&
	test "$code" -eq 401 &&
	test_expect_code 1 grep -q save_connection answer
'

MCP_PROXY_API_KEY=$(cat mcp-key)
export MCP_PROXY_API_KEY
client node "$js/http.mjs" "http://127.0.0.1:$port/mcp"

test_expect_success 'what was saved is what sa-conn shows' '
	sa-conn list >list.json &&
	jq_ok "[.items[].name] == [\"http-auto\", \"http-legacy\"]" list.json
'

server=$(pgrep -P "$gateway" -x sa-mcp)
test_expect_success 'it ends, and sa-mcp with it' '
	test -n "$server" &&
	kill "$gateway" &&
	wait_for eval "! kill -0 $server" &&
	wait_for eval "! kill -0 $gateway"
'

test_done
