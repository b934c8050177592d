#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='who may confirm, under each policy'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
test ! -e /etc/sa/config || skip_all 'this host has a policy of its own'
. "$SA_SRCDIR/t/confirm-lib.sh"

# policy KEY=VALUE...
policy () {
	mkdir -p "$XDG_CONFIG_HOME/sa" &&
	printf '%s\n' "$@" >"$XDG_CONFIG_HOME/sa/config"
}

agent () {
	SA_ORIGIN=agent "$@"
}

# refused COMMAND...: 77, nothing on stdout, the pending as it was.
refused () {
	test_expect_code 77 "$@" >out 2>err &&
	test_empty out &&
	status_is PENDING &&
	test "$(starts "$p")" -eq 0
}

test_expect_success 'open: an agent may' '
	policy confirm=open && prepare "exit 0" &&
	agent sa-confirm "$p" >job.json &&
	jq_ok ".type == \"job\"" job.json
'

test_expect_success 'shell: a person may, an agent wants an approval' '
	policy && prepare "exit 0" &&
	refused agent sa-confirm "$p" &&
	refused agent sa-confirm --yes "$p" &&
	test_match "^sa-confirm: $p is not approved" err &&
	sa-confirm approve --yes "$p" >approval &&
	jq_ok ".type == \"approval\" and .pending_id == \$p and
		.signature == null and .approved_by.uid >= 0" approval \
		--arg p "$p" &&
	agent sa-confirm "$p" >job.json &&
	test -e "data/approvals/$p.used" &&
	test ! -e "data/approvals/$p.json" &&
	prepare "exit 0" &&
	sa-confirm --yes "$p"
'

test_expect_success 'an agent is never told how to approve, and cannot' '
	policy && prepare "exit 0" &&
	refused agent sa-confirm "$p" &&
	test_expect_code 1 grep -iE "approve |--yes|sa-confirm approve" err &&
	refused agent sa-confirm approve --yes "$p" &&
	test ! -e "data/approvals/$p.json" &&
	agent sa-confirm reject "$p" >out &&
	jq_ok ".status == \"CANCELLED\"" out
'

test_expect_success 'an approval is for one plan, one pending, one hour' '
	policy && prepare "exit 0" && old=$p &&
	sa-confirm approve --yes "$p" >approval &&
	test_expect_code 65 sa-confirm approve --yes "$p" 2>err &&
	test_match "approved already" err &&
	file=data/approvals/$p.json &&
	jq -c ".plan_sha256 |= sub(\"^..\"; \"zz\")" approval >"$file" &&
	refused agent sa-confirm "$p" &&
	test_match "another plan" err &&
	jq -c ".expires_at = \"2020-01-01T00:00:00Z\"" approval >"$file" &&
	refused agent sa-confirm "$p" &&
	test_match "expired" err &&
	jq -c "del(.expires_at)" approval >"$file" &&
	refused agent sa-confirm "$p" &&
	echo "{" >"$file" &&
	refused agent sa-confirm "$p" &&
	prepare "exit 0" &&
	cp approval "data/approvals/$p.json" &&
	refused agent sa-confirm "$p" &&
	test_match "another pending" err &&
	ln -s "$PWD/approval" data/approvals/link &&
	mv data/approvals/link "data/approvals/$p.json" &&
	refused agent sa-confirm "$p" &&
	p=$old &&
	sa-confirm approve --yes "$p" &&
	agent sa-confirm "$p"
'

test_expect_success 'an approval lasts as long as the setting says' '
	policy && prepare "exit 0" &&
	SA_APPROVAL_TTL=1s sa-confirm approve --yes "$p" >approval &&
	sleep 1.1 &&
	refused agent sa-confirm "$p" &&
	test_match "expired" err
'

test_expect_success ROOT,setpriv 'other-uid: only what another user approved' '
	policy confirm=other-uid && prepare "exit 0" &&
	refused sa-confirm --yes "$p" &&
	sa-confirm approve --yes "$p" >approval &&
	refused sa-confirm --yes "$p" &&
	test_match "uid 0, who also confirms" err &&
	chgrp -R 65534 data &&
	as_nobody sa-confirm approve --yes "$p" >approval &&
	jq_ok ".approved_by.uid == 65534" approval &&
	test "$(stat -c %u "data/approvals/$p.json")" -eq 65534 &&
	sa-confirm --yes "$p" >job.json &&
	jq_ok ".type == \"job\"" job.json &&
	sa-confirm audit --verify
'

test_expect_success ROOT,setpriv 'other-uid: an agent too, after an approval' '
	policy confirm=other-uid && prepare "exit 0" && chgrp -R 65534 data &&
	refused agent sa-confirm "$p" &&
	as_nobody sa-confirm approve --yes "$p" >approval &&
	agent sa-confirm "$p"
'

test_expect_success ROOT,setpriv 'other-uid: of the approvers, where set' '
	group=$(id -gn nobody) && prepare "exit 0" && chgrp -R 65534 data &&
	policy confirm=other-uid approvers=daemon &&
	as_nobody sa-confirm approve --yes "$p" >approval &&
	refused sa-confirm --yes "$p" &&
	test_match "not in the group .daemon." err &&
	policy confirm=other-uid approvers=no-such-group &&
	test_expect_code 78 sa-confirm --yes "$p" &&
	policy confirm=other-uid approvers="$group" &&
	sa-confirm --yes "$p"
'

test_expect_success ROOT,setpriv 'another user can reject, and hold a lock' '
	policy && prepare "exit 0" && chgrp -R 65534 data &&
	as_nobody sa-confirm reject "$p" >out &&
	jq_ok ".status == \"CANCELLED\"" out &&
	test_expect_code 65 sa-confirm --yes "$p"
'

test_expect_success ROOT,setpriv 'others of the group see that a job lives' '
	policy && umask 077 && prepare "await go" && chgrp -R 65534 data &&
	submit &&
	as_nobody sa-yarn status "$j" >out &&
	jq_ok ".state == \"RUNNING\"" out &&
	touch go && ended "$j" && rm go &&
	as_nobody sa-yarn status "$j" >out &&
	jq_ok ".state == \"SUCCEEDED\"" out
'

keys () {
	ssh-keygen -q -t ed25519 -N "" -C "" -f "$1" || return
	printf 'ada@example.org namespaces="sa-approval" %s\n' \
		"$(cat "$1.pub")" >"$1.signers"
}

test_expect_success ssh-keygen 'signed: only with a signature that verifies' '
	keys "$PWD/key" && keys "$PWD/other" && prepare "exit 0" &&
	policy confirm=signed "allowed_signers=$PWD/key.signers" &&
	refused sa-confirm --yes "$p" &&
	test_expect_code 78 sa-confirm approve --yes "$p" 2>err &&
	test_match "signing_key" err &&
	policy && sa-confirm approve --yes "$p" &&
	policy confirm=signed "allowed_signers=$PWD/key.signers" \
		"signing_key=$PWD/other" &&
	refused sa-confirm --yes "$p" &&
	test_match "not signed" err &&
	sa-confirm approve --yes "$p" >approval &&
	refused sa-confirm --yes "$p" &&
	test_match "signature" err &&
	policy confirm=signed "allowed_signers=$PWD/key.signers" \
		"signing_key=$PWD/key" &&
	sa-confirm approve --yes "$p" >approval &&
	jq_ok ".signature | startswith(\"-----BEGIN SSH SIGNATURE\")" \
		approval &&
	file=data/approvals/$p.json && cp "$file" good &&
	jq -c ".approved_by.uid = 7" good >"$file" &&
	refused sa-confirm --yes "$p" &&
	cp good "$file" &&
	sa-confirm --yes "$p"
'

test_expect_success ssh-keygen 'the signature is one over the sorted record' '
	keys "$PWD/k2" && prepare "exit 0" &&
	policy confirm=signed "allowed_signers=$PWD/k2.signers" \
		"signing_key=$PWD/k2" &&
	sa-confirm approve --yes "$p" >approval &&
	jq -r .signature approval >sig &&
	real_jq -cjS "del(.signature)" approval >text &&
	ssh-keygen -Y verify -f k2.signers -I ada@example.org \
		-n sa-approval -s sig <text &&
	test_expect_code 255 ssh-keygen -Y verify -f k2.signers \
		-I ada@example.org -n file -s sig <text
'

test_expect_success 'nobody loosens the policy' '
	policy confirm=other-uid && prepare "exit 0" &&
	test_expect_code 78 env SA_CONFIRM=open sa-confirm --yes "$p" &&
	policy && refused env SA_CONFIRM=signed sa-confirm --yes "$p" &&
	policy confirm=shell &&
	refused env SA_CONFIRM=other-uid sa-confirm --yes "$p"
'

test_done
