// SPDX-License-Identifier: ISC
// Copyright (c) 2026 The sa authors
//
// usage: node flow.mjs SERVER APPROVE
//
// From a draft to its output with the tools of sa-mcp and the TypeScript SDK
// 2.x. APPROVE PENDING_ID is the person at a terminal.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Checks } from './checks.mjs';

const DROPS = 'spark.sql("DROP TABLE revenue")\n';
const DRAFT = `from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print("sum", spark.range(10).count())
`;
const MENDED = DRAFT.replace('count()', 'selectExpr("sum(id)").first()[0]');
const SLEEPS = `import time
print("up", flush=True)
time.sleep(600)
`;
const FINAL = ['SUCCEEDED', 'FAILED', 'KILLED', 'LOST'];

const [command, approve] = process.argv.slice(2);
const checks = new Checks('typescript 2');
const client = new Client({ name: 'flow', version: '1' },
  { versionNegotiation: { mode: 'auto' } });

// call gives the record of a tool that has to succeed.
async function call(name, args = {}) {
  const r = await client.callTool({ name, arguments: args });
  assert.ok(!r.isError, r.content[0]?.text);
  assert.deepEqual(JSON.parse(r.content[0].text), r.structuredContent);
  return r.structuredContent;
}

// refused gives the reason of one that must not.
async function refused(name, args) {
  const r = await client.callTool({ name, arguments: args });
  assert.equal(r.isError, true, JSON.stringify(r).slice(0, 300));
  assert.equal(r.structuredContent, undefined);
  return r.content.map(c => c.text).join('\n');
}

// submit has a script approved and started.
async function submit(script_path) {
  const { pending_id } = await call('prepare_submit_job',
    { connection: 'flow', script_path });
  const why = await refused('confirm_submit_job', { pending_id });
  assert.match(why, /403/);
  assert.match(why, new RegExp(pending_id));
  assert.doesNotMatch(why, /sa-confirm approve|--yes/);
  execFileSync(approve, [pending_id], { stdio: 'ignore' });
  return (await call('confirm_submit_job', { pending_id })).job_id;
}

let file;
let job;
await checks.check('connect', async () => {
  await client.connect(
    new StdioClientTransport({ command, stderr: 'ignore' }));
  // from here on results are compared with their schemas
  await client.listTools();
});
await checks.check('save a connection', async () => {
  await call('save_connection', { name: 'flow', master: 'local[1]' });
  const got = await call('get_connection', { name: 'flow' });
  assert.equal(got.master, 'local[1]');
});
await checks.check('a draft that drops a table is refused', async () => {
  assert.match(await refused('generate_job_file', { code: DROPS }),
    /400[^]*DROP/);
});
await checks.check('generate a job file', async () => {
  file = await call('generate_job_file', { code: DRAFT });
});
await checks.check('read it', async () => {
  const got = await call('read_job_file', { script_path: file.script_path });
  assert.equal(got.content, DRAFT);
  assert.equal(got.sha256, file.sha256);
});
await checks.check('update it, as it was read', async () => {
  const { script_path, sha256 } = file;
  await call('update_job_file',
    { script_path, content: MENDED, expected_sha256: sha256 });
  assert.match(await refused('update_job_file',
    { script_path, content: DRAFT, expected_sha256: sha256 }), /403/);
});
await checks.check('submit it, once a person has approved', async () => {
  job = await submit(file.script_path);
});
await checks.check('follow it to its end', async () => {
  let got;
  do
    got = await call('get_job_status', { job_id: job, wait_seconds: 20 });
  while (!FINAL.includes(got.state));
  assert.equal(got.state, 'SUCCEEDED', got.diagnostics);
});
await checks.check('read what it printed', async () => {
  const got = await call('get_job_logs', { job_id: job });
  assert.match(got.content, /^sum 45$/m);
});
await checks.check('submit another', async () => {
  const { script_path } = await call('generate_job_file', { code: SLEEPS });
  job = await submit(script_path);
});
await checks.check('wait for it, and be told of progress', async () => {
  let n = 0;
  const wait = { name: 'get_job_status',
    arguments: { job_id: job, wait_seconds: 3 } };
  const r = await client.callTool(wait, { onprogress: () => n++ });
  assert.ok(!FINAL.includes(r.structuredContent.state));
  assert.ok(n > 0, 'there was none');
});
await checks.check('stop waiting for it', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort('enough'), 300);
  const wait = { name: 'get_job_status',
    arguments: { job_id: job, wait_seconds: 45 } };
  await assert.rejects(client.callTool(wait, { signal: stop.signal }));
});
await checks.check('kill it', async () => {
  const killed = await call('kill_job', { job_id: job });
  assert.equal(killed.state, 'KILLED');
  const jobs = await call('list_jobs');
  assert.match(JSON.stringify(jobs), new RegExp(job));
});
await checks.check('close', () => client.close());
checks.end();
