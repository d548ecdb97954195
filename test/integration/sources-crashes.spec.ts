import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@app/common';
import { EntitlementsModule } from '@app/entitlements';
import { sourceWork } from '@app/documents';
import { LiveModule } from '@app/live';
import { SecretsModule } from '@app/secrets';
import { WorkPerformer } from '@app/work';
import { DataSource } from 'typeorm';
import { ImportingModule } from '../../apps/indexer/src/importing/importing.module.js';
import { SyncSourceProcessor } from '../../apps/indexer/src/importing/sync-source.processor.js';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';
import { stride } from '../support/long.js';
import { Mortal } from '../support/mortal.js';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';

describe('a sync whose worker dies', () => {
  const base = mkdtempSync(join(tmpdir(), 'atrium-crash-'));
  let database: TestDatabase;
  let documents: DocumentsApp;
  let ownerId: number;
  let mortal: Mortal;
  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    database = await createTestDatabase();
    ownerId = await createUserRow(database);
    const env = { SOURCE_FOLDERS: base, REDIS_KEY_PREFIX: `test-crash-${process.pid}`, SWEEP_SECONDS: '600' };
    const config = testConfig(database.url, env);
    documents = await startDocuments(database, ownerId, {
      env,
      consumes: { imports: 1 },
      imports: [
        LiveModule.forRoot(config),
        SecretsModule.forRoot(config),
        EntitlementsModule.forRoot(config),
        ImportingModule.forRoot(config),
      ],
    });
    mortal = new Mortal(documents.app.get(DataSource));
  });
  afterAll(async () => {
    await documents.close();
    await database.drop();
    await rm(base, { recursive: true, force: true });
  });

  async function makeSource(): Promise<{ id: string; path: string }> {
    const id = newId();
    const path = join(base, id);
    await mkdir(join(path, 'sub'), { recursive: true });
    await writeFile(join(path, 'a.txt'), `a ${id}`);
    await writeFile(join(path, 'sub/b.txt'), `b ${id}`);
    await writeFile(join(path, 'sub/c.exe'), 'MZ');
    await writeFile(join(path, 'd.txt'), `d ${id}`);
    await sql(`INSERT INTO external_sources (id, owner_id, type, name, config) VALUES ($1, $2, 'folder', 'F', $3)`, [
      id,
      ownerId,
      { path },
    ]);
    return { id, path };
  }

  /** The lease of a dead worker runs out, and what it wanted to do later is due. */
  const wake = (id: string) =>
    sql(
      `UPDATE external_sources SET leased_until = NULL, next_attempt_at = now() - interval '1 second'
       WHERE id = $1 AND state = 'syncing'`,
      [id],
    );

  /** @returns whether the worker lived to the end */
  async function syncWithDeath(id: string, after: number): Promise<boolean> {
    // As a request does it, without the job: here the test itself is the queue.
    await sql(
      `UPDATE external_sources SET state = 'syncing', next_attempt_at = now(), run = run + 1, is_full_run = cursor IS NULL,
         batch_id = NULL, attempts = 0, added = 0, updated = 0, removed = 0, failed = 0 WHERE id = $1`,
      [id],
    );
    const sync = async () => {
      const processor = documents.app.get(SyncSourceProcessor);
      await documents.app
        .get(WorkPerformer)
        .perform(sourceWork, [id], (claim, signal) => processor.sync(claim, signal));
    };
    const died = await mortal.dies(after, sync);
    for (let tries = 0; tries < 5; tries += 1) {
      await wake(id);
      await sync();
    }
    const [row] = await sql<{ state: string; last_error: string }[]>(
      'SELECT state, last_error FROM external_sources WHERE id = $1',
      [id],
    );
    expect(row).toEqual({ state: 'ok', last_error: '' });
    return !died;
  }

  async function outcome(id: string) {
    const rows = await sql<{ filename: string; deleted: boolean; sha256: string }[]>(
      `SELECT filename, deleted_at IS NOT NULL AS deleted, sha256 FROM documents
       WHERE external_drive_item_id LIKE $1 ORDER BY filename`,
      [`${id}:%`],
    );
    const [counts] = await sql<[Record<string, number>]>(
      `SELECT added, updated, removed, failed,
         (SELECT count(*) FROM upload_batch_items i WHERE i.batch_id = s.batch_id)::int AS batch
       FROM external_sources s WHERE id = $1`,
      [id],
    );
    return { documents: rows.map(({ filename, deleted }) => (deleted ? `(${filename})` : filename)), counts };
  }

  it('before any of its statements, is gone on with: nothing is lost, nothing is doubled', async () => {
    const after = {
      documents: ['a.txt', 'b.txt', 'd.txt'],
      counts: { added: 3, updated: 0, removed: 0, failed: 1, batch: 4 },
    };
    let deaths = 0;
    for (let at = 0; ; at += stride(7)) {
      const { id } = await makeSource();
      const lived = await syncWithDeath(id, at);
      expect([at, await outcome(id)]).toEqual([at, after]);
      if (lived) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(40 / stride(7));
  });

  it('before any statement of a second sync too: changed, gone, come back', async () => {
    const after = {
      documents: ['(a.txt)', 'b.txt', 'd.txt'],
      counts: { added: 0, updated: 1, removed: 1, failed: 0, batch: 1 },
    };
    let deaths = 0;
    for (let at = 0; ; at += stride(7)) {
      const { id, path } = await makeSource();
      await syncWithDeath(id, 10_000);
      await writeFile(join(path, 'sub/b.txt'), `b of ${id} has changed`);
      await rm(join(path, 'a.txt'));
      const lived = await syncWithDeath(id, at);
      expect([at, await outcome(id)]).toEqual([at, after]);
      if (lived) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(25 / stride(7));
  });

  it('leaves no download behind but what is under way', async () => {
    const left = await readdir(join(documents.folder, 'files/.imports')).catch(() => []);
    expect(left).toEqual([]);
    const [{ count }] = await sql<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM documents d WHERE NOT EXISTS (SELECT FROM external_items i WHERE i.document_uid = d.uid)',
    );
    expect(count).toBe(0);
  });
});
