import { randomUUID } from 'node:crypto';
import { DatabaseModule } from '@app/entities';
import { EntitlementsModule, StorageLimitExceededError, StorageQuota } from '@app/entitlements';
import { LiveModule } from '@app/live';
import { Test, type TestingModule } from '@nestjs/testing';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { subscribe } from '../support/subscriptions.js';
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

  /** 200 uploads, 40 at once: more of them would wait for a connection only, and on a stalled machine for too long. */
  async function uploadMany(ownerOf: (at: number) => number): Promise<boolean[]> {
    const taken: boolean[] = [];
    const lane = async (first: number) => {
      for (let at = first; at < 200; at += 40) taken.push(await upload(at, ownerOf(at)));
    };
    await Promise.all(Array.from({ length: 40 }, (_, first) => lane(first)));
    return taken;
  }

  it('of one account takes exactly as many of 200 uploads as fit', async () => {
    const userId = await createUserRow(database);
    await subscribe(apps[0]!, { userId, ...LIMITS });
    const taken = await uploadMany(() => userId);
    expect(taken).toHaveLength(200);
    expect(taken.filter(Boolean)).toHaveLength(FIT);
    expect(await quotaOf(0).usageOf(userId)).toMatchObject({ used: FIT * FILE, reserved: 0 });
  });

  it('of an organisation takes exactly as many of 200 uploads of its members as fit', async () => {
    const { organizationId, members } = await organization(5);
    await subscribe(apps[0]!, { userId: members[0]!, organizationId, plan: 'pro', ...LIMITS });
    const taken = await uploadMany((at) => members[at % members.length]!);
    expect(taken.filter(Boolean)).toHaveLength(FIT);
    for (const member of members)
      expect(await quotaOf(1).usageOf(member)).toMatchObject({ used: FIT * FILE, reserved: 0 });
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
