import { randomUUID } from 'node:crypto';
import { foldTotals, totalsOf } from '@app/entities';
import type { EntityManager } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { seededRandom } from '../support/hostile-values.js';

const [WORKERS, STEPS] = [5, 80];

/** What the triggers keep, as it would be added up from the rows. */
const SUMS = `
  SELECT 'storage' AS kind, owner_id::text AS key, part, sum(size_bytes)::bigint AS value FROM (
    SELECT owner_id, 'media' AS part, size_bytes FROM documents UNION ALL SELECT owner_id, 'media', size_bytes FROM tabular_files
    UNION ALL SELECT owner_id, 'workflow', size_bytes FROM written_files) stored GROUP BY 1, 2, 3
  UNION ALL
  SELECT 'webhook_requests', workflow_id::text, status, count(*) FROM workflow_requests
  WHERE status NOT IN ('pending', 'running') GROUP BY 2, 3
  UNION ALL
  SELECT 'readable_' || c.unit, i.owner_id::text, jsonb_build_array(i.embedding_model, to_jsonb(i.languages))::text, sum(c.value)
  FROM documents d JOIN document_indexes i
    ON i.document_uid = d.uid AND i.generation = d.index_generation AND i.owner_id = d.owner_id
  CROSS JOIN LATERAL (VALUES ('chunks', i.chunk_count), ('terms', i.term_count)) AS c (unit, value)
  WHERE d.deleted_at IS NULL GROUP BY 1, 2, 3`;

describe('kept totals', () => {
  let database: TestDatabase;
  let owners: number[];
  const workflows = Array.from({ length: 3 }, () => randomUUID());

  beforeAll(async () => {
    database = await createTestDatabase();
    owners = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const [row] = await database.dataSource.query<{ id: number }[]>(
          `INSERT INTO users (username, email, password_hash) VALUES ($1, $1 || '@x.example', '') RETURNING id`,
          [name],
        );
        return row!.id;
      }),
    );
    for (const [at, id] of workflows.entries())
      await database.dataSource.query('INSERT INTO workflows (id, owner_id, name) VALUES ($1, $2, $3)', [
        id,
        owners[at],
        `w${at}`,
      ]);
  });
  afterAll(() => database.drop());

  const kept = () =>
    database.dataSource.query<unknown[]>(`
      SELECT kind, key, part, sum(value)::bigint AS value FROM (
        SELECT kind, key, part, value FROM kept_totals UNION ALL SELECT kind, key, part, change FROM kept_total_changes) t
      GROUP BY 1, 2, 3 HAVING sum(value) <> 0 ORDER BY 1, 2, 3`);
  const summed = () =>
    database.dataSource.query<unknown[]>(`SELECT * FROM (${SUMS}) s WHERE value <> 0 ORDER BY kind, key, part`);

  /** One change of a row that a random history makes; rows are taken as they come, so that workers meet. */
  async function change(tx: EntityManager, random: (below: number) => number): Promise<void> {
    const owner = owners[random(owners.length)]!;
    const workflow = workflows[random(workflows.length)]!;
    const [n, tag] = [random(1000), random(1e9)];
    const at = random(6);
    const uid = `(SELECT uid FROM documents ORDER BY uid OFFSET ${at} LIMIT 1)`;
    const anyDocument = `(SELECT * FROM documents WHERE uid = ${uid})`;
    const written = `INSERT INTO document_indexes (document_uid, owner_id, generation, chunk_count, term_count, embedding_model, languages)
      SELECT uid, owner_id, $1::int, $2::int, $2::int * 5, $3, $4::text[]`;
    const again = `ON CONFLICT (document_uid, generation) DO UPDATE SET chunk_count = excluded.chunk_count,
      term_count = excluded.term_count, embedding_model = excluded.embedding_model, languages = excluded.languages`;
    const anyRequest = `(SELECT id FROM workflow_requests OFFSET ${random(6)} LIMIT 1)`;
    const status = ['pending', 'running', 'done', 'failed', 'cancelled'][random(5)]!;
    const model = random(2) === 0 ? 'model' : null;
    const languages = random(2) === 0 ? ['en'] : [];
    const statements: [sql: string, parameters: unknown[], then?: [string, unknown[]]][] = [
      [
        `INSERT INTO documents (uid, owner_id, filename, path, kind, mime_type, size_bytes, sha256, storage_key, processing_state)
         SELECT gen_random_uuid(), $1::int, 'd', $3 || i, 'text', 'text/plain', $2::int, '', 'documents/' || $3 || i, 'stored'
         FROM generate_series(1, 3) i`,
        [owner, n, String(tag)],
      ],
      [
        `INSERT INTO written_files (id, owner_id, path, storage_key, mime_type, size_bytes, sha256)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), $3, '', $2, '')`,
        [owner, n, String(tag)],
      ],
      ['DELETE FROM written_files WHERE id = (SELECT id FROM written_files LIMIT 1)', []],
      [`UPDATE documents SET size_bytes = $1 WHERE uid = ${uid}`, [n]],
      // A try that may come to nothing: its generation does not answer.
      [`${written} FROM ${anyDocument} d FOR KEY SHARE ${again}`, [-1 - random(2), n, model, languages]],
      // A try that is put in place by the transaction that wrote it, its number never used before.
      [
        `WITH d AS (SELECT * FROM ${anyDocument} d FOR NO KEY UPDATE), written AS (${written} FROM d RETURNING document_uid)
         SELECT set_config('test.uid', coalesce((SELECT document_uid FROM written)::text, ''), true)`,
        [tag, n, model, languages],
        [`UPDATE documents SET index_generation = $1 WHERE uid::text = current_setting('test.uid')`, [tag]],
      ],
      [`UPDATE documents SET index_generation = NULL WHERE uid = ${uid}`, []],
      [`DELETE FROM document_indexes i USING documents d WHERE d.uid = i.document_uid AND d.uid = ${uid}`, []],
      [
        `UPDATE document_indexes i SET chunk_count = chunk_count + $1 FROM documents d
         WHERE d.uid = i.document_uid AND d.index_generation = i.generation AND d.uid = ${uid}`,
        [n],
      ],
      [
        `UPDATE documents SET deleted_at = CASE WHEN deleted_at IS NULL THEN now() END,
           purge_at = CASE WHEN deleted_at IS NULL THEN now() END WHERE uid = ${uid}`,
        [],
      ],
      [`DELETE FROM documents WHERE uid = ${uid}`, []],
      [
        'INSERT INTO workflow_requests (id, workflow_id, status) VALUES (gen_random_uuid(), $1, $2)',
        [workflow, status],
      ],
      [`UPDATE workflow_requests SET status = $1 WHERE id = ${anyRequest}`, [status]],
      [`DELETE FROM workflow_requests WHERE id = ${anyRequest}`, []],
    ];
    const [sql, parameters, then] = statements[random(statements.length)]!;
    await tx.query(sql, parameters);
    if (then) await tx.query(...then);
  }

  it('are the sums of the rows after any concurrent history, cut off ones included', async () => {
    const { dataSource } = database;
    const outcomes = { kept: 0, undone: 0 };
    const worker = async (seed: number) => {
      const next = seededRandom(seed);
      const random = (below: number) => Math.floor(next() * below);
      for (let step = 0; step < STEPS; step += 1) {
        if (random(8) === 0) await foldTotals(dataSource);
        try {
          await dataSource.transaction(async (tx) => {
            for (let i = random(3); i >= 0; i -= 1) await change(tx, random);
            if (random(6) === 0) throw new RangeError('given up');
          });
          outcomes.kept += 1;
        } catch (error) {
          // Workers that take rows as they come meet in the wrong order now and then; nothing of theirs may stay.
          const code = (error as { code?: string }).code;
          if (!(error instanceof RangeError) && code !== '40P01' && code !== '23503') throw error;
          outcomes.undone += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, (_, at) => worker(at + 7)));
    expect(outcomes.kept).toBeGreaterThan(WORKERS * STEPS * 0.5);
    expect(outcomes.undone).toBeGreaterThan(0);
    expect(await summed()).not.toEqual([]);
    expect(await kept()).toEqual(await summed());

    await foldTotals(dataSource);
    expect(await kept()).toEqual(await summed());
    expect(await dataSource.query('SELECT FROM kept_total_changes')).toEqual([]);
  });

  it('are folded by several at once that never wait for each other in a circle', async () => {
    const { dataSource } = database;
    const folder = async (_: unknown, at: number) => {
      const random = seededRandom(at);
      // Sums that go to zero and come back.
      for (let round = 0; round < 100; round += 1) {
        const keys = Array.from({ length: 12 }, (_, key) => String(key)).filter(() => random() < 0.3);
        for (const change of [1, -1]) {
          await dataSource.query(
            `INSERT INTO kept_total_changes (kind, key, part, change) SELECT 'folded', key, '', $1 FROM unnest($2::text[]) key`,
            [change, keys],
          );
          await foldTotals(dataSource);
        }
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, folder));
    await foldTotals(dataSource);
    expect(await dataSource.query(`SELECT key FROM kept_totals WHERE kind = 'folded' AND value <> 0`)).toEqual([]);
  });

  it('forget what is no more', async () => {
    const { dataSource } = database;
    await dataSource.query('DELETE FROM written_files');
    await dataSource.query('DELETE FROM documents');
    await dataSource.query('DELETE FROM workflows');
    await foldTotals(dataSource);
    expect(await dataSource.query('SELECT * FROM kept_totals')).toEqual([]);
    const [{ rows }] = await dataSource.query<[{ rows: number }]>(
      `SELECT count(*)::int AS rows FROM ${totalsOf(['storage'], `'1'`)} t`,
    );
    expect(rows).toBe(0);
  });
});
