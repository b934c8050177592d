#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""A small Kubernetes for tests: an API server, or the kubelet of a node.

usage: fake-kube.py [--parent PID] [--log FILE] [--token TOKEN] [--tls FILE]
                    [--client-ca FILE] [--kubelet] DIR

Prints {"port": PORT} and serves until the process PID (its parent) is gone.
What there is are files in DIR, read anew for each request, so that a test
changes it by putting others in their place:

pods/NAME.json, configmaps/NAME.json   the objects
logs/POD/CONTAINER    its log: lines "TIME STREAM F|P TEXT", as a container
                      runtime writes them; F ends a line, P does not
rules                 [{...}], the first that fits: "method", "path" (a regular
                      expression of path and query), then for "times" N:
                      "status", "message", "reason", "body", "cut" N bytes of
                      what would have been sent

With --kubelet only logs are served, over TLS, as a kubelet does it for an API
server. --tls: a file with key and certificate. --log gets a JSON object a
request. --token: others are 401, but for those who show a certificate of
--client-ca.
"""
import argparse
import http.server
import json
import os
import re
import select
import ssl
import sys
import threading
import time
import urllib.parse

LOCK = threading.Lock()


def status(code, reason, message):
    return code, {"kind": "Status", "apiVersion": "v1", "metadata": {},
                  "status": "Failure", "message": message, "reason": reason,
                  "code": code}


def seconds(text):
    """Nanoseconds since 1970 of an RFC 3339 time in UTC."""
    stamp, _, fraction = text.rstrip("Z").partition(".")
    whole = int(time.mktime(time.strptime(stamp, "%Y-%m-%dT%H:%M:%S")))
    return (whole - time.timezone) * 10**9 + int(fraction.ljust(9, "0")[:9])


def read_log(path, query):
    """What a kubelet makes of a log: filtered line by line, by time."""
    with open(path, "rb") as file:
        entries = file.read().split(b"\n")[:-1]
    since = query.get("sinceTime")
    stamps = query.get("timestamps") == "true"
    out, begins = [], True
    for entry in entries:
        stamp, _, end, text = entry.split(b" ", 3)
        if since and seconds(stamp.decode()) < seconds(since):
            continue
        if begins and stamps:
            out.append(stamp + b" ")
        begins = end == b"F"
        out.append(text + (b"\n" if begins else b""))
    lines = b"".join(out).splitlines(keepends=True)
    if "tailLines" in query:
        lines = lines[-int(query["tailLines"]):]
    data = b"".join(lines)
    if "limitBytes" in query:
        data = data[:int(query["limitBytes"])]
    return data


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def path_of(self, *names):
        return os.path.join(self.server.dir, *names)

    def load(self, kind, name):
        try:
            with open(self.path_of(kind, name + ".json")) as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def names(self, kind):
        try:
            found = os.listdir(self.path_of(kind))
        except FileNotFoundError:
            return []
        return sorted(n[:-5] for n in found if n.endswith(".json"))

    def missing(self, kind, name):
        return status(404, "NotFound", '%s "%s" not found' % (kind, name))

    # Each gives a status and an object, or bytes.

    def collection(self, kind, query):
        wanted = [part.split("=", 1) for part in
                  query.get("labelSelector", "").split(",") if part]
        items = []
        for name in self.names(kind):
            item = self.load(kind, name)
            labels = (item or {}).get("metadata", {}).get("labels", {})
            if item and all(labels.get(k) == v for k, v in wanted):
                items.append(item)
        first = int(query.get("continue") or 0)
        last = first + int(query.get("limit") or len(items) or 1)
        more = {"continue": str(last)} if last < len(items) else {}
        return 200, {"kind": "List", "apiVersion": "v1", "metadata": more,
                     "items": items[first:last]}

    def create(self, kind, body):
        name = body["metadata"]["name"]
        if self.load(kind, name):
            return status(409, "AlreadyExists",
                          '%s "%s" already exists' % (kind, name))
        body["metadata"]["uid"] = "uid-" + name
        os.makedirs(self.path_of(kind), exist_ok=True)
        with open(self.path_of(kind, name + ".json"), "w") as file:
            json.dump(body, file)
        return 201, body

    def delete(self, kind, name, body):
        item = self.load(kind, name)
        if not item:
            return self.missing(kind, name)
        uid = (body or {}).get("preconditions", {}).get("uid")
        if uid and uid != item["metadata"].get("uid"):
            return status(409, "Conflict", "the UID in the precondition (%s) "
                          "does not match" % uid)
        os.unlink(self.path_of(kind, name + ".json"))
        return 200, item

    def pod_log(self, name, query):
        pod = self.load("pods", name)
        if not pod:
            return self.missing("pods", name)
        if not pod.get("spec", {}).get("nodeName"):
            return 204, b""
        container = query.get("container") or "spark-kubernetes-driver"
        path = self.path_of("logs", name, container)
        if not os.path.exists(path):
            return status(400, "BadRequest", 'container "%s" in pod "%s" is '
                          "waiting to start: ContainerCreating"
                          % (container, name))
        return 200, read_log(path, query)

    def answer(self, path, query, body):
        if self.server.kubelet:
            match = re.fullmatch("/containerLogs/[^/]+/([^/]+)/([^/]+)", path)
            where = match and self.path_of("logs", *match.groups())
            if not where or not os.path.exists(where):
                return 404, b"not found"
            return 200, read_log(where, query)
        if path.endswith("/selfsubjectaccessreviews"):
            body["status"] = {"allowed": True}
            return 201, body
        match = re.fullmatch("/api/v1/namespaces/([^/]+)/(pods|configmaps)"
                             "(?:/([^/]+))?(/log)?", path)
        if not match:
            return status(404, "NotFound", "the server could not find it")
        _, kind, name, log = match.groups()
        if log:
            return self.pod_log(name, query)
        if not name:
            return (self.create(kind, body) if self.command == "POST"
                    else self.collection(kind, query))
        if self.command == "DELETE":
            return self.delete(kind, name, body)
        item = self.load(kind, name)
        return (200, item) if item else self.missing(kind, name)

    def rule(self):
        try:
            with open(self.path_of("rules")) as file:
                rules = json.load(file)
        except FileNotFoundError:
            return None
        for number, rule in enumerate(rules):
            if (rule.get("method", self.command) != self.command or
                    not re.search(rule.get("path", ""), self.path)):
                continue
            key = (json.dumps(rule), number)
            used = self.server.used.get(key, 0)
            if used < rule.get("times", 1 << 30):
                self.server.used[key] = used + 1
                return rule
        return None

    def send(self, code, content, cut=None):
        text = isinstance(content, bytes)
        data = content if text else json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Type",
                         "text/plain" if text else "application/json")
        if code != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if code == 204:
            return
        self.wfile.write(data if cut is None else data[:cut])
        if cut is not None:
            self.close_connection = True

    def user(self):
        """Whom a client's certificate names, or None."""
        shown = (self.connection.getpeercert()
                 if self.server.tls else None) or {}
        names = [value for part in shown.get("subject", ())
                 for key, value in part if key == "commonName"]
        return names[0] if names else None

    def serve(self):
        length = int(self.headers.get("Content-Length") or 0)
        text = self.rfile.read(length)
        body = json.loads(text) if text else None
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        auth = self.headers.get("Authorization")
        user = self.user()
        with LOCK:
            if self.server.log:
                self.server.log.write(json.dumps({
                    "method": self.command, "path": url.path, "query": query,
                    "auth": auth, "user": user}) + "\n")
                self.server.log.flush()
            rule = self.rule() or {}
            if self.server.token and not user and (
                    auth != "Bearer " + self.server.token):
                code, content = status(401, "Unauthorized", "Unauthorized")
            elif "body" in rule:
                code, content = rule["status"], rule["body"].encode()
            elif "status" in rule:
                code, content = status(rule["status"],
                                       rule.get("reason", "x"),
                                       rule.get("message", "a rule"))
            else:
                code, content = self.answer(url.path, query, body)
        self.send(code, content, rule.get("cut"))

    do_GET = do_POST = do_DELETE = serve


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--parent", type=int, default=os.getppid())
    p.add_argument("--log")
    p.add_argument("--token")
    p.add_argument("--tls")
    p.add_argument("--client-ca")
    p.add_argument("--kubelet", action="store_true")
    p.add_argument("dir")
    args = p.parse_args()
    parent = os.pidfd_open(args.parent)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.dir, server.kubelet = args.dir, args.kubelet
    server.token, server.used, server.tls = args.token, {}, args.tls
    server.log = open(args.log, "a") if args.log else None
    if args.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(args.tls)
        if args.client_ca:
            context.load_verify_locations(args.client_ca)
            context.verify_mode = ssl.CERT_OPTIONAL
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    select.select([parent], [], [])
    return 0


if __name__ == "__main__":
    sys.exit(main())
