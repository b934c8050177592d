# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""box-net.py LOG [CERTIFICATE]: servers that sandboxes are let to, or not.

On every address: HTTP on 80 and 8080, TLS with HTTP on 443 and 8443 where a
certificate with its key is given, 2222 that greets first and gives back what
it gets, 53 of UDP. What comes is noted in LOG, a line each; "ready" is the
first.
"""
import http.server
import pathlib
import socket
import socketserver
import ssl
import sys
import threading

lock = threading.Lock()
log = open(sys.argv[1], "a", encoding="ascii", errors="backslashreplace")


def note(*words):
    with lock:
        print(*words, file=log, flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    """Files below the working directory; other paths are told back."""
    protocol_version = "HTTP/1.1"

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        note(self.command, self.headers["Host"], self.path,
             self.connection.getsockname()[0])
        path = pathlib.Path("." + self.path.partition("?")[0])
        if ".." not in path.parts and path.is_file():
            self.answer(path.read_bytes())
        elif path.parts[:1] == ("git",):
            self.send_error(404)
        else:
            self.answer(f"{self.headers['Host']} {self.path}\n".encode())

    def do_POST(self):
        size = int(self.headers["Content-Length"] or 0)
        body = self.rfile.read(size)
        note(self.command, self.headers["Host"], self.path, len(body))
        self.answer(b"%d bytes\n" % len(body))

    def log_message(self, *_):
        pass


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        note("ECHO", self.server.server_address[1])
        self.request.sendall(b"hello\n")
        while data := self.request.recv(65536):
            self.request.sendall(data)
        note("ECHO ended")


class Threads(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 1024


class Secure(Threads):
    def get_request(self):
        sock, peer = super().get_request()
        return context.wrap_socket(sock, server_side=True,
                                   do_handshake_on_connect=False), peer

    def handle_error(self, request, client_address):
        note("TLS", sys.exc_info()[1])


servers = [Threads(("", port), Handler) for port in (80, 8080)]
servers.append(Threads(("", 2222), Echo))
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    servers += [Secure(("", port), Handler) for port in (443, 8443)]
for server in servers:
    threading.Thread(target=server.serve_forever).start()

names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("", 53))
note("ready")
while True:
    question, _ = names.recvfrom(4096)
    note("DNS", question)
