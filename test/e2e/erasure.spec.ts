import { join } from 'node:path';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import { note, upload } from '../support/documents-api.js';
import { findTraces } from '../support/traces.js';
import { until } from '../support/until.js';
import { addCollaborator } from '../support/workflow-api.js';
import { fanOutAndJoin } from '../support/workflows.js';

/** Through all three apps: indexed documents, a workflow that has run, and an api that is killed in the middle. */
describe('the erasure of an account, on the whole platform', () => {
  let platform: HostedPlatform;
  beforeAll(async () => {
    platform = await hostPlatform(['indexer', 'workflow-runner']);
    await platform.start('api');
  });
  afterAll(() => platform.stop());

  it('ends whole although the api is killed while it runs', async () => {
    const { dataSource } = platform.database;
    const client = await HttpClient.signUp(platform.baseUrl);
    const names = ['a.txt', 'b.txt', 'c.txt'];
    for (const name of names) await upload(client, note(`The kettle of ${client.username} is in the kitchen.`, name));
    const workflow = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { ...fanOutAndJoin, name: `of ${client.username}` },
    });
    await client.post('/microservices/workflow/rerun/', { workflow_id: workflow.workflow_id });
    await until(async () => {
      const [row] = await dataSource.query<[{ done: number; runs: number }]>(
        `SELECT (SELECT count(*) FROM documents WHERE processing_state = 'completed')::int AS done,
                (SELECT count(*) FROM workflow_runs WHERE status = 'COMPLETED')::int AS runs`,
      );
      return row.done === names.length && row.runs === 1;
    });
    const documents = await dataSource.query<{ uid: string }[]>('SELECT uid FROM documents');

    // What its sockets would be told: kept for a day for those who were away.
    const at = `/microservices/workflow/${workflow.workflow_id}/`;
    await client.send('PUT', at, { name: `Of ${client.username}`, json_spec: fanOutAndJoin });
    const other = await HttpClient.signUp(platform.baseUrl);
    const theirs = await other.post<{ workflow_id: string }>('/microservices/workflow/start/', { json: fanOutAndJoin });
    await addCollaborator(platform, theirs.workflow_id, client, 'editor');
    const path = `/microservices/workflow/${theirs.workflow_id}/`;
    await client.send('PUT', path, { name: 'Theirs', json_spec: fanOutAndJoin });
    const redis = { url: platform.env.REDIS_URL!, keyPrefix: platform.env.REDIS_KEY_PREFIX! };
    const inRedis = async () => findTraces({ dataSource, redis, folders: [] }, [client.username]);
    await until(async () => (await inRedis()).filter((trace) => /^redis: .*:events$/.test(trace)).length === 2);

    // The first step holds still until the api is dead.
    await dataSource.query(
      `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3); RETURN OLD; END $$`,
    );
    await dataSource.query('CREATE TRIGGER hold BEFORE DELETE ON documents FOR EACH STATEMENT EXECUTE FUNCTION hold()');
    const answer = client.send('DELETE', '/users/delete/').catch(() => null);
    await until(async () => {
      const rows = await dataSource.query<{ steps: string[] }[]>('SELECT finished_steps AS steps FROM erasures');
      return rows[0]?.steps.includes('workflows') ?? false;
    });
    const api = platform.apps.find(({ name }) => name === 'api')!;
    await api.kill('SIGKILL');
    await answer;
    await dataSource.query('DROP TRIGGER hold ON documents');
    await dataSource.query(`UPDATE erasures SET leased_until = now()`);
    await platform.host('api');
    await until(async () => {
      const [row] = await dataSource.query<[{ state: string }]>('SELECT state FROM erasures');
      return row.state === 'completed';
    });
    const words = [client.username, workflow.workflow_id, ...documents.map(({ uid }) => uid)];
    const { STORAGE_DIR, OUTBOX_DIR } = platform.env as Record<string, string>;
    const kept = { dataSource, redis, folders: [STORAGE_DIR!, join(OUTBOX_DIR!)] };
    await until(async () => (await findTraces(kept, words)).length === 0);
    const [chunks] = await dataSource.query<[{ count: number }]>('SELECT count(*)::int AS count FROM chunks');
    expect(chunks.count).toBe(0);
  });
});
