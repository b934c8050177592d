#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='what a model may read, through sa-genjob and sa-prepare'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'
SA_ORIGIN=agent
export SA_ORIGIN
echo 'print(1)' >x.py
sa-genjob <x.py >record || skip_all 'no job file to work on'
path=$(jq -r .script_path record)

# agent PATH: reads it as sa-mcp has it read; out, err.
agent () {
	jq -n --arg p "$1" '{script_path: $p}' | sa-genjob read --request \
		>out 2>err
}

# kept PATH REGEX: is not read, and the reason.
kept () {
	test_expect_code 77 agent "$1" &&
	test_empty out &&
	test_match "not for an agent to read: it is $2" err &&
	test_match "WARNING.*kept|WARNING.*not for an agent" err
}

test_expect_success 'a model reads job files and others, told what they are' '
	agent "$path" &&
	jq_ok ".content == \"print(1)\\n\" and (.notice | test(\"data\"))" \
		out &&
	test_empty err &&
	agent "$PWD/x.py" &&
	agent x.py &&
	jq_ok ".path == \$p" out --arg p "$PWD/x.py"
'

test_expect_success 'each reading is in the log' '
	agent "$PWD/x.py" &&
	test_match "INFO.*an agent reads .*/x.py" data/log/debug.log
'

test_expect_success 'persons are told no notice and kept from nothing' '
	mkdir -p .ssh && cp x.py .ssh/ &&
	SA_ORIGIN=person sa-genjob read --json .ssh/x.py >out &&
	jq_ok "has(\"notice\") | not" out &&
	SA_ORIGIN=person sa-genjob read data/store-id >out
'

test_expect_success 'what the default list has is kept' '
	kept /proc/self/environ "./proc. of read_deny" &&
	kept /dev/zero "./dev. of" &&
	kept /sys/kernel/uevent_seqnum "./sys. of" &&
	kept /etc/shadow "./etc/shadow. of" &&
	for d in .ssh .aws .azure .gnupg .kube .docker .config/gcloud
	do
		mkdir -p "h/$d/deep" && cp x.py "h/$d/deep/x.py" &&
		kept "$PWD/h/$d/deep/x.py" ".$d. of" || return 1
	done &&
	for f in .netrc .pgpass .git-credentials .env .bash_history .npmrc \
		.pypirc krb5cc_1000 svc.keytab server.key cert.pem
	do
		cp x.py "$f" && kept "$PWD/$f" ".[^ ]*. of" || return 1
	done &&
	mkdir .m2 && cp x.py .m2/settings.xml && cp x.py .m2/x.py &&
	kept "$PWD/.m2/settings.xml" "..m2/settings.xml. of" &&
	agent .m2/x.py && cp x.py keytab.py && agent keytab.py &&
	mkdir -p ssh/.config && cp x.py ssh/.config/x.py &&
	agent ssh/.config/x.py
'

test_expect_success 'whether it is there is not told either' '
	kept "$PWD/.ssh/id_nobody" "..ssh. of" &&
	kept "$PWD/data/connections/nobody.json" "the toolkit" &&
	test_expect_code 66 agent "$PWD/nobody.py" &&
	test_match "No such file" err
'

test_expect_success 'nor do links, dots and other names lead there' '
	echo secret >.ssh/id && ln -s .ssh/id alias.py &&
	ln -s .ssh sub && ln -s alias.py chain.py &&
	kept "$PWD/alias.py" "..ssh. of" &&
	kept "$PWD/chain.py" "..ssh. of" &&
	kept "$PWD/sub/id" "..ssh. of" &&
	kept "$PWD/h/../.ssh/./id" "..ssh. of" &&
	kept "./.ssh//id" "..ssh. of" &&
	kept /proc/self/root/etc/passwd "./proc. of" &&
	mkdir -p vault && echo secret >vault/one && ln vault/one hard.py &&
	SA_READ_DENY=$PWD/vault/one kept "$PWD/hard.py" ".*/vault/one. of"
'

test_expect_success ROOT,TMPFS 'nor does another mount' '
	mkdir -p vault mounted && echo secret >vault/two &&
	test_expect_code 77 unshare -m sh -c "
		mount --bind vault mounted &&
		echo \"{\\\"path\\\":\\\"\$PWD/mounted/two\\\"}\" |
		SA_READ_DENY=\$PWD/vault sa-genjob read --request
	" >out &&
	test_empty out
'

test_expect_success 'of the data directory there are job files alone' '
	mkdir data/jobs/sub data/jobs-evil && cp x.py data/jobs/sub/ &&
	cp x.py data/jobs-evil/ && agent "$PWD/data/jobs/sub/x.py" &&
	for f in store-id .gitignore log/debug.log jobs-evil/x.py \
		jobs/../store-id
	do
		kept "$PWD/data/$f" "the toolkit" || return 1
	done &&
	ln -s ../store-id data/jobs/id.py &&
	kept "$PWD/data/jobs/id.py" "the toolkit" &&
	rm data/jobs/id.py &&
	mkdir elsewhere && cp x.py elsewhere &&
	SPARK_EXECUTOR_JOBS_DIR=$PWD/elsewhere &&
	export SPARK_EXECUTOR_JOBS_DIR &&
	agent "$PWD/elsewhere/x.py" &&
	kept "$path" "the toolkit"
'

test_expect_success 'what is no regular file is not even opened' '
	mkfifo fifo.py &&
	test_expect_code 65 agent "$PWD/fifo.py" &&
	test_match "not a regular file" err &&
	test_expect_code 65 agent "$PWD" &&
	test_match "is a directory" err &&
	test_expect_code 65 agent ""
'

test_expect_success 'what a model may not read it may not have prepared' '
	SA_ORIGIN=person sa-conn save demo -m local >/dev/null &&
	jq -n --arg p "$PWD/.ssh/x.py" \
		"{connection: \"demo\", script_path: \$p}" >request &&
	test_expect_code 77 sa-prepare prepare --request <request 2>err &&
	test_match "not for an agent to read" err &&
	test ! -e data/pending
'

test_expect_success 'the environment adds to the list' '
	SA_READ_DENY="$PWD/h/a:secret-*" &&
	export SA_READ_DENY &&
	mkdir -p h/a && cp x.py h/a/ && cp x.py secret-plan.py &&
	kept "$PWD/h/a/x.py" ".*/h/a. of" &&
	kept "$PWD/secret-plan.py" ".secret-.*. of" &&
	kept "$PWD/.ssh/x.py" "..ssh. of" &&
	SA_ORIGIN=person sa-conn config --json >out &&
	jq_ok ".items[] | select(.key == \"read_deny\") |
		.value == \"default:\" + env.SA_READ_DENY" out
'

test_expect_success 'entries that can match nothing are refused' '
	for bad in a//b ../x /x/ /x/../y "a::b" . :x
	do
		SA_READ_DENY=$bad test_expect_code 78 agent x.py &&
		test_match "read_deny is" err || return 1
	done
'

test_expect_success 'only a policy can take from the list' '
	mkdir -p "$HOME/.config/sa" &&
	echo "read_deny = vault:/etc/shadow" >"$HOME/.config/sa/config" &&
	agent "$PWD/.ssh/x.py" &&
	kept /etc/shadow "./etc/shadow. of" &&
	echo "read_deny = default:/srv" >extra &&
	SA_CONFIG=$PWD/extra kept "$PWD/.ssh/x.py" "..ssh. of" &&
	echo "read_deny = default:vault" >"$HOME/.config/sa/config" &&
	kept "$PWD/.ssh/x.py" "..ssh. of" &&
	kept "$PWD/vault/one" ".vault. of" &&
	rm "$HOME/.config/sa/config"
'

test_done
