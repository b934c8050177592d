#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sandbox tools over MCP: who gets them, and what is said'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-lib.sh"

catalog=$SA_SRCDIR/lib/sandbox/tools.json
mkdir data
names='["sandbox_run_command", "sandbox_read_file", "sandbox_write_file",
	"sandbox_list_directory"]'

# tools [OPTION...]: what a model is told is in tools, and all of it in answer.
tools () {
	mod 1 tools/list | sa-mcp "$@" >answer 2>err &&
	jq .result.tools answer >tools
}
# told REGEX [OPTION...]: the description of sandbox_run_command.
told () {
	tl_told=$1
	shift
	tools "$@" &&
	jq -r '.[] | select(.name == "sandbox_run_command") | .description' \
		tools >words &&
	test_match "$tl_told" words
}

test_expect_success 'off until the operator turns them on' '
	tools && jq_ok "length == 16 and
		all(.[]; .name | test(\"sandbox\") | not)" tools &&
	SA_MCP_SANDBOX=off tools && jq_ok "length == 16" tools &&
	call sandbox_run_command "{\"command\":\"true\"}" |
		says "length == 1 and .[0].error.code == -32602"
'

test_expect_success 'on by an option, a variable or a line of a file' '
	tools --sandbox-tools &&
	jq_ok "length == 20 and (.[16:] | map(.name)) == $names" tools &&
	SA_MCP_SANDBOX=on tools && jq_ok "length == 20" tools &&
	mkdir -p "$XDG_CONFIG_HOME/sa" &&
	echo "mcp_sandbox = on" >"$XDG_CONFIG_HOME/sa/config" &&
	tools && jq_ok "length == 20" tools &&
	SA_MCP_SANDBOX=off tools && jq_ok "length == 16" tools &&
	rm "$XDG_CONFIG_HOME/sa/config"
'

test_expect_success 'golden: the four tools' '
	cat >golden.jq <<-\J &&
	def kind: .type + (if .minimum // .maximum then
		" \(.minimum)..\(.maximum)" else "" end);
	.tools[] | "\(.name): \(.run.argv | join(" ")), " +
		"\(.run.timeout_seconds) s, \(.run.output)",
		"  " + (.annotations | [to_entries[] | select(.value) | .key] |
			join(" ")),
		((.inputSchema.required // []) as $r | .inputSchema.properties |
			to_entries[] | .key as $k | "    " + .key +
			(if any($r[]; . == $k) then "!" else "" end) + ": " +
			(.value | kind))
	J
	real_jq -r -f golden.jq "$catalog" >got &&
	test_cmp "$SA_SRCDIR/t/data/mcp-sandbox-tools.txt" got
'

test_expect_success 'what is listed is the catalogue, with the network' '
	tools --sandbox-tools &&
	jq "[.tools[] | del(.run)] | map(.description |=
		sub(\" {network}\"; \"\"))" "$catalog" >expected &&
	jq ".[16:] | map(.description |=
		sub(\" Programs in this sandbox .*\"; \"\"))" tools >got &&
	test_cmp expected got
'

test_expect_success 'the list is at most 29 KiB, instructions 1 KiB' '
	tools --sandbox-tools && test "$(wc -c <answer)" -le 29696 &&
	mod 1 server/discover | sa-mcp --sandbox-tools >answer &&
	jq_ok ".result.instructions | utf8bytelength <= 1024 and
		test(\"sandbox_run_command\") and
		test(\"confirm_submit_job\")" answer
'

test_expect_success 'the schemas are what all clients take, with words' '
	tools --sandbox-tools && jq ".[16:]" tools >ours &&
	jq_ok "all(.[]; (.name | test(\"^[a-z][a-z_]{0,44}$\")) and
		(.title | length) >= 5 and (.description | length) >= 80 and
		(.annotations | length) == 4 and
		.inputSchema.type == \"object\" and
		.inputSchema.additionalProperties == false and
		all(.inputSchema.properties[];
			(.type | type) == \"string\" and
			(.description | length) > 2))" ours &&
	jq_ok "[.[].inputSchema | .. | objects | keys[] |
		select(test(\"^[$]|Of$|^not$\"))] == []" ours &&
	jq -r .instructions "$catalog" >words &&
	jq -r ".[] | .. | strings" ours >>words &&
	grep -oE "(sandbox|generate)_[a-z_]+" words | sort -u >named &&
	tools --sandbox-tools && jq -r ".[].name" tools >known &&
	test_expect_code 1 grep -vxF -f known named
'

test_expect_success 'BX-23: the model is told which network there is' '
	told "no network at all" --sandbox-tools &&
	jq_ok ".[16].annotations.openWorldHint == false" tools &&
	for o in "--open-network" "--allow-egress example.org:8443" \
		"--allow-cidr 10.1.0.0/16"
	do
		# a host that cannot enforce it says so by name
		if sa-sandbox create $o >box.json 2>why
		then
			sa-sandbox destroy <box.json >out &&
			told "can reach" --sandbox-tools $o &&
			jq_ok ".[16].annotations.openWorldHint" tools ||
				return 1
			case $o in
			*" "*) test_match "${o#* }" words || return 1 ;;
			esac
		else
			test_expect_code 77 sa-mcp --sandbox-tools $o \
				--list-tools 2>err &&
			test_match "enforce ${o%% *}" err || return 1
		fi
	done
'

test_expect_success 'settings say the same, an option beats them' '
	test_expect_code 78 env SA_SANDBOX_MEMORY=much \
		sa-mcp --sandbox-tools --list-tools 2>err &&
	test_match "memory .much. is no size" err &&
	SA_SANDBOX_MEMORY=much sa-mcp --sandbox-tools --memory 1G \
		--list-tools >out &&
	test_expect_code 78 sa-mcp --sandbox-tools --memory 0 --list-tools \
		2>err &&
	test_expect_code 78 env SA_SANDBOX_OPEN_NETWORK=maybe \
		sa-mcp --list-tools 2>err &&
	test_match "on or off" err &&
	test_expect_code 78 env SA_MCP_SANDBOX=yes sa-mcp --list-tools 2>err &&
	test_match "off, on, or the name of a sandbox" err
'

test_expect_success 'words of the command line that go together' '
	test_expect_code 64 sa-mcp --pids 4 --list-tools 2>err &&
	test_match "models get none" err &&
	test_expect_code 64 sa-mcp --sandbox-tools --holder me --list-tools \
		2>err &&
	test_expect_code 64 sa-mcp --sandbox nobody --list-tools 2>err &&
	test_match "no name of a sandbox" err &&
	test_expect_code 64 sa-mcp --sandbox sa-sandbox-0123456789ab --pids 4 \
		--list-tools 2>err &&
	test_expect_code 78 sa-mcp --sandbox sa-sandbox-0123456789ab \
		--list-tools 2>err &&
	test_match "unknown sandbox" err
'

test_expect_success '--tools and --read-only choose among them too' '
	tools --sandbox-tools --tools sandbox_run_command,list_jobs &&
	jq_ok "map(.name) == [\"list_jobs\", \"sandbox_run_command\"]" tools &&
	tools --sandbox-tools --read-only &&
	jq_ok "[.[].name | select(startswith(\"sandbox\"))] ==
		[\"sandbox_read_file\", \"sandbox_list_directory\"]" tools &&
	test_expect_code 64 sa-mcp --tools sandbox_run_command --list-tools \
		2>err
'

test_expect_success 'beside a catalogue of the operator' '
	catalog && tools --catalog catalog.json --sandbox-tools &&
	jq_ok "[.[].name] | contains([\"echo\", \"sandbox_read_file\"])" \
		tools &&
	tool sandbox_read_file "cat" &&
	test_expect_code 78 sa-mcp --catalog catalog.json --sandbox-tools \
		--list-tools 2>err &&
	test_match "sandbox_read_file.*another of that name" err
'

test_expect_success '--print-config says it again, with whole paths' '
	touch vars &&
	sa-mcp --sandbox-tools --pids 64 --env-file vars --ro /opt \
		--ro sub --print-config claude >out &&
	jq_ok ".mcpServers.sa.args == [\"--sandbox-tools\",
		\"--pids\", \"64\", \"--ro\", \"/opt\", \"--ro\",
		(\$f | sub(\"vars\"; \"sub\")), \"--env-file\", \$f]" out \
		--arg f "$PWD/vars" &&
	sa-mcp --sandbox-tools --print-config codex >out &&
	test_match "^tool_timeout_sec = 340$" out &&
	sa-mcp --print-config codex >out &&
	test_match "^tool_timeout_sec = 70$" out &&
	SA_SESSION=0123456789ab sa-mcp --print-config claude >out &&
	jq_ok ".mcpServers.sa.env | has(\"SA_SESSION\") | not" out
'

test_expect_success 'sa-mcp(1) has each tool, its command and its arguments' '
	sed -n "/^.It Sandbox tool Ta/,/^.El/p" "$SA_SRCDIR/man/sa-mcp.1" |
		sed -e 1d -e /^.El/d -e "s/^.It //" -e "s/ Ta / /g" \
			-e "s/,//g" | tr " " "\n" | sort >page &&
	jq -r ".tools[] | .name, .run.argv[:2][],
		(.inputSchema.properties | keys[])" "$catalog" | sort >ours &&
	test_cmp ours page
'

test_done
