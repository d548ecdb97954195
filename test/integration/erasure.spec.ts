import { AuditChain, AuditLog } from '@app/audit';
import { AccountAccess } from '@app/auth';
import { ErasureRegistry, ErasureRunner, Erasures, erasureWork } from '@app/erasure';
import { WorkClaims, WorkPerformer } from '@app/work';
import { call, postJson, startApi, type TestApi } from '../support/api.js';
import { makeFullAccount, type FullAccount } from '../support/full-account.js';
import { inAll, stride } from '../support/long.js';
import { findTraces } from '../support/traces.js';
import { until } from '../support/until.js';

/** Tables that name accounts and are meant to outlive them. */
const KEPT = ['erasures'];
/** So long an api lets callers wait for the end. */
const PATIENCE_MS = 8000;

describe('the erasure of an account', () => {
  let api: TestApi;
  let friend: { id: number };
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);
  const tracesOf = ({ words }: FullAccount) => {
    const { redis, storage, mail } = api.config;
    const { dataSource } = api.database;
    return findTraces({ dataSource, redis, folders: [storage.folder, mail.outboxFolder] }, words);
  };
  const erase = (id: string, checkpoint?: (name: string) => Promise<void>) => {
    const [claims, registry, audit] = [WorkClaims, ErasureRegistry, AuditLog].map((type) =>
      api.jobs.get<never>(type, { strict: false }),
    );
    const runner = new ErasureRunner(api.database.dataSource, claims!, registry!, audit!, checkpoint);
    return api.jobs.get(WorkPerformer).perform(erasureWork, [id], (claim, signal) => runner.run(claim, signal));
  };
  const requestErasure = ({ id, username }: FullAccount) =>
    api.database.dataSource.transaction(async (tx) => {
      const requested = await api.app.get(Erasures).request({ userId: id, username }, tx);
      await api.app.get(AccountAccess, { strict: false }).close(id, tx);
      return requested;
    });
  const ended = ({ id }: FullAccount) =>
    until(
      async () =>
        (await sql<object[]>(`SELECT FROM erasures WHERE user_id = $1 AND state = 'completed'`, [id])).length > 0,
    );
  const stateOf = async (id: string) => (await api.app.get(Erasures).find(id))!;

  beforeAll(async () => {
    api = await startApi();
    const client = await api.signUp();
    const [row] = await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [client.username]);
    friend = row;
  });
  afterAll(() => api.stop());

  it('knows every table that holds or names an account', async () => {
    const rows = await sql<{ name: string }[]>(
      `SELECT DISTINCT c.conrelid::regclass::text AS name FROM pg_constraint c
       WHERE c.contype = 'f' AND c.confrelid = 'users'::regclass
       UNION SELECT table_name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name IN ('user_id', 'owner_id', 'actor_id', 'subject_id')`,
    );
    const known = api.jobs
      .get(ErasureRegistry, { strict: false })
      .list()
      .flatMap(({ tables }) => tables);
    const forgotten = rows.map(({ name }) => name).filter((name) => ![...known, ...KEPT].includes(name));
    expect(forgotten).toEqual([]);
  });

  it('decides of every column of what it exports', async () => {
    const rows = await sql<{ table: string; columns: string[] }[]>(
      `SELECT table_name AS table, array_agg(column_name::text ORDER BY column_name) AS columns
       FROM information_schema.columns WHERE table_schema = 'public' GROUP BY 1`,
    );
    const known = new Map(rows.map(({ table, columns }) => [table, columns]));
    const decided = api.jobs
      .get(ErasureRegistry, { strict: false })
      .list()
      .flatMap(({ columns = [] }) => columns);
    expect(decided.length).toBeGreaterThan(8);
    for (const { table, exported, withheld } of decided)
      expect([table, [...exported, ...Object.keys(withheld)].toSorted()]).toEqual([table, known.get(table)]);
  });

  inAll('leaves nothing but its record, whenever its worker dies', async () => {
    let checkpoints = Number.POSITIVE_INFINITY;
    let made = 0;
    for (let dieAt = 0; dieAt <= checkpoints; dieAt += stride(7)) {
      const account = await makeFullAccount(api, friend);
      made += 1;
      expect(await tracesOf(account)).not.toEqual([]);
      const { id } = await requestErasure(account);
      let passed = 0;
      const died = new Promise<void>((dead) => {
        const checkpoint = async () => {
          passed += 1;
          if (passed <= dieAt) return;
          dead();
          await new Promise(() => {});
        };
        void erase(id, checkpoint).then(() => dead());
      });
      await died;
      if (passed <= dieAt) checkpoints = passed - 1;
      // Its heartbeat goes on in this process: another name keeps it from renewing the lease.
      await sql(
        `UPDATE erasures SET leased_until = now() - interval '1 second', lease_owner = 'dead'
         WHERE id = $1 AND state = 'running'`,
        [id],
      );
      await erase(id);
      await until(async () => (await stateOf(id)).state === 'completed');
      expect(await tracesOf(account)).toEqual([]);
      // Counters hold no words.
      const counted = await sql(
        `SELECT FROM kept_totals WHERE key = 'u' || $1::int UNION ALL SELECT FROM kept_total_changes WHERE key = 'u' || $1::int`,
        [account.id],
      );
      expect(counted).toEqual([]);
    }
    expect(checkpoints).toBeGreaterThan(15);
    const [others] = await sql<[{ documents: number; workflows: number; turns: number }]>(
      `SELECT (SELECT count(*) FROM documents WHERE owner_id = $1)::int AS documents,
              (SELECT count(*) FROM workflows WHERE owner_id = $1 AND last_edited_by_id IS NULL)::int AS workflows,
              (SELECT count(*) FROM chat_turns WHERE jsonb_array_length(sources) = 1)::int AS turns`,
      [friend.id],
    );
    expect(others).toEqual({ documents: made, workflows: made, turns: 2 * made });
    // What others shared with the account is still to be taken back in the drive.
    const mirrors = await sql<object[]>(
      `SELECT user_id, email, wanted, next_attempt_at IS NOT NULL AS due FROM document_share_mirrors WHERE owner_id = $1`,
      [friend.id],
    );
    expect(mirrors).toEqual(mirrors.map(() => ({ user_id: null, email: '', wanted: false, due: true })));
    expect(mirrors).toHaveLength(made);
    await api.app.get(AuditChain).extend();
    expect(await api.app.get(AuditChain).verify()).toMatchObject({ broken: null });
  });

  it('is asked for once, closes the account at once, and answers when it is done', async () => {
    const account = await makeFullAccount(api, friend);
    const headers = { authorization: `Token ${account.token}` };
    const remove = () => call(`${api.baseUrl}/users/delete/`, { method: 'DELETE', headers });
    const began = performance.now();
    const answers = await Promise.all([remove(), remove(), remove()]);
    const took = performance.now() - began;
    expect(answers.map(({ status }) => status)).toContain(200);
    expect(answers.every(({ status }) => status === 200 || status === 401)).toBe(true);
    const done = { message: 'Your account and everything that belonged to it were deleted.' };
    const going = { message: 'Your account is closed. What belonged to it is being deleted.' };
    // A machine that stalls may need longer than callers wait.
    const fitting = took < PATIENCE_MS ? [done] : [done, going];
    expect(fitting).toContainEqual(answers.find(({ status }) => status === 200)!.body);
    expect((await call(`${api.baseUrl}/users/me/`, { headers })).status).toBe(401);
    const { username, password } = account;
    const logIn = () => postJson(`${api.baseUrl}/api/v1/token/login/`, { username, password });
    expect((await logIn()).status).toBe(400);
    expect(await sql('SELECT FROM erasures WHERE user_id = $1', [account.id])).toHaveLength(1);
    await ended(account);
    expect((await logIn()).body).toEqual({ non_field_errors: ['Unable to log in with provided credentials.'] });
    expect(await tracesOf(account)).toEqual([]);
  });

  inAll('says 500 when a step fails, and goes on by itself', async () => {
    const account = await makeFullAccount(api, friend);
    await sql(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken disk'; END $$`,
    );
    await sql('CREATE TRIGGER fail BEFORE DELETE ON passkeys FOR EACH ROW EXECUTE FUNCTION fail()');
    const headers = { authorization: `Token ${account.token}` };
    const answer = await call(`${api.baseUrl}/users/delete/`, { method: 'DELETE', headers });
    expect([answer.status, answer.body]).toEqual([500, { error: expect.any(String), code: 'deletion_incomplete' }]);
    await sql('DROP TRIGGER fail ON passkeys');
    await ended(account);
    expect(await tracesOf(account)).toEqual([]);
  });

  inAll('starts over for what came in while it ran', async () => {
    const account = await makeFullAccount(api, friend);
    const { id } = await requestErasure(account);
    const late = async (name: string) => {
      if (name !== 'files') return;
      await sql(
        `INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, 'document', 'late', $2)
         ON CONFLICT DO NOTHING`,
        [account.id, account.words[0]],
      );
    };
    await erase(id, late);
    await until(async () => (await stateOf(id)).state === 'completed');
    expect(await tracesOf(account)).toEqual([]);
  });
});
