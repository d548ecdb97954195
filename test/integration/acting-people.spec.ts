import { newId } from '@app/common';
import { FileStorage } from '@app/integrations';
import { cameWithRun, WorkflowEditor } from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import type { DataSource } from 'typeorm';
import { ReadableFiles } from '../../apps/workflow-runner/src/ports/readable-files.js';
import { ActingPeople1766000000900 } from '../../libs/entities/src/migrations/1766000000900-acting-people.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUser, startWorkflows } from '../support/workflows.js';

const search = (id: string, query: string, more: object = {}) => ({
  id,
  kind: 'semantic_search',
  params: { query },
  ...more,
});

describe('people whom nodes act as', () => {
  let database: TestDatabase;
  let db: DataSource;
  let module: TestingModule;
  let [owner, editor]: number[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.dataSource;
    module = await startWorkflows(database.url);
    [owner, editor] = [await createUser(db), await createUser(db)];
  });
  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  const create = (nodes: object[] = []) => module.get(WorkflowEditor).create(owner!, { name: 'x', nodes }, {});

  /** @param saves revision, author, nodes. @returns whose the nodes of each revision are, by revision and node. */
  async function migrated(saves: [number, number | null, object[]][], settings = ''): Promise<unknown> {
    const id = await create();
    await db.query('DELETE FROM workflow_revisions WHERE workflow_id = $1', [id]);
    if (settings) await db.query(`UPDATE workflows SET ${settings} WHERE id = $1`, [id]);
    const runner = db.createQueryRunner();
    try {
      await new ActingPeople1766000000900().down(runner);
      for (const [revision, author, nodes] of saves)
        await runner.query(
          `INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec, created_by_id) VALUES ($1, $2, 'x', $3, $4)`,
          [id, revision, JSON.stringify({ nodes }), author],
        );
      await new ActingPeople1766000000900().up(runner);
    } finally {
      await runner.release();
    }
    const rows = await db.query<{ acts_as: { all: number; nodes?: object } }[]>(
      'SELECT acts_as FROM workflow_revisions WHERE workflow_id = $1 ORDER BY content_revision',
      [id],
    );
    return rows.map(({ acts_as: { all, nodes = {} } }) => {
      expect(all).toBe(owner);
      return nodes;
    });
  }

  describe('of workflows from before', () => {
    it('are the owner where nobody else ever saved, whatever was thinned out', async () => {
      expect(
        await migrated([
          [3, owner!, [search('a', 'x')]],
          [9, owner!, [search('a', 'y')]],
        ]),
      ).toEqual([{}, {}]);
    });

    it('are who brought a node into its shape', async () => {
      const saves: [number, number, object[]][] = [
        [1, owner!, [search('a', 'x'), search('b', 'x')]],
        [2, editor!, [search('a', 'y'), search('b', 'x', { name: 'B', position: { x: 1 } }), search('c', 'x')]],
        [3, owner!, [search('a', 'y'), search('b', 'z'), search('c', 'x')]],
        [4, owner!, [search('a', 'y'), search('b', 'z')]],
        [5, owner!, [search('a', 'y'), search('b', 'z'), search('c', 'x')]],
      ];
      expect(await migrated(saves)).toEqual([
        {},
        { a: editor, c: editor },
        { a: editor, c: editor },
        { a: editor },
        { a: editor },
      ]);
    });

    it('are nobody where the history does not say it, or its author is gone', async () => {
      const saves: [number, number | null, object[]][] = [
        [1, owner!, [search('a', 'x'), search('b', 'x')]],
        [4, owner!, [search('a', 'y'), search('b', 'x')]],
        [5, null, [search('a', 'y'), search('b', 'z')]],
        [6, editor!, [search('a', 'y'), search('b', 'z')]],
      ];
      expect(await migrated(saves)).toEqual([{}, { a: null }, { a: null, b: null }, { a: null, b: null }]);
    });

    it('are the receiver of a copy, who has run it as such', async () => {
      const saves: [number, number, object[]][] = [
        [1, editor!, [search('a', 'x')]],
        [2, owner!, [search('a', 'x')]],
      ];
      expect(await migrated(saves, `sharer_id = ${editor!}`)).toEqual([{}, {}]);
    });
  });

  it('read the files that came with the call, in bodies too, and no others of the owner', async () => {
    const id = await create([search('a', 'x')]);
    const files = new ReadableFiles(db, module.get(FileStorage));
    const document = async (): Promise<string> => {
      const uid = newId();
      await db.query(
        `INSERT INTO documents (uid, owner_id, filename, path, storage_key, mime_type, size_bytes, kind, sha256, processing_state) VALUES ($1, $2, 'f.txt', $3, $3, 'text/plain', 1, 'text', '', 'completed')`,
        [uid, owner, `x/${uid}`],
      );
      return uid;
    };
    const [came, other, request, run, child] = [await document(), await document(), newId(), newId(), newId()];
    await db.query(`INSERT INTO workflow_requests (id, workflow_id, status) VALUES ($1, $2, 'running')`, [request, id]);
    await db.query(
      `INSERT INTO workflow_request_files (request_id, position, url, state, document_uid) VALUES ($1, 0, 'https://a.example/f', 'stored', $2)`,
      [request, came],
    );
    const start = `INSERT INTO workflow_runs (id, workflow_id, version, content_revision, trigger, status, queue_request_id, parent_run_id, parent_node_id, parent_key, is_concurrent) VALUES`;
    await db.query(`${start} ($1, $2, 1, 1, 'webhook', 'RUNNING', $3, NULL, NULL, NULL, false)`, [run, id, request]);
    await db.query(`${start} ($1, $2, 2, 1, 'api', 'RUNNING', NULL, $3, 'a', 'body:0', true)`, [child, id, run]);
    for (const runId of [run, child]) {
      const viewer = { userId: editor!, runId };
      expect(await files.find(viewer, came)).toMatchObject({ name: 'f.txt' });
      await expect(files.find(viewer, other)).rejects.toMatchObject({ code: 'file_not_found' });
      expect([await cameWithRun(db, came, runId), await cameWithRun(db, other, runId)]).toEqual([true, false]);
    }
    await expect(files.find({ userId: editor! }, came)).rejects.toMatchObject({ code: 'file_not_found' });
  });
});
