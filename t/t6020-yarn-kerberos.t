#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='a ResourceManager that wants Kerberos, and a real KDC'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

PATH=$PATH:/usr/sbin
python=/usr/bin/python3
for tool in krb5kdc kdb5_util kadmin.local kinit "$python"
do
	command -v "$tool" >/dev/null || skip_all "$tool is not here"
done
"$python" -c 'import gssapi' 2>/dev/null ||
	skip_all "$python has no gssapi (Debian: python3-gssapi)"

free_port () {
	"$python" -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

realm=$TMPDIR/realm
mkdir "$realm" && kdc=$(free_port) || skip_all 'no port'
cat >"$realm/krb5.conf" <<EOF
[libdefaults]
	default_realm = TEST.EXAMPLE
	dns_lookup_kdc = false
	dns_lookup_realm = false
	dns_canonicalize_hostname = false
	rdns = false
[realms]
	TEST.EXAMPLE = {
		kdc = 127.0.0.1:$kdc
	}
[domain_realm]
	localhost = TEST.EXAMPLE
EOF
cat >"$realm/kdc.conf" <<EOF
[kdcdefaults]
	kdc_listen = 127.0.0.1:$kdc
	kdc_tcp_listen = 127.0.0.1:$kdc
[realms]
	TEST.EXAMPLE = {
		database_name = $realm/db
		key_stash_file = $realm/stash
	}
EOF
KRB5_CONFIG=$realm/krb5.conf
KRB5_KDC_PROFILE=$realm/kdc.conf
KRB5CCNAME=FILE:$realm/cache
KRB5_KTNAME=$realm/keytab
export KRB5_CONFIG KRB5_KDC_PROFILE KRB5CCNAME KRB5_KTNAME
{
	kdb5_util -P master create -s -r TEST.EXAMPLE &&
	kadmin.local -q 'addprinc -pw secret alice' &&
	kadmin.local -q 'addprinc -randkey HTTP/localhost' &&
	kadmin.local -q "ktadd -k $realm/keytab HTTP/localhost"
} >"$realm/out" 2>&1 || skip_all 'no realm can be made'
krb5kdc -n -P "$realm/pid" >>"$realm/out" 2>&1 &
at_end "kill $! 2>/dev/null"

echo '{"auth":"kerberos"}' >scenario
"$python" "$SA_SRCDIR/t/fake-yarn.py" --log requests scenario >ports &
at_end "kill $! 2>/dev/null"
wait_for test -s ports
sa-conn save krb --master yarn \
	--yarn-rm-url "http://localhost:$(jq '.rm[0]' ports)" >connection

of_rm='.items[] | select(.name == "resource_manager")'

test_expect_success 'without a ticket it says what to do' '
	test_expect_code 1 sa-yarn check --connection krb >out &&
	jq_ok "($of_rm).ok == false" out &&
	jq_ok "($of_rm).hint | test(\"kinit\")" out &&
	jq_ok "[.[] | select(.who)] == []" requests --slurp
'

test_expect_success 'with one it gets in, and needs it once' '
	echo secret | kinit alice >kinit.out &&
	rm requests &&
	test_expect_code 1 sa-yarn check --connection krb >out &&
	jq_ok "($of_rm).ok" out &&
	jq_ok "[.[] | select(.who).who] == [\"alice@TEST.EXAMPLE\"]" \
		requests --slurp &&
	jq_ok "[.[] | select(.headers.cookie)] | length > 2" requests --slurp
'

test_expect_success 'a file that says negotiate spares the refusal' '
	echo negotiate >auth && chmod 600 auth &&
	sa-conn save krb --auth-file "$PWD/auth" >connection &&
	rm requests &&
	test_expect_code 1 sa-yarn check --connection krb >out &&
	jq_ok "($of_rm).ok" out &&
	jq_ok "map(select(.path)) | .[0].headers | has(\"authorization\")" \
		requests --slurp &&
	jq_ok "map(select(.query | has(\"user.name\")?)) == []" \
		requests --slurp
'

test_done
