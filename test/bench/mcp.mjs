// What connected tool servers cost: a test of the protocol's reference server over HTTP against the SDK's client alone,
// a call of a tool in the pooled session, and a server with 500 tools in pages.
//   npm run bench -- mcp [rounds=30]
import './support/typescript.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { startDeployment } from './support/deployment.mjs';
import { Bars, quantile, spread } from './support/figures.mjs';

const { OddServer } = await import('../support/mcp-odd-server.ts');

const rounds = Number(process.argv[2] ?? 30);
const WARM_UP = 5;
const BAR_MS = 300;
const TOOLS = 500;
const PAGE = 50;

const everything = await startEverything();
const odd = await OddServer.start();
odd.pageSize = PAGE;
odd.tools = Array.from({ length: TOOLS }, (_, index) => ({
  name: `tool-${index}`,
  description: 'Finds what is asked for, and nothing else. '.repeat(20),
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'integer' } },
    required: ['query'],
  },
}));
const deployment = await startDeployment({ apps: ['api'], settings: { MCP_HOSTS: `${everything.host},${odd.host}` } });
const bars = new Bars();
try {
  const owner = await deployment.signUp();
  const connect = async (label, url) => (await owner.json('POST', '/mcp-servers/servers/', { label, url })).id;
  const test = async (id) => {
    const probe = await owner.json('POST', `/mcp-servers/servers/${id}/test/`, {});
    if (!probe.ok) throw new Error(probe.error);
    return probe.tool_count;
  };
  const reference = await connect('Everything', everything.url);
  const many = await connect('Many', odd.url);

  // In turns, so that what else the machine does meets both.
  const [alone, ours, fivehundredAlone, fivehundred] = [[], [], [], []];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const times = [
      await timed(() => listAlone(everything.url)),
      await timed(() => test(reference)),
      await timed(() => listAlone(odd.url)),
      await timed(() => test(many)),
    ];
    if (round >= 0) [alone, ours, fivehundredAlone, fivehundred].forEach((list, index) => list.push(times[index]));
  }
  console.log(`the SDK's client alone, connect and list: ${spread(alone)}`);
  console.log(`a test over HTTP, outcome written down:   ${spread(ours)}`);
  const added = quantile(ours, 0.95) - quantile(alone, 0.95);
  bars.check(
    `tools of the reference server, added over the SDK's client < ${BAR_MS} ms (p95)`,
    `${added.toFixed(1)} ms`,
    added < BAR_MS,
  );
  console.log(`${TOOLS} tools in pages of ${PAGE}, the SDK's client alone: ${spread(fivehundredAlone)}`);
  console.log(`a test over HTTP, all stored:                    ${spread(fivehundred)}`);
  bars.check(`all ${TOOLS} tools are there`, await test(many), (await test(many)) === TOOLS);
  const pages = [];
  for (let round = 0; round < rounds; round += 1)
    pages.push(
      await timed(() => owner.json('GET', `/mcp-servers/servers/${many}/tools/?page_size=100&page=${(round % 5) + 1}`)),
    );
  console.log(`a page of 100 of them: ${spread(pages)}`);
} finally {
  await deployment.stop();
  await odd.stop();
  everything.stop();
}
bars.finish();

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function listAlone(url) {
  const client = new Client({ name: 'bench', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  let cursor;
  do ({ nextCursor: cursor } = await client.listTools(cursor ? { cursor } : {}));
  while (cursor);
  await transport.terminateSession();
  await client.close();
}

async function startEverything() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  const { resolve } = createRequire(import.meta.url);
  const entry = join(dirname(resolve('@modelcontextprotocol/server-everything/package.json')), 'dist/index.js');
  const env = { PATH: process.env.PATH, PORT: String(port) };
  const child = spawn(process.execPath, [entry, 'streamableHttp'], { env, stdio: 'ignore' });
  const host = `127.0.0.1:${port}`;
  while (!(await fetch(`http://${host}/`).catch(() => null))) await sleep(50);
  return { host, url: `http://${host}/mcp`, stop: () => child.kill('SIGKILL') };
}
