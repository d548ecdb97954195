import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { DataFolder } from './lib/data-folder.mjs';
import { claimInstance } from './lib/instance.mjs';
import { say, sinceStart, UserError } from './lib/log.mjs';
import { nodeBinary } from './lib/node-runtime.mjs';
import { inRoot, ROOT } from './lib/paths.mjs';
import { Platform } from './lib/platform.mjs';
import { lastingListenProblem } from './lib/ports.mjs';
import { endCommands, run } from './lib/processes.mjs';
import { readSettings } from './lib/settings.mjs';
import { build, install } from './lib/setup.mjs';
import { onStopRequest } from './lib/stop-requests.mjs';

/** Well-formed, and never used. */
const EXAMPLE_KEY = crypto.randomBytes(32).toString('base64');

async function assertPortFree({ apiHost, apiPort, pagesPort }) {
  await assertListens(apiHost, apiPort, 'API_PORT', 3000);
  if (pagesPort !== null) await assertListens(apiHost, pagesPort, 'ARTIFACT_PORT', 3001);
}

async function assertListens(apiHost, port, setting, usual) {
  const problem = await lastingListenProblem(port, apiHost, 1500);
  if (!problem) return;
  const another = port < 65_535 ? port + 1 : usual;
  if (problem === 'EADDRINUSE')
    throw new UserError(
      `Port ${port} is taken by another program. Stop that one, or choose another port, for example: ${setting}=${another} npm start`,
    );
  if (problem === 'EACCES')
    throw new UserError(
      `Port ${port} is not for this user to listen on. Choose one from 1024 on: ${setting}=${usual} npm start`,
    );
  throw new UserError(`API_HOST=${apiHost} is no address of this machine to listen on (${problem}).`);
}

async function runCli(file, env) {
  const { code, output } = await run(nodeBinary(), [inRoot(file)], { cwd: ROOT, env });
  if (code !== 0)
    throw new UserError(`${path.basename(file)} failed:\n${output.trim().split('\n').slice(-15).join('\n')}`);
  return output.trim();
}

/** A mistake in the settings is told before servers and apps stumble over it. */
async function assertSettings({ env }) {
  const ours = { DATABASE_URL: 'postgres://embedded', REDIS_URL: 'redis://embedded', SECRETS_KEY: EXAMPLE_KEY };
  const { code, output } = await run(nodeBinary(), [inRoot('libs/config/dist/cli/check-settings.js')], {
    cwd: ROOT,
    env: { ...ours, ...env },
  });
  if (code !== 0) throw new UserError(output.trim());
  for (const suspicion of output.trim().split('\n').filter(Boolean)) say(`! ${suspicion}`);
}

async function migrate(env) {
  const output = await runCli('libs/entities/dist/cli/migrate.js', env);
  say(`- Database: ${output.split('\n').at(-1).replace(/: .*/, '.')}`);
}

/** @returns {Promise<{ username: string, password: string } | null>} */
async function seedDemo(env) {
  const file = 'apps/api/dist/cli/seed-demo.js';
  if (!fs.existsSync(inRoot(file))) return null;
  const line = (await runCli(file, env))
    .split('\n')
    .findLast((text) => text.startsWith('{') && text.includes('"username"'));
  return line ? JSON.parse(line) : null;
}

/** As `Platform` decides it. */
function allowsLocalPages({ PUBLIC_URL, CORS_LOCALHOST }) {
  return CORS_LOCALHOST ? !/^(false|0|no|off)$/i.test(CORS_LOCALHOST) : !PUBLIC_URL;
}

const modelRow = ({ name, status, code, reason }) => {
  if (status === 'ok') return ['Model', `${name}   (answers)`];
  return ['Model', status === 'failed' ? `${name}   ! ${reason} (${code})` : `${name}   (not asked)`];
};

function summary(platform, data, demo, models) {
  // A backup of the data folder would not hold it.
  const isElsewhere = platform.clusterFolder && !platform.clusterFolder.startsWith(data.root + path.sep);
  const rows = [
    ['API', `${platform.apiUrl}/`],
    ['API reference', `${platform.apiUrl}/docs/`],
    ['OpenAPI', `${platform.apiUrl}/openapi.json`],
    ['Pages', `${platform.pagesOrigin}/   (of artifacts: POST .../render-url/ gives their addresses)`],
    ...(allowsLocalPages(platform.settings.env)
      ? [['Web apps', 'pages of http://localhost:* may call the API   (off: CORS_LOCALHOST=false)']]
      : []),
    ...(demo ? [['Demo account', `${demo.username} / ${demo.password}`]] : []),
    ...models.map(modelRow),
    ['Data', data.root],
    ...(isElsewhere ? [['Database', platform.clusterFolder]] : []),
    ['Outbox', `${platform.settings.env.OUTBOX_DIR ?? data.outbox}   (mails and text messages, as files)`],
    ['Logs', path.join(data.logs, '*.log')],
    ['See it work', 'npm run demo   (in another terminal)'],
    ['Administer', 'npm run admin -- --help'],
    ['Stop', 'Ctrl-C'],
  ];
  return ['Atrium is ready', ...rows.map(([name, value]) => `  ${name.padEnd(14)} ${value}`), ''].join('\n');
}

async function bringUp(platform, data) {
  await platform.stopLeftovers();
  await assertPortFree(platform.settings);
  await install();
  const built = build().then(() => assertSettings(platform.settings));
  const [env] = await Promise.all([platform.startServers(), built]);
  await migrate(env);
  const [demo] = await Promise.all([seedDemo(env), platform.startApps(env)]);
  // For `npm run demo` and the like: where the platform is and who may sign in.
  data.remember('platform', { apiUrl: platform.apiUrl, demo, env: forCommands(env) });
  const models = await platform.modelProbes();
  process.stdout.write(`\n${summary(platform, data, demo, models)}`);
  say(`(ready after ${sinceStart()})`);
}

/** What `npm run admin` needs to reach the same platform. */
function forCommands(env) {
  const names = ['DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY', 'SECRETS_PREVIOUS_KEYS', 'STORAGE_DIR', 'OUTBOX_DIR'];
  const storage = Object.keys(env).filter((name) => name === 'STORAGE_PROVIDER' || name.startsWith('S3_'));
  return Object.fromEntries([...names, ...storage].map((name) => [name, env[name]]));
}

/**
 * `npm start`: everything from a fresh clone to a running platform, until it is told to stop.
 * @param {{ development?: { inspectAt: (index: number) => number }, ready?: (platform: Platform) => () => void }} [mode]
 * `ready` begins what goes on beside the platform, and gives what ends it
 */
export async function start({ development, ready } = {}) {
  const settings = readSettings();
  const data = new DataFolder(settings.dataDir).create();
  const lock = await claimInstance(data);
  const platform = new Platform(settings, data, development);
  /** @type {(() => void) | undefined} */
  let endBeside;
  let stopping = false;
  const stop = async (code) => {
    stopping = true;
    endBeside?.();
    endCommands();
    await platform.stop();
    lock.release();
    process.exit(code);
  };
  onStopRequest({
    stop: (reason) => {
      say(`\nStopping (${reason}): the apps finish what they do, then Redis and Postgres stop ...`);
      void stop(0).catch((error) => {
        say(`Stopping failed: ${error.message}`);
        process.exit(1);
      });
    },
    force: () => {
      endBeside?.();
      platform.killAll();
      lock.release();
      process.exit(1);
    },
  });
  try {
    await bringUp(platform, data);
    if (ready && !stopping) endBeside = ready(platform);
  } catch (error) {
    // A stop in the middle of the start makes its steps fail; that is no news.
    if (stopping) return;
    say(`\n${error instanceof UserError ? error.message : error.stack}`);
    await stop(1);
  }
}
