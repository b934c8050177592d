# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""usage: flow.py sdk|agent SERVER APPROVE

From a draft to its output with the tools of sa-mcp: with the Python SDK 2.x,
or as an agent of pydantic-ai whose model is the flow itself. APPROVE
PENDING_ID is the person at a terminal.
"""
import asyncio
import json
import re
import subprocess
import sys

DROPS = 'spark.sql("DROP TABLE revenue")\n'
DRAFT = """from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print("sum", spark.range(10).count())
"""
MENDED = DRAFT.replace("count()", 'selectExpr("sum(id)").first()[0]')
SLEEPS = """import time
print("up", flush=True)
time.sleep(600)
"""
FINAL = ("SUCCEEDED", "FAILED", "KILLED", "LOST")


class Flow:
    """Yields the name and arguments of each call, and is sent the record of
    the tool, or the text of its refusal as an Error."""

    class Error(str):
        pass

    def __init__(self, kind, approve):
        self.kind = kind
        self.approve = approve
        self.failed = 0

    def check(self, what, condition, why=""):
        good = "ok" if condition else "not ok"
        print("%s - python, %s: %s" % (good, self.kind, what))
        if not condition:
            self.failed += 1
            print("# %s" % " ".join(str(why).split())[:300])
        sys.stdout.flush()

    def done(self, what, got):
        self.check(what, not isinstance(got, self.Error), got)
        return got

    def refused(self, what, got, pattern):
        self.check(what, isinstance(got, self.Error)
                   and re.search(pattern, got, re.S), got)

    def submit(self, what, script_path):
        got = self.done("prepare %s" % what, (yield "prepare_submit_job", {
            "connection": "flow", "script_path": script_path}))
        pending_id = got["pending_id"]
        got = yield "confirm_submit_job", {"pending_id": pending_id}
        self.refused("%s is not approved" % what, got,
                     "403.*%s" % pending_id)
        self.check("how to approve %s is not said" % what,
                   not re.search("sa-confirm approve|--yes", got), got)
        subprocess.run([self.approve, pending_id], check=True,
                       stdout=subprocess.DEVNULL)
        got = self.done("submit %s" % what, (
            yield "confirm_submit_job", {"pending_id": pending_id}))
        return got["job_id"]

    def steps(self):
        self.done("save a connection", (yield "save_connection", {
            "name": "flow", "master": "local[1]"}))
        got = yield "generate_job_file", {"code": DROPS}
        self.refused("a draft that drops a table is refused", got,
                     "400.*DROP")
        got = self.done("generate a job file", (
            yield "generate_job_file", {"code": DRAFT}))
        path, sha256 = got["script_path"], got["sha256"]
        got = yield "read_job_file", {"script_path": path}
        self.check("read it", got["content"] == DRAFT, got)
        self.done("update it, as it was read", (yield "update_job_file", {
            "script_path": path, "content": MENDED,
            "expected_sha256": sha256}))
        got = yield "update_job_file", {
            "script_path": path, "content": DRAFT, "expected_sha256": sha256}
        self.refused("and not as it was before", got, "403")
        job = yield from self.submit("it", path)
        state = None
        while state not in FINAL:
            got = yield "get_job_status", {"job_id": job, "wait_seconds": 20}
            state = got["state"]
        self.check("follow it to its end", state == "SUCCEEDED", got)
        got = yield "get_job_logs", {"job_id": job}
        self.check("read what it printed",
                   re.search("^sum 45$", got["content"], re.M), got)
        got = yield "generate_job_file", {"code": SLEEPS}
        other = yield from self.submit("another", got["script_path"])
        got = yield "kill_job", {"job_id": other}
        self.check("kill the other", got["state"] == "KILLED", got)


async def with_sdk(flow, command):
    from mcp import Client, StdioServerParameters
    async with Client(StdioServerParameters(command=command)) as client:
        steps = flow.steps()
        name, arguments = next(steps)
        while True:
            result = await client.call_tool(name, arguments)
            text = result.content[0].text
            answer = flow.Error(text)
            if not result.is_error:
                answer = result.structured_content
                if json.loads(text) != answer:
                    raise AssertionError("%s: two results" % name)
            try:
                name, arguments = steps.send(answer)
            except StopIteration:
                return


async def with_agent(flow, command):
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import Agent, UsageLimits
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    steps = flow.steps()

    def model(messages, info):
        try:
            if len(messages) == 1:
                return ModelResponse(parts=[ToolCallPart(*next(steps))])
            got = messages[-1].parts[-1].content
            answer = flow.Error(got) if isinstance(got, str) else got
            return ModelResponse(parts=[ToolCallPart(*steps.send(answer))])
        except StopIteration:
            return ModelResponse(parts=[TextPart("done")])

    tools = MCPToolset(StdioTransport(command, [], keep_alive=False),
                       max_retries=9)
    agent = Agent(FunctionModel(model), toolsets=[tools])
    async with agent:
        result = await agent.run("Run the draft.", usage_limits=UsageLimits(
            request_limit=500))
    flow.check("the agent is done", result.output == "done", result.output)


if len(sys.argv) != 4:
    sys.exit(__doc__)
kind, command, approve = sys.argv[1:]
flow = Flow(kind, approve)
asyncio.run({"sdk": with_sdk, "agent": with_agent}[kind](flow, command))
sys.exit(1 if flow.failed else 0)
