# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""usage: clients.py CLIENT SERVER [ARG...]

Python's MCP clients. CLIENT is one of

    mcp1                                    the SDK 1.x, legacy
    mcp2-legacy | mcp2-auto | mcp2-modern   the SDK 2.x
    fastmcp                                 FastMCP, on the SDK 2.x
    pydantic-ai                             an agent with a model of our own
    langchain                               langchain-mcp-adapters, SDK 1.x

A check prints one line, as t/mcp/mcp-lib.sh reads them; which tools are
called is said by the file that SA_TEST_MCP_CALLS names, and a call that it
has not is left out.
"""
import asyncio
import contextlib
import json
import os
import sys
import time

# The SDKs end a server two seconds after its input: what is sooner went by
# itself.
SOON = 1.9
HARD = 'ünïcode 漢字 😀 \u2028 "q" \\'


def load_calls():
    name = os.environ.get("SA_TEST_MCP_CALLS")
    if not name:
        return {}
    with open(name, encoding="utf-8") as f:
        return json.load(f)


def fill(x, values):
    """x with each "{name}" in it replaced by values[name]."""
    if isinstance(x, str):
        return values.get(x[1:-1], x) if x[:1] + x[-1:] == "{}" else x
    if isinstance(x, dict):
        return {key: fill(y, values) for key, y in x.items()}
    return [fill(y, values) for y in x] if isinstance(x, list) else x


def need(condition, why):
    if not condition:
        raise AssertionError(why)


def cause(error):
    while getattr(error, "exceptions", None):
        error = error.exceptions[0]
    text = "%s: %s" % (type(error).__name__, error)
    return " ".join(text.split())[:300]


def is_error(result):
    return getattr(result, "is_error", getattr(result, "isError", False))


def fine(result):
    need(not is_error(result) and result.content, str(result)[:200])


def children():
    """Processes that we have started and that still run."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open("/proc/%s/stat" % pid) as f:
                state, parent = f.read().rsplit(")", 1)[1].split()[:2]
            if int(parent) == os.getpid() and state not in "ZX":
                found.add(int(pid))
    return found


class Checks:
    def __init__(self, title, calls):
        self.title = title
        self.calls = calls
        self.failed = 0

    def name(self, key):
        return self.calls[key]["name"]

    def arguments(self, key, **values):
        return fill(self.calls[key].get("arguments", {}), values)

    async def check(self, what, f, key=None):
        """Runs f, which may give a remark."""
        what = "%s: %s" % (self.title, what)
        if key and key not in self.calls:
            print("ok - %s # skip no tool is named for it" % what)
            return
        try:
            remark = await asyncio.wait_for(f(), 60)
            print("ok - %s" % what)
            if remark:
                print("# %s" % remark)
        except Exception as e:
            self.failed += 1
            print("not ok - %s\n# %s" % (what, cause(e)))
        sys.stdout.flush()


class Session:
    """What the SDKs have in common once they are connected."""

    def __init__(self, listed, call, call_watched, ping=None):
        self.listed = listed
        self.call = call
        self.call_watched = call_watched
        self.ping = ping

    async def checks(self, c):
        await c.check("list tools", self.list_tools)
        if self.ping:
            await c.check("ping", self.pinged)
        await c.check("a call", lambda: self.one(c), "call")
        await c.check("20 calls at once", lambda: self.many(c), "call")
        await c.check("text comes back", lambda: self.echo(c), "echo")
        await c.check("an argument of 2.7 MB is answered",
                      lambda: self.large(c), "echo")
        await c.check("a tool that fails says so, and why",
                      lambda: self.fails(c), "fail")
        await c.check("there is no such tool", self.unknown)
        slow = c.calls.get("slow", {})
        await c.check("progress is reported", lambda: self.progress(c),
                      "slow" if slow.get("progress", True) else "progress")
        await c.check("a call is taken back, the next one answered",
                      lambda: self.cancel(c), "slow")

    async def list_tools(self):
        tools = await self.listed()
        need(tools, "there are none")
        return "%d tools" % len(tools)

    async def pinged(self):
        await self.ping()

    async def one(self, c):
        fine(await self.call(c.name("call"), c.arguments("call")))

    async def many(self, c):
        calls = [self.call(c.name("call"), c.arguments("call"))
                 for _ in range(20)]
        for result in await asyncio.gather(*calls):
            fine(result)

    async def echo(self, c):
        result = await self.call(c.name("echo"),
                                 c.arguments("echo", text=HARD))
        fine(result)
        need("漢字 😀" in result.content[0].text, str(result)[:200])

    async def large(self, c):
        await self.call(c.name("echo"),
                        c.arguments("echo", text="é0123456" * 300000))

    async def fails(self, c):
        result = await self.call(c.name("fail"), c.arguments("fail"))
        need(is_error(result), "isError is not set")
        need(len(result.content[0].text) > 9, "no reason")

    async def unknown(self):
        try:
            result = await self.call("no_such_tool", {})
        except Exception as e:
            code = getattr(getattr(e, "error", e), "code", None)
            need(code == -32602 or "-32602" in cause(e), cause(e))
            return
        raise AssertionError(str(result)[:200])

    async def progress(self, c):
        seen = []

        async def watch(done, total=None, message=None):
            seen.append(done)

        seconds = c.calls["slow"].get("progress_seconds", 3)
        await self.call_watched(
            c.name("slow"), c.arguments("slow", seconds=seconds), watch)
        need(seen, "there was none")
        return "%d times" % len(seen)

    async def cancel(self, c):
        task = asyncio.create_task(
            self.call(c.name("slow"), c.arguments("slow", seconds=30)))
        await asyncio.sleep(0.3)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        need(await self.listed(), "no tools")


async def open_mcp1(stack, kind, command, args):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    log = stack.enter_context(open(os.devnull, "w"))
    streams = await stack.enter_async_context(stdio_client(
        StdioServerParameters(command=command, args=args), errlog=log))
    session = await stack.enter_async_context(ClientSession(*streams))
    answer = await session.initialize()
    print("# %s" % answer.protocolVersion)

    async def listed():
        return (await session.list_tools()).tools

    async def watched(name, arguments, watch):
        return await session.call_tool(name, arguments,
                                       progress_callback=watch)

    return Session(listed, session.call_tool, watched, session.send_ping)


async def open_mcp2(stack, kind, command, args):
    from mcp import Client, StdioServerParameters
    mode = kind.split("-")[1]
    client = await stack.enter_async_context(Client(
        StdioServerParameters(command=command, args=args),
        mode="2026-07-28" if mode == "modern" else mode))
    want = "2025-11-25" if mode == "legacy" else "2026-07-28"
    need(client.protocol_version == want, client.protocol_version)
    print("# %s" % want)

    async def listed():
        return (await client.list_tools(cache_mode="bypass")).tools

    async def watched(name, arguments, watch):
        return await client.call_tool(name, arguments,
                                      progress_callback=watch)

    return Session(listed, client.call_tool, watched,
                   client.send_ping if mode == "legacy" else None)


async def open_fastmcp(stack, kind, command, args):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport
    client = await stack.enter_async_context(
        Client(StdioTransport(command, args, keep_alive=False)))

    async def call(name, arguments):
        return await client.call_tool(name, arguments, raise_on_error=False)

    async def watched(name, arguments, watch):
        return await client.call_tool(name, arguments,
                                      progress_handler=watch)

    return Session(client.list_tools, call, watched)


async def run_sdk(c, opener, kind, command, args):
    async def connected():
        async with contextlib.AsyncExitStack() as stack:
            session = await opener(stack, kind, command, args)
            print("ok - %s: connect" % c.title)
            await session.checks(c)
            connected.end = time.monotonic()

    try:
        await asyncio.wait_for(connected(), 250)
    except Exception as e:
        c.failed += 1
        print("not ok - %s: the session\n# %s" % (c.title, cause(e)))
        return
    took = time.monotonic() - connected.end

    async def gone():
        await asyncio.sleep(0.1)
        need(not children(), "it is still there")
        need(took < SOON, "it took %.1f s" % took)
        return "%.0f ms" % (took * 1e3)

    await c.check("the server ends with its client", gone)


async def ended():
    await asyncio.sleep(0.2)
    need(not children(), "it is still there")


async def run_pydantic_ai(c, command, args):
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.messages import (ModelResponse, TextPart, ToolCallPart,
                                      ToolReturnPart)
    from pydantic_ai.models.function import FunctionModel
    offered = []
    returned = []

    def model(messages, info):
        offered[:] = [tool.name for tool in info.function_tools]
        got = [part for message in messages for part in message.parts
               if isinstance(part, ToolReturnPart)]
        if not got and "call" in c.calls:
            return ModelResponse(parts=[
                ToolCallPart(c.name("call"), c.arguments("call"))])
        returned[:] = [str(part.content) for part in got]
        return ModelResponse(parts=[TextPart("done")])

    async def go():
        agent = Agent(FunctionModel(model), toolsets=[MCPToolset(
            StdioTransport(command, args, keep_alive=False))])
        async with agent:
            result = await agent.run("go")
        need(result.output == "done" and offered, "offered %s" % offered)
        need(returned or "call" not in c.calls, "nothing came back")
        return "%d tools; %s" % (len(offered), "".join(returned)[:60])

    await c.check("an agent is offered the tools and calls one", go)
    await c.check("the server ends with its client", ended)


async def run_langchain(c, command, args):
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_mcp_adapters.tools import load_mcp_tools

    async def go():
        client = MultiServerMCPClient({"server": {
            "transport": "stdio", "command": command, "args": args}})
        async with client.session("server") as session:
            tools = {t.name: t for t in await load_mcp_tools(session)}
            need(tools, "there are none")
            if "call" not in c.calls:
                return "%d tools" % len(tools)
            got = await tools[c.name("call")].ainvoke(c.arguments("call"))
            need(got, "nothing came back")
            return "%d tools; %s" % (len(tools), str(got)[:60])

    await c.check("the adapter loads the tools and calls one", go)
    await c.check("the server ends with its client", ended)


async def main(kind, command, *args):
    c = Checks("python, %s" % kind, load_calls())
    args = list(args)
    if kind == "pydantic-ai":
        await run_pydantic_ai(c, command, args)
    elif kind == "langchain":
        await run_langchain(c, command, args)
    else:
        opener = {"mcp1": open_mcp1, "fastmcp": open_fastmcp}
        await run_sdk(c, opener.get(kind, open_mcp2), kind, command, args)
    return 1 if c.failed else 0


if len(sys.argv) < 3:
    sys.exit(__doc__)
sys.exit(asyncio.run(main(*sys.argv[1:])))
