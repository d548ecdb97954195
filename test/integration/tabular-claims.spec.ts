import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentsModule, LooseFiles } from '@app/documents';
import { DatabaseModule } from '@app/entities';
import { FileStorage, IntegrationsModule } from '@app/integrations';
import { QueuesModule } from '@app/queues';
import { WorkModule } from '@app/work';
import {
  findTabularFileByUid,
  ImportClaimLostError,
  ImportClaims,
  ImportRecovery,
  MAX_IMPORT_TRIES,
  StoredFiles,
  tabularDatabaseKey,
  TabularDatabases,
  TabularFiles,
  TabularFolders,
  TabularModule,
  type ImportClaim,
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
  let claims: ImportClaims;
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
      providers: [ImportRecovery],
    })
    class App {}
    app = await NestFactory.createApplicationContext(App, { logger: false });
    claims = app.get(ImportClaims);
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
  async function claimed(): Promise<ImportClaim> {
    const { uid } = await add();
    const claim = await claims.claim(uid, 'worker', 30);
    if (!claim) throw new Error('not claimed');
    return claim;
  }
  /** As a worker does it: announced, written, adopted. */
  async function complete(claim: ImportClaim): Promise<string> {
    const key = tabularDatabaseKey(claim.file.uid, claim.fence);
    const source = join(folder, randomBytes(6).toString('hex'));
    await writeFile(source, key);
    await app.get(StoredFiles).announce(key);
    await app.get(FileStorage).put(key, { path: source });
    await claims.complete(claim, key, CONTENTS);
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
    const tries = await Promise.all(Array.from({ length: 8 }, (_, index) => claims.claim(uid, `worker ${index}`, 30)));
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
    await expect(complete(claim!)).rejects.toThrow(ImportClaimLostError);
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
    const { uid } = claim.file;
    const first = await complete(claim);
    const anew = opening(async () => {
      await app.get(TabularFiles).retry(ownerId, 'database', uid, {});
      await complete((await claims.claim(uid, 'worker', 30))!);
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
    const { uid } = late.file;
    expect(await claims.endTry(late.file, 'Lost.')).toBe('queued');
    const next = await claims.claim(uid, 'next', 30);
    expect(next?.fence).toBe(late.fence + 1);
    await expect(late.renew('Still here.')).rejects.toThrow(ImportClaimLostError);
    await expect(complete(late)).rejects.toThrow(ImportClaimLostError);
    // Its file waits for the sweeper and is nobody's database.
    expect(await looseKeys()).toContain(tabularDatabaseKey(uid, late.fence));
    expect(await claims.fail(late, 'Broken.')).toBe(false);
    expect(await claims.endTry(late.file, 'Lost.')).toBe('lost');
    expect(await claims.handBack(late)).toBe(false);
    expect(await find(uid)).toMatchObject({ processingState: 'processing', fence: next!.fence, databaseKey: null });
    await complete(next!);
  });

  it('fails after the last try, with the reason, and keeps the former database through a later import', async () => {
    const { uid } = await add();
    for (let attempt = 1; attempt <= MAX_IMPORT_TRIES; attempt++) {
      const claim = await claims.claim(uid, 'worker', 30);
      expect(await claims.endTry(claim!.file, 'No luck.')).toBe(attempt < MAX_IMPORT_TRIES ? 'queued' : 'failed');
    }
    const lastError = `No luck. The import was tried ${MAX_IMPORT_TRIES} times.`;
    expect(await find(uid)).toMatchObject({ processingState: 'failed', lastError, leaseExpiresAt: null });

    const files = app.get(TabularFiles);
    await files.retry(ownerId, 'database', uid, { delimiter: ';' });
    const first = await claims.claim(uid, 'worker', 30);
    expect(first!.file).toMatchObject({ failedTries: 0, lastError: '', delimiter: ';', headerRow: 'auto' });
    const former = await complete(first!);
    await files.retry(ownerId, 'database', uid, {});
    await expect(files.retry(ownerId, 'database', uid, {})).rejects.toMatchObject({ code: 'not_retryable' });
    expect(await keyAnswering(uid)).toBe(former);
    const second = await claims.claim(uid, 'worker', 30);
    const latter = await complete(second!);
    expect(latter).not.toBe(former);
    expect(existsSync(join(folder, 'files', former))).toBe(false);
    expect(existsSync(join(folder, 'files', latter))).toBe(true);
  });

  it('writes nothing for a file that was deleted while it was imported', async () => {
    const claim = await claimed();
    const { uid, storageKey } = claim.file;
    expect(await app.get(TabularFolders).deleteFile(ownerId + 1, 'database', uid)).toBe(false);
    expect(await app.get(TabularFolders).deleteFile(ownerId, 'database', uid)).toBe(true);
    expect(existsSync(join(folder, 'files', storageKey))).toBe(false);
    await expect(complete(claim)).rejects.toThrow(ImportClaimLostError);
    expect(await claims.endTry(claim.file, 'Lost.')).toBe('lost');
    expect(await find(uid)).toBeNull();
  });

  it('brings back what was lost: a dead worker, a bell, a request', async () => {
    const recovery = app.get(ImportRecovery);
    const claim = await claimed();
    await database.dataSource.query(
      "UPDATE tabular_files SET lease_expires_at = now() - interval '1 second' WHERE uid = $1",
      [claim.file.uid],
    );
    expect(await recovery.takeBackLost()).toBe(1);
    expect(await find(claim.file.uid)).toMatchObject({ processingState: 'queued', failedTries: 1, attempt: 1 });
    await database.dataSource.query("UPDATE tabular_files SET rung_at = now() - interval '1 hour' WHERE uid = $1", [
      claim.file.uid,
    ]);
    expect(await recovery.ringAgain(30)).toBe(1);
    expect(await recovery.ringAgain(30)).toBe(0);
    const { uid } = await add();
    await database.dataSource.query(
      "UPDATE tabular_files SET processing_state = 'pending_publish', rung_at = now() - interval '1 hour' WHERE uid = $1",
      [uid],
    );
    await database.dataSource.query(`DELETE FROM outbox_messages WHERE payload ->> 'uid' = $1`, [uid]);
    expect(await recovery.publishForgotten()).toBe(1);
    expect(await find(uid)).toMatchObject({ processingState: 'queued' });
  });

  it('lets owners take turns, and a failed try wait its time', async () => {
    await database.dataSource.query(`UPDATE tabular_files SET processing_state = 'failed', lease_expires_at = NULL`);
    const other = await createUserRow(database);
    const mine = [await add(), await add(), await add()];
    const theirs = await add(other);
    const taken: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const claim = (await claims.claimNext('worker', 30, mine[0]!.uid))!;
      taken.push(claim.file.uid);
      if (at < 3) await complete(claim);
      else expect(await claims.endTry(claim.file, 'Broken.')).toBe('queued');
    }
    expect(taken).toContain(theirs.uid);
    expect(taken.indexOf(theirs.uid)).toBeLessThan(2);
    expect(taken.filter((uid) => uid !== theirs.uid)).toEqual(mine.map(({ uid }) => uid));
    expect(await claims.claimNext('worker', 30, mine[2]!.uid)).toBeNull();
    await database.dataSource.query(`UPDATE tabular_files SET not_before = now() WHERE uid = $1`, [taken[3]]);
    expect((await claims.claimNext('worker', 30, mine[0]!.uid))?.file.uid).toBe(taken[3]);
  });

  it('takes the file whose bell is heard before it is written down', async () => {
    await database.dataSource.query(
      `UPDATE tabular_files SET processing_state = 'failed', lease_expires_at = NULL WHERE processing_state <> 'completed'`,
    );
    const { uid } = await add();
    await database.dataSource.query(`UPDATE tabular_files SET processing_state = 'pending_publish' WHERE uid = $1`, [
      uid,
    ]);
    expect((await claims.claimNext('worker', 30, uid))?.file.uid).toBe(uid);
  });
});
