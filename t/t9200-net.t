#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
#
# The network of a sandbox: what is allowed works as it does without a
# sandbox, for clients that know of proxies and for those that do not.
. "${SA_SRCDIR:-$(dirname "$0")/..}/t/net-lib.sh"

# Names of the host lead to addresses that the sandbox may dial.
test_expect_success 'servers run that only this network has' '
	if command -v openssl >/dev/null
	then
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
			-nodes -days 2 -subj /CN=web.example.com -addext \
			"subjectAltName=DNS:web.example.com,DNS:*.example.net" \
			-keyout key -out ca &&
		cat key ca >both &&
		serve ../both
	else
		serve
	fi
'
at_end end_serving

test_expect_success 'without a network there is none' '
	test_expect_code 1 net -- python3 -c "
import socket
socket.create_connection((\"11.0.0.1\", 80), 5)" &&
	jq_ok ".stderr | test(\"Network is unreachable\")" record &&
	jq_ok "has(\"egress\") | not" record &&
	net -- sh -c "env; cat /etc/resolv.conf" &&
	jq_ok ".stdout | test(\"PROXY|nameserver\") | not" record
'

test_expect_success curl 'curl, by the proxy and by itself' '
	net --allow-egress web.example.com -- sh -c "
		curl -sS http://web.example.com/a &&
		curl -sS --noproxy \"*\" http://web.example.com/b &&
		curl -sS -x socks5h://127.0.0.1:1080 http://web.example.com/c
		curl -sS -px http://127.0.0.1:3128 http://web.example.com/d" &&
	jq_ok ".stdout == \"web.example.com /a\nweb.example.com /b\n\" +
		\"web.example.com /c\nweb.example.com /d\n\"" record &&
	jq_ok ".egress | length == 4 and all(.host == \"web.example.com\" and
		.port == 80 and .allowed and .reason == null and
		.bytes > 100 and .times == 1)" record
'

test_expect_success curl,openssl 'curl with TLS, by the proxy and by itself' '
	sa-sandbox create --allow-egress web.example.com |
		jq -r .sandbox >box &&
	sa-sandbox write "$(cat box)" ca <ca &&
	sa-sandbox exec --in "$(cat box)" --json -- sh -c "
		curl -sS --cacert ca https://web.example.com/a &&
		curl -sS --cacert ca --noproxy \"*\" \
			https://web.example.com/b" >record &&
	jq_ok ".stdout == \"web.example.com /a\nweb.example.com /b\n\"" \
		record &&
	jq_ok "[.egress[] | [.host, .port, .allowed]] |
		. == [[\"web.example.com\", 443, true],
			[\"web.example.com\", 443, true]]" record &&
	sa-sandbox destroy "$(cat box)"
'

test_expect_success 'python, and a socket without any help' '
	cat >client.py <<-\EOF2 &&
	import socket, sys, urllib.request
	url = "http://web.example.com/u"
	print(urllib.request.urlopen(url).read().decode(), end="")
	plain = urllib.request.build_opener(urllib.request.ProxyHandler({}))
	print(plain.open(url).read().decode(), end="")
	s = socket.create_connection(("web.example.com", 2222))
	f = s.makefile("rw")
	print(f.readline(), end="")
	f.write("there and back\n")
	f.flush()
	s.shutdown(socket.SHUT_WR)
	print(f.read(), end="")
	EOF2
	sa-sandbox create --allow-egress web.example.com \
		--allow-egress web.example.com:2222 | jq -r .sandbox >box &&
	sa-sandbox write "$(cat box)" client.py <client.py &&
	sa-sandbox exec --in "$(cat box)" -- python3 client.py >out &&
	cat >expected <<-\EOF2 &&
	web.example.com /u
	web.example.com /u
	hello
	there and back
	EOF2
	test_cmp expected out &&
	sa-sandbox destroy "$(cat box)"
'

test_expect_success git 'git clones over HTTP' '
	git init -q --bare -b main served/git &&
	git init -q -b main work &&
	(
		cd work &&
		git config user.name a && git config user.email a@b &&
		head -c 2000000 /dev/urandom >data &&
		git add data && git commit -q -m one &&
		git push -q ../served/git main
	) &&
	(cd served/git && git update-server-info) &&
	net --allow-egress git.example.org -- sh -c "
		git clone -q http://git.example.org/git one &&
		env -u http_proxy -u HTTP_PROXY -u all_proxy -u ALL_PROXY \
			git clone -q http://git.example.org/git two &&
		cat one/data two/data | cksum" &&
	cat work/data work/data | cksum >sum &&
	jq -j .stdout record >out &&
	test_cmp sum out
'

test_expect_success git,openssl 'and over TLS' '
	sa-sandbox create --allow-egress "*.example.net" |
		jq -r .sandbox >box &&
	sa-sandbox write "$(cat box)" ca <ca &&
	sa-sandbox exec --in "$(cat box)" --json -- sh -c "
		git -c http.sslCAInfo=ca clone -q \
			https://a.example.net/git one &&
		git -c http.sslCAInfo=ca -c http.proxy= clone -q \
			https://b.example.net/git two &&
		cat one/data two/data | cksum" >record &&
	jq -j .stdout record >out &&
	test_cmp sum out &&
	sa-sandbox destroy "$(cat box)"
'

if net -- node --version 2>err
then
	test_expect_success 'node' '
		net --allow-egress web.example.com -- node -e "
			fetch(\"http://web.example.com/n\")
				.then(r => r.text()).then(console.log)" &&
		jq_ok ".stdout == \"web.example.com /n\n\n\"" record &&
		net --allow-egress web.example.com \
			--env NODE_USE_ENV_PROXY=0 -- node -e "
			fetch(\"http://web.example.com/n\")
				.then(r => r.text()).then(console.log)" &&
		jq_ok ".stdout == \"web.example.com /n\n\n\"" record
	'
else
	test_skip 'node' 'no node in /usr'
fi

test_expect_success 'addresses by range, and names to a private one' '
	net --allow-cidr 10.99.0.0/24 -- python3 -c "
import urllib.request
print(urllib.request.urlopen(\"http://10.99.0.7:8080/p\").read())
plain = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(plain.open(\"http://10.99.0.7:80/q\").read())" &&
	jq_ok ".stdout | test(\"10.99.0.7:8080 /p(.|\n)*10.99.0.7:80 /q\")" \
		record &&
	net --allow-cidr 10.99.0.0/24 --allow-egress intra.example.com -- \
		python3 -c "
import urllib.request
print(urllib.request.urlopen(\"http://intra.example.com/i\").read())" &&
	jq_ok ".stdout | test(\"intra.example.com /i\")" record
'

test_expect_success 'an open network has all that is public' '
	net --open-network -- python3 -c "
import socket, urllib.request
plain = urllib.request.build_opener(urllib.request.ProxyHandler({}))
for url in (\"http://web.example.com/o\", \"http://11.0.0.5:8080/p\"):
    for opener in (plain, urllib.request.build_opener()):
        print(opener.open(url).read().decode(), end=\"\")
print(socket.create_connection((\"11.0.0.3\", 2222)).recv(99))" &&
	jq_ok ".stdout | test(\"hello\")" record &&
	jq_ok ".egress | length == 5 and all(.allowed)" record
'

test_expect_success 'what was not reached is told, and why' '
	cat >client.py <<-\EOF2 &&
	import socket, sys
	for host, port in ("web.example.com", 9999), ("evil.example.com", 80):
	    try:
	        s = socket.create_connection((host, port), 20)
	        s.recv(1)
	    except OSError:
	        continue
	sys.exit(3)
	EOF2
	tell () {
		test_expect_code 3 sa-sandbox exec -i "$@" \
			--allow-egress web.example.com:9999 -- python3 - \
			<client.py >out 2>err
	} &&
	tell --json &&
	jq_ok "[.egress[] | [.host, .port, .allowed, .reason]] |
		. == [[\"web.example.com\", 9999, true, \"Connection refused\"],
		[\"evil.example.com\", null, false,
			\"the host is not allowed\"]]" out &&
	why="web.example.com:9999 (Connection refused)" &&
	why="$why, evil.example.com (the host is not allowed)" &&
	tell && test_empty out &&
	echo "sa-sandbox: not reached: $why" >expected &&
	test_cmp expected err &&
	tell --text &&
	grep -qxF "[not reached: $why]" out
'

test_expect_success 'settings for proxies do not hide those that were given' '
	net --allow-egress a.b --env HTTP_PROXY=x --env no_proxy=y -- env &&
	jq_ok ".stdout | test(\"(^|\n)HTTP_PROXY=x\n\") and
		test(\"(^|\n)no_proxy=y\n\") and
		test(\"(^|\n)HTTPS_PROXY=h\")" record
'

test_expect_success 'an empty list is no network' '
	"$SA_BUILDDIR/t/in-sandbox" \
		"{\"allow_egress\": [], \"allow_cidr\": []}" 30 true &&
	sa-sandbox check --json >check &&
	jq_ok ".items[] | select(.name == \"network\") | .ok" check
'

test_expect_success 'what cannot be had is refused by name' '
	test_expect_code 77 sa-sandbox create --allow-egress a.b:25 2>err &&
	test_match "a.b:25" err &&
	test_expect_code 77 sa-sandbox create --allow-cidr 198.18.4.0/24 \
		2>err &&
	test_match "198.18.4.0/24" err
'

# A kernel that redirects nothing for us.
test_expect_success 'without a packet filter, names as before' '
	test_expect_code 1 "$SA_BUILDDIR/t/no-netfilter" sa-sandbox exec \
		--json --allow-egress web.example.com \
		--allow-egress web.example.com:2222 -- python3 -c "
import socket, urllib.request
plain = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(plain.open(\"http://web.example.com/f\").read())
print(socket.create_connection((\"web.example.com\", 2222)).recv(99))
print(socket.create_connection((\"web.example.com\", 81)).recv(99))" \
		</dev/null >record &&
	jq_ok ".exit_code == 1 and (.stdout | test(\"/f(.|\n)*hello\")) and
		(.stderr | test(\"refused\"))" record &&
	"$SA_BUILDDIR/t/no-netfilter" sa-sandbox check >check &&
	jq_ok ".items[] | select(.name == \"network\") |
		.ok and (.detail | test(\"others by HTTP_PROXY\"))" check
'

test_expect_success 'and the others by the proxies' '
	"$SA_BUILDDIR/t/no-netfilter" sa-sandbox exec --json --open-network \
		-- python3 -c "
import socket, urllib.request
plain = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(plain.open(\"http://11.0.0.5/p\").read())
print(urllib.request.urlopen(\"http://11.0.0.5:8080/q\").read())" \
		</dev/null >record &&
	jq_ok ".stdout | test(\"/p(.|\n)*/q\")" record
'

# A tree of the host, with another resolver than the sandbox has.
test_expect_success curl 'a root tree has the network too' '
	mkdir tree tree/etc &&
	for i in usr bin lib lib64 sbin
	do
		test ! -e "/$i" || ln -s "/usr/$i" "tree/$i" || exit
	done &&
	rm -f tree/usr && mkdir tree/usr &&
	echo "nameserver 11.0.0.1" >tree/etc/resolv.conf &&
	net --root "$PWD/tree" --ro /usr --allow-egress web.example.com -- \
		sh -c "cat /etc/resolv.conf; curl -sS --noproxy \"*\" \
			http://web.example.com/r" &&
	jq_ok ".stdout == \"nameserver 127.0.0.1\nweb.example.com /r\n\"" \
		record
'

end_serving
both_users
test_done
