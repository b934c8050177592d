#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='whose word submits over MCP: another user, a key, nobody'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/host-lib.sh"
make_host
. "$SA_SRCDIR/t/mcp-call-lib.sh"
page=$SA_SRCDIR/man/sa-confirm.1

# What the client of the user agent starts.
cat >"$TMPDIR/sa-mcp" <<-SH && chmod +x "$TMPDIR/sa-mcp"
#!/bin/sh
exec "$PWD/on-host" agent \${agent_path:+env "PATH=\$agent_path"} sa-mcp "\$@"
SH
PATH=$TMPDIR:$PATH
fake_spark
: >"$SPARK_HOME/starts.jsonl"
chmod -R a+w "$SPARK_HOME"
echo '# fake: say hello' >x.py

# operator LINE...: in place of what the page says.
operator () {
	printf '%s\n' "data_dir = $PWD/srv/sa" "$@" >etc/sa/config
}

# by_page USER WORD: what the page says, as that user.
by_page () {
	say_host "$page" "($2)" >page.sh && test -s page.sh &&
	on_host "$1" sh -e "$PWD/page.sh"
}

# ready: $p, prepared over MCP.
ready () {
	gives prepare_submit_job "{\"connection\": \"demo\",
		\"script_path\": \"$PWD/x.py\"}" '.status == "PENDING"' &&
	p=$(jq -r .pending_id record) &&
	approval=srv/sa/approvals/$p.json
}

# ada_approves LINE...: as the page says, at a terminal, where the lines are
# what is shown and typed after the answer.
ada_approves () {
	code=$(on_host ada sa-prepare show --json "$p" |
		jq -r '.plan_sha256[-4:]') &&
	printf '%s\n' 'expect anything else' "send $code" "$@" >typed &&
	say_host "$page" '(approve)' | sed "s/p_[0-9T]*_[0-9a-f]*/$p/" \
		>approve.sh &&
	SA_PAGER='cat' on_host ada in-terminal "$PWD/typed" \
		sh -e "$PWD/approve.sh" >shown
}

confirmed () {
	gives confirm_submit_job "{\"pending_id\": \"$p\"}" '.job_id != null' &&
	test "$(starts)" -eq 1
}

starts () {
	grep -c "$p" "$SPARK_HOME/starts.jsonl"
}

# refused REGEX: the call is, with that reason and nothing but advice to wait.
refused () {
	fails refused 403 "$1" confirm_submit_job "{\"pending_id\": \"$p\"}" &&
	test_match "^next: a person has to review it first" text &&
	test "$(starts)" -eq 0
}

# in_place JQ: changes an approval, which stays its owner's.
in_place () {
	jq -c "$1" "$approval" >changed && cat changed >"$approval"
}

# incomplete REGEX: nor is there more than that in what the operator forgot.
incomplete () {
	fails config 400 "$1" confirm_submit_job "{\"pending_id\": \"$p\"}" &&
	test_match "^next: .*not complete; tell the user" text &&
	test "$(starts)" -eq 0
}

test_expect_success 'the set-up of other-uid' '
	by_page root other-uid &&
	gives save_connection "{\"name\": \"demo\", \"master\": \"local\"}" \
		".origin.master == \"agent\"" &&
	on_host ada sa-conn list >out &&
	jq_ok ".items[0].name == \"demo\"" out
'

test_expect_success 'other-uid: once, after another user approved' '
	ready && refused "$p is not approved" &&
	ada_approves && confirmed &&
	fails invalid 400 "was submitted already" confirm_submit_job \
		"{\"pending_id\": \"$p\"}" &&
	test "$(starts)" -eq 1 &&
	on_host agent sa-confirm audit >out &&
	jq_ok "[.items[] | select(.id == \$p) | \"\(.event) \(.actor.uid)\"] |
		contains([\"prepared 64001\", \"approved 64002\"])" \
		out --arg p "$p" &&
	on_host agent sa-confirm audit --verify
'

test_expect_success 'other-uid: not after the same user, nor one of no group' '
	ready &&
	on_host agent sa-confirm approve --yes "$p" >out &&
	refused "uid 64001, who also confirms" &&
	on_host root sa-confirm approve --yes "$p" >out &&
	refused "uid 0, who approved, is not in the group" &&
	ada_approves &&
	on_host agent sh -c "cp $approval ~/x && mv -f ~/x $approval" &&
	refused "uid 64001, who also confirms" &&
	ada_approves && confirmed
'

test_expect_success 'other-uid: not what is too old or of something else' '
	ready && old=$p && ada_approves && cp -p "$approval" old &&
	ready && cp -p old "$approval" && refused "another pending" &&
	rm "$approval" &&
	ada_approves && in_place ".expires_at = \"2020-01-01T00:00:00Z\"" &&
	refused "expired" &&
	ada_approves && cp -p "$approval" good &&
	in_place ".plan_sha256 |= sub(\"^..\"; \"zz\")" &&
	refused "another plan" &&
	in_place "del(.plan_sha256)" && refused "another plan" &&
	echo "{" >"$approval" && refused "not good" &&
	cp -p good "$approval" && confirmed &&
	p=$old && confirmed
'

# What was used is of no use, even to whoever can write to the store.
test_expect_success 'other-uid: a used one is not used again' '
	ready && ada_approves && confirmed && used=srv/sa/approvals/$p.used &&
	first=$p && ready && test "$p" != "$first" &&
	on_host agent mv "$used" "$approval" &&
	refused "another pending"
'

test_expect_success 'signed: the key, and who may sign' '
	printf "%s\n" "expect passphrase" "send let me in" \
		"expect again" "send let me in" >typed &&
	say_host "$page" "(key)" >key.sh &&
	on_host ada in-terminal "$PWD/typed" sh -e "$PWD/key.sh" >shown &&
	by_page root signers && test -s etc/sa/allowed_signers
'

test_expect_success 'signed: once, with a signature that counts' '
	ready && refused "$p is not approved" &&
	ada_approves "expect passphrase" "send let me in" &&
	jq_ok ".signature | startswith(\"-----BEGIN SSH SIG\")" "$approval" &&
	confirmed &&
	fails invalid 400 "was submitted already" confirm_submit_job \
		"{\"pending_id\": \"$p\"}" &&
	test "$(starts)" -eq 1
'

test_expect_success 'signed: no wrong passphrase, signer or text' '
	ready &&
	test_expect_code 78 ada_approves "expect passphrase" "send no" &&
	refused "$p is not approved" &&
	on_host agent sh -c "ssh-keygen -q -t ed25519 -N \"\" -f ~/own &&
		mkdir -p ~/.config/sa &&
		echo signing_key = ~/own >~/.config/sa/config" &&
	on_host agent sa-confirm approve --yes "$p" >out &&
	refused "signature" &&
	rm home/agent/.config/sa/config &&
	rm "$approval" &&
	SA_APPROVAL_TTL=1s ada_approves "expect passphrase" "send let me in" &&
	sleep 1.1 && refused "expired" &&
	in_place ".expires_at = \"2099-01-01T00:00:00Z\"" &&
	refused "signature" &&
	ada_approves "expect passphrase" "send let me in" &&
	cp -p "$approval" good &&
	in_place ".approved_by.uid = 7" && refused "signature" &&
	in_place ".signature = null" && refused "not signed" &&
	in_place ".signature = \"-----BEGIN SSH SIGNATURE-----\"" &&
	refused "signature" &&
	cp -p good "$approval" && confirmed
'

test_expect_success 'signed: nor does a set-up with a hole say how' '
	ready && ada_approves "expect passphrase" "send let me in" &&
	operator confirm=signed &&
	incomplete "allowed_signers is not set" &&
	operator confirm=signed "allowed_signers=$PWD/etc/none" &&
	refused "signature" &&
	operator confirm=other-uid approvers=no-such-group &&
	incomplete "no group" &&
	by_page root signers && agent_path=$PWD/bin && export agent_path &&
	incomplete "not in PATH"
'

test_expect_success 'shell: after an approval, of the same user too' '
	operator && ready && refused "$p is not approved" &&
	on_host agent sa-confirm approve --yes "$p" >out && confirmed
'

# not_open [NAME=VALUE]: a server with that in its environment does not start.
not_open () {
	test_expect_code 78 env "$@" sa-mcp </dev/null >out 2>err &&
	test_empty out && test_match "would loosen" err
}

test_expect_success 'open: by the operator alone' '
	operator && not_open SA_CONFIRM=open &&
	echo confirm=open >extra && not_open "SA_CONFIG=$PWD/extra" &&
	mkdir -p home/agent/.config/sa &&
	echo confirm=open >home/agent/.config/sa/config && not_open &&
	operator confirm=other-uid && not_open &&
	rm home/agent/.config/sa/config &&
	not_open SA_CONFIRM=shell && not_open SA_CONFIRM=open &&
	for option in --confirm=open --policy=open --open --yes
	do
		test_expect_code 64 sa-mcp "$option" </dev/null 2>err || exit
	done
'

# What a start and an end have to say: err.
ended () {
	sa-mcp </dev/null >out 2>err
}

test_expect_success 'open: at once, and said at each start and by --self-test' '
	operator confirm=open && ready && confirmed &&
	test_match "WARNING.*confirm = open" err &&
	ended && test_match "WARNING.*confirm = open .*/etc/sa/config:2" err &&
	ended && test_match "WARNING.*no person has seen" err &&
	test "$(grep -c "WARNING.*confirm = open" srv/sa/log/info.log)" -eq 4 &&
	sa-mcp --self-test --json >out &&
	jq_ok ".items[] | select(.name == \"confirm\") |
		.detail == \"open (/etc/sa/config:2)\"" out &&
	operator && sa-mcp --self-test --json >out &&
	jq_ok ".items[] | select(.name == \"confirm\") |
		.detail == \"shell (default)\"" out &&
	ended && test_empty err
'

test_expect_success 'no argument and no variable makes a person of a model' '
	operator && ready &&
	for m in origin SA_ORIGIN env yes approved by
	do
		fails usage 400 "no argument $m" confirm_submit_job \
			"{\"pending_id\": \"$p\", \"$m\": \"person\"}" || exit
	done &&
	for id in "$p -y" "-y" "$p\\nSA_ORIGIN=person" "../pending/$p"
	do
		fails not_found 404 "unknown pending_id" confirm_submit_job \
			"{\"pending_id\": \"$id\"}" || exit
	done &&
	SA_ORIGIN=person && export SA_ORIGIN && refused "not approved" &&
	SA_ORIGIN= && refused "not approved"
'

test_done
