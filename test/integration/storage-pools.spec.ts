import { randomUUID } from 'node:crypto';
import { DatabaseModule } from '@app/entities';
import { EntitlementsModule, StorageLimitExceededError, StorageQuota } from '@app/entitlements';
import { LiveModule } from '@app/live';
import { Test, type TestingModule } from '@nestjs/testing';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { subscribe, unsubscribe } from '../support/subscriptions.js';
import { stopwatch } from '../support/timing.js';

const FILE = 1000;
const FIT = 7;
const LIMITS = { limits: { storageBytes: FIT * FILE + FILE / 2 } };

describe('storage of a pool', () => {
  let database: TestDatabase;
  const apps: TestingModule[] = [];

  async function start(overrides: Record<string, string> = {}): Promise<TestingModule> {
    const config = testConfig(database.url, { BILLING: 'test', ...overrides });
    const imports = [
      DatabaseModule.forRoot(config, 'test'),
      LiveModule.forRoot(config),
      EntitlementsModule.forRoot(config),
    ];
    const app = await Test.createTestingModule({ imports }).compile();
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

  /** One upload: reserved, and stored in the transaction that settles it. */
  async function upload(at: number, ownerId: number): Promise<boolean> {
    const quota = quotaOf(at);
    try {
      const reservation = await quota.reserve(ownerId, FILE);
      await database.dataSource.transaction(async (tx) => {
        await reservation.settle(FILE, tx);
        await tx.query(
          `INSERT INTO written_files (id, owner_id, path, storage_key, mime_type, size_bytes, sha256)
           VALUES ($2::uuid, $1, $2::text, $2::text, 'text/plain', $3, '')`,
          [ownerId, randomUUID(), FILE],
        );
      });
      await reservation.release();
      return true;
    } catch (error) {
      if (error instanceof StorageLimitExceededError) return false;
      throw error;
    }
  }

  it('of one account takes exactly as many of 200 uploads at once as fit', async () => {
    const userId = await createUserRow(database);
    await subscribe(apps[0]!, { userId, ...LIMITS });
    const taken = await Promise.all(Array.from({ length: 200 }, (_, at) => upload(at, userId)));
    expect(taken.filter(Boolean)).toHaveLength(FIT);
    expect(await quotaOf(0).usageOf(userId)).toMatchObject({ used: FIT * FILE, reserved: 0 });
  });

  it('of an organisation takes exactly as many of 200 uploads of its members at once as fit', async () => {
    const { organizationId, members } = await organization(5);
    await subscribe(apps[0]!, { userId: members[0]!, organizationId, plan: 'pro', ...LIMITS });
    const taken = await Promise.all(Array.from({ length: 200 }, (_, at) => upload(at, members[at % members.length]!)));
    expect(taken.filter(Boolean)).toHaveLength(FIT);
    for (const member of members)
      expect(await quotaOf(1).usageOf(member)).toMatchObject({ used: FIT * FILE, reserved: 0 });
  });

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
    const app = await start({ STORAGE_GATE: 'false' });
    const { organizationId, members } = await organization(1);
    await subscribe(app, { userId: members[0]!, organizationId, plan: 'pro', ...LIMITS });
    const quota = app.get(StorageQuota);
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

  it('is reserved from quickly with 5,000 members', async () => {
    const { organizationId, members } = await organization(1);
    await sql(
      `WITH made AS (
         INSERT INTO users (username, email, password_hash, organization_id)
         SELECT 'many' || n, 'many' || n || '@x.example', '', $1 FROM generate_series(1, 5000) n RETURNING id)
       INSERT INTO written_files (id, owner_id, path, storage_key, mime_type, size_bytes, sha256)
       SELECT gen_random_uuid(), id, n::text, 'k' || id || n, 'text/plain', 1, '' FROM made, generate_series(1, 4) n`,
      [organizationId],
    );
    await sql('VACUUM ANALYZE kept_total_changes, users');
    await subscribe(apps[0]!, { userId: members[0]!, organizationId, plan: 'pro' });
    const took = stopwatch();
    for (let n = 0; n < 10; n += 1) await quotaOf(n).reserve(members[0]!, 1);
    const each = took() / 10;
    expect(await quotaOf(0).usageOf(members[0]!)).toMatchObject({ used: 20_000, reserved: 10 });
    process.stdout.write(`a reservation in an organisation of 5,000: ${each.toFixed(1)} ms\n`);
    expect(each).toBeLessThan(150);
  });
});
