// SPDX-License-Identifier: ISC
// Copyright (c) 2026 The sa authors
//
// usage: node sdk1.mjs SERVER [ARG...]
//
// The TypeScript SDK 1.x, which knows the legacy revisions.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from
  '@modelcontextprotocol/sdk/client/stdio.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import assert from 'node:assert/strict';
import { Checks, common, pause, soon } from './checks.mjs';

const [command, ...args] = process.argv.slice(2);
const checks = new Checks('typescript 1');
const transport = new StdioClientTransport({ command, args,
  stderr: 'ignore' });
const client = new Client({ name: 'sdk1', version: '1' });
const noise = [];
client.onerror = e => noise.push(e.message);

function alive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const up = await checks.check('connect', async () => {
  let asked;
  const send = transport.send.bind(transport);
  transport.send = (m, ...more) => {
    asked ??= m.params?.protocolVersion;
    return send(m, ...more);
  };
  await client.connect(transport);
  assert.equal(asked, LATEST_PROTOCOL_VERSION);
  assert.ok(client.getServerCapabilities().tools);
  return `${asked}, ${JSON.stringify(client.getServerVersion())}`;
});
if (!up)
  checks.end();
await checks.check('ping', async () => {
  await client.ping();
});
await common(checks, client,
  (tool, options) => client.callTool(tool, undefined, options));
await checks.check('the server ends with its client', async () => {
  const { pid } = transport;
  const begin = Date.now();
  await client.close();
  const took = Date.now() - begin;
  await pause(100);
  assert.ok(took < soon && !alive(pid), `${took} ms`);
  return `${took} ms`;
});
await checks.check('nothing else was on the wire', async () => {
  assert.deepEqual(noise, []);
});
checks.end();
