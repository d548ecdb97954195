import { upload } from './documents-api.js';
import type { HttpClient } from './http-client.js';
import type { OddServer } from './mcp-odd-server.js';
import type { Platform } from './platform.js';
import { csv, type TabularBody, uploadTable } from './tabular-api.js';
import { until } from './until.js';
import { startWorkflow } from './workflow-api.js';

export const PATH = '/microservices/workflow/';

/** An account with one thing of every sort that nodes can reach; each holds the account's marker. */
export interface Person {
  client: HttpClient;
  id: number;
  marker: string;
  document: string;
  table: string;
  /** What SQL calls it. */
  tableName: string;
  workflow: string;
}

export interface Row {
  node_id: string;
  status: string;
  output: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
  acts_as: { id: number; username: string } | null;
}

/** A secret is taken out of what its server answers, so the marker itself cannot be one. */
export const secretOf = (marker: string) => [...marker].toReversed().join('-');

/** What a node got to, in words that tables can be made of. */
export type Reached = Record<string, string>;

export async function makePerson(client: HttpClient, marker: string, servers: OddServer): Promise<Person> {
  const { info } = await client.get<{ info: { id: number } }>('/users/me/');
  const { body: document } = await upload(client, new File([`The kettle of ${marker} is warm.`], `${marker}.txt`));
  const { body: table } = await uploadTable(client, csv(`owner\n${marker}\n`, `${marker}.csv`));
  const server = { label: 'CRM', url: servers.url, auth_type: 'bearer', secret: secretOf(marker) };
  const { id: serverId } = await client.post<{ id: number }>('/mcp-servers/servers/', server);
  await client.post(`/mcp-servers/servers/${serverId}/test/`, {});
  const nodes = [{ id: 'say', kind: 'template', params: { template: marker } }];
  const workflow = await startWorkflow(client, { name: marker, nodes });
  await until(async () => {
    const list = await client.get<{ uid: string; processing_state: string }[]>('/semantic-search/documents/');
    return list.find(({ uid }) => uid === document.uid)?.processing_state === 'completed';
  });
  let tableName = '';
  await until(async () => {
    const list = await client.get<TabularBody[]>('/database-search/documents/');
    const file = list.find(({ uid }) => uid === table.uid);
    tableName = file?.tables[0]?.name ?? '';
    return file?.processing_state === 'completed';
  });
  return { client, id: info.id, marker, document: document.uid, table: table.uid, tableName, workflow };
}

/** One node of every sort; those that name a thing name the target's. */
export function reachingNodes(prefix: string, target: Person): Record<string, unknown>[] {
  const node = (id: string, kind: string, params: object) => {
    return { id: `${prefix}_${id}`, kind, params, on_error: 'continue', retry: { max_attempts: 1 } };
  };
  return [
    node('search', 'semantic_search', { query: 'kettle' }),
    node('file', 'read_file', { file: target.document }),
    node('table', 'database_query', { file_uids: [target.table], sql: `SELECT owner FROM ${target.tableName}` }),
    node('mcp', 'mcp_tool', { server: 'crm', tool: 'whoami' }),
    node('agent', 'agent', { prompt: 'Look around.', tools: ['list_documents'] }),
    node('sub', 'sub_workflow', { workflow_id: target.workflow }),
    node('mail', 'send_email', { to: `${prefix}@acme.example`, subject: prefix, text: 'x' }),
    node('model', 'language_model', { prompt: `Say something, ${prefix}.` }),
  ];
}

/** Starts a run in one of the ways there are, and waits for its end. @returns its rows by node. */
export type Trigger = 'manual' | 'schedule' | 'webhook';

export async function runBy(
  trigger: Trigger,
  by: HttpClient,
  owner: HttpClient,
  workflowId: string,
): Promise<Map<string, Row>> {
  const path = `${PATH}${workflowId}/`;
  const newest = async () => {
    const { results } = await owner.get<{ results: { version: number; status: string }[] }>(`${path}history/`);
    return results[0] ?? { version: 0, status: '' };
  };
  const { version: before } = await newest();
  if (trigger === 'manual') await by.post(`${PATH}rerun/`, { workflow_id: workflowId });
  if (trigger === 'schedule') {
    const daily = { name: 'Daily', kind: 'cron', cron: '0 9 * * *', timezone: 'UTC' };
    const { id } = await by.post<{ id: string }>(`${path}schedules/`, daily);
    await by.post(`${path}schedules/${id}/run/`, {});
  }
  if (trigger === 'webhook') {
    const { webhook_id, webhook_secret } = await owner.get<Record<string, string>>(path);
    await owner.post(`${PATH}webhook/`, { webhook_id, webhook_secret, payload: { by: 'anybody' } });
  }
  await until(async () => {
    const { version, status } = await newest();
    return version > before && ['COMPLETED', 'FAILED'].includes(status);
  }, 60_000);
  const rows = await owner.get<Row[]>(`${path}nodes/`);
  return new Map(rows.map((row) => [row.node_id, row]));
}

/** Whose things each of the nodes of a prefix got to, by marker; else the code of its failure. */
export async function reachedBy(
  platform: Platform,
  people: readonly Person[],
  rows: ReadonlyMap<string, Row>,
  prefix: string,
): Promise<Reached> {
  const reached: Reached = {};
  for (const [id, { status, output, error }] of rows) {
    if (!id.startsWith(`${prefix}_`)) continue;
    const kind = id.slice(prefix.length + 1);
    const text = JSON.stringify(output);
    const found = people.filter(({ marker }) => text.includes(marker)).map(({ marker }) => marker);
    reached[kind] = status === 'COMPLETED' ? found.join('+') : (error?.code ?? status);
  }
  // Whose mail it is does not stand in the output, and what a model costs is told by `billedOf`.
  if (reached['mail'] === '') {
    const [mail] = await platform.database.dataSource.query<{ user_id: number }[]>(
      'SELECT user_id FROM outgoing_messages WHERE recipient = $1 ORDER BY created_at DESC LIMIT 1',
      [`${prefix}@acme.example`],
    );
    reached['mail'] = people.find(({ id }) => id === mail?.user_id)?.marker ?? 'nobody';
  }
  return reached;
}

/** On whose accounts the models of the newest run went, by marker. */
export async function billedOf(platform: Platform, people: readonly Person[], workflowId: string): Promise<string[]> {
  const rows = await platform.database.dataSource.query<{ user_id: number }[]>(
    `SELECT DISTINCT user_id FROM model_usage WHERE workflow_id = $1 AND run_id = (
       SELECT id FROM workflow_runs WHERE workflow_id = $1 ORDER BY version DESC LIMIT 1)`,
    [workflowId],
  );
  return people.filter(({ id }) => rows.some(({ user_id: userId }) => userId === id)).map(({ marker }) => marker);
}
