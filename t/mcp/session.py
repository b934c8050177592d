# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""usage: session.py STEPS SERVER

A model at work in a sandbox, with the Python SDK 2.x: the calls that STEPS
has, one after the other.
"""
import asyncio
import json
import re
import sys

from mcp import Client, StdioServerParameters


def wrong(step, result):
    """Why a result is not what the step says, or None."""
    text = result.content[0].text
    pattern = step.get("error") or step["text"]
    if bool(result.is_error) != ("error" in step):
        return text
    if result.structured_content is not None:
        return "there is structured content"
    # the steps are written for JavaScript, where [^] is any character
    if not re.search(pattern.replace("[^]*", r"[\s\S]*"), text):
        return text
    return None


async def main(steps, command):
    failed = 0
    async with Client(StdioServerParameters(command=command)) as client:
        for step in steps:
            result = await client.call_tool(step["tool"], step["arguments"])
            why = wrong(step, result)
            print("%s - python: %s" % ("not ok" if why else "ok",
                                       step["what"]))
            if why:
                failed += 1
                print("# %s" % " ".join(why.split())[:300])
            sys.stdout.flush()
    return 1 if failed else 0


if len(sys.argv) != 3:
    sys.exit(__doc__)
with open(sys.argv[1], encoding="utf-8") as file:
    sys.exit(asyncio.run(main(json.load(file), sys.argv[2])))
