#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-mcp: what is served, what clients are told, self-test'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-lib.sh"

in_terminal=$SA_BUILDDIR/t/in-terminal

# names ARG...: of the tools that are served.
names () {
	mod 1 tools/list | sa-mcp "$@" | jq -r ".result.tools[].name"
}

test_expect_success '--list-tools: a table, or a record' '
	sa-mcp --list-tools >out &&
	test "$(wc -l <out)" -eq 16 &&
	test_match "^list_jobs +reads +[A-Z]" out &&
	test_match "^generate_job_file +adds +[A-Z]" out &&
	test_match "^kill_job +changes +[A-Z]" out &&
	sa-mcp --list-tools --json >list.json &&
	jq_ok ".type == \"tool_list\" and (.items | length) == 16 and
		.next == null" list.json &&
	cut -d " " -f 1 <out >listed &&
	names >served &&
	test_cmp listed served
'

test_expect_success '--read-only keeps what reads' '
	names --read-only >got &&
	sa-mcp --print-catalog | jq -r ".tools[] |
		select(.annotations.readOnlyHint).name" >want &&
	test_cmp want got &&
	test -s got &&
	call kill_job "{\"job_id\":\"x\"}" |
		says ".[0].error.code == -32602" --read-only
'

test_expect_success '--tools keeps what is named, in the order of the list' '
	names --tools list_jobs,kill_job,list_connections >got &&
	printf "%s\n" list_connections list_jobs kill_job >want &&
	test_cmp want got &&
	names --read-only --tools kill_job,list_jobs >got &&
	echo list_jobs >want &&
	test_cmp want got
'

test_expect_success 'a name that is not there ends the start, nothing read' '
	mod 1 tools/list >in &&
	{
		test_expect_code 64 sa-mcp --tools list_jobs,nope >out 2>err &&
		cat >left
	} <in &&
	test_cmp in left &&
	test_empty out &&
	test_match "no tool .nope.; sa-mcp --list-tools" err &&
	test_expect_code 64 sa-mcp --tools kill_job --read-only <in 2>err &&
	test_match "no tool left" err
'

test_expect_success 'without a data directory it does not start' '
	mod 1 tools/list >in &&
	(
		unset SPARK_EXECUTOR_DATA_DIR &&
		mkdir none with with/data && cd none &&
		test_expect_code 78 sa-mcp <../in >out 2>err &&
		test_empty out &&
		test_match "no data directory .*SPARK_EXECUTOR_DATA_DIR" err &&
		test_expect_code 78 sa-mcp --print-config claude 2>err &&
		test_expect_code 78 sa-mcp --self-test 2>err &&
		sa-mcp --list-tools >out &&
		cd ../with &&
		sa-mcp <../in >out &&
		jq_ok ".result.tools" out &&
		sa-mcp --data-dir x <../in >out &&
		jq_ok ".result.tools" out
	)
'

test_expect_success './data has to be one that can be written' '
	mkdir -m 755 locked locked/data &&
	(
		unset SPARK_EXECUTOR_DATA_DIR && cd locked &&
		as_nobody sh -c "test_=1; sa-mcp --self-test" >out 2>err ||
			echo $? >code &&
		test "$(cat code)" -eq 78
	)
'

test_expect_success 'at a terminal it says what it is for' '
	: >script &&
	test_expect_code 64 "$in_terminal" script sa-mcp >out 2>&1 &&
	test_match "stdin is a terminal.*--print-config" out
'

test_expect_success '--print-config: JSON for four clients' '
	for c in claude:mcpServers cursor:mcpServers vscode:servers \
		gemini:mcpServers
	do
		SPARK_HOME=/opt/spark sa-mcp --read-only --tools list_jobs \
			--data-dir rel --print-config ${c%:*} >out &&
		jq_ok ".[\$k].sa | (.command | startswith(\"/\")) and
			.args == [\"--read-only\", \"--tools\",
				\"list_jobs\"] and
			.env.SPARK_EXECUTOR_DATA_DIR == \$d and
			.env.SPARK_HOME == \"/opt/spark\"" out \
			--arg k ${c#*:} --arg d "$PWD/rel" || return 1
	done
'

# A client has a directory and a PATH of its own.
test_expect_success '--print-config: all that would be missed, from anywhere' '
	echo "log_level = INFO" >extra &&
	SPARK_EXECUTOR_JOBS_DIR=jobs SA_CONFIG=extra JAVA_HOME=../jdk \
		SPARK_EXECUTOR_DATA_DIR=./rel sa-mcp --print-config claude \
		>out &&
	jq_ok ".mcpServers.sa.env |
		.SPARK_EXECUTOR_JOBS_DIR == \$d + \"/jobs\" and
		.SPARK_EXECUTOR_DATA_DIR == \$d + \"/rel\" and
		.SA_CONFIG == \$d + \"/extra\" and .PATH == env.PATH and
		.XDG_CONFIG_HOME == env.XDG_CONFIG_HOME and
		(.JAVA_HOME | startswith(\"/\") and endswith(\"/jdk\"))" out \
		--arg d "$PWD" &&
	SA_ORIGIN=person SA_ERROR_FD=2 sa-mcp --print-config claude >out &&
	jq_ok ".mcpServers.sa.env |
		has(\"SA_ORIGIN\") or has(\"SA_ERROR_FD\") | not" out
'

test_expect_success 'what it prints starts it' '
	sa-mcp --print-config claude >out &&
	command=$(jq -r .mcpServers.sa.command out) &&
	mod 1 tools/list | env -i "SPARK_EXECUTOR_DATA_DIR=$(jq -r \
		.mcpServers.sa.env.SPARK_EXECUTOR_DATA_DIR out)" \
		"$command" >list &&
	jq_ok "(.result.tools | length) == 16" list
'

test_expect_success python3 '--print-config codex: TOML' '
	catalog &&
	SA_CONFIRM=signed JAVA_HOME="/a \"b\"" sa-mcp --catalog catalog.json \
		--print-config codex >out &&
	python3 -c "
import sys, tomllib
s = tomllib.load(open(\"out\", \"rb\"))[\"mcp_servers\"][\"sa\"]
assert s[\"command\"].startswith(\"/\")
assert s[\"args\"] == [\"--catalog\", sys.argv[1] + \"/catalog.json\"]
assert s[\"tool_timeout_sec\"] == 70
assert s[\"env\"][\"JAVA_HOME\"] == \"/a \\\"b\\\"\"
assert s[\"env\"][\"SA_CONFIRM\"] == \"signed\"
" "$PWD"
'

test_expect_success 'a client that is not known' '
	test_expect_code 64 sa-mcp --print-config emacs >out 2>err &&
	test_empty out &&
	test_match "emacs.*claude, codex, cursor, vscode or gemini" err
'

test_expect_success '--print-catalog is a catalogue' '
	sa-mcp --print-catalog >copy.json &&
	test_cmp "$SA_SRCDIR/lib/mcp/tools.json" copy.json &&
	sa-mcp --list-tools >want &&
	sa-mcp --catalog copy.json --list-tools >got &&
	test_cmp want got &&
	sa-mcp --catalog copy.json --print-catalog >again &&
	test_cmp copy.json again
'

test_expect_success 'a catalogue that is not good, or not there' '
	jq ".tools[0].run.shell = 1" copy.json >bad.json &&
	test_expect_code 78 sa-mcp --catalog bad.json </dev/null 2>err &&
	test_match "bad.json.: tool .save_connection.: .*run.shell" err &&
	echo "{" >bad.json &&
	test_expect_code 78 sa-mcp --catalog bad.json </dev/null 2>err &&
	test_expect_code 66 sa-mcp --catalog none.json </dev/null 2>err &&
	test_match "none.json" err
'

test_expect_success 'a catalogue that is no file' '
	mkdir dir && mkfifo fifo &&
	for c in dir fifo /dev/null/x
	do
		case $c in
		/*) code=66 ;;
		*) code=78 ;;
		esac
		test_expect_code $code timeout 10 sa-mcp --catalog $c \
			--list-tools 2>err && test_match "$c" err || return 1
	done
'

test_expect_success '--self-test: data, policy, each program' '
	sa-mcp --self-test --read-only >out &&
	jq_ok ".type == \"check\" and .ok and
		(.items | map({(.name): .detail}) | add |
		(.[\"data directory\"] | startswith(\$d)) and
		(.confirm | startswith(\"shell\")) and
		(.[\"sa-yarn\"] | test(\"sa 0\")) and
		(.list_jobs | test(\"/sa-yarn list .*--request\")) and
		has(\"kill_job\") == false)" out --arg d "$PWD/data"
'

test_expect_success '--self-test: what is missing is 78' '
	jq ".tools[0].run.argv[0] = \"sa-none\"" copy.json >bad.json &&
	test_expect_code 78 sa-mcp --catalog bad.json --self-test >out &&
	jq_ok ".ok == false and ([.items[] | select(.ok == false) | .name] ==
		[\"save_connection\"])" out &&
	for path in "$PWD" . "" none file
	do
		echo x >file &&
		jq --arg p "$path" ".tools[0].run.argv[0] = \$p" copy.json \
			>bad.json &&
		test_expect_code 78 sa-mcp --catalog bad.json --self-test \
			>out &&
		jq_ok "[.items[] | select(.ok == false) | .name] ==
			[\"save_connection\"]" out || return 1
	done &&
	test_expect_code 78 sa-mcp --data-dir file --self-test >out &&
	jq_ok ".items[0].ok == false" out
'

test_expect_success 'confirm = open is logged at each start, and shown' '
	sa-conn save one -m local &&
	mkdir -p "$XDG_CONFIG_HOME/sa" &&
	echo "confirm = open" >"$XDG_CONFIG_HOME/sa/config" &&
	sa-mcp </dev/null 2>err &&
	test_match "confirm = open .*config:1" err &&
	test_match "confirm = open" data/log/info.log &&
	sa-mcp --self-test >out &&
	jq_ok ".items[] | select(.name == \"confirm\") |
		(.detail | startswith(\"open\")) and .hint != null" out &&
	SA_CONFIRM=shell sa-mcp </dev/null 2>err &&
	test_empty err
'

test_expect_success 'the tools are in the log at each start' '
	test_match "tool kill_job: " data/log/debug.log
'

test_done
