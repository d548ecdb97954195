import { AuditChain, AuditLog, AuditReader } from '@app/audit';
import { startApi, type TestApi } from '../support/api.js';

describe('the audit log', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  const actor = { userId: 7, username: 'ada' };
  const entry = (target: string) => ({ action: 'account.updated', actor, target }) as const;

  it('chains what was committed, in order and without gaps, whoever chains it', async () => {
    const log = api.app.get(AuditLog);
    const chain = api.app.get(AuditChain);
    await api.database.dataSource
      .transaction(async (tx) => {
        await log.record(entry('rolled back'), tx);
        throw new Error('no');
      })
      .catch(() => undefined);
    for (let i = 0; i < 40; i += 1) await log.record(entry(`user:${i}`));
    await Promise.all([chain.extend(), chain.extend(), chain.extend()]);
    const page = await api.app.get(AuditReader).listForStaff({ actor: 'ada' }, null, 100);
    expect(page.events.map(({ target }) => target).toReversed()).toEqual(
      Array.from({ length: 40 }, (_, i) => `user:${i}`),
    );
    expect(page.events[0]!.prevHash).toBe(page.events[1]!.hash);
    expect(await chain.verify()).toEqual({ length: 40, broken: null });
  });

  it('cannot be changed, not even by the database user', async () => {
    const { dataSource } = api.database;
    await expect(dataSource.query(`UPDATE audit_events SET action = 'x' WHERE seq = 3`)).rejects.toThrow('append-only');
    await expect(dataSource.query('DELETE FROM audit_events')).rejects.toThrow('append-only');
    await expect(dataSource.query('TRUNCATE audit_events')).rejects.toThrow('append-only');
    await expect(
      dataSource.query('UPDATE audit_events SET personal = NULL, actor_id = NULL, subject_id = NULL, hash = prev_hash'),
    ).rejects.toThrow('append-only');
  });

  it('shows who got around the trigger', async () => {
    const { dataSource } = api.database;
    const tamper = (target: string) =>
      dataSource.transaction(async (tx) => {
        await tx.query('ALTER TABLE audit_events DISABLE TRIGGER audit_events_final');
        await tx.query(
          `UPDATE audit_events SET personal = jsonb_set(personal, '{target}', to_jsonb($1::text)) WHERE seq = 3`,
          [target],
        );
        await tx.query('ALTER TABLE audit_events ENABLE TRIGGER audit_events_final');
      });
    await tamper('user:99');
    expect(await api.app.get(AuditChain).verify()).toMatchObject({ broken: 3 });
    await tamper('user:2');
    expect(await api.app.get(AuditChain).verify()).toMatchObject({ broken: null });
  });

  it('forgets an erased account and stays whole', async () => {
    const reader = api.app.get(AuditReader);
    await api.app.get(AuditLog).record({ ...entry('user:7'), details: { email: 'ada@acme.example' } });
    await api.database.dataSource.transaction((tx) => reader.eraseAccount(7, tx));
    const page = await reader.listForStaff({}, null, 100);
    expect(page.events).toHaveLength(41);
    expect(JSON.stringify(page.events)).not.toMatch(/"ada"|acme|user:7"/);
    expect(await api.app.get(AuditChain).verify()).toEqual({ length: 41, broken: null });
  });
});
