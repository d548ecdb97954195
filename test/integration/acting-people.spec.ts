import { newId } from '@app/common';
import { FileStorage } from '@app/integrations';
import { cameWithRun, WorkflowEditor } from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import type { DataSource } from 'typeorm';
import { ReadableFiles } from '../../apps/workflow-runner/src/ports/readable-files.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUser, startWorkflows } from '../support/workflows.js';

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

  it('read the files that came with the call, in bodies too, and no others of the owner', async () => {
    const nodes = [{ id: 'a', kind: 'semantic_search', params: { query: 'x' } }];
    const id = await module.get(WorkflowEditor).create(owner!, { name: 'x', nodes }, {});
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
