// SPDX-License-Identifier: ISC
// Copyright (c) 2026 The sa authors
//
// What the clients of both TypeScript SDKs do. A check prints one line, as
// t/mcp/mcp-lib.sh reads them; which tools are called is said by the file
// that SA_TEST_MCP_CALLS names, and a call that it has not is left out.
import assert from 'node:assert/strict';
import fs from 'node:fs';

const file = process.env.SA_TEST_MCP_CALLS;
export const calls = file ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
export const hard = 'ünïcode 漢字 😀 \u2028 "q" \\';
// The SDKs end a server two seconds after its input: what is sooner went by
// itself.
export const soon = 1900;
export const pause = ms => new Promise(done => setTimeout(done, ms));

// fill replaces each "{name}" by values.name.
function fill(x, values) {
  if (typeof x === 'string')
    return /^\{\w+\}$/.test(x) ? values[x.slice(1, -1)] ?? x : x;
  if (Array.isArray(x))
    return x.map(y => fill(y, values));
  if (x === null || typeof x !== 'object')
    return x;
  return Object.fromEntries(
    Object.entries(x).map(([key, y]) => [key, fill(y, values)]));
}

export function tool(key, values = {}) {
  const { name, arguments: args = {} } = calls[key];
  return { name, arguments: fill(args, values) };
}

export class Checks {
  failed = 0;

  constructor(title) {
    this.title = title;
  }

  // Runs f, which may give a remark; true if it did not throw.
  async check(name, f, key) {
    name = `${this.title}: ${name}`;
    if (key && !calls[key]) {
      console.log(`ok - ${name} # skip no tool is named for it`);
      return true;
    }
    try {
      const remark = await f();
      console.log(`ok - ${name}`);
      if (remark)
        console.log(`# ${remark}`);
      return true;
    } catch (e) {
      const why = String(e?.message ?? e).replace(/\s+/g, ' ');
      this.failed++;
      console.log(`not ok - ${name}\n# ${why.slice(0, 300)}`);
      return false;
    }
  }

  end() {
    process.exit(this.failed ? 1 : 0);
  }
}

// common does what needs nothing special of an SDK. call(tool, options) is
// the SDK's own, and client another name for what lists and closes.
export async function common(checks, client, call) {
  const fine = r => assert.ok(
    !r.isError && Array.isArray(r.content) && r.content.length > 0,
    JSON.stringify(r));

  await checks.check('list tools', async () => {
    const tools = [];
    let cursor;
    do {
      const page = await client.listTools(cursor ? { cursor } : undefined);
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor);
    assert.ok(tools.length > 0);
    return `${tools.length} tools`;
  });
  await checks.check('a call', async () => {
    fine(await call(tool('call')));
  }, 'call');
  await checks.check('20 calls at once', async () => {
    const all = Array.from({ length: 20 }, () => call(tool('call')));
    for (const r of await Promise.all(all))
      fine(r);
  }, 'call');
  await checks.check('text comes back', async () => {
    const r = await call(tool('echo', { text: hard }));
    fine(r);
    if (r.structuredContent)
      assert.ok(Object.values(r.structuredContent).includes(hard));
    assert.ok(r.content[0].text.includes('漢字 😀'));
  }, 'echo');
  await checks.check('a tool that fails says so, and why', async () => {
    const r = await call(tool('fail'));
    assert.equal(r.isError, true);
    assert.ok(r.content[0].text.length > 9);
  }, 'fail');
  await checks.check('there is no such tool', async () => {
    await assert.rejects(call({ name: 'no_such_tool', arguments: {} }),
      e => e.code === -32602);
  });
  await checks.check('progress is reported', async () => {
    let n = 0;
    const seconds = calls.slow.progress_seconds ?? 3;
    await call(tool('slow', { seconds }),
      { onprogress: () => n++, resetTimeoutOnProgress: true });
    assert.ok(n > 0, 'there was none');
    return `${n} times`;
  }, calls.slow?.progress === false ? 'progress' : 'slow');
  await checks.check('a call is taken back, the next one answered',
    async () => {
      const stop = new AbortController();
      const slow = call(tool('slow', { seconds: 30 }),
        { signal: stop.signal });
      setTimeout(() => stop.abort('enough'), 200);
      await assert.rejects(slow);
      fine(await call(tool('call')));
    }, calls.call ? 'slow' : 'call');
}
