// SPDX-License-Identifier: ISC
// Copyright (c) 2026 The sa authors
//
// usage: node session.mjs STEPS SERVER
//
// A model at work in a sandbox, with the TypeScript SDK 2.x: the calls that
// STEPS has, one after the other, and one that is given up.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { Checks } from './checks.mjs';

const [file, command] = process.argv.slice(2);
const steps = JSON.parse(fs.readFileSync(file, 'utf8'));
const checks = new Checks('typescript 2');
const client = new Client({ name: 'session', version: '1' },
  { versionNegotiation: { mode: 'auto' } });

const run = (command, options) => client.callTool({
  name: 'sandbox_run_command', arguments: { command } }, options);

await checks.check('connect', async () => {
  await client.connect(
    new StdioClientTransport({ command, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  const tool = tools.find(t => t.name === 'sandbox_run_command');
  assert.match(tool.description, /no network at all/);
});
for (const step of steps)
  await checks.check(step.what, async () => {
    const r = await client.callTool({ name: step.tool,
      arguments: step.arguments });
    assert.equal(r.structuredContent, undefined);
    assert.equal(Boolean(r.isError), Boolean(step.error), r.content[0].text);
    assert.match(r.content[0].text, new RegExp(step.error ?? step.text));
  });
await checks.check('give a call up, and its command ends', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort('enough'), 1000);
  await assert.rejects(
    run('exec sleep 600', { signal: stop.signal }));
  const r = await run('for i in $(seq 50); do cat /proc/[0-9]*/comm | ' +
    'grep -qx sleep || { echo gone; exit; }; sleep 0.1; done');
  assert.match(r.content[0].text, /gone/);
});
await checks.check('five at a time', async () => {
  const all = await Promise.all([1, 2, 3, 4, 5].map(
    i => run(`echo ${i} >n${i}; sleep 0.3; cat n${i}`)));
  all.forEach((r, i) => assert.match(r.content[0].text,
    new RegExp(`^\\[stdout\\]\\n${i + 1}\\n`)));
});
await checks.check('close', () => client.close());
checks.end();
