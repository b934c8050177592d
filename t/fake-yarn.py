#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""A small YARN for tests: ResourceManagers and what stands beside them.

usage: fake-yarn.py [--parent PID] [--log FILE] [--tls FILE] SCENARIO

Prints one JSON object with the ports, {"rm":[PORT,...],"nm":PORT,...}, and
serves until the process PID (its parent) is gone. SCENARIO is a JSON file
that is read anew for each request, so a test changes what happens by putting
another file in its place (mv, not cp). --log gets a JSON object a request.
--tls: speak HTTPS with the key and certificate in FILE.

The scenario, all of it optional; "{rm0}", "{rm1}", "{nm}", "{jhs}" in texts
become host:port:

rms      [{"state": S}]: one port each. ACTIVE; STANDBY (sends to the active
         one); INITIALIZING (knows no application yet); DEAD (takes the
         connection and says nothing); REFUSED (no port is open)
version  "3.5.0"; below 3.3 an empty list is null
apps     [{...}]: over what APP says. "steps": [{...},...] are laid over it,
         the next with each look at it; the last stays. "container": whether
         it ever had one (true but for the states up to ACCEPTED)
submitted  a file that t/fake-spark-submit.c appends to, an application a line:
         it runs as long as the process "pid" does, or as "life" has it,
         [SECONDS until it runs, SECONDS until it ends, how it ends]
kill     the words that PUT answers in turn, ["KILLING", "KILLED"]
acl      true: only the owner kills
auth     "negotiate", "pseudo", "basic USER:PASSWORD" or "bearer TOKEN": who
         says nothing gets a 401 (403 for pseudo). "kerberos": tickets are
         looked at, with the key of $KRB5_KTNAME; wants the module gssapi
conf     {NAME: VALUE}
bulk     {"count": N, "pad": N}: so many more, made while they are sent
logs     {CONTAINER: {FILE: what class Log says}}
ended    [CONTAINER]: these have, while the application runs
collected  false or true: where the logs are, whatever the application's
         logAggregationStatus
node_rest, log_rest, timeline  which servers there are (see their classes)
rules    [{...}], the first that fits: "server" ("rm0"), "method", "path" (a
         regular expression), "after" N that are let by, then for "times" N:
         "delay" seconds, "status", "type", "headers", "body" or "base64",
         "cut" N bytes of what would have been sent, "drop" true: no answer,
         "set" {...}: laid over the scenario from now on
"""
import argparse
import base64
import copy
import html
import html.entities
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

JSON = "application/json;charset=utf-8"
TEXT = "text/plain;charset=utf-8"
FINAL = ("FINISHED", "FAILED", "KILLED")

APP = {
    "id": "application_1700000000000_0001", "user": "alice", "name": "job.py",
    "queue": "root.default", "state": "RUNNING", "finalStatus": "UNDEFINED",
    "progress": 10.0, "trackingUI": "ApplicationMaster",
    "trackingUrl": "http://{rm0}/proxy/application_1700000000000_0001/",
    "diagnostics": "", "clusterId": 1700000000000,
    "applicationType": "SPARK", "applicationTags": "", "priority": 0,
    "startedTime": 1700000001000, "launchTime": 1700000001100,
    "finishedTime": 0, "elapsedTime": 27970,
    "amContainerLogs": "http://{nm}/node/containerlogs/"
                       "container_1700000000000_0001_01_000001/alice",
    "amHostHttpAddress": "{nm}", "amRPCAddress": "am.example:41851",
    "masterNodeId": "localhost:45454", "allocatedMB": 2048,
    "allocatedVCores": 2, "reservedMB": 0, "reservedVCores": 0,
    "runningContainers": 2, "memorySeconds": 41587, "vcoreSeconds": 39,
    "queueUsagePercentage": 33.3, "clusterUsagePercentage": 33.3,
    "preemptedResourceMB": 0, "preemptedResourceVCores": 0,
    "numNonAMContainerPreempted": 0, "numAMContainerPreempted": 0,
    "preemptedMemorySeconds": 0, "preemptedVcoreSeconds": 0,
    "logAggregationStatus": "NOT_START", "unmanagedApplication": False,
    "amNodeLabelExpression": "",
    "timeouts": {"timeout": [{"type": "LIFETIME", "expiryTime": "UNLIMITED",
                              "remainingTimeInSeconds": -1}]},
}
EARLY = ("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED")
# What an application has only once it was given a container; what only some
# may see.
OF_CONTAINER = ("amContainerLogs", "amHostHttpAddress")
PRIVATE = OF_CONTAINER + ("amRPCAddress", "logAggregationStatus")

ATTEMPT = {
    "id": 1, "startTime": 1700000001000, "finishedTime": 0,
    "containerId": "", "nodeHttpAddress": "", "nodeId": "", "logsLink": "",
    "blacklistedNodes": "", "appAttemptId": "", "exportPorts": "",
    "appAttemptState": "SCHEDULED",
}

CONTAINER = {
    "containerId": "", "allocatedMB": 1024, "allocatedVCores": 1,
    "assignedNodeId": "localhost:45454", "priority": 0,
    "startedTime": 1700000001200, "finishedTime": 0, "elapsedTime": 28073,
    "logUrl": "", "containerExitStatus": 0, "containerState": "RUNNING",
    "nodeHttpAddress": "http://{nm}", "nodeId": "localhost:45454",
    "allocatedResources": {"entry": [{"key": "memory-mb", "value": 1024},
                                     {"key": "vcores", "value": 1}]},
    "exposedPorts": "",
}


class Answer:
    """What goes back; a body that is a generator is sent in chunks."""

    def __init__(self, status, body, kind=JSON, headers=None):
        self.status, self.kind = status, kind
        self.headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body, separators=(",", ":"))
        self.body = body.encode() if isinstance(body, str) else body


def exception(status, name, message=None, package="org.apache.hadoop."
              "yarn.webapp"):
    body = {"exception": name}
    if message is not None:
        body["message"] = message
    body["javaClassName"] = package + "." + name
    return Answer(status, {"RemoteException": body})


class World:
    """The scenario, and what became of it by requests."""

    def __init__(self, path, log):
        self.path, self.log = path, log
        self.lock = threading.RLock()
        self.ports = {}
        self.over = {}       # what rules have set
        self.hits = {}       # how often a rule fitted, by its text
        self.steps = {}      # looks at an application, by id
        self.kills = {}      # the words that were said to PUTs, by id
        self.ends = {}       # how those that were submitted ended, by id
        self.last, self.seen = {}, None
        self.now = None      # filled in

    def scenario(self):
        """What is in force; not to be changed."""
        with self.lock:
            try:
                status = os.stat(self.path)
                seen = (status.st_ino, status.st_mtime_ns, status.st_size)
                if seen != self.seen:
                    with open(self.path, encoding="utf-8") as f:
                        self.last = json.load(f)
                    self.seen, self.now = seen, None
            except FileNotFoundError:
                pass
            if self.now is None:
                self.now = self.fill({**self.last, **self.over})
            return self.now

    def fill(self, value):
        """The names of servers in texts become addresses."""
        if isinstance(value, str):
            for name, port in self.ports.items():
                value = value.replace("{%s}" % name, "localhost:%d" % port)
            return value
        if isinstance(value, list):
            return [self.fill(v) for v in value]
        if isinstance(value, dict):
            return {k: self.fill(v) for k, v in value.items()}
        return value

    def rule(self, scenario, server, method, path):
        for rule in scenario.get("rules", []):
            if rule.get("server", server) != server or \
                    rule.get("method", method) != method or \
                    not re.search(rule.get("path", ""), path):
                continue
            key = json.dumps(rule, sort_keys=True)
            with self.lock:
                n = self.hits[key] = self.hits.get(key, 0) + 1
                n -= rule.get("after", 0)
                if n < 1 or n > rule.get("times", 1 << 30):
                    continue
                if "set" in rule:
                    self.over.update(rule["set"])
                    self.now = None
            return rule
        return {}

    def record(self, entry):
        if self.log:
            with self.lock, open(self.log, "a", encoding="utf-8") as f:
                f.write(json.dumps(entry) + "\n")

    def app(self, scenario, given, look=False):
        """One application as it is now."""
        app = copy.deepcopy(APP)
        app.update(given)
        steps = app.pop("steps", [])
        with self.lock:
            n = self.steps.get(app["id"], 0)
            if look:
                self.steps[app["id"]] = n + 1
            said = self.kills.get(app["id"])
        if steps:
            given = dict(given, **steps[min(n, len(steps) - 1)])
            app.update(given)
            del app["steps"]
        if said == "KILLED" and app["state"] not in FINAL:
            app.update(state="KILLED", finalStatus="KILLED",
                       finishedTime=1700000060000)
        number = app["id"].partition("_")[2]
        for key, value in app.items():
            if isinstance(value, str) and key not in given:
                value = value.replace("1700000000000_0001", number)
                app[key] = value.replace("alice", app["user"])
        early = app["state"] in EARLY
        missing = []
        if app.get("container") is False:    # as long as it waits for one
            app["appNodeLabelExpression"] = ""
        if not app.pop("container", not early):
            missing += OF_CONTAINER
        if early:
            missing.append("trackingUrl")
            app["trackingUI"] = "UNASSIGNED"
        if early or app["state"] == "KILLED":
            missing.append("amRPCAddress")
        for key in missing:
            if key not in given:
                app.pop(key, None)
        return self.fill(app)

    def life(self, line):
        """What an application that was submitted is by now."""
        app = {k: v for k, v in line.items()
               if k not in ("at", "tags", "life", "pid")}
        app.update(applicationTags=line["tags"].lower(), state="RUNNING",
                   startedTime=line["at"])
        waits, lasts, end = line.get("life", [0, 3600, "SUCCEEDED"])
        age = time.time() - line["at"] / 1000
        over = age > lasts
        if "pid" in line:
            over = not os.path.exists("/proc/%d" % line["pid"])
        with self.lock:
            if line["id"] in self.kills:
                over, end = True, "KILLED"
            elif over:
                end = self.ends.setdefault(line["id"], end)
        if over:
            app.update(state="KILLED" if end == "KILLED" else "FINISHED",
                       finalStatus=end, finishedTime=line["at"] + 1000)
        elif age < waits:
            app.update(state="ACCEPTED")
        return app

    def apps(self, scenario):
        """Those of the scenario, then those that were submitted."""
        yield from scenario.get("apps", [])
        try:
            with open(scenario.get("submitted", ""), encoding="utf-8") as f:
                lines = f.read().split("\n")[:-1]
        except FileNotFoundError:
            return
        for line in lines:
            yield self.life(json.loads(line))

    def find(self, scenario, ident, look=False):
        for given in self.apps(scenario):
            if given.get("id", APP["id"]) == ident:
                return self.app(scenario, given, look)
        return None


class Server(http.server.BaseHTTPRequestHandler):
    """What all of them share: rules, authentication, the log of requests.
    A subclass answers in get() and put()."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    name = ""    # "rm0"
    welcome = {}    # headers for who has been let in
    world = None

    def log_message(self, *args):
        pass

    def get(self, path, query, scenario):
        return Answer(404, "HTTP ERROR 404 Not Found\n",
                      "text/plain;charset=iso-8859-1")

    def put(self, path, query, scenario, body):
        return self.get(path, query, scenario)

    def do_GET(self):
        self.serve()

    def do_PUT(self):
        self.serve()

    def do_POST(self):
        self.serve()

    def do_DELETE(self):
        self.serve()

    def serve(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        query = {k: v[0] for k, v in query.items()}
        scenario = self.world.scenario()
        self.world.record({
            "server": self.name, "method": self.command, "path": url.path,
            "query": query, "body": body.decode("utf-8", "replace"),
            "headers": {k.lower(): v for k, v in self.headers.items()}})
        rule = self.world.rule(scenario, self.name, self.command, self.path)
        if "set" in rule:
            scenario = self.world.scenario()
        time.sleep(rule.get("delay", 0))
        if rule.get("drop"):
            self.close_connection = True
            return
        if "status" in rule or "body" in rule or "base64" in rule:
            answer = Answer(rule.get("status", 200), rule.get("body", ""),
                            rule.get("type", JSON), rule.get("headers"))
            if "base64" in rule:
                answer.body = base64.b64decode(rule["base64"])
        else:
            answer = self.unauthenticated(scenario, query)
            if answer is None and self.command == "GET":
                answer = self.get(url.path, query, scenario)
            elif answer is None:
                answer = self.put(url.path, query, scenario, body)
        if answer is not None:
            answer.headers.update(rule.get("headers", {}))
            self.send(answer, rule.get("cut"))

    def kerberos(self, given):
        """None where the ticket, or the cookie for one, is good."""
        import gssapi
        if "hadoop.auth=signed" in self.headers.get("Cookie", ""):
            return None
        if given.startswith("Negotiate "):
            context = gssapi.SecurityContext(
                usage="accept", creds=gssapi.Credentials(usage="accept"))
            token = context.step(base64.b64decode(given[10:]))
            if context.complete:
                self.world.record({"who": str(context.initiator_name)})
                token = base64.b64encode(token or b"").decode()
                self.welcome = {
                    "WWW-Authenticate": "Negotiate " + token,
                    "Set-Cookie": "hadoop.auth=signed; Path=/; HttpOnly"}
                return None
        return Answer(401, "<html>Authentication required</html>",
                      "text/html", {"WWW-Authenticate": "Negotiate"})

    def unauthenticated(self, scenario, query):
        auth = scenario.get("auth", "simple")
        given = self.headers.get("Authorization", "")
        self.welcome = {}
        if auth == "kerberos":
            return self.kerberos(given)
        if auth == "negotiate" and not given.startswith("Negotiate "):
            return Answer(401, "<html>Authentication required</html>",
                          "text/html", {"WWW-Authenticate": "Negotiate"})
        if auth == "pseudo" and "user.name" not in query:
            return Answer(403, "<html>Anonymous requests are disallowed"
                          "</html>", "text/html",
                          {"WWW-Authenticate": "PseudoAuth"})
        if auth.startswith("basic "):
            want = base64.b64encode(auth[6:].encode()).decode()
            if given != "Basic " + want:
                return Answer(401, "", "text/html", {
                    "WWW-Authenticate": 'Basic realm="application"'})
        if auth.startswith("bearer ") and given != "Bearer " + auth[7:]:
            return Answer(401, "", "text/html", {
                "WWW-Authenticate": 'Bearer realm="application"'})
        return None

    def send(self, answer, cut):
        body = answer.body
        chunked = not isinstance(body, bytes)
        self.send_response(answer.status)
        if answer.kind:
            self.send_header("Content-Type", answer.kind)
        for key, value in {**answer.headers, **self.welcome}.items():
            self.send_header(key, value)
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        left = 1 << 62 if cut is None else cut
        for piece in body if chunked else [body]:
            piece = piece[:left]
            left -= len(piece)
            if chunked and piece:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            elif piece:
                self.wfile.write(piece)
            if left <= 0:
                break
        if cut is not None:
            self.close_connection = True
        elif chunked:
            self.wfile.write(b"0\r\n\r\n")


class ResourceManager(Server):
    api = "/ws/v1/cluster"

    def state(self, scenario):
        rms = scenario.get("rms", [{}])
        number = int(self.name[2:])
        return rms[number].get("state", "ACTIVE") if number < len(rms) \
            else "STANDBY"

    def get(self, path, query, scenario):
        return self.answer(path, query, scenario, None)

    def put(self, path, query, scenario, body):
        return self.answer(path, query, scenario, body)

    def answer(self, path, query, scenario, body):
        state = self.state(scenario)
        if state in ("DEAD", "REFUSED"):
            self.close_connection = True
            return None
        if path == self.api + "/info":
            return self.info(state, scenario)
        if path == "/conf":
            return self.conf(query, scenario)
        if state == "STANDBY":
            answer = self.standby(query, scenario)
        elif path.startswith(self.api + "/apps"):
            answer = self.apps(path[len(self.api) + 5:], query, scenario,
                               body, state)
        else:
            answer = super().get(path, query, scenario)
        if "user.name" in query and "auth" not in scenario:
            answer.headers["Set-Cookie"] = \
                'hadoop.auth="u=%s&t=simple"; Path=/; HttpOnly' \
                % urllib.parse.quote(query["user.name"])
        return answer

    def info(self, state, scenario):
        version = scenario.get("version", "3.5.0")
        built = version + " from 0123abc by builder source checksum 4567def"
        return Answer(200, {"clusterInfo": {
            "id": 1700000000000, "startedOn": 1700000000000,
            "state": "STARTED", "haState": state,
            "rmStateStoreName": "org.apache.hadoop.yarn.server."
                                "resourcemanager.recovery.NullRMStateStore",
            "resourceManagerVersion": version,
            "resourceManagerBuildVersion": built,
            "resourceManagerVersionBuiltOn": "2026-03-24T17:01Z",
            "hadoopVersion": version, "hadoopBuildVersion": built,
            "hadoopVersionBuiltOn": "2026-03-24T16:56Z",
            "haZooKeeperConnectionState": "Could not find leader elector."}})

    def conf(self, query, scenario):
        name = query.get("name", "")
        value = scenario.get("conf", {}).get(name)
        if value is None:
            return Answer(404, "Property %s not found" % name, TEXT)
        return Answer(200, iter([json.dumps({"property": {
            "key": name, "value": value, "isFinal": False,
            "resource": "yarn-site.xml"}}).encode()]))

    def standby(self, query, scenario):
        rms = scenario.get("rms", [{}])
        for number, rm in enumerate(rms):
            if rm.get("state", "ACTIVE") == "ACTIVE":
                host = "localhost:%d" % self.world.ports["rm%d" % number]
                return Answer(
                    307, "This is standby RM. The redirect url is: %s\n"
                    % self.path, TEXT,
                    {"Location": "http://" + host + self.path})
        if query.get("next.refresh.interval", "1").isdigit() and \
                int(query.get("next.refresh.interval", "1")) < 150:
            return Answer(
                307, "Can not find any active RM. Will retry in next 2 "
                "seconds.\n", TEXT,
                {"Refresh": "2;url=http://localhost%s" % self.path})
        return Answer(200, "There is no active RM right now.\n", TEXT)

    def apps(self, rest, query, scenario, body, state):
        if rest == "":
            return self.listed(query, scenario, state)
        ident, _, below = rest[1:].partition("/")
        if not ident.startswith("application_"):
            return exception(400, "BadRequestException",
                             "Invalid ApplicationId prefix: %s." % ident)
        app = None
        if state == "ACTIVE":
            app = self.world.find(scenario, ident, below == "")
        if app is None:
            return exception(404, "NotFoundException",
                             "app with id: %s not found" % ident)
        if body is not None and below == "state":
            return self.kill(app, query, scenario, body)
        if below == "":
            if not self.may_view(app, query, scenario):
                for key in PRIVATE:
                    app.pop(key, None)
                app.update(startedTime=0, finishedTime=0, elapsedTime=0)
            return Answer(200, {"app": app})
        if below == "state":
            return Answer(200, {"state": app["state"]})
        if below == "appattempts":
            return Answer(200, {"appAttempts": {
                "appAttempt": self.attempts(app, query, scenario)}})
        found = re.fullmatch(r"appattempts/(appattempt_\d+_\d+_\d+)/"
                             "containers", below)
        if found:
            return self.containers(app, scenario, found.group(1), query)
        return super().get(rest, query, scenario)

    def listed(self, query, scenario, state):
        tags = [t for t in query.get("applicationTags", "").lower()
                .split(",") if t]
        found = []
        for given in self.world.apps(scenario):
            app = self.world.app(scenario, given)
            has = app["applicationTags"].lower().split(",")
            if state == "ACTIVE" and \
                    (not tags or any(t in has for t in tags)):
                found.append(app)
        if "bulk" in scenario and state == "ACTIVE":
            return Answer(200, self.bulk(found, scenario["bulk"]))
        if found:
            return Answer(200, {"apps": {"app": found}})
        old = tuple(int(n) for n in scenario.get("version", "3.5.0")
                    .split(".")[:2]) < (3, 3)
        return Answer(200, {"apps": None if old else {}})

    def bulk(self, found, bulk):
        app = dict(APP, name="x" * bulk.get("pad", 0))
        text = json.dumps(app, separators=(",", ":"))
        yield b'{"apps":{"app":['
        for one in found:
            yield json.dumps(one).encode() + b","
        piece, size = [], 0
        for n in range(bulk["count"]):
            more = text.replace("1700000000000_0001",
                                "1600000000000_%06d" % n)
            piece.append(more)
            size += len(more)
            if size > 1 << 16:
                yield ",".join(piece).encode() + \
                    (b"," if n + 1 < bulk["count"] else b"")
                piece, size = [], 0
        yield ",".join(piece).encode() + b"]}}"

    def kill(self, app, query, scenario, body):
        if self.headers.get_content_type() != "application/json":
            answer = exception(
                503, "NotSupportedException",
                "HTTP 415 Unsupported Media Type", "javax.ws.rs")
            answer.kind = None
            return answer
        try:
            wish = json.loads(body)
        except ValueError:
            return exception(400, "WebApplicationException",
                             package="javax.ws.rs")
        if "state" not in wish:
            return exception(503, "NullPointerException", "state is null",
                             "java.lang")
        if wish["state"] != "KILLED":
            return exception(400, "BadRequestException",
                             "Only 'KILLED' is allowed as a target state.")
        user = query.get("user.name", "dr.who")
        if scenario.get("acl") and user != app["user"]:
            return Answer(403, "Unauthorized attempt to kill appid %s by "
                          "remote user %s" % (app["id"], user))
        if app["state"] in FINAL:
            return Answer(200, {"state": app["state"]})
        words = scenario.get("kill", ["KILLING", "KILLED"])
        with self.world.lock:
            n = self.world.kills.get((app["id"], "n"), 0)
            self.world.kills[(app["id"], "n")] = n + 1
            word = words[min(n, len(words) - 1)]
            self.world.kills[app["id"]] = word
        return Answer(202, {"state": word}, headers={
            "Location": "http://127.0.0.1:%d%s"
            % (self.server.server_port, self.path.partition("?")[0])})

    @staticmethod
    def may_view(app, query, scenario):
        return not scenario.get("acl") or \
            query.get("user.name", "dr.who") == app["user"]

    def attempts(self, app, query, scenario):
        if "attempts" in scenario:
            return [dict(ATTEMPT, **a) for a in scenario["attempts"]]
        number = app["id"].partition("_")[2]
        one = dict(ATTEMPT,
                   appAttemptId="appattempt_%s_000001" % number)
        if "amContainerLogs" in app and \
                self.may_view(app, query, scenario):
            one.update(
                containerId="container_%s_01_000001" % number,
                nodeHttpAddress=app["amHostHttpAddress"],
                nodeId=app["masterNodeId"], logsLink=app["amContainerLogs"],
                nodesBlacklistedBySystem="", exportPorts="null",
                appAttemptState=app["state"])
        if app["state"] in FINAL:
            one.update(appAttemptState=app["state"],
                       finishedTime=app["finishedTime"] or 1700000060000)
            server = scenario.get("conf", {}).get("yarn.log.server.url")
            if server and one["containerId"]:
                one["logsLink"] = "/".join((
                    server, one["nodeId"], one["containerId"],
                    one["containerId"], app["user"]))
        return [one]

    def containers(self, app, scenario, attempt, query):
        if not self.may_view(app, query, scenario):
            return exception(
                503, "WebApplicationException", "User %s does not have "
                "privilege to see this application %s"
                % (query.get("user.name", "dr.who"), app["id"]),
                "javax.ws.rs")
        if app["state"] in FINAL or "amContainerLogs" not in app:
            return Answer(200, {})
        stem = "container_" + attempt.partition("_")[2]
        stem = re.sub(r"_0*(\d\d)$", r"_\1", stem)
        out = []
        for n in range(1, scenario.get("executors", 1) + 2):
            name = "%s_%06d" % (stem, n)
            out.append(self.world.fill(dict(
                copy.deepcopy(CONTAINER), containerId=name,
                logUrl="http://{nm}/node/containerlogs/%s/%s"
                % (name, app["user"]))))
        return Answer(200, {"container": out})


NODE = "localhost:45454"
MODIFIED = "Sun Nov 29 20:44:50 +0000 2026"
LINE = b"a line of a log that is as long as many lines are, number 1234\n"
PAGE = """<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" \
"http://www.w3.org/TR/html4/strict.dtd">
<html>
  <title>
    %s
  </title>
  <table id="layout">
    <tbody>
      <tr>
        <td class="content">
%s        </td>
      </tr>
    </tbody>
  </table>
</html>
"""


class Log:
    """A file of a container: a text, {"base64": TEXT}, {"path": FILE} that
    may grow, {"lines": N} of a made one, {"pieces": [...]} that were
    collected one after the other."""

    def __init__(self, given):
        self.path, self.lines = None, None
        self.data = b""
        if isinstance(given, str):
            self.data = given.encode()
        elif "base64" in given:
            self.data = base64.b64decode(given["base64"])
        elif "path" in given:
            self.path = given["path"]
        else:
            self.lines = given["lines"]
        self.size = self.length()

    def length(self):
        if self.path is not None:
            return os.path.getsize(self.path)
        if self.lines is not None:
            return self.lines * len(LINE)
        return len(self.data)

    def part(self, size):
        """The first or, where negative, the last so many bytes: a range."""
        if size is None:
            return 0, self.size
        if size < 0:
            return max(0, self.size + size), self.size
        return 0, min(size, self.size)

    def read(self, start, end):
        if self.path is not None:
            with open(self.path, "rb") as f:
                f.seek(start)
                while start < end:
                    piece = f.read(min(1 << 20, end - start))
                    if not piece:
                        return
                    start += len(piece)
                    yield piece
        elif self.lines is not None:
            many = LINE * 16384
            while start < end:
                skip = start % len(LINE)
                piece = many[skip:skip + end - start]
                start += len(piece)
                yield piece
        else:
            yield self.data[start:end]


class LogServer(Server):
    """What NodeManagers, log servers and timeline services have in common."""

    local = False

    def wants(self, kind):
        accept = self.headers.get("Accept", "*/*")
        return "*/*" in accept or kind in accept

    def unacceptable(self):
        answer = exception(406, "NotAcceptableException",
                           "HTTP 406 Not Acceptable", "javax.ws.rs")
        answer.kind = None
        return answer

    def pieces(self, scenario, container, name):
        files = scenario.get("logs", {}).get(container, {})
        if name not in files:
            return []
        given = files[name]
        if isinstance(given, dict) and "pieces" in given:
            return [Log(one) for one in given["pieces"]]
        return [Log(given)]

    def app_of(self, scenario, container):
        found = re.fullmatch(r"container_(?:e\d+_)?(\d+_\d+)_\d+_\d+",
                             container)
        return found and self.world.find(scenario,
                                         "application_" + found.group(1))

    def collected(self, scenario, app):
        return scenario.get("collected", app["state"] in FINAL and
                            app["logAggregationStatus"] == "SUCCEEDED")

    def framed(self, scenario, container, name, query, running, kind):
        """In one piece where it is small, as the real ones do it."""
        body = self.frames(scenario, container, name, query, running)
        if sum(log.size for log in self.pieces(scenario, container, name)) \
                < 1 << 16:
            body = b"".join(body)
        return Answer(200, body, kind)

    def frames(self, scenario, container, name, query, running):
        size = int(query["size"]) if "size" in query else None
        node = NODE if self.local else NODE.replace(":", "_")
        first = "Container: %s on %s" % (container, node)
        for log in self.pieces(scenario, container, name):
            yield ("%s\nLogAggregationType: %s\n%s\nLogType:%s\n"
                   "LogLastModifiedTime:%s\nLogLength:%d\nLogContents:\n"
                   % (first, "LOCAL" if self.local else "AGGREGATED",
                      "=" * len(first), name, MODIFIED, log.size)).encode()
            yield from log.read(*log.part(size))
            end = "End of LogType:" + name
            if not self.local:
                end = "\n" + end
            elif running:
                end += (".This log file belongs to a running container (%s) "
                        "and so may not be complete." % container)
            else:
                end += "."
            yield (end + "\n" + "*" * 71 + "\n\n").encode()

    def listed(self, scenario, container, number):
        """The entries of one container, in this server's own shape."""
        files = []
        for name in scenario.get("logs", {}).get(container, {}):
            for log in self.pieces(scenario, container, name):
                files.append({"fileName": name, "fileSize": number(log.size),
                              "lastModifiedTime": MODIFIED})
        return {"containerLogInfo": files,
                "logAggregationType": "LOCAL" if self.local
                                      else "AGGREGATED",
                "containerId": container,
                "nodeId": NODE if self.local else NODE.replace(":", "_")}

    def section(self, log, query):
        """What a page shows of a file, and how much that is."""
        start = int(query.get("start", "-4096"))
        end = int(query.get("end", log.size))
        start = max(0, log.size + start) if start < 0 else start
        start, end = min(start, log.size), min(max(end, 0), log.size)
        data = b"".join(log.read(start, max(start, end)))
        text = html.escape(data.decode("utf-8", "replace"), quote=False)
        for char, name in html.entities.codepoint2name.items():
            if char > 127:
                text = text.replace(chr(char), "&%s;" % name)
        return text.replace('"', "&quot;"), max(0, end - start)

    def page(self, title, inner):
        return Answer(200, PAGE % (title, inner), "text/html;charset=utf-8")


def heading(*texts):
    return "".join("          <h1>\n            %s\n          </h1>\n" % text
                   for text in texts)


class NodeManager(LogServer):
    """The logs of containers that run or were not collected; without
    "node_rest" (true) it has pages only, as those before 3.0."""

    local = True

    def get(self, path, query, scenario):
        found = re.fullmatch(
            r"/ws/v1/node/(?:containers/([^/]+)/logs(?:/([^/]+))?|"
            r"containerlogs/([^/]+)/([^/]+))", path)
        page = re.fullmatch(r"/node/containerlogs/([^/]+)/([^/]+)"
                            r"(?:/([^/]+))?/?", path)
        if found and scenario.get("node_rest", True):
            container = found.group(1) or found.group(3)
            answer = self.rest(container, found.group(2) or found.group(4),
                               query, scenario)
            if "user.name" in query:
                answer.headers["Set-Cookie"] = \
                    'hadoop.auth="u=%s&t=simple"; Path=/; HttpOnly' \
                    % urllib.parse.quote(query["user.name"])
            return answer
        if page:
            return self.html(page.group(1), page.group(3), query, scenario)
        return super().get(path, query, scenario)

    def here(self, scenario, container):
        app = self.app_of(scenario, container)
        return app if app and container in scenario.get("logs", {}) and \
            not self.collected(scenario, app) else None

    def rest(self, container, name, query, scenario):
        app = self.here(scenario, container)
        if name and not self.wants("text/plain"):
            return self.unacceptable()
        user = query.get("user.name")
        if app and scenario.get("acl") and user not in (None, app["user"]):
            if name:
                return Answer(500, "User [%s] is not authorized to view the "
                              "logs for application %s" % (user, app["id"]),
                              TEXT)
            app = None
        if app is None or \
                (name and not self.pieces(scenario, container, name)):
            return self.away(container, name, scenario)
        if not name:
            return Answer(200, {"containerLogsInfo": self.listed(
                scenario, container, str)})
        running = app["state"] not in FINAL and \
            container not in scenario.get("ended", [])
        return self.framed(scenario, container, name, query, running, TEXT)

    def away(self, container, name, scenario):
        server = scenario.get("conf", {}).get(
            "yarn.log.server.web-service.url")
        if server is None:
            return exception(404, "NotFoundException",
                             "Container is not found: " + container)
        where = "%s/containers/%s/logs" % (server, container)
        if name:
            where += "/" + name
        asked = self.path.partition("?")[2]
        where += "?" + (asked + "&" if asked else "") + \
            "redirected_from_node=true"
        return Answer(307, "", TEXT if name else None, {"Location": where})

    def html(self, container, name, query, scenario):
        if self.here(scenario, container) is None:
            return self.page("", heading("Unknown container. Container "
                                         "either has not started or has "
                                         "already completed or doesn't "
                                         "belong to this node at all."))
        title = "Logs for " + container
        if name is None:
            lines = ""
            for one in scenario["logs"][container]:
                size = self.pieces(scenario, container, one)[0].size
                lines += ('          <p>\n            <a href="%s/%s/?start='
                          '-4096">%s : Total file length is %d bytes.</a>\n'
                          % (self.path, one, one, size))
            return self.page(title, "          <h2>\n            Local Logs:"
                             "\n          </h2>\n" + lines)
        found = self.pieces(scenario, container, name)
        if not found:
            return self.page(title, heading("HTTP 404 Not Found"))
        text, shown = self.section(found[0], query)
        note = ""
        if shown < found[0].size:
            note = ("          <p>\n            Showing %d bytes. Click \n"
                    '            <a href="%s/?start=0">here</a>\n'
                    "             for full log\n"
                    % (shown, self.path.partition("?")[0].rstrip("/")))
        return self.page(title, note + "          <pre>%s</pre>\n" % text)


class HistoryServer(LogServer):
    """The logs that were collected; without "log_rest" (true) it has pages
    only, as those before 3.3."""

    def get(self, path, query, scenario):
        api = "/ws/v1/history"
        listed = re.fullmatch(api + r"/containers/([^/]+)/logs", path)
        file = re.fullmatch(api + r"/containerlogs/([^/]+)/([^/]+)", path)
        page = re.fullmatch(r"/jobhistory/logs/([^/]+)/([^/]+)/[^/]+/"
                            r"([^/]+)/([^/]+)/?", path)
        if path == api + "/info":
            return Answer(200, {"historyInfo": {
                "startedOn": 1700000000000, "hadoopVersion": "3.5.0"}})
        if page:
            return self.html(page.group(2), page.group(4), query, scenario)
        if not scenario.get("log_rest", True):
            return super().get(path, query, scenario)
        if listed:
            return self.list(listed.group(1), scenario)
        if file:
            return self.file(file.group(1), file.group(2), query, scenario)
        if path == api + "/aggregatedlogs":
            return self.all(query.get("appid", ""), scenario)
        return Answer(404, {"servlet": "ServletContainer-6d9fb2d1",
                            "message": "Not Found", "url": path,
                            "status": "404"}, "application/json")

    def gone(self, ident):
        line = "Can not find remote application directory for the " \
            "application:%s\n" % ident
        return exception(503, "WebApplicationException", line * 2,
                         "javax.ws.rs")

    def failed(self):
        return Answer(500, "HTTP ERROR 500 Request failed.\nURI: %s\n"
                      "STATUS: 500\nMESSAGE: Request failed.\nSERVLET: "
                      "org.glassfish.jersey.servlet.ServletContainer-"
                      "6d9fb2d1\n" % self.path.partition("?")[0],
                      "text/plain;charset=iso-8859-1")

    def waiting(self, app, text):
        """The answer while an application has not ended, else None."""
        if app["state"] == "RUNNING":
            return Answer(307, "", None, {"Location": self.world.fill(
                "http://{nm}" + self.path.replace("history", "node"))})
        if app["state"] in FINAL:
            return None
        words = "The application is not at Running or Finished State."
        if text:
            return Answer(404, "Not Found. " + words, TEXT)
        return exception(404, "NotFoundException", words)

    def list(self, container, scenario):
        app = self.app_of(scenario, container)
        ident = "application_" + "_".join(container.split("_")[-4:-2])
        answer = app and self.waiting(app, False)
        if answer:
            return answer
        if app is None or not self.collected(scenario, app):
            return self.gone(ident)
        if container not in scenario.get("logs", {}):
            return exception(503, "WebApplicationException",
                             "HTTP 404 Not Found", "javax.ws.rs")
        return Answer(200, {"containerLogsInfoes": {
            "containerLogsInfo": self.listed(scenario, container, int)}})

    def all(self, ident, scenario):
        app = self.world.find(scenario, ident)
        answer = app and self.waiting(app, False)
        if answer:
            return answer
        if app is None or not self.collected(scenario, app):
            return self.gone(ident)
        number = ident.partition("_")[2]
        return Answer(200, {"containerLogsInfoes": {"containerLogsInfo": [
            self.listed(scenario, c, int) for c in scenario.get("logs", {})
            if number in c]}}, "application/json")

    def file(self, container, name, query, scenario):
        if not self.wants("text/plain"):
            return self.unacceptable()
        if not re.fullmatch(r"-?\d+", query.get("size", "0")):
            return self.failed()
        app = self.app_of(scenario, container)
        answer = app and self.waiting(app, True)
        if answer:
            return answer
        if app is None or not self.collected(scenario, app):
            return self.failed()
        if not self.pieces(scenario, container, name):
            return Answer(200, "Can not find logs for container:" + container,
                          "text/plain")
        return self.framed(scenario, container, name, query, False,
                           "text/plain")

    def html(self, container, name, query, scenario):
        app = self.app_of(scenario, container)
        if app is None or not self.collected(scenario, app):
            return self.page("", heading(
                "Logs not available for %s. Aggregation may not be complete, "
                "Check back later or try to find the container logs in the "
                "local directory of nodemanager %s" % (container, NODE)))
        inner = ""
        for log in self.pieces(scenario, container, name):
            text, shown = self.section(log, query)
            if inner:
                inner += "          <pre>\n\n</pre>\n"
            lines = ["Log Type: " + name, "Log Upload Time: " + MODIFIED,
                     "Log Length: %d" % log.size]
            if shown < log.size:
                lines.append("Showing %d bytes of %d total. Click \n"
                             '            <a href="/x">here</a>\n'
                             "             for the full log."
                             % (shown, log.size))
            inner += "".join("          <p>\n            %s\n" % line
                             for line in lines)
            inner += "          <pre>%s</pre>\n" % text
        return self.page("", inner or heading(
            "Unable to locate '%s' log for container %s" % (name, container)))


class Timeline(LogServer):
    """The timeline services, where "timeline" is "v1" or "v2"."""

    def get(self, path, query, scenario):
        api = {"v1": "/ws/v1/applicationhistory",
               "v2": "/ws/v2/applicationlog"}.get(scenario.get("timeline"))
        found = api and re.fullmatch(
            api + r"/containers/([^/]+)/logs(?:/([^/]+))?", path)
        if not found:
            return super().get(path, query, scenario)
        container, name = found.groups()
        if not name:
            return Answer(200, {"containerLogsInfo": [
                self.listed(scenario, container, str)]})
        return self.framed(scenario, container, name, query, False,
                           "text/plain")


ROLES = {"rm": ResourceManager, "nm": NodeManager, "jhs": HistoryServer,
         "ts": Timeline}


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):
            super().handle_error(request, client_address)


def listen(world, name, port=0, tls=None):
    role = ROLES[name.rstrip("0123456789")]
    handler = type(name, (role,), {"name": name, "world": world})
    server = Listener(("127.0.0.1", port), handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever,
                     kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--parent", type=int, default=os.getppid())
    parser.add_argument("--log")
    parser.add_argument("--tls")
    parser.add_argument("scenario")
    args = parser.parse_args()
    parent = os.pidfd_open(args.parent)
    tls = None
    if args.tls:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(args.tls)

    world = World(args.scenario, args.log)
    count = len(world.scenario().get("rms", [{}]))
    names = ["rm%d" % n for n in range(count)]
    names += [role for role in ROLES if role != "rm"]
    servers = {name: listen(world, name, tls=tls) for name in names}
    world.ports = {n: s.server_port for n, s in servers.items()}
    world.now = None
    ports = {role: world.ports[role] for role in ROLES if role != "rm"}
    ports["rm"] = [world.ports["rm%d" % n] for n in range(count)]
    print(json.dumps(ports), flush=True)

    while not select.select([parent], [], [], 0.05)[0]:
        rms = world.scenario().get("rms", [{}])
        for n in range(min(count, len(rms))):
            name = "rm%d" % n
            refused = rms[n].get("state") == "REFUSED"
            if refused and name in servers:
                server = servers.pop(name)
                server.shutdown()
                server.server_close()
            elif not refused and name not in servers:
                servers[name] = listen(world, name, world.ports[name], tls)


if __name__ == "__main__":
    main()
