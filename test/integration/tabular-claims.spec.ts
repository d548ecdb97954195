import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentsModule } from '@app/documents';
import { LooseFiles } from '@app/entitlements';
import { DatabaseModule } from '@app/entities';
import { FileStorage, IntegrationsModule } from '@app/integrations';
import { QueuesModule } from '@app/queues';
import {
  ClaimLostError,
  GiveUpError,
  TryAgainError,
  WorkClaims,
  WorkModule,
  WorkPerformer,
  type Claim,
} from '@app/work';
import {
  findTabularFileByUid,
  Imports,
  importWork,
  MAX_IMPORT_TRIES,
  StoredFiles,
  tabularDatabaseKey,
  TabularDatabases,
  TabularFiles,
  TabularFolders,
  TabularModule,
  type ClaimedImport,
} from '@app/tabular';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';

const CONTENTS = {
  sheets: [],
  tables: [{ name: 't', sheet: null, rowCount: 1, columns: [], range: 'A1:A2', firstRow: 2, contiguous: true }],
};

describe('claims on table files', () => {
  let database: TestDatabase;
  let app: INestApplicationContext;
  let folder: string;
  let ownerId: number;
  let claims: WorkClaims;
  let performer: WorkPerformer;
  beforeAll(async () => {
    database = await createTestDatabase();
    ownerId = await createUserRow(database);
    folder = await mkdtemp(join(tmpdir(), 'atrium-tables-'));
    const config = testConfig(database.url, { STORAGE_DIR: join(folder, 'files') });
    @Module({
      imports: [
        DatabaseModule.forRoot(config, 'test'),
        WorkModule.forRoot(config, 'test'),
        QueuesModule.forRoot(config),
        IntegrationsModule.forRoot(config),
        DocumentsModule,
        TabularModule.forRoot(LooseFiles),
      ],
    })
    class App {}
    app = await NestFactory.createApplicationContext(App, { logger: false });
    claims = app.get(WorkClaims);
    performer = app.get(WorkPerformer);
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
    await database.drop();
  });

  const find = (uid: string) => findTabularFileByUid(database.dataSource, uid);
  async function add(by = ownerId) {
    const sourcePath = join(folder, randomBytes(6).toString('hex'));
    await writeFile(sourcePath, 'a\n1\n');
    const { file } = await app.get(TabularFiles).add({
      ownerId: by,
      store: 'database',
      folder: '',
      filename: 'table.csv',
      sourcePath,
      kind: 'csv',
      mimeType: 'text/csv',
      headerRow: 'auto',
      delimiter: 'auto',
      encoding: 'auto',
    });
    return file;
  }
  const take = (uid: string) => claims.claim(importWork, [uid]);
  async function claimed(): Promise<Claim<ClaimedImport>> {
    const { uid } = await add();
    const claim = await take(uid);
    if (!claim) throw new Error('not claimed');
    return claim;
  }
  const fails = (uid: string, error: Error) => performer.perform(importWork, [uid], () => Promise.reject(error));
  /** What waits for its time is due, and leases are over. */
  const makeDue = (uid: string) =>
    database.dataSource.query(
      `UPDATE tabular_files SET next_attempt_at = now() - interval '1 minute',
         leased_until = CASE WHEN leased_until IS NOT NULL THEN now() END WHERE uid = $1`,
      [uid],
    );
  const forgotten = async () => (await claims.listForgotten([importWork])).map(({ key: [one] }) => one);
  /** Nothing is left to do. */
  const clear = () =>
    database.dataSource.query(
      `UPDATE tabular_files SET processing_state = 'failed', next_attempt_at = NULL, lease_owner = NULL,
         leased_until = NULL WHERE next_attempt_at IS NOT NULL`,
    );
  /** As a worker does it: announced, written, adopted. */
  async function complete(claim: Claim<ClaimedImport>): Promise<string> {
    const key = tabularDatabaseKey(claim.row.uid, claim.fence);
    const source = join(folder, randomBytes(6).toString('hex'));
    await writeFile(source, key);
    await app.get(StoredFiles).announce(key);
    await app.get(FileStorage).put(key, { path: source });
    await app.get(Imports).complete(claim, key, CONTENTS);
    return key;
  }
  /** What `complete` wrote into the database that is asked now. */
  async function keyAnswering(uid: string): Promise<string> {
    const { path, release } = await app.get(TabularDatabases).open(ownerId, uid);
    const written = await readFile(path, 'utf8');
    await release();
    return written;
  }
  const looseKeys = async () =>
    (await database.dataSource.query<{ storage_key: string }[]>('SELECT storage_key FROM loose_files')).map(
      ({ storage_key }) => storage_key,
    );

  it('lets one of many workers have a file, and completes it once', async () => {
    const { uid } = await add();
    const tries = await Promise.all(Array.from({ length: 8 }, () => take(uid)));
    const [claim] = tries.filter((taken) => taken !== null);
    expect(tries.filter((taken) => taken !== null)).toHaveLength(1);
    const databases = app.get(TabularDatabases);
    await expect(databases.open(ownerId, uid)).rejects.toMatchObject({
      code: 'document_not_ready',
      extra: { processing_state: 'processing', uids: [uid] },
    });
    await complete(claim!);
    const opened = await databases.open(ownerId, uid, 'database');
    expect(opened).toMatchObject({ uid, store: 'database', filename: 'table.csv', tables: CONTENTS.tables });
    expect(existsSync(opened.path)).toBe(true);
    await opened.release();
    await expect(databases.open(ownerId + 1, uid)).rejects.toMatchObject({ code: 'document_not_found' });
    await expect(databases.open(ownerId, uid, 'spreadsheet')).rejects.toMatchObject({ code: 'document_not_found' });
    await expect(complete(claim!)).rejects.toThrow(ClaimLostError);
  });

  it('opens what has become of a file between the look at it and its bytes', async () => {
    const storage = app.get(FileStorage);
    const opening = (meanwhile: () => Promise<unknown>) => {
      let isFirst = true;
      const localPath = async (key: string) => {
        if (isFirst) await meanwhile();
        isFirst = false;
        return storage.localPath(key);
      };
      return new TabularDatabases(
        database.dataSource,
        Object.assign(Object.create(storage) as FileStorage, { localPath }),
      );
    };
    const claim = await claimed();
    const { uid } = claim.row;
    const first = await complete(claim);
    const anew = opening(async () => {
      await app.get(TabularFiles).retry(ownerId, 'database', uid, {});
      await complete((await take(uid))!);
      await storage.delete(first);
    });
    const opened = await anew.open(ownerId, uid);
    expect(existsSync(opened.path)).toBe(true);
    await opened.release();
    const deleted = opening(async () => {
      await app.get(TabularFolders).deleteFile(ownerId, 'database', uid);
      await storage.delete(tabularDatabaseKey(uid, claim.fence + 1));
    });
    await expect(deleted.open(ownerId, uid)).rejects.toMatchObject({ code: 'document_not_found' });
  });

  it('takes every right to write from a worker that was given up', async () => {
    const late = await claimed();
    const { uid } = late.row;
    await makeDue(uid);
    const next = (await take(uid))!;
    expect(next).toMatchObject({ fence: late.fence + 1, attempt: 2 });
    await expect(app.get(Imports).report(late, 'Still here.')).rejects.toThrow(ClaimLostError);
    await expect(complete(late)).rejects.toThrow(ClaimLostError);
    // Its file is nobody's database, and gone.
    expect(existsSync(join(folder, 'files', tabularDatabaseKey(uid, late.fence)))).toBe(false);
    await expect(claims.giveUp(late, 'Broken.')).rejects.toThrow(ClaimLostError);
    expect(await find(uid)).toMatchObject({ processingState: 'processing', databaseKey: null });
    await app.get(Imports).report(next, 'Reading sheet 2.');
    expect(await find(uid)).toMatchObject({ status: 'Reading sheet 2.' });
    await complete(next);
    expect(await find(uid)).toMatchObject({ processingState: 'completed', lastError: '' });
  });

  it('fails after the last try, with the reason, and keeps the former database through a later import', async () => {
    const { uid } = await add();
    for (let attempt = 1; attempt <= MAX_IMPORT_TRIES; attempt++) {
      await makeDue(uid);
      expect(await fails(uid, new TryAgainError('No luck.'))).toBe(true);
      const processingState = attempt < MAX_IMPORT_TRIES ? 'queued' : 'failed';
      expect(await find(uid)).toMatchObject({ processingState });
    }
    const lastError = `No luck. It was tried ${MAX_IMPORT_TRIES} times.`;
    expect(await find(uid)).toMatchObject({ status: 'Could not be imported.', lastError });
    const files = app.get(TabularFiles);
    await files.retry(ownerId, 'database', uid, { delimiter: ';' });
    const first = await take(uid);
    expect(first).toMatchObject({ attempt: 1, row: { delimiter: ';', headerRow: 'auto' } });
    expect(await find(uid)).toMatchObject({ lastError: '', status: 'Reading the file.' });
    const former = await complete(first!);
    await files.retry(ownerId, 'database', uid, {});
    await expect(files.retry(ownerId, 'database', uid, {})).rejects.toMatchObject({ code: 'not_retryable' });
    expect(await keyAnswering(uid)).toBe(former);
    const second = await take(uid);
    const latter = await complete(second!);
    expect(latter).not.toBe(former);
    expect(existsSync(join(folder, 'files', former))).toBe(false);
    expect(existsSync(join(folder, 'files', latter))).toBe(true);
  });

  it('writes nothing for a file that was deleted while it was imported', async () => {
    const claim = await claimed();
    const { uid, storageKey } = claim.row;
    expect(await app.get(TabularFolders).deleteFile(ownerId + 1, 'database', uid)).toBe(false);
    expect(await app.get(TabularFolders).deleteFile(ownerId, 'database', uid)).toBe(true);
    expect(existsSync(join(folder, 'files', storageKey))).toBe(false);
    await expect(complete(claim)).rejects.toThrow(ClaimLostError);
    await expect(claims.giveUp(claim, 'Broken.')).rejects.toThrow(ClaimLostError);
    expect(await find(uid)).toBeNull();
    const key = tabularDatabaseKey(uid, claim.fence);
    expect([await looseKeys(), existsSync(join(folder, 'files', key))]).toEqual([
      expect.not.arrayContaining([key]),
      false,
    ]);
  });

  it('brings back what was lost: a dead worker, a job, a request', async () => {
    await clear();
    const { uid } = await add();
    for (const state of ['pending_publish', 'queued']) {
      await database.dataSource.query('UPDATE tabular_files SET processing_state = $2 WHERE uid = $1', [uid, state]);
      await makeDue(uid);
      expect(await forgotten()).toEqual([uid]);
    }
    const lost = await take(uid);
    expect(await forgotten()).toEqual([]);
    await makeDue(uid);
    expect(await forgotten()).toEqual([uid]);
    expect(await take(uid)).toMatchObject({ attempt: lost!.attempt + 1 });
  });

  it('fails a file that takes down every worker that reads it, and one that no try would mend', async () => {
    await clear();
    const {
      row: { uid },
    } = await claimed();
    for (let at = 1; at < MAX_IMPORT_TRIES; at += 1) {
      await makeDue(uid);
      expect(await take(uid)).not.toBeNull();
    }
    await makeDue(uid);
    await performer.perform(importWork, [uid], () => Promise.reject(new Error('never asked')));
    expect(await find(uid)).toMatchObject({
      processingState: 'failed',
      lastError: 'The worker stopped unexpectedly.',
    });
    const { uid: broken } = await add();
    await fails(broken, new GiveUpError('It is no table.', 'corrupt'));
    expect(await find(broken)).toMatchObject({ processingState: 'failed', lastError: 'It is no table.' });
  });

  it('lets owners take turns, and a failed try wait its time', async () => {
    await clear();
    const other = await createUserRow(database);
    const mine = [await add(), await add(), await add()];
    const theirs = await add(other);
    const taken: string[] = [];
    for (let at = 0; at < 4; at += 1)
      await performer.perform(importWork, [mine[0]!.uid], async (claim) => {
        taken.push(claim.row.uid);
        if (at === 3) throw new TryAgainError('Broken.');
        await complete(claim);
      });
    expect(taken).toContain(theirs.uid);
    expect(taken.indexOf(theirs.uid)).toBeLessThan(2);
    expect(taken.filter((uid) => uid !== theirs.uid)).toEqual(mine.map(({ uid }) => uid));
    const late = taken[3]!;
    expect(await find(late)).toMatchObject({ processingState: 'queued', lastError: 'Broken.' });
    expect(await claims.claimDue(importWork, [mine[2]!.uid])).toBeNull();
    await makeDue(late);
    expect((await claims.claimDue(importWork, [mine[0]!.uid]))?.row.uid).toBe(late);
  });

  it('takes the file whose job is taken before it is written down', async () => {
    await clear();
    const { uid } = await add();
    await database.dataSource.query(`UPDATE tabular_files SET processing_state = 'pending_publish' WHERE uid = $1`, [
      uid,
    ]);
    expect((await claims.claimDue(importWork, [uid]))?.row.uid).toBe(uid);
  });
});
