import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@app/common';
import { DatabaseModule } from '@app/entities';
import {
  announceLooseFile,
  EntitlementResolver,
  EntitlementsModule,
  LooseFiles,
  OwnedReservations,
  releaseLooseFiles,
  removeFolderSoon,
  StorageQuota,
} from '@app/entitlements';
import { ErasureRegistry } from '@app/erasure';
import { FileStorage, IntegrationsModule } from '@app/integrations';
import { LiveModule } from '@app/live';
import { Test, type TestingModule } from '@nestjs/testing';
import type { EntityManager } from 'typeorm';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { subscribe, unsubscribe } from '../support/subscriptions.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';

const FILE = 1000;
const FIT = 7;
const LIMITS = { limits: { storageBytes: FIT * FILE + FILE / 2 } };
/** Longer than any request takes; in seconds. */
const RESERVED = 1200;
const HOUR = 3600;
/** Milliseconds in which a statement has begun. */
const SOON = 3000;

describe('storage', () => {
  let database: TestDatabase;
  const apps: TestingModule[] = [];

  async function start(): Promise<TestingModule> {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-storage-'));
    const config = testConfig(database.url, { BILLING: 'test', STORAGE_DIR: join(folder, 'files') });
    const imports = [
      DatabaseModule.forRoot(config, 'test'),
      LiveModule.forRoot(config),
      IntegrationsModule.forRoot(config),
      EntitlementsModule.forRoot(config),
    ];
    const providers = [LooseFiles, ErasureRegistry, OwnedReservations];
    const app = await Test.createTestingModule({ imports, providers }).compile();
    app.useLogger(false);
    await app.init();
    apps.push(app);
    return app;
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    await start();
    await start();
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await database.drop();
  });

  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T>(text, values);
  const transaction = <T>(work: (tx: EntityManager) => Promise<T>) => database.dataSource.transaction(work);
  const quotaOf = (at: number) => apps[at % 2]!.get(StorageQuota);
  async function organization(count: number): Promise<{ organizationId: number; members: number[] }> {
    const [{ id }] = await sql<[{ id: number }]>(`INSERT INTO organizations (name) VALUES ('Shared') RETURNING id`);
    const members: number[] = [];
    for (let at = 0; at < count; at += 1) members.push(await createUserRow(database));
    await sql('UPDATE users SET organization_id = $1 WHERE id = ANY($2::int[])', [id, members]);
    return { organizationId: id, members };
  }
  const store = (ownerId: number, bytes = FILE) =>
    sql(
      `INSERT INTO written_files (id, owner_id, path, storage_key, mime_type, size_bytes, sha256)
       VALUES ($2::uuid, $1, $2::text, $2::text, 'text/plain', $3, '')`,
      [ownerId, randomUUID(), bytes],
    );
  const keep = (ownerId: number, part: string, bytes: number) =>
    sql(`INSERT INTO kept_total_changes (kind, key, part, change) VALUES ('storage', $1, $2, $3)`, [
      String(ownerId),
      part,
      bytes,
    ]);
  const usage = (userId: number) => quotaOf(0).usageOf(userId);
  const secondsOf = async (id: string) => {
    const rows = await sql<{ bytes: string; seconds: number }[]>(
      `SELECT bytes, round(extract(epoch FROM expires_at - now()))::int AS seconds FROM storage_reservations WHERE id = $1`,
      [id],
    );
    return rows[0] && { bytes: Number(rows[0].bytes), seconds: Math.ceil(rows[0].seconds / 10) * 10 };
  };
  /** Whether somebody waits for a lock. */
  const isWaited = async () => (await lockWaits(database.dataSource)) > 0;
  const loose = () => apps[0]!.get(LooseFiles);
  const files = () => apps[0]!.get(FileStorage);
  const isThere = async (key: string) => (await files().stat(key)) !== null;
  const left = () =>
    sql<{ storage_key: string; seconds: number }[]>(
      `SELECT storage_key, round(extract(epoch FROM removable_at - now()))::int AS seconds FROM loose_files ORDER BY 1`,
    ).then((rows) => rows.map(({ storage_key: key, seconds }) => [key, Math.ceil(seconds / 10) * 10]));
  async function write(key: string): Promise<string> {
    const path = join(await mkdtemp(join(tmpdir(), 'atrium-loose-')), 'source');
    await writeFile(path, 'bytes');
    await files().put(key, { path });
    return key;
  }

  describe('of a pool', () => {
    it('counts what all members have reserved, and what those bring who join', async () => {
      const { organizationId, members } = await organization(2);
      const [owner, member] = members as [number, number];
      const joining = await createUserRow(database);
      await store(joining, 3 * FILE);
      await subscribe(apps[0]!, { userId: owner, organizationId, plan: 'pro', ...LIMITS });
      const reserved = await quotaOf(0).reserve(owner, 4 * FILE);
      await expect(quotaOf(1).reserve(member, 4 * FILE)).rejects.toMatchObject({
        code: 'storage_limit_exceeded',
        extra: { available_bytes: 3.5 * FILE },
      });
      await sql('UPDATE users SET organization_id = $2 WHERE id = $1', [joining, organizationId]);
      await expect(quotaOf(1).reserve(member, FILE)).rejects.toMatchObject({ extra: { available_bytes: FILE / 2 } });
      // Who is put out takes their bytes along; a deactivated member still has them here.
      await sql('UPDATE users SET is_active = false WHERE id = $1', [joining]);
      await expect(quotaOf(1).reserve(member, FILE)).rejects.toMatchObject({ extra: { available_bytes: FILE / 2 } });
      await sql('UPDATE users SET organization_id = NULL WHERE id = $1', [joining]);
      await (await quotaOf(1).reserve(member, FILE)).release();
      await reserved.release();
      expect(await quotaOf(1).usageOf(owner)).toMatchObject({ used: 0, reserved: 0 });
    });

    it('takes nothing more after a downgrade below what is there, and what it has stays', async () => {
      const userId = await createUserRow(database);
      await subscribe(apps[0]!, { userId, ...LIMITS });
      for (let at = 0; at < FIT; at += 1) await store(userId);
      await subscribe(apps[0]!, { userId, limits: { storageBytes: 2 * FILE } });
      await expect(quotaOf(1).reserve(userId, 1)).rejects.toMatchObject({ extra: { available_bytes: 0 } });
      await sql('DELETE FROM written_files WHERE owner_id = $1', [userId]);
      await quotaOf(1).reserve(userId, 2 * FILE);
      // None is a limit, too.
      await subscribe(apps[0]!, { userId, limits: { storageBytes: 0 } });
      await expect(quotaOf(0).reserve(userId, 1)).rejects.toMatchObject({ code: 'storage_limit_exceeded' });
      await subscribe(apps[0]!, { userId, limits: { storageBytes: null } });
      await quotaOf(0).reserve(userId, 1_000_000 * FILE);
    });

    it('has room at once for what was paid for, whatever another process remembers', async () => {
      const userId = await createUserRow(database);
      await subscribe(apps[0]!, { userId, limits: { storageBytes: 0 } });
      await quotaOf(1).usageOf(userId);
      await sql(
        `UPDATE subscriptions SET plan = jsonb_set(plan, '{limits,storageBytes}', '5000') WHERE owner_user_id = $1`,
        [userId],
      );
      await quotaOf(1).reserve(userId, 5000);
      await unsubscribe(apps[0]!, { userId });
    });

    it('refuses nothing where the gate is off, and counts all the same', async () => {
      const { organizationId, members } = await organization(1);
      await subscribe(apps[0]!, { userId: members[0]!, organizationId, plan: 'pro', ...LIMITS });
      const quota = new StorageQuota(database.dataSource, apps[0]!.get(EntitlementResolver), { storageGate: false });
      await quota.reserve(members[0]!, 100 * FILE);
      expect(await quota.usageOf(members[0]!)).toMatchObject({
        reserved: 100 * FILE,
        limit: LIMITS.limits.storageBytes,
        isEnforced: false,
      });
    });

    it('says that an account that is gone is not there', async () => {
      await expect(quotaOf(0).reserve(2_000_000_000, 1)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('is what is stored of each part and what is reserved, beside the limit', async () => {
      const userId = await createUserRow(database);
      await subscribe(apps[0]!, { userId, limits: { storageBytes: 9000 } });
      await store(userId);
      await keep(userId, 'media', 500);
      const { id } = await quotaOf(0).reserve(userId, 300);
      const stored = { media: 500, workflow: FILE, used: 500 + FILE };
      expect(await usage(userId)).toEqual({ ...stored, reserved: 300, limit: 9000, isEnforced: true });
      expect(await quotaOf(0).measure({ type: 'user', userId })).toEqual({ ...stored, reserved: 300 });
      expect(await quotaOf(0).measure({ type: 'user', userId: await createUserRow(database) })).toEqual({
        media: 0,
        workflow: 0,
        used: 0,
        reserved: 0,
      });
      await sql('UPDATE storage_reservations SET expires_at = now() WHERE id = $1', [id]);
      expect(await usage(userId)).toMatchObject({ reserved: 0 });
    });

    it('is taken to the last byte', async () => {
      const userId = await createUserRow(database);
      await subscribe(apps[0]!, { userId, limits: { storageBytes: 3 * FILE } });
      await store(userId);
      await quotaOf(0).reserve(userId, FILE);
      await expect(quotaOf(0).reserve(userId, FILE + 1)).rejects.toMatchObject({
        code: 'storage_limit_exceeded',
        extra: { available_bytes: FILE, limit_bytes: 3 * FILE },
      });
      await quotaOf(0).reserve(userId, FILE);
    });

    it('is reserved from by one at a time', async () => {
      const userId = await createUserRow(database);
      await transaction(async (tx) => {
        await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
        let isDone = false;
        const waiting = quotaOf(0)
          .reserve(userId, 1)
          .finally(() => {
            isDone = true;
          });
        await until(async () => isDone || (await isWaited()), SOON);
        expect(isDone).toBe(false);
        return { waiting };
      }).then(({ waiting }) => waiting);
    });

    it('says that a pool, or somebody in it, is not there that goes meanwhile', async () => {
      const { organizationId, members } = await organization(2);
      const [going, staying] = members as [number, number];
      await subscribe(apps[0]!, { userId: going, organizationId, plan: 'pro' });
      const resolver = apps[0]!.get(EntitlementResolver);
      const reserve = async (userId: number, gone: string) => {
        const of = await resolver.readNow(database.dataSource.manager, userId);
        const asked = jest.spyOn(resolver, 'readNow').mockResolvedValueOnce(of);
        await sql(gone);
        return quotaOf(0)
          .reserve(userId, 1)
          .finally(() => asked.mockRestore());
      };
      const none = { code: 'not_found' };
      await expect(reserve(going, `DELETE FROM users WHERE id = ${going}`)).rejects.toMatchObject(none);
      const dissolved = `UPDATE users SET organization_id = NULL WHERE id = ${staying}; DELETE FROM organizations WHERE id = ${organizationId}`;
      await expect(reserve(staying, dissolved)).rejects.toMatchObject(none);
    });
  });

  describe('that is reserved', () => {
    it('comes back after a while, which can be told and moved', async () => {
      const userId = await createUserRow(database);
      const quota = quotaOf(0);
      await quota.removeExpired();
      const [usual, told] = [
        await quota.reserve(userId, 5),
        await quota.reserve(userId, 6, { id: newId(), seconds: 60 }),
      ];
      expect(await secondsOf(usual.id)).toEqual({ bytes: 5, seconds: RESERVED });
      expect(await secondsOf(told.id)).toEqual({ bytes: 6, seconds: 60 });
      expect(await quota.reopen(told.id).extend(600)).toBe(true);
      expect(await secondsOf(told.id)).toEqual({ bytes: 6, seconds: 600 });
      await sql('UPDATE storage_reservations SET expires_at = now() WHERE id = $1', [told.id]);
      expect(await told.extend(600)).toBe(false);
      expect(await quota.removeExpired()).toBe(1);
      expect([await secondsOf(told.id), await secondsOf(usual.id)]).toEqual([undefined, expect.anything()]);
      await usual.release();
      await usual.release();
      expect(await secondsOf(usual.id)).toBeUndefined();
    });

    it('has the id that it was given, and no other can be made of it', async () => {
      const userId = await createUserRow(database);
      const id = newId();
      expect((await quotaOf(0).reserve(userId, 5, { id })).id).toBe(id);
      await expect(quotaOf(0).reserve(userId, 5, { id })).rejects.toThrow(/duplicate key/);
    });

    it('is settled in parts, and no more of it than there is', async () => {
      const userId = await createUserRow(database);
      const reservation = await quotaOf(0).reserve(userId, 10);
      const settle = (bytes: number) => transaction((tx) => reservation.settle(bytes, tx));
      await settle(4);
      expect(await secondsOf(reservation.id)).toMatchObject({ bytes: 6 });
      const expired = {
        code: 'upload_expired',
        message: 'The upload took too long. Send the file again.',
      };
      await expect(settle(7)).rejects.toMatchObject(expired);
      await settle(6);
      await sql('UPDATE storage_reservations SET bytes = 9, expires_at = now() WHERE id = $1', [reservation.id]);
      await expect(settle(1)).rejects.toMatchObject(expired);
      await reservation.release();
      await expect(settle(0)).rejects.toMatchObject(expired);
    });

    it('goes with the account', async () => {
      const [userId, other] = [await createUserRow(database), await createUserRow(database)];
      for (const one of [userId, userId, other]) await quotaOf(0).reserve(one, 1);
      const [owned] = apps[0]!.get(ErasureRegistry).list() as [OwnedReservations];
      expect(owned).toMatchObject({ name: 'storage reservations', tables: ['storage_reservations'] });
      expect(await owned.countFor(userId)).toBe(2);
      expect(await transaction((tx) => owned.deleteSome(userId, tx))).toBe(2);
      expect(await transaction((tx) => owned.deleteSome(userId, tx))).toBe(0);
      expect([await owned.countFor(userId), await owned.countFor(other)]).toEqual([0, 1]);
    });
  });

  describe('of files without a row', () => {
    beforeEach(() => sql('DELETE FROM loose_files'));

    it('is theirs for an hour, or as long as told, and each announcement moves it', async () => {
      await loose().announce('a/1');
      await loose().announce('a/2', 60);
      await announceLooseFile(database.dataSource, 'a/3');
      await loose().announce('a/1', 600);
      expect(await left()).toEqual([
        ['a/1', 600],
        ['a/2', 60],
        ['a/3', HOUR],
      ]);
    });

    it('is kept for the row that adopts them, once', async () => {
      await loose().announce('a/1', 0);
      expect(await transaction((tx) => loose().adopt('a/1', tx))).toBe(true);
      expect(await transaction((tx) => loose().adopt('a/1', tx))).toBe(false);
      expect(await loose().removeDue()).toBe(0);
    });

    it('is freed when their time is over, those first that are due longest', async () => {
      for (const key of ['a/1', 'a/2', 'a/3']) await write(key);
      await loose().announce('a/1');
      await transaction((tx) => loose().release(['a/2'], tx));
      await announceLooseFile(database.dataSource, 'a/3');
      await transaction((tx) => releaseLooseFiles(['a/3'], tx));
      expect(await loose().removeDue()).toBe(2);
      expect(await Promise.all(['a/1', 'a/2', 'a/3'].map(isThere))).toEqual([true, false, false]);
      expect(await left()).toEqual([['a/1', HOUR]]);
    });

    it('is freed at once on demand, unless it is too early or somebody adopts them just now', async () => {
      for (const key of ['a/1', 'a/2', 'a/3']) await write(key);
      await loose().announce('a/1');
      await loose().announce('a/2', 0);
      await loose().announce('a/3', 0);
      await transaction(async (tx) => {
        await loose().adopt('a/2', tx);
        expect(await loose().remove(['a/1', 'a/2', 'a/3', 'a/4'])).toBe(1);
      });
      expect(await Promise.all(['a/1', 'a/2', 'a/3'].map(isThere))).toEqual([true, true, false]);
    });

    it('stays for a later round where the storage fails, and does not keep the others', async () => {
      for (const key of ['a/1', 'a/2']) await loose().announce(await write(key), -1);
      const away = jest.spyOn(files(), 'delete').mockRejectedValueOnce(new Error('It is away.'));
      expect(await loose().removeDue()).toBe(1);
      away.mockRestore();
      expect(await left()).toHaveLength(1);
      expect(await loose().removeDue()).toBe(1);
      expect(await Promise.all(['a/1', 'a/2'].map(isThere))).toEqual([false, false]);
    });

    it('of a whole folder is freed soon', async () => {
      for (const key of ['a/1', 'a/2', 'ab/1']) await loose().announce(key);
      await transaction((tx) => removeFolderSoon(tx, 'a/'));
      expect(await left()).toEqual([
        ['a/1', 0],
        ['a/2', 0],
        ['ab/1', HOUR],
      ]);
    });
  });
});
