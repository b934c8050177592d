# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh disable=SC2034,SC2154
#
# For t/mcp/*.t: sa-mcp, and other people's clients from the cache, which
# scripts/mcp fills. After test-lib.sh:
#
#	have_clients VARIABLE...	those that scripts/mcp env prints, or
#				skip_all
#	serve NAME [ARG...]	makes ./NAME, which starts sa-mcp with ARGs on
#				the data directory, whatever its environment
#	servers			sets server, and SA_TEST_MCP_CALLS for clients:
#				sa-mcp with the tools of catalog.json; and
#				product, sa-mcp with its own. With scripts/mcp
#				run -- SERVER it is that, and product is empty.
#	client COMMAND...	each line "ok - NAME" or "not ok - NAME" that
#				it prints becomes a test; what else it prints
#				a comment. To be true its exit status has to
#				agree.
#	each_client COMMAND...	client with each of the servers behind it
#	list_tools SERVER	its answer to tools/list
#
# The cache is named by SA_TEST_ENGINES, as scripts/check --all does; without
# it there is none, and nothing is fetched.

have_clients () {
	test -d "${SA_TEST_ENGINES:-}/sa" ||
		skip_all 'no cache is named; scripts/check --all has one'
	for tl_tool in jq python3
	do
		command -v "$tl_tool" >/dev/null || skip_all "no $tl_tool"
	done
	eval "$(XDG_CACHE_HOME=$SA_TEST_ENGINES "$SA_SRCDIR/scripts/mcp" env)"
	for tl_name in "$@"
	do
		eval "test -n \"\${$tl_name:-}\"" ||
			skip_all "no $tl_name in the cache; scripts/mcp fetch"
	done
	# Node looks for modules from where a script lies.
	test -z "${MCP_NODE:-}" || {
		PATH=$MCP_NPM/.bin:$MCP_NODE:$PATH
		mkdir "$tl_dir/js" &&
			cp "$SA_SRCDIR"/t/mcp/*.mjs "$tl_dir/js" &&
			ln -s "$MCP_NPM" "$tl_dir/js/node_modules" ||
			tl_fatal "no scripts"
	}
	js=$tl_dir/js
}

serve () {
	test -x "$SA_BUILDDIR/sa-mcp" || skip_all 'sa-mcp has not been built'
	tl_name=$1
	shift
	mkdir -p "$SPARK_EXECUTOR_DATA_DIR" &&
	{
		echo '#!/bin/sh'
		for tl_word in SPARK_EXECUTOR_DATA_DIR SPARK_HOME JAVA_HOME \
			PYSPARK_PYTHON SPARK_LOCAL_IP
		do
			eval "tl_value=\${$tl_word:-}"
			test -z "$tl_value" ||
				echo "export $tl_word='$tl_value'"
		done
		printf "exec '%s'" "$SA_BUILDDIR/sa-mcp"
		test $# -eq 0 || printf " '%s'" "$@"
		echo
	} >"$tl_name" &&
	chmod +x "$tl_name" || tl_fatal "$tl_name: cannot be made"
}

servers () {
	if test -n "${SA_TEST_MCP_SERVER:-}"
	then
		server=$SA_TEST_MCP_SERVER
		product=
		export SA_TEST_MCP_CALLS="${SA_TEST_MCP_CALLS:-}"
		return
	fi
	serve server --catalog "$SA_SRCDIR/t/mcp/catalog.json"
	serve product
	server=$PWD/server
	product=$PWD/product
	export SA_TEST_MCP_CALLS="$SA_SRCDIR/t/mcp/calls.json"
}

# tl_result TITLE WHY: a test of a client that went wrong as a whole.
tl_result () {
	tl_count=$((tl_count + 1))
	tl_not_ok "$1"
	echo "# $2"
	tail -n 20 "$tl_dir/err" | cut -c 1-300 | sed 's/^/# /'
}

client () {
	timeout 300 "$@" >"$tl_dir/lines" 2>"$tl_dir/err" </dev/null
	tl_status=$?
	tl_before=$tl_failed
	while IFS= read -r tl_line
	do
		case $tl_line in
		'ok - '*)
			tl_count=$((tl_count + 1))
			echo "ok $tl_count - ${tl_line#ok - }"
			;;
		'not ok - '*)
			tl_count=$((tl_count + 1))
			tl_not_ok "${tl_line#not ok - }"
			;;
		*) echo "# ${tl_line#\# }" ;;
		esac
	done <"$tl_dir/lines"
	if ! grep -q '^ok - ' "$tl_dir/lines"
	then
		tl_result "$* did anything" "exit status $tl_status"
	elif test "$tl_status" -ne 0 && test "$tl_failed" -eq "$tl_before"
	then
		tl_result "$* came to its end" "exit status $tl_status"
	elif test "$tl_status" -eq 0 && test "$tl_failed" -ne "$tl_before"
	then
		tl_result "$* noticed that" 'exit status 0'
	fi
}

each_client () {
	client "$@" "$server"
	test -n "$product" || return 0
	echo '# and with the tools of sa-mcp'
	tl_calls=$SA_TEST_MCP_CALLS
	SA_TEST_MCP_CALLS=$SA_SRCDIR/t/mcp/calls-product.json
	client "$@" "$product"
	SA_TEST_MCP_CALLS=$tl_calls
}

list_tools () {
	tl_meta=io.modelcontextprotocol
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":%s}\n' \
		"{\"_meta\":{\"$tl_meta/protocolVersion\":\"2026-07-28\",\
\"$tl_meta/clientCapabilities\":{}}}" |
		{ cat && sleep 0.5; } |
		timeout 20 "$1" 2>/dev/null
}
