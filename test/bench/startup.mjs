// How long a newcomer waits: `npm start` on a fresh clone with a warm package cache, and a second start.
// Usage: node test/bench/startup.mjs   (bars: < 120 s and < 10 s)
import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** Seconds until `Atrium is ready`; stops the platform again. */
async function startOnce(folder, port) {
  const started = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, API_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ready = await new Promise((done, fail) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
        if (/^Atrium is ready/m.test(output)) done((performance.now() - started) / 1000);
      });
    child.once('exit', (code) => fail(new Error(`npm start ended with ${code}:\n${output}`)));
  });
  const exited = new Promise((done) => child.once('exit', done));
  child.kill('SIGINT');
  await exited;
  return ready;
}

const folder = mkdtempSync(join(tmpdir(), 'atrium-startup-'));
try {
  execFileSync('git', ['clone', '--quiet', root, folder]);
  const port = await freePort();
  const first = await startOnce(folder, port);
  console.log(`first start on a fresh clone: ${first.toFixed(1)} s (bar: 120 s)`);
  const second = [];
  for (let i = 0; i < 3; i++) second.push(await startOnce(folder, port));
  second.sort((a, b) => a - b);
  console.log(`second start, median of 3:    ${second[1].toFixed(1)} s (bar: 10 s)`);
  process.exitCode = first < 120 && second[1] < 10 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
