// SPDX-License-Identifier: ISC
// Copyright (c) 2026 The sa authors
//
// usage: node http.mjs URL
//
// The TypeScript SDK 2.x over HTTP, through a gateway that asks for the key
// in MCP_PROXY_API_KEY.
import { Client, StreamableHTTPClientTransport } from
  '@modelcontextprotocol/client';
import assert from 'node:assert/strict';
import { Checks, common } from './checks.mjs';

const url = new URL(process.argv[2]);
const key = process.env.MCP_PROXY_API_KEY;
assert.ok(key);

async function connected(mode, headers) {
  const client = new Client({ name: 'http', version: '1' },
    { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url,
    { requestInit: { headers } }));
  return client;
}

let failed = 0;
for (const era of ['legacy', 'auto']) {
  const checks = new Checks(`http, ${era}`);
  let client;
  await checks.check('nobody gets in without the key', async () => {
    await assert.rejects(connected(era, {}), /401|[Uu]nauthorized/);
    await assert.rejects(connected(era, { 'x-api-key': `${key}0` }),
      /401|[Uu]nauthorized/);
  });
  await checks.check('connect', async () => {
    client = await connected(era, { 'x-api-key': key });
    assert.equal(client.getProtocolEra(),
      era === 'legacy' ? 'legacy' : 'modern');
    return client.getNegotiatedProtocolVersion();
  });
  await common(checks, client,
    (tool, options) => client.callTool(tool, options));
  await checks.check('save a connection and find it', async () => {
    const save = { name: 'save_connection',
      arguments: { name: `http-${era}`, master: 'local[1]' } };
    const saved = await client.callTool(save);
    assert.ok(!saved.isError, JSON.stringify(saved));
    const list = await client.callTool({ name: 'list_connections' });
    assert.match(list.content[0].text, new RegExp(`http-${era}`));
    assert.deepEqual(JSON.parse(list.content[0].text),
      list.structuredContent);
  });
  await checks.check('a script of 1 MiB comes back as it was', async () => {
    const head = 'print("';
    const code = `${head}${'é'.repeat((1 << 19) - 5)}")\n`;
    assert.equal(Buffer.byteLength(code), (1 << 20));
    const made = await client.callTool({ name: 'generate_job_file',
      arguments: { code } });
    assert.ok(!made.isError, JSON.stringify(made).slice(0, 300));
    const { script_path } = made.structuredContent;
    const got = await client.callTool({ name: 'read_job_file',
      arguments: { script_path } });
    assert.equal(got.structuredContent.content, code);
  });
  await client.close();
  failed += checks.failed;
}
process.exit(failed ? 1 : 0);
