import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { DatabaseType } from '@app/data-sources';
import { selfSigned } from '../support/certificate.js';
import { ConnectedDatabases, READER_SECRET } from '../support/connected-databases.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { rounds } from '../support/long.js';
import {
  flood,
  message,
  MYSQL_GREETING,
  MYSQL_OK,
  type OddDatabase,
  packet,
  POSTGRES_GREETING,
  startEncryptedPostgres,
  startOddDatabase,
} from '../support/odd-database.js';
import { stopwatch } from '../support/timing.js';
import { until } from '../support/until.js';

const TELLING = /\d+\.\d+\.\d+|ECONN|ENOTFOUND|EHOST|127|pw-/;

/** Servers of all kinds that are no databases, by name. */
const ODD: Record<string, (socket: Socket, type: DatabaseType) => void> = {
  'says nothing': () => undefined,
  'hangs up': (socket) => void socket.destroy(),
  'says goodbye': (socket) => void socket.end('bye'),
  'speaks HTTP': (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'floods the caller': (socket) => flood(socket),
  'floods with zeros': (socket) => flood(socket, Buffer.alloc(65_536)),
  'announces two gigabytes': (socket, type) => {
    socket.write(type === 'postgres' ? message('R', Buffer.alloc(0), 2 ** 31 - 1) : Buffer.from([255, 255, 255, 0]));
    flood(socket);
  },
  'lets in and hangs up': (socket, type) => greet(socket, type, () => void socket.destroy()),
  'lets in and says nothing': (socket, type) => greet(socket, type, () => undefined),
  'lets in and sends half an error': (socket, type) =>
    greet(socket, type, () =>
      socket.write(type === 'postgres' ? message('E', Buffer.from('SERROR')) : packet(1, Buffer.from([255]))),
    ),
  'lets in and floods': (socket, type) => greet(socket, type, () => flood(socket)),
  'lets in and sends one row without end': (socket, type) =>
    greet(socket, type, () => {
      socket.write(type === 'postgres' ? message('D', Buffer.alloc(0), 2 ** 31 - 1) : Buffer.from([255, 255, 255, 1]));
      flood(socket);
    }),
};

function greet(socket: Socket, type: DatabaseType, then: (heard: Buffer) => void): void {
  let heard = 0;
  if (type === 'mysql') socket.write(MYSQL_GREETING);
  socket.on('data', (bytes: Buffer) => {
    heard += 1;
    if (heard === 1) socket.write(type === 'postgres' ? POSTGRES_GREETING : packet(2, MYSQL_OK));
    else then(bytes);
  });
}

/** Messages whose kinds are real, and whose contents are not. */
function nonsense(type: DatabaseType): Buffer {
  const body = randomBytes(Math.floor(Math.random() * 40));
  if (type === 'mysql') return packet(Math.floor(Math.random() * 4), body);
  const kinds = 'RKSZTDCEN123nstAGHWdcv';
  return message(kinds[Math.floor(Math.random() * kinds.length)]!, body);
}

describe('a database that is none', () => {
  let ours: TestDatabase;
  let databases: ConnectedDatabases;
  const servers: OddDatabase[] = [];
  const known = getCACertificates();
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);

  beforeAll(async () => {
    ours = await createTestDatabase();
    databases = await ConnectedDatabases.of(ours, ['127.0.0.1', 'books.example', 'other.example'], async () => [
      { address: '127.0.0.1', family: 4 },
    ]);
    process.on('uncaughtException', note).on('unhandledRejection', note);
  });

  afterAll(async () => {
    process.off('uncaughtException', note).off('unhandledRejection', note);
    setDefaultCACertificates(known);
    await Promise.all([ours.drop(), ...servers.map((server) => server.stop())]);
    expect(uncaught).toEqual([]);
  });

  const start = async (speak: (socket: Socket) => void): Promise<OddDatabase> => {
    const server = await startOddDatabase(speak);
    servers.push(server);
    return server;
  };
  const connect = (type: DatabaseType, port: number, change: object = {}) =>
    databases.connect({
      type,
      host: '127.0.0.1',
      port,
      database: 'books',
      username: 'reader',
      sslMode: 'disable',
      secret: READER_SECRET,
      ...change,
    });

  for (const type of ['postgres', 'mysql'] as const) {
    it.each(Object.keys(ODD))(`${type}: %s`, async (name) => {
      const server = await start((socket) => ODD[name]!(socket, type));
      const id = await connect(type, server.port);
      const before = process.memoryUsage().rss;
      const took = stopwatch();
      const { code, message: said } = await databases.failure(id, 'SELECT 1');
      expect(['source_unavailable', 'query_timeout', 'query_too_large', 'query_failed']).toContain(code);
      expect(said).not.toMatch(TELLING);
      expect(took()).toBeLessThan(30_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(600 * 1024 * 1024);
      await until(() => server.open() === 0, 5000);
    });

    it(`${type}: speaks nonsense`, async () => {
      for (let round = 0; round < rounds(1000, 18); round += 1) {
        const lets = round % 3 !== 0;
        const server = await start((socket) => {
          const talk = () => {
            socket.write(Buffer.concat(Array.from({ length: 5 }, () => nonsense(type))));
            setTimeout(() => socket.destroy(), 30);
          };
          if (lets) greet(socket, type, talk);
          else if (type === 'mysql') talk();
          else socket.once('data', talk);
        });
        const [outcome] = await databases.run(await connect(type, server.port), 'SELECT 1');
        if (outcome && 'error' in outcome) expect(outcome.error.message).not.toMatch(TELLING);
        await ours.dataSource.query('DELETE FROM data_sources');
      }
    });

    it(`${type}: does not speak with encryption when that is asked for`, async () => {
      const server = await start((socket) => {
        if (type === 'mysql') socket.write(MYSQL_GREETING);
        else socket.once('data', () => socket.write('N'));
      });
      for (const sslMode of ['require', 'verify-full'])
        expect(await databases.failure(await connect(type, server.port, { sslMode }), 'SELECT 1')).toEqual({
          code: 'source_unavailable',
          message: 'The database does not speak with encryption.',
        });
    });
  }

  it('is known by its certificate', async () => {
    const at = new URL(ours.url);
    const target = { host: at.hostname, port: Number(at.port) };
    const good = selfSigned({ hosts: ['books.example', '127.0.0.1'] });
    const old = selfSigned({ hosts: ['books.example'], until: new Date(Date.now() - 1000) });
    const [server, expired] = await Promise.all([
      startEncryptedPostgres(target, good),
      startEncryptedPostgres(target, old),
    ]);
    servers.push(server, expired);
    const role = `tls_${process.pid}`;
    await ours.dataSource.query(`CREATE ROLE ${role} LOGIN PASSWORD '${READER_SECRET}'`);
    const ask = async (port: number, change: object) => {
      const own = { database: at.pathname.slice(1), username: role, sslMode: 'verify-full' };
      const [outcome] = await databases.run(await connect('postgres', port, { ...own, ...change }), 'SELECT 1');
      return outcome && 'error' in outcome ? outcome.error.message : outcome?.rows;
    };
    const unknown = 'The certificate of the database is not signed by a known authority.';
    try {
      expect(await ask(server.port, { host: 'books.example' })).toBe(unknown);
      expect(await ask(server.port, { host: 'books.example', sslMode: 'require' })).toEqual([[1]]);
      setDefaultCACertificates([...known, good.certificate, old.certificate]);
      expect(await ask(server.port, { host: 'books.example' })).toEqual([[1]]);
      expect(await ask(server.port, { host: '127.0.0.1' })).toEqual([[1]]);
      // It leads to the same address.
      expect(await ask(server.port, { host: 'other.example' })).toBe(
        'The certificate of the database is made out to another name.',
      );
      expect(await ask(expired.port, { host: 'books.example' })).toBe('The certificate of the database has expired.');
      // What is encrypted is counted, too.
      const huge = await databases.failure(
        await connect('postgres', server.port, {
          host: 'books.example',
          database: at.pathname.slice(1),
          username: role,
          sslMode: 'verify-full',
        }),
        `SELECT repeat('x', g) FROM generate_series(40000000, 40000001) g`,
      );
      expect(huge.code).toBe('query_too_large');
    } finally {
      await ours.dataSource.query(`DROP ROLE ${role}`);
    }
  });

  it('keeps nobody else waiting', async () => {
    const slow = await start(() => undefined);
    const id = await connect('postgres', slow.port);
    const leaving = new AbortController();
    const held = Array.from({ length: 12 }, () =>
      databases.sessions.run(databases.ownerId, id, [{ sql: 'SELECT 1', params: {}, types: {} }], leaving.signal),
    );
    const outcomes = Promise.allSettled(held);
    await until(() => slow.open() === 4, 5000);
    await sleep(100);
    expect(slow.open()).toBe(4);
    leaving.abort(new Error('left'));
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'left' } });
    await expect(
      databases.sessions.run(databases.ownerId + 1, id, [{ sql: 'SELECT 1', params: {}, types: {} }]),
    ).rejects.toMatchObject({ code: 'source_not_found' });
  });
});
