import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { cacheFolders, fetchedServer, type FetchedServer, fetchFromApt } from '../../scripts/lib/apt-packages.mjs';
import { freePort } from './free-port.js';
import { until } from './until.js';

export interface Mariadb {
  port: number;
  /** As its administrator, with a password. */
  run<T = Record<string, unknown>>(sql: string): Promise<T[]>;
  stop(): Promise<void>;
}

export interface MariadbOptions {
  /** Files of a certificate and its key. */
  tls?: { certificate: string; key: string };
}

const SERVER = { name: 'mariadb', title: 'MariaDB', packageName: 'mariadb-server-core' };
const SYSTEM_TABLES = ['mysql_system_tables', 'mysql_performance_tables', 'mysql_system_tables_data'];
const PASSWORD = 'keeper-of-a-test';

async function findServer(): Promise<FetchedServer> {
  const folders = cacheFolders(join(__dirname, '../../.data'));
  const find = () => folders.map((folder) => fetchedServer(folder, SERVER.name, 'usr/sbin/mariadbd')).find(Boolean);
  const found = find();
  if (found) return found;
  const problem = await fetchFromApt(folders, SERVER);
  const fetched = find();
  if (!fetched) throw new Error(problem ?? 'It was not where it was fetched to.');
  return fetched;
}

/** A MariaDB of the test's own, from the packages of this system. Null, and said loudly, where it cannot be had. */
export async function startMariadb(options: MariadbOptions = {}): Promise<Mariadb | null> {
  try {
    return await start(await findServer(), options);
  } catch (error) {
    if (process.env['CI']) throw error;
    process.stderr.write(`\n*** NO MARIADB HERE: its tests are left out. ${String(error)} ***\n\n`);
    return null;
  }
}

async function start({ root, binary, env }: FetchedServer, { tls }: MariadbOptions): Promise<Mariadb> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-mariadb-'));
  const share = join(root, 'usr/share/mysql');
  const common = [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    `--lc-messages-dir=${share}`,
    `--character-sets-dir=${join(share, 'charsets')}`,
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-log-file-size=8M',
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ];
  const sql = await Promise.all(SYSTEM_TABLES.map((name) => readFile(join(share, `${name}.sql`), 'utf8')));
  const users = `FLUSH PRIVILEGES;\nCREATE USER 'keeper'@'127.0.0.1' IDENTIFIED BY '${PASSWORD}';\nGRANT ALL ON *.* TO 'keeper'@'127.0.0.1' WITH GRANT OPTION;\n`;
  await bootstrap(
    binary,
    [...common, '--bootstrap'],
    env,
    ['CREATE DATABASE mysql;', 'USE mysql;', ...sql, users].join('\n'),
    folder,
  );
  const port = await freePort();
  const server = spawn(
    binary,
    [
      ...common,
      '--bind-address=127.0.0.1',
      `--port=${port}`,
      `--socket=${join(folder, 's')}`,
      `--pid-file=${join(folder, 'pid')}`,
      '--skip-name-resolve',
      ...(tls ? [`--ssl-cert=${tls.certificate}`, `--ssl-key=${tls.key}`] : []),
    ],
    { env: { PATH: process.env['PATH'] ?? '', ...env }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  server.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<void>((done) => server.once('exit', () => done()));
  const open = () =>
    mysql.createConnection({ host: '127.0.0.1', port, user: 'keeper', password: PASSWORD, multipleStatements: true });
  await until(async () => {
    if (server.exitCode !== null) throw new Error(`MariaDB ended: ${said}`);
    return open().then(
      (connection) => connection.end().then(() => true),
      () => false,
    );
  });
  return {
    port,
    async run<T>(text: string) {
      const connection = await open();
      try {
        const [rows] = await connection.query(text);
        return rows as T[];
      } finally {
        await connection.end();
      }
    },
    async stop() {
      server.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function bootstrap(
  binary: string,
  args: string[],
  env: Record<string, string>,
  sql: string,
  folder: string,
): Promise<void> {
  await mkdir(join(folder, 'data'));
  const child = spawn(binary, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stdin.end(sql);
  const code = await new Promise((done) => child.once('exit', done));
  if (code !== 0) throw new Error(`MariaDB was not set up: ${said.slice(-1000)}`);
}
