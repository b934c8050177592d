#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""A master of a standalone cluster for tests: its page, and its REST server.

usage: fake-master.py [--parent PID] [--log FILE] [--other FILE] [--tls FILE]
                      FILE

Both answer on one port, which is printed, until the process PID is gone. FILE
is a JSON object that is read anew for each request:

page     what /json/ says
html     the page's text
create, status, kill   what the REST server answers; null: it takes the
         request and closes the connection
logs     what a driver wrote, by stream, read as at a worker's page; what an
         executor wrote, by "NUMBER/STREAM"
executors   those of an application's page: [number, id of the worker]
token    the csrfToken that a POST to the page has to carry

--other: a second master, of another FILE, at the same port of 127.0.0.2.
--tls: speak HTTPS with the key and certificate in FILE.
"""
import argparse
import http.server
import json
import os
import select
import ssl
import sys
import threading
import urllib.parse


ROW = """<tr>
      <td>%d</td>
      <td>
        <a href="http://192.0.2.1:9">%s</a>
      </td>
      <td>1</td> <td>512</td> <td>0</td> <td></td> <td>KILLED</td>
      <td>
        <a href="http://192.0.2.1:9/logPage/?appId=%s&amp;executorId=%d&amp;\
logType=stdout">stdout</a>
        <a href="http://192.0.2.1:9/logPage/?appId=%s&amp;executorId=%d&amp;\
logType=stderr">stderr</a>
      </td>
    </tr>"""


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def send(self, status, kind, text):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def serve(self):
        with open(self.server.file) as file:
            says = json.load(file)
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode()
        if self.server.log:
            with open(self.server.log, "a") as file:
                file.write(json.dumps({"method": self.command, "body": body,
                                       "path": self.path,
                                       "at": self.server.server_address[0]})
                           + "\n")
        parts = self.path.split("/")
        query = dict(urllib.parse.parse_qsl(self.path.partition("?")[2]))
        if self.path == "/json/":
            self.send(200, "application/json", json.dumps(says["page"]))
        elif self.path == "/":
            self.send(200, "text/html", says.get("html", ""))
        elif self.path == "/app/kill/":
            form = dict(urllib.parse.parse_qsl(body))
            good = form.get("csrfToken") == says.get("token")
            self.send(302 if good else 403, "text/html", "")
        elif parts[1] == "app":
            rows = "".join(ROW % (n, worker, query["appId"], n,
                                  query["appId"], n)
                           for n, worker in says.get("executors", []))
            self.send(200, "text/html", "<table>%s</table>" % rows)
        elif parts[1] == "log":
            name = query["logType"]
            if "appId" in query:
                name = query["executorId"] + "/" + name
            data = says["logs"].get(name)
            if data is None:
                self.send(200, "text/plain", "==== Bytes 0-0 of 0 of /x ====\n"
                          "Error: invalid log directory /x")
                return
            data = data.encode()
            first = min(int(query["offset"]), len(data))
            last = min(first + int(query["byteLength"]), len(data))
            self.send(200, "text/plain", "==== Bytes %d-%d of %d of /x ====\n%s"
                      % (first, last, len(data), data[first:last].decode()))
        elif parts[1:3] == ["v1", "submissions"]:
            answer = says.get(parts[3])
            if answer is not None:
                self.send(200, "application/json", json.dumps(answer))
            self.close_connection = True
        else:
            self.send(404, "text/html", "")

    do_GET = do_POST = serve


class Listener(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):
            super().handle_error(request, client_address)


def serve(host, port, file, args):
    server = Listener((host, port), Handler)
    if args.tls:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(args.tls)
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    server.daemon_threads = True
    server.file, server.log = file, args.log
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def serve_both(args):
    """The port, which has to be free at both addresses."""
    for _ in range(50):
        first = serve("127.0.0.1", 0, args.file, args)
        port = first.server_address[1]
        try:
            if args.other:
                serve("127.0.0.2", port, args.other, args)
            return port
        except OSError:
            first.shutdown()
            first.server_close()
    sys.exit("no port is free")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--parent", type=int, default=os.getppid())
    p.add_argument("--log")
    p.add_argument("--other")
    p.add_argument("--tls")
    p.add_argument("file")
    args = p.parse_args()
    parent = os.pidfd_open(args.parent)
    print(serve_both(args), flush=True)
    select.select([parent], [], [])
    return 0


if __name__ == "__main__":
    sys.exit(main())
