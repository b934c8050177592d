# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""usage: bench-fastmcp.py CATALOGUE

The tools of sa-mcp behind FastMCP, for scripts/bench: each runs the command
that the catalogue has for it, with the arguments on its stdin.
"""
import json
import subprocess
import sys

from fastmcp import FastMCP
from fastmcp.tools import Tool, ToolResult


class Command(Tool):
    argv: list[str]

    async def run(self, arguments):
        done = subprocess.run(
            self.argv,
            input=json.dumps(arguments).encode(),
            stdout=subprocess.PIPE,
            check=True,
        )
        return ToolResult(structured_content=json.loads(done.stdout))


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        catalogue = json.load(f)
    server = FastMCP("sa", instructions=catalogue["instructions"])
    for tool in catalogue["tools"]:
        server.add_tool(
            Command(
                name=tool["name"],
                title=tool["title"],
                description=tool["description"],
                parameters=tool["inputSchema"],
                output_schema=tool["outputSchema"],
                annotations=tool["annotations"],
                argv=tool["run"]["argv"],
            )
        )
    server.run(show_banner=False)


main()
