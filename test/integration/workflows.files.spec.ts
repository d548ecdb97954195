import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { LooseFiles } from '@app/entitlements';
import { FileStorage } from '@app/integrations';
import { createPendingNodeState, type NodeState, type StoredOutput } from '@app/workflow-definition';
import { type ClaimedRun, NodeRows, PostgresRunStore, RunControl, RunHistory, RunRetention } from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type CreatedWorkflow, createUser, createWorkflow, startWorkflows } from '../support/workflows.js';

const spec = {
  name: 'Large',
  nodes: [
    { id: 'big', kind: 'template', params: { template: '' }, next: ['use'], save_output: true },
    { id: 'use', kind: 'template', params: { template: '{{_output.big.text}}' }, next: [] },
  ],
};
const large = () => ({ text: randomBytes(60_000).toString('hex') });
const done = (nodeId: string, output: unknown, more: Partial<NodeState> = {}): NodeState => ({
  ...createPendingNodeState(nodeId),
  status: 'COMPLETED',
  attempt: 1,
  startedAt: 1,
  finishedAt: 2,
  output,
  ...more,
});

describe('files of runs', () => {
  let database: TestDatabase;
  let module: TestingModule;
  let store: PostgresRunStore;
  let runs: RunControl;
  let storage: FileStorage;
  let looseFiles: LooseFiles;
  let ownerId: number;
  let workflow: CreatedWorkflow;

  beforeAll(async () => {
    database = await createTestDatabase();
    module = await startWorkflows(database.url, { WORKFLOW_HISTORY_RUNS: '5', WORKFLOW_HISTORY_DAYS: '10' });
    store = module.get(PostgresRunStore);
    runs = module.get(RunControl);
    storage = module.get(FileStorage);
    looseFiles = new LooseFiles(database.dataSource, storage);
    ownerId = await createUser(database.dataSource);
  });
  beforeEach(async () => {
    workflow = await createWorkflow(module, ownerId, spec);
  });
  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  const sql = <T>(query: string, values: unknown[] = []) => database.dataSource.query<T>(query, values);
  const keysOf = async (workflowId = workflow.id) =>
    (
      await sql<{ key: string }[]>(
        `SELECT s.storage_key AS key FROM workflow_stored_outputs s JOIN workflow_runs r ON r.id = s.run_id
         WHERE r.workflow_id = $1 ORDER BY r.version`,
        [workflowId],
      )
    ).map(({ key }) => key);
  const loose = async () =>
    (await sql<{ key: string }[]>('SELECT storage_key AS key FROM loose_files')).map(({ key }) => key);
  const contentOf = async (key: string) => JSON.parse(await text((await storage.open(key)).stream)) as unknown;
  async function claim(version?: number, worker = 'w'): Promise<ClaimedRun> {
    const [row] = await sql<{ id: string }[]>(
      `SELECT id FROM workflow_runs WHERE workflow_id = $1 AND ($2::int IS NULL OR version = $2) ORDER BY version DESC LIMIT 1`,
      [workflow.id, version ?? null],
    );
    return (await store.claimRun(row!.id, worker))!;
  }
  const expire = (run: ClaimedRun) =>
    sql(`UPDATE workflow_runs SET lease_expires_at = now() - interval '1 s' WHERE id = $1`, [run.runId]);
  async function finished(output: unknown = large()): Promise<ClaimedRun> {
    await runs.rerun(ownerId, workflow.id, null);
    const run = await claim();
    await store.finishRun(run, [done('big', output), done('use', { text: '' })], { status: 'COMPLETED' });
    return run;
  }

  const versions = async (workflowId = workflow.id) =>
    (
      await sql<{ version: number }[]>('SELECT version FROM workflow_runs WHERE workflow_id = $1 ORDER BY version', [
        workflowId,
      ])
    ).map(({ version }) => version);
  const age = (version: number, days: number) =>
    sql(
      `UPDATE workflow_runs SET finished_at = finished_at - $3 * interval '1 day' WHERE workflow_id = $1 AND version = $2`,
      [workflow.id, version, days],
    );
  const sweep = () => module.get(RunRetention).sweep();

  it('leaves nothing behind when a worker is killed between the file and the row', async () => {
    await runs.rerun(ownerId, workflow.id, null);
    const first = await claim();
    const output = large();
    // Its row is not written: another worker has the run by then.
    await expire(first);
    const elsewhere = await startWorkflows(database.url);
    const second = (await elsewhere.get(PostgresRunStore).claimRun(first.runId, 'other'))!;
    expect(await store.saveProgress(first, [done('big', output)])).toBe(false);
    const [orphan, ...none] = await loose();
    expect(none).toEqual([]);
    expect(await contentOf(orphan!)).toEqual(output);
    const other = large();
    expect(await elsewhere.get(PostgresRunStore).saveProgress(second, [done('big', other)])).toBe(true);
    const [key] = await keysOf();
    expect(await contentOf(key!)).toEqual(other);
    expect(await looseFiles.removeDue()).toBe(0);
    await sql(`UPDATE loose_files SET removable_at = now()`);
    expect(await looseFiles.removeDue()).toBe(1);
    expect(await storage.stat(orphan!)).toBeNull();
    expect(await contentOf(key!)).toEqual(other);
    await elsewhere.close();
  });

  it('brings back what a resumed run still reads, and only that', async () => {
    await runs.rerun(ownerId, workflow.id, null);
    const run = await claim();
    const output = large();
    await store.saveProgress(run, [done('big', output)]);
    expect(await loose()).toEqual([]);
    await expire(run);
    const resumed = await claim(undefined, 'next');
    const [{ output: kept }] = resumed.nodes as [NodeState];
    expect((await store.readOutput(kept as StoredOutput)).parse()).toEqual(output);
    await store.saveProgress(resumed, [done('use', { text: output.text })]);
    expect(await keysOf()).toHaveLength(2);
    await expire(resumed);
    const again = await claim(undefined, 'last');
    expect(again.nodes.map(({ output: kept }) => JSON.stringify(kept).length < 1_000)).toEqual([true, true]);
    // What was not opened can be written again as it is.
    await store.finishRun(again, again.nodes, { status: 'COMPLETED' });
    expect(await keysOf()).toHaveLength(2);
    expect(await loose()).toEqual([]);
    const progress = await module.get(NodeRows).find(workflow.id);
    expect(progress!.nodes[0]!.output).toMatchObject({ stored: true, size_bytes: JSON.stringify(output).length });
  });

  it('tells an output that is gone from a storage that is away', async () => {
    await runs.rerun(ownerId, workflow.id, null);
    const run = await claim();
    await store.saveProgress(run, [done('big', large())]);
    await expire(run);
    const [key] = await keysOf();
    const resumed = await claim(undefined, 'b');
    const kept = resumed.nodes[0]!.output as StoredOutput;
    const open = jest.spyOn(storage, 'open').mockRejectedValueOnce(new Error('The storage is away.'));
    await expect(store.readOutput(kept)).rejects.toThrow('The storage is away.');
    open.mockRestore();
    expect((await store.readOutput(kept)).parse()).toMatchObject({ text: expect.any(String) as string });
    await storage.delete(key!);
    await expect(store.readOutput(kept)).rejects.toMatchObject({ code: 'output_lost', retryable: false });
    await expect(store.localOutput(kept)).rejects.toMatchObject({ code: 'output_lost', retryable: false });
    await store.finishRun(resumed, [], { status: 'FAILED' });
  });

  it('keeps a file as long as one run refers to it, also when several let go of it at once', async () => {
    const first = await finished();
    await runs.start(workflow.id, {
      trigger: 'manual',
      userId: ownerId,
      payload: null,
      reuse: { version: first.version, nodeIds: ['big'] },
    });
    const second = await claim();
    expect(second.nodes).toMatchObject([{ nodeId: 'big', output: { file: { size: expect.any(Number) as number } } }]);
    await store.finishRun(second, [done('use', { text: '' })], { status: 'COMPLETED' });
    const [key, same] = await keysOf();
    expect(same).toBe(key);
    const history = module.get(RunHistory);
    await Promise.all([1, 2].map((version) => history.delete(ownerId, workflow.id, version)));
    expect(await loose()).toEqual([key]);
    expect(await looseFiles.removeDue()).toBe(1);
    expect(await storage.stat(key!)).toBeNull();
  });

  it('lets go of the files of a workflow that is gone', async () => {
    await finished();
    await finished();
    const keys = await keysOf();
    await sql('DELETE FROM workflows WHERE id = $1', [workflow.id]);
    expect((await loose()).sort()).toEqual(keys.sort());
    expect(await looseFiles.removeDue()).toBe(2);
  });

  it('sums up what the nodes used, however often it is written', async () => {
    await runs.rerun(ownerId, workflow.id, null);
    const run = await claim();
    const used = [done('big', 1, { usage: { tokens: 7, spend: 0.25 } })];
    await store.saveProgress(run, used);
    await store.saveProgress(run, used);
    await store.finishRun(run, [done('use', 2, { usage: { tokens: 5, spend: 0 } })], { status: 'COMPLETED' });
    expect(await module.get(RunHistory).get(ownerId, workflow.id, 1)).toMatchObject({ tokens: 12, spend: 0.25 });
    // What another run took over is not paid for twice.
    await runs.start(workflow.id, {
      trigger: 'manual',
      userId: ownerId,
      payload: null,
      reuse: { version: 1, nodeIds: ['big'] },
    });
    await store.finishRun(await claim(), [done('use', 2)], { status: 'COMPLETED' });
    expect(await module.get(RunHistory).get(ownerId, workflow.id, 2)).toMatchObject({ tokens: 0, spend: 0 });
  });

  describe('retention', () => {
    it('removes what is too old, but never the current run', async () => {
      for (let n = 0; n < 4; n += 1) await finished(n === 0 ? large() : 'x');
      for (const version of [1, 2, 4]) await age(version, 11);
      const [key] = await keysOf();
      expect(await sweep()).toBe(2);
      expect(await versions()).toEqual([3, 4]);
      expect(await loose()).toEqual([key]);
      await looseFiles.removeDue();
      expect(
        await sql('SELECT FROM workflow_run_nodes n LEFT JOIN workflow_runs r ON r.id = n.run_id WHERE r.id IS NULL'),
      ).toEqual([]);
    });

    it('removes what is beyond the number, in batches, by several sweepers at once', async () => {
      for (let n = 0; n < 3; n += 1) await finished('x');
      await sql(
        `INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, finished_at)
         SELECT gen_random_uuid(), $1, n, 1, 'COMPLETED', 'webhook', now() FROM generate_series(4, 1303) AS n`,
        [workflow.id],
      );
      await sql('UPDATE workflows SET current_run_version = 1303 WHERE id = $1', [workflow.id]);
      const removed = await Promise.all([sweep(), sweep(), sweep()]);
      // The current one is kept whatever its number.
      expect(removed.reduce((sum, count) => sum + count)).toBe(1_297);
      expect(await versions()).toEqual([3, 1299, 1300, 1301, 1302, 1303]);
      expect(await sweep()).toBe(0);
    });

    it('keeps runs that are active, or that an active one started', async () => {
      await runs.rerun(ownerId, workflow.id, null);
      const parent = await claim();
      await sql(
        `INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, finished_at, is_concurrent,
           parent_run_id, parent_node_id, parent_key)
         SELECT gen_random_uuid(), $1, n, 1, 'COMPLETED', 'api', now() - interval '20 days', true, $2, 'big', 'body:' || n
         FROM generate_series(2, 3) AS n`,
        [workflow.id, parent.runId],
      );
      expect(await sweep()).toBe(0);
      await store.finishRun(parent, [done('big', 1), done('use', 1)], { status: 'COMPLETED' });
      await sql(`UPDATE workflow_runs SET finished_at = now() - interval '2 days' WHERE id = $1`, [parent.runId]);
      expect(await sweep()).toBe(2);
      expect(await versions()).toEqual([1]);
    });
  });

  it('takes nothing that only looks like a stored output', async () => {
    const stolen = `documents/${randomBytes(8).toString('hex')}`;
    await storage.put(stolen, Readable.from([Buffer.from('"secret"')]));
    await finished({ $stored: { key: stolen, size: 8, sha256: '', preview: '' } });
    const [key] = await keysOf();
    expect(key).not.toBe(stolen);
    expect(await contentOf(key!)).toEqual({ $stored: { key: stolen, size: 8, sha256: '', preview: '' } });
    await sql('DELETE FROM workflows WHERE id = $1', [workflow.id]);
    await looseFiles.removeDue();
    expect(await storage.stat(stolen)).not.toBeNull();
    await storage.delete(stolen);
  });
});
