import { turnWork } from '@app/agents';
import { refreshWork } from '@app/artifacts';
import { exportWork } from '@app/auth';
import { paymentObjectWork } from '@app/billing';
import { newId } from '@app/common';
import { followWork } from '@app/dedicated-agent';
import { indexingWork, mirrorWork, sourceWork, thumbnailWork } from '@app/documents';
import { erasureWork } from '@app/erasure';
import { extractionWork } from '@app/extraction';
import { messageWork } from '@app/messages';
import { summaryWork } from '@app/retrieval';
import { importWork } from '@app/tabular';
import type { WorkDefinition } from '@app/work';
import { fetchWork } from '@app/workflows';
import type { TestDatabase } from './database.js';
import { createUserRow } from './documents.js';

/** A kind of background work, with rows of it. */
export interface WorkRows {
  work: WorkDefinition<object>;
  /** SQL: what its worker writes on the row at the end. */
  done?: string;
  /** @returns the key of a row that is due, or of its lane, of an account of its own */
  add: (database: TestDatabase) => Promise<string[]>;
}

type Values = Record<string, string | number | Buffer>;

async function insert({ dataSource }: TestDatabase, table: string, values: Values, key: string): Promise<string[]> {
  const columns = Object.keys(values);
  const rows = await dataSource.query<{ key: string }[]>(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})
     RETURNING ${key}::text AS key`,
    Object.values(values),
  );
  return [rows[0]!.key];
}

const FILE = {
  filename: 'a',
  path: '',
  kind: 'text',
  mime_type: 'text/plain',
  size_bytes: 1,
  sha256: '',
  storage_key: '',
};

async function addDocument(database: TestDatabase, state: string): Promise<string[]> {
  const owner_id = await createUserRow(database);
  const values = { ...FILE, uid: newId(), owner_id, processing_state: state, queued_at: new Date().toISOString() };
  return insert(database, 'documents', values, 'uid');
}

const rowsOf = <Row extends object>(work: WorkDefinition<Row>, rest: Omit<WorkRows, 'work'>): WorkRows => ({
  work: work as unknown as WorkDefinition<object>,
  ...rest,
});

/** All of it. */
export const WORK_ROWS: readonly WorkRows[] = [
  rowsOf(erasureWork, {
    done: `state = 'completed'`,
    add: async (database) =>
      insert(database, 'erasures', { id: newId(), user_id: await createUserRow(database) }, 'id'),
  }),
  rowsOf(exportWork, {
    done: `state = 'ready'`,
    add: async (database) =>
      insert(database, 'exports', { id: newId(), user_id: await createUserRow(database), storage_key: 'x' }, 'id'),
  }),
  rowsOf(extractionWork, {
    done: `state = 'completed'`,
    async add(database) {
      const owner_id = await createUserRow(database);
      const [table_id] = await insert(
        database,
        'extracted_tables',
        { id: newId(), owner_id, name: 'x', columns: '[]' },
        'id',
      );
      const asked = { id: newId(), table_id: table_id!, requested_by: owner_id, mode: 'all', total: 1 };
      const [extraction_id] = await insert(database, 'extractions', asked, 'id');
      const item = { id: newId(), extraction_id: extraction_id!, table_id: table_id!, requested_by: owner_id };
      return insert(database, 'extraction_items', { ...item, source_uid: 'x', filename: 'x' }, 'id');
    },
  }),
  rowsOf(fetchWork, {
    async add(database) {
      const workflow_id = newId();
      const id = newId();
      const owner_id = await createUserRow(database);
      await insert(database, 'workflows', { id: workflow_id, owner_id, name: 'x' }, 'id');
      const waiting = { id, workflow_id, status: 'pending', awaiting_files: 'true' };
      await insert(database, 'workflow_requests', waiting, 'id');
      return insert(database, 'workflow_request_fetches', { request_id: id }, 'request_id');
    },
  }),
  rowsOf(followWork, {
    done: `status = 'completed', finished_at = now()`,
    async add(database) {
      const user_id = await createUserRow(database);
      const [agent_id] = await insert(database, 'dedicated_agents', { id: newId(), user_id }, 'id');
      return insert(database, 'dedicated_agent_runs', { id: newId(), agent_id: agent_id!, input: 'x' }, 'id');
    },
  }),
  rowsOf(importWork, {
    done: `processing_state = 'completed', database_key = 'x'`,
    async add(database) {
      const owner_id = await createUserRow(database);
      const values = { ...FILE, uid: newId(), owner_id, store: 'spreadsheet', processing_state: 'queued' };
      return insert(database, 'tabular_files', values, 'uid');
    },
  }),
  rowsOf(indexingWork, {
    done: `processing_state = 'completed'`,
    add: (database) => addDocument(database, 'queued'),
  }),
  rowsOf(messageWork, {
    done: `state = 'sent'`,
    add: (database) =>
      insert(
        database,
        'outgoing_messages',
        {
          id: newId(),
          channel: 'mail',
          template: 'x',
          language: 'en',
          recipient: 'x',
          params_sealed: Buffer.from('x'),
        },
        'id',
      ),
  }),
  rowsOf(mirrorWork, {
    async add(database) {
      const owner_id = await createUserRow(database);
      const share = { owner_id, user_id: owner_id, document_uid: newId(), email: 'x', item_id: 'x' };
      return insert(database, 'document_share_mirrors', share, 'id');
    },
  }),
  rowsOf(paymentObjectWork, {
    done: 'read_at = now()',
    add: async (database) => {
      const object = { processor: 'stripe', kind: 'subscription', id: newId() };
      return ['stripe', 'subscription', ...(await insert(database, 'payment_objects', object, 'id'))];
    },
  }),
  rowsOf(refreshWork, {
    done: 'refreshed_at = now()',
    async add(database) {
      const owner_id = await createUserRow(database);
      const [board_id] = await insert(database, 'boards', { owner_id, name: 'x' }, 'id');
      const place = { x: 0, y: 0, w: 1, h: 1, added_by_id: owner_id, next_attempt_at: new Date().toISOString() };
      return insert(database, 'board_tiles', { board_id: board_id!, kind: 'artifact', ...place }, 'id');
    },
  }),
  rowsOf(sourceWork, {
    done: `state = 'ok'`,
    async add(database) {
      const source = { id: newId(), owner_id: await createUserRow(database), type: 'folder', name: 'x', config: '{}' };
      const due = { state: 'syncing', next_attempt_at: new Date().toISOString() };
      return insert(database, 'external_sources', { ...source, ...due }, 'id');
    },
  }),
  rowsOf(summaryWork, {
    done: `status = 'ready'`,
    async add(database) {
      const [document_uid] = await addDocument(database, 'completed');
      return insert(database, 'document_summaries', { document_uid: document_uid!, status: 'pending' }, 'document_uid');
    },
  }),
  rowsOf(thumbnailWork, {
    done: `state = 'none'`,
    async add(database) {
      const [document_uid] = await addDocument(database, 'completed');
      const picture = { document_uid: document_uid!, page: 1, width: 160 };
      return [...(await insert(database, 'document_thumbnails', picture, 'document_uid')), '1', '160'];
    },
  }),
  rowsOf(turnWork, {
    done: `status = 'completed', finished_at = now()`,
    async add(database) {
      const session = {
        user_id: await createUserRow(database),
        kind: 'document',
        conversation_id: newId(),
        title: 'T',
      };
      const [session_id] = await insert(database, 'chat_sessions', session, 'id');
      const turn = { id: newId(), session_id: session_id!, status: 'queued', question: 'Q', model: '', handler: 'x' };
      await insert(database, 'chat_turns', turn, 'id');
      return [session_id!];
    },
  }),
];
