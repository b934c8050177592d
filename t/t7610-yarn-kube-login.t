#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='sa-yarn: certificates and accounts of Kubernetes'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq openssl python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/kube-lib.sh"

# authority NAME: NAME.pem and NAME.key
authority () {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-days 2 -subj "/CN=$1" -keyout "$1.key" -out "$1.pem" 2>log ||
		tl_fatal "no certificate: $(cat log)"
}

# signed NAME AUTHORITY EXTENSION
signed () {
	echo "$3" >ext &&
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-subj "/CN=$1" -keyout "$1.key" -out "$1.csr" 2>log &&
	openssl x509 -req -days 2 -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" \
		-CAcreateserial -extfile ext -out "$1.pem" 2>log ||
		tl_fatal "no certificate: $(cat log)"
}

authority ours
authority other
signed server ours 'subjectAltName=IP:127.0.0.1'
signed jane ours 'extendedKeyUsage=clientAuth'
signed joe ours 'extendedKeyUsage=clientAuth'
cat server.key server.pem >server.both
start_kube --token secret-token --tls server.both --client-ca ours.pem
kube=https${kube#http}
fake_spark
mkdir config.d
sa-conn save k --master "k8s://$kube" --deploy-mode cluster \
	--env "KUBECONFIG=$PWD/config.d/config" >/dev/null

# config CLUSTER USER: members of the two
config () {
	jq -n --arg s "$kube" '{"current-context": "x",
		contexts: [{name: "x", context: {cluster: "c", user: "u"}}],
		clusters: [{name: "c", cluster: ({server: $s} + ('"$1"'))}],
		users: [{name: "u", user: ('"$2"')}]}' >config.d/config
}

data () {
	echo "\"$1\": \"$(base64 -w 0 "$2")\""
}

authority_data=$(data certificate-authority-data ours.pem)
jane=$(data client-certificate-data jane.pem)
jane="$jane, $(data client-key-data jane.key)"

user_is () {
	: >"$TMPDIR/requests" && sa-yarn check -c k >out &&
	test "$(asked ".user != $1")" -eq 0 && test "$(asked true)" -gt 0
}

# Why there is no answer
refused () {
	: >"$TMPDIR/requests" && test_expect_code 1 sa-yarn check -c k >out &&
	jq_ok ".items[0] | .ok == false and (.detail + .hint | test(\$w))" \
		out --arg w "$1"
}

test_expect_success 'certificates in the kubeconfig itself' '
	config "{$authority_data}" "{$jane}" && user_is "\"jane\""
'

test_expect_success 'certificates in files beside it' '
	cp ours.pem jane.pem jane.key config.d &&
	config "{\"certificate-authority\": \"ours.pem\"}" \
		"{\"client-certificate\": \"jane.pem\",
		\"client-key\": \"jane.key\"}" && user_is "\"jane\""
'

test_expect_success 'a token, and nobody who is named by a certificate' '
	config "{$authority_data}" "{token: \"secret-token\"}" && user_is null
'

test_expect_success 'nobody: the server says so' '
	config "{$authority_data}" "{}" && refused "may have expired" &&
	test "$(asked true)" -eq 1
'

test_expect_success 'a server of another authority gets nothing' '
	config "{$(data certificate-authority-data other.pem)}" \
		"{token: \"secret-token\"}" &&
	refused "certificate" && test "$(asked true)" -eq 0 &&
	config "{}" "{token: \"secret-token\"}" &&
	refused "certificate" && test "$(asked true)" -eq 0
'

test_expect_success 'a key of another certificate, and none' '
	config "{$authority_data}" "{$(data client-certificate-data jane.pem),
		$(data client-key-data joe.key)}" &&
	refused "key|certificate" && test "$(asked true)" -eq 0 &&
	config "{$authority_data}" \
		"{$(data client-certificate-data jane.pem)}" &&
	refused "key" && test "$(asked true)" -eq 0
'

test_expect_success 'what is not PEM in base64 is named' '
	config "{\"certificate-authority-data\": \"%\"}" "{}" &&
	refused "certificate-authority-data is not PEM" &&
	config "{$authority_data}" "{\"client-key-data\": \"%\"}" &&
	refused "client-key-data is not PEM" &&
	echo x >x &&
	config "{$(data certificate-authority-data x)}" "{$jane}" &&
	refused "certificate"
'

test_expect_success 'properties come before the kubeconfig' '
	config "{$(data certificate-authority-data other.pem)}" "{$jane}" &&
	p=spark.kubernetes.authenticate.submission &&
	sa-conn save k --conf "$p.caCertFile=$PWD/ours.pem" \
		--conf "$p.clientCertFile=$PWD/joe.pem" \
		--conf "$p.clientKeyFile=$PWD/joe.key" >out &&
	user_is "\"joe\"" &&
	sa-conn save k --conf "$p.clientKeyFile=$PWD/none.key" >out &&
	refused "none.key"
'

# A tmpfs on /run, and there the account that /var/run leads to.
in_pod () {
	# shellcheck disable=SC2016
	with_tmpfs mode=755 /run sh -c 'mkdir -p "$1" && cp account/* "$1" &&
		shift && exec "$@"' sh \
		/var/run/secrets/kubernetes.io/serviceaccount "$@"
}

test_expect_success TMPFS 'in a pod: its account, where no kubeconfig is' '
	mkdir account && cp ours.pem account/ca.crt &&
	printf secret-token >account/token &&
	sa-conn save pod --master "k8s://$kube" --deploy-mode cluster \
		--env "KUBECONFIG=$PWD/none" >out &&
	: >"$TMPDIR/requests" && in_pod sa-yarn check -c pod >out &&
	jq_ok "any(.items[]; .detail | test(\"service account\"))" out &&
	test "$(asked ".auth != \"Bearer secret-token\"")" -eq 0 &&
	test "$(asked true)" -gt 0 && printf other >account/token &&
	test_expect_code 1 in_pod sa-yarn check -c pod >out &&
	jq_ok ".items[0].hint | test(\"service account.*expired\")" out
'

test_expect_success TMPFS 'in a pod: a kubeconfig comes before the account' '
	printf secret-token >account/token &&
	config "{$authority_data}" "{$jane}" &&
	sa-conn save pod --env "KUBECONFIG=$PWD/config.d/config" >out &&
	: >"$TMPDIR/requests" && in_pod sa-yarn check -c pod >out &&
	test "$(asked ".user != \"jane\" or .auth != null")" -eq 0
'

test_expect_success TMPFS 'in a pod: an agent does not choose who gets it' '
	connection=$SPARK_EXECUTOR_DATA_DIR/connections/pod.json &&
	sa-conn save pod --env "KUBECONFIG=$PWD/none" >out &&
	for c in "${connection%/*}"/*.json
	do
		jq ".origin.master = \"agent\"" "$c" >new && mv new "$c" ||
			return 1
	done && : >"$TMPDIR/requests" &&
	test_expect_code 1 in_pod sa-yarn check -c pod >out &&
	jq_ok ".items[0].detail | test(\"an agent chose\")" out &&
	test "$(asked true)" -eq 0
'

test_done
