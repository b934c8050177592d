// SPDX-License-Identifier: ISC
// Copyright (c) 2026 The sa authors
//
// usage: node sdk2.mjs legacy|auto|modern SERVER [ARG...]
//
// The TypeScript SDK 2.x. With auto it asks a second server process first
// which revisions there are.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import { Checks, common, soon } from './checks.mjs';

const [era, command, ...args] = process.argv.slice(2);
const checks = new Checks(`typescript 2, ${era}`);
const transport = new StdioClientTransport({ command, args,
  stderr: 'ignore' });
const mode = era === 'modern' ? { pin: '2026-07-28' } : era;
const client = new Client({ name: 'sdk2', version: '1' },
  { versionNegotiation: { mode } });
const noise = [];
client.onerror = e => noise.push(e.message);

const up = await checks.check('connect', async () => {
  await client.connect(transport);
  assert.equal(client.getProtocolEra(),
    era === 'legacy' ? 'legacy' : 'modern');
  return `${client.getNegotiatedProtocolVersion()}, ` +
    JSON.stringify(client.getServerVersion());
});
if (!up)
  checks.end();
await common(checks, client,
  (tool, options) => client.callTool(tool, options));
await checks.check('the server ends with its client', async () => {
  const begin = Date.now();
  await client.close();
  const took = Date.now() - begin;
  assert.ok(took < soon, `${took} ms`);
  return `${took} ms`;
});
await checks.check('nothing else was on the wire', async () => {
  assert.deepEqual(noise, []);
});
checks.end();
