import type { PGlite, Transaction } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { FUNCTIONS } from '@app/entities';
import { ChunkIndex, SignBitIndexes, VectorSearch } from '@app/retrieval';
import type { DataSource, EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { migrations } from '../../libs/entities/src/migrations/index.js';
import { createTestDatabase } from '../support/database.js';
import { rounds } from '../support/long.js';
import { preparedPglite } from '../support/pglite.js';

const DIMENSIONS = 64;
const MODEL = 'test';
const OWNER = 1;
const OTHER = 2;

const run = async (target: PGlite | Transaction, sql: string, parameters: unknown[] = []) =>
  (await target.query(sql, parameters)).rows;

/** What of a data source the search uses, on PGlite: the one server here that has pgvector. */
function onPglite(db: PGlite): DataSource {
  return {
    query: (sql: string, parameters?: unknown[]) => run(db, sql, parameters),
    transaction: (work: (tx: EntityManager) => Promise<unknown>) =>
      db.transaction((tx) =>
        work({ query: (sql: string, parameters?: unknown[]) => run(tx, sql, parameters) } as unknown as EntityManager),
      ),
  } as unknown as DataSource;
}

async function migrate(db: PGlite): Promise<void> {
  const dataSource = onPglite(db);
  await db.query('CREATE TABLE migrations (id serial, timestamp bigint, name varchar)');
  for (const Migration of migrations) {
    const migration: MigrationInterface = new Migration();
    const apply = (runner: unknown) => migration.up(runner as QueryRunner);
    await (migration.transaction === false ? apply(dataSource) : dataSource.transaction(apply));
  }
  await db.query('SET check_function_bodies = off');
  for (const statement of Object.values(FUNCTIONS)) await db.exec(statement);
}

let state = 7;
const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;

function unit(values: Float32Array): Float32Array {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

const centres = Array.from({ length: 12 }, () => unit(Float32Array.from({ length: DIMENSIONS }, random)));
const near = (centre: Float32Array) => unit(centre.map((value) => value + random() * 0.25));

describe('the approximate index over sign bits, with pgvector', () => {
  let db: PGlite;
  let dataSource: DataSource;
  beforeAll(async () => {
    db = await preparedPglite({ extensions: { vector, pg_trgm, btree_gin } }, migrate);
    dataSource = onPglite(db);
    for (const id of [OWNER, OTHER])
      await db.query(
        `INSERT INTO users (id, username, email) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $2 || '@mail.example')`,
        [id, `user${id}`],
      );
    for (let at = 0; at < rounds(60, 40); at++) await addDocument(at, at % 3 === 0 ? OTHER : OWNER);
  });
  afterAll(() => db.close());

  async function addDocument(at: number, ownerId: number): Promise<void> {
    const uid = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    await db.query(
      `INSERT INTO documents (uid, owner_id, filename, path, kind, mime_type, size_bytes, sha256, storage_key, processing_state, index_generation)
       VALUES ($1, $2, 'x', 'x', 'text', 'text/plain', 1, '', '', 'completed', 1)`,
      [uid, ownerId],
    );
    const chunks = Array.from({ length: 20 }, (_, ordinal) => {
      const text = `passage ${at} ${ordinal}`;
      return { ordinal, page: 1, start: 0, end: text.length, text, context: '', spans: [] };
    });
    const vectors = chunks.map((_, ordinal) => near(centres[ordinal % centres.length]!));
    await dataSource.transaction((tx) =>
      new ChunkIndex().replace(tx, { documentUid: uid, ownerId, generation: 1 }, chunks, { modelId: MODEL, vectors }),
    );
  }

  const search = (indexFromVectors: number, vectorOf: Float32Array) =>
    new VectorSearch(dataSource, { indexFromVectors }).nearest(
      { userId: OWNER },
      {},
      { modelId: MODEL, vector: vectorOf },
      10,
    );

  it('is built for each length of vector, and used for large scopes: the same passages, none of anybody else', async () => {
    const indexes = new SignBitIndexes(dataSource);
    expect(await indexes.has(DIMENSIONS)).toBe(false);
    expect(await indexes.build()).toEqual([DIMENSIONS]);
    expect(await indexes.has(DIMENSIONS)).toBe(true);

    const own = new Set(
      (
        await db.query<{ id: string }>(
          `SELECT c.id::text AS id FROM chunks c JOIN document_indexes i ON i.id = c.index_id WHERE i.owner_id = $1`,
          [OWNER],
        )
      ).rows.map(({ id }) => id),
    );
    let found = 0;
    for (let at = 0; at < 20; at++) {
      const question = near(centres[at % centres.length]!);
      const exact = new Set((await search(Infinity, question)).map(({ chunkId }) => String(chunkId)));
      const approximate = (await search(0, question)).map(({ chunkId }) => String(chunkId));
      expect([exact.size, approximate.length]).toEqual([10, 10]);
      for (const id of approximate) expect(own.has(id)).toBe(true);
      found += approximate.filter((id) => exact.has(id)).length;
    }
    expect(found / 200).toBeGreaterThanOrEqual(0.98);

    const scans = async () =>
      (
        await db.query<{ scans: number }>(
          `SELECT idx_scan::int AS scans FROM pg_stat_user_indexes WHERE indexrelname LIKE 'chunk_sign_bits_nearest_%'`,
        )
      ).rows[0]!.scans;
    await db.query('SELECT pg_stat_force_next_flush()');
    expect(await scans()).toBeGreaterThanOrEqual(20);

    expect(await indexes.drop()).toEqual([`chunk_sign_bits_nearest_${DIMENSIONS}`]);
    expect(await indexes.has(DIMENSIONS)).toBe(false);
    expect(await search(0, centres[0]!)).toHaveLength(10);
  });

  it('is not offered where the server lacks the extension', async () => {
    const database = await createTestDatabase();
    try {
      expect(await new SignBitIndexes(database.dataSource).build()).toBeNull();
    } finally {
      await database.drop();
    }
  });
});
