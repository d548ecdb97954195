import { execFile, spawn } from 'node:child_process';
import crypto from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { serverEnvironment } from '../lib/child-environments.mjs';
import { ensureDatabase, query } from '../lib/database.mjs';
import { inRoot, ROOT } from '../lib/paths.mjs';
import { startModelServer } from './model-server.mjs';

const run = promisify(execFile);
const DATABASE = 'atrium_demo_agent';
const APPS = ['api', 'workflow-runner'];
const READY_WITHIN_MS = 180_000;

/**
 * A small platform beside the one that runs, with a database of its own on the same servers, and a model by rote: what the
 * running one is configured with, and what stands in it, is not touched.
 * @param {{ DATABASE_URL: string, REDIS_URL: string }} servers
 */
export async function startAgentPlatform({ DATABASE_URL, REDIS_URL }) {
  const ends = [];
  const stop = async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    const databaseUrl = await ownDatabase(DATABASE_URL, ends);
    const model = await startModelServer();
    ends.push(() => model.close());
    const folder = await mkdtemp(path.join(tmpdir(), 'atrium-demo-agent-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const env = serverEnvironment({
      DATABASE_URL: databaseUrl,
      REDIS_URL,
      REDIS_KEY_PREFIX: `demo-${crypto.randomBytes(6).toString('hex')}`,
      SECRETS_KEY: crypto.randomBytes(32).toString('base64'),
      STORAGE_DIR: path.join(folder, 'files'),
      OUTBOX_DIR: path.join(folder, 'outbox'),
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      ARTIFACT_PORT: '0',
      LOG_LEVEL: 'error',
      LLM_PROVIDER: 'openai',
      LLM_BASE_URL: model.url,
      LLM_API_KEY: 'demo',
      LLM_MODEL: 'by-rote',
      CHAT_TITLES: 'false',
    });
    await node(env, 'libs/entities/dist/cli/migrate.js');
    const demo = lastJson(await node(env, 'apps/api/dist/cli/seed-demo.js'));
    await node(env, 'apps/api/dist/cli/admin.js', 'agent', 'grant', demo.username);
    const started = await Promise.allSettled(APPS.map((name) => startApp(name, env, ends)));
    const failed = started.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
    return { baseUrl: `http://127.0.0.1:${started[0].value.port}`, demo, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One that a killed demo has left behind is replaced. */
async function ownDatabase(url, ends) {
  const own = new URL(url);
  own.pathname = `/${DATABASE}`;
  const drop = () => query(url, `drop database if exists ${DATABASE} with (force)`);
  await drop();
  await ensureDatabase(own.href, url);
  ends.push(drop);
  return own.href;
}

async function node(env, file, ...args) {
  const { stdout } = await run(process.execPath, [inRoot(file), ...args], { cwd: ROOT, env });
  return stdout;
}

const lastJson = (text) => JSON.parse(text.split('\n').findLast((line) => line.startsWith('{')));

/** Ends with this process, whose channel it listens to. */
async function startApp(name, env, ends) {
  const child = spawn(process.execPath, [inRoot('apps', name, 'dist/main.js')], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  ends.push(async () => {
    child.kill();
    await exited;
  });
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${name} does not start:\n${said}`)), READY_WITHIN_MS);
    child.on('message', (message) => {
      if (message?.type !== 'ready') return;
      clearTimeout(late);
      resolve(message);
    });
    child.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`${name} ended with ${code}:\n${said}`));
    });
  });
}
