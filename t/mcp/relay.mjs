// SPDX-License-Identifier: ISC
// Copyright (c) 2026 The sa authors
//
// usage: node relay.mjs WIRELOG SERVER [ARG...]
//
// The conformance suite speaks HTTP, and SERVER speaks on stdin and stdout.
// This stands between them and understands as little as it can, so that no
// mistake of the server is mended: a stateless request gets a process of its
// own, a legacy session one for all of its requests, and messages go through
// as they are. On a free port of 127.0.0.1, whose URL is the line on stdout;
// until SIGTERM. What the server must never do, to print what is no JSON and
// to outlive the end of its input by two seconds, is told on stderr and by
// exit status 1.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const STATELESS = '2026-07-28';
const HEADER_MISMATCH = -32020;
const BAD_REQUEST = [-32020, -32021, -32022, -32700, -32600];
const [wirelog, command, ...args] = process.argv.slice(2);
const wire = fs.openSync(wirelog, 'a');
const servers = new Set();
const sessions = new Map();
let faults = 0;

function fault(text) {
  faults++;
  console.error(`relay: ${text}`);
}

class Server {
  #rest = '';

  constructor() {
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.process.stdin.on('error', () => {});
    this.process.stdout.setEncoding('utf8').on('data', s => this.#read(s));
    this.process.on('close', () => {
      servers.delete(this);
      clearTimeout(this.timer);
      this.onclose?.();
    });
    servers.add(this);
  }

  #read(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) {
      fs.writeSync(wire, `< ${line}\n`);
      try {
        this.onmessage?.(JSON.parse(line));
      } catch (e) {
        fault(`${e.message}: ${line.slice(0, 200)}`);
      }
    }
  }

  send(message) {
    const line = JSON.stringify(message);
    fs.writeSync(wire, `> ${line}\n`);
    this.process.stdin.write(`${line}\n`);
  }

  cancel(id) {
    this.send({ jsonrpc: '2.0', method: 'notifications/cancelled',
      params: { requestId: id } });
  }

  end() {
    this.process.stdin.end();
    this.timer ??= setTimeout(() => {
      fault('the server did not end with its input');
      this.process.kill('SIGKILL');
    }, 2000);
  }
}

// What answers a request: one JSON body, or a stream once anything but the
// answer has to be told.
class Reply {
  headers = {};
  done = false;

  constructor(response) {
    this.response = response;
  }

  json(status, body) {
    this.done = true;
    this.response.writeHead(status,
      { 'content-type': 'application/json', ...this.headers });
    this.response.end(JSON.stringify(body));
  }

  error(status, code, message, id) {
    this.json(status, { jsonrpc: '2.0', id, error: { code, message } });
  }

  empty(status) {
    this.done = true;
    this.response.writeHead(status, this.headers).end();
  }

  stream() {
    if (!this.response.headersSent)
      this.response.writeHead(200, { 'content-type': 'text/event-stream',
        'cache-control': 'no-cache', ...this.headers }).flushHeaders();
  }

  event(message) {
    this.stream();
    this.response.write(
      `event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  answer(status, message) {
    if (!this.response.headersSent)
      return this.json(status, message);
    this.event(message);
    this.end();
  }

  end() {
    this.done = true;
    this.response.end();
  }
}

function decoded(header) {
  const base64 = /^=\?base64\?(.*)\?=$/.exec(header.trim());
  return base64 ? Buffer.from(base64[1], 'base64').toString() : header.trim();
}

// mismatch: what the headers say otherwise than the body, which is the truth.
function mismatch(headers, { method, params }) {
  const want = {
    'mcp-method': method,
    'mcp-protocol-version': params?._meta?.[VERSION],
  };
  if (method === 'tools/call' || method === 'prompts/get')
    want['mcp-name'] = params?.name;
  if (method === 'resources/read')
    want['mcp-name'] = params?.uri;
  for (const [name, value] of Object.entries(want)) {
    if (value === undefined)
      continue;
    if (headers[name] === undefined)
      return `there is no header ${name}`;
    if (decoded(headers[name]) !== value)
      return `the header ${name} is not '${value}'`;
  }
  return undefined;
}

function statusOf({ error }, meta = {}) {
  if (!error)
    return 200;
  if (error.code === -32601)
    return 404;
  const whole = VERSION in meta && CAPABILITIES in meta;
  return BAD_REQUEST.includes(error.code) ||
    (error.code === -32602 && !whole) ? 400 : 200;
}

function stateless(request, reply, message) {
  const why = mismatch(request.headers, message);
  if (why)
    return reply.error(400, HEADER_MISMATCH, why, message.id);
  const server = new Server();
  server.onmessage = m => {
    if (m.id !== message.id || m.method !== undefined)
      return reply.event(m);
    reply.answer(statusOf(m, message.params?._meta), m);
    server.end();
  };
  server.onclose = () => {
    if (!reply.done)
      reply.answer(500, { jsonrpc: '2.0', id: message.id,
        error: { code: -32603, message: 'the server ended' } });
  };
  reply.response.on('close', () => {
    if (reply.done)
      return;
    server.cancel(message.id);
    server.end();
  });
  server.send(message);
}

function newSession() {
  const session = { id: randomUUID(), server: new Server(),
    pending: new Map() };
  sessions.set(session.id, session);
  session.server.onmessage = m => {
    const reply = m.method === undefined && session.pending.get(m.id);
    if (reply) {
      session.pending.delete(m.id);
      return reply.answer(200, m);
    }
    ([...session.pending.values()].pop() ?? session.listener)?.event(m);
  };
  session.server.onclose = () => {
    sessions.delete(session.id);
    for (const reply of session.pending.values())
      reply.end();
  };
  return session;
}

function legacy(request, reply, message) {
  const id = request.headers['mcp-session-id'];
  const session = message.method === 'initialize' && !id ?
    newSession() : sessions.get(id);
  if (!session)
    return reply.error(id ? 404 : 400, -32000, 'there is no such session');
  reply.headers = { 'mcp-session-id': session.id };
  if (message.method === undefined || message.id === undefined) {
    session.server.send(message);
    return reply.empty(202);
  }
  session.pending.set(message.id, reply);
  reply.response.on('close', () => {
    if (session.pending.delete(message.id))
      session.server.cancel(message.id);
  });
  if (message.method === 'tools/call')
    reply.stream();
  session.server.send(message);
}

function post(request, reply, body) {
  let message;
  try {
    message = JSON.parse(body);
  } catch (e) {
    return reply.error(400, -32700, e.message);
  }
  const modern = message.params?._meta?.[VERSION] !== undefined ||
    request.headers['mcp-protocol-version'] >= STATELESS;
  if (modern && !request.headers['mcp-session-id'])
    stateless(request, reply, message);
  else
    legacy(request, reply, message);
}

function local(name) {
  return name === undefined ||
    /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(name);
}

function handle(request, response) {
  const reply = new Reply(response);
  const session = sessions.get(request.headers['mcp-session-id']);
  if (!local(request.headers.host) || !local(request.headers.origin))
    return reply.error(403, -32600, 'who asks is not from here');
  if (request.method === 'POST') {
    const parts = [];
    request.on('data', part => parts.push(part));
    request.on('end', () =>
      post(request, reply, Buffer.concat(parts).toString()));
  } else if (request.method === 'DELETE') {
    if (!session)
      return reply.error(404, -32000, 'there is no such session');
    session.server.end();
    sessions.delete(session.id);
    reply.empty(200);
  } else if (request.method === 'GET' && session) {
    session.listener = reply;
    reply.stream();
    response.on('close', () => {
      if (session.listener === reply)
        session.listener = undefined;
    });
  } else {
    reply.empty(405);
  }
}

const listener = http.createServer(handle).listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${listener.address().port}/mcp`));
process.on('SIGTERM', async () => {
  listener.close();
  listener.closeAllConnections();
  for (const server of servers)
    server.end();
  while (servers.size > 0)
    await new Promise(done => setTimeout(done, 20));
  process.exit(faults > 0 ? 1 : 0);
});
