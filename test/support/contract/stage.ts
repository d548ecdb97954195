import { randomBytes } from 'node:crypto';
import { postJson, type TestApi } from '../api.js';
import { HttpClient } from '../http-client.js';
import { makeResources, type Resources } from '../matrix-requests.js';
import { Directory } from '../scim.js';
import { until } from '../until.js';

export type Ground = Pick<TestApi, 'baseUrl' | 'database'>;

/** Somebody with one of everything, and the directory of an organisation with a person and a group. */
export interface Account {
  client: HttpClient;
  /** With every scope there is. */
  apiToken: string;
  resources: Resources;
  directory: Directory;
}

const SCOPES =
  'documents:read documents:write chats:read chats:write workflows:read workflows:write profile:read'.split(' ');

export async function makeAccount(ground: Ground): Promise<Account> {
  const client = await HttpClient.signUp(ground.baseUrl);
  const [resources, directory, made] = await Promise.all([
    makeResources(ground, client),
    Directory.open(ground),
    postJson(
      `${ground.baseUrl}/users/api-tokens/`,
      { name: 'all', scopes: SCOPES },
      { authorization: `Token ${client.token}` },
    ),
  ]);
  const person = await directory.provision(`p${randomBytes(4).toString('hex')}`);
  const group = await directory.call('POST', '/Groups', {
    displayName: 'Readers',
    members: [{ value: String(person) }],
  });
  return {
    client,
    directory,
    apiToken: (made.body as { token: string }).token,
    resources: { ...resources, person: String(person), group: String(group.body['id']) },
  };
}

export type Victim = Account & { canary: string };

/** Somebody else's things, each of which says a word that nobody else may read. */
export async function makeVictim(ground: Ground): Promise<Victim> {
  const account = await makeAccount(ground);
  const canary = `canary${randomBytes(8).toString('hex')}`;
  const { dataSource } = ground.database;
  const [[{ id }]] = await dataSource.query<[[{ id: number }], number]>(
    'UPDATE users SET first_name = $2, last_name = $2 WHERE username = $1 RETURNING id',
    [account.client.username, canary],
  );
  const said: [string, string, string][] = [
    ['documents', 'filename', 'owner_id'],
    ['workflows', 'name', 'owner_id'],
    ['chat_sessions', 'title', 'user_id'],
    ['api_tokens', 'name', 'user_id'],
    ['external_sources', 'name', 'owner_id'],
    ['mcp_servers', 'label', 'user_id'],
    ['agent_memories', 'text', 'user_id'],
    ['agent_approvals', 'summary', 'user_id'],
    ['passkeys', 'name', 'user_id'],
    ['charts', 'title', 'owner_id'],
    ['tabular_files', 'filename', 'owner_id'],
  ];
  for (const [table, column, owner] of said)
    await dataSource.query(`UPDATE ${table} SET ${column} = $2 WHERE ${owner} = $1`, [id, canary]);
  await dataSource.query(
    `UPDATE chat_turns SET question = $2, answer = $2 WHERE session_id IN (SELECT id FROM chat_sessions WHERE user_id = $1)`,
    [id, canary],
  );
  await account.directory.call('PATCH', `/Users/${account.resources.person!}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'name.givenName', value: canary }],
  });
  // What its webhook and its uploads have begun would change by itself.
  await until(async () => {
    const [{ busy }] = await dataSource.query<[{ busy: boolean }]>(
      `SELECT EXISTS (SELECT FROM workflow_runs WHERE workflow_id = $1 AND finished_at IS NULL)
           OR EXISTS (SELECT FROM workflow_requests WHERE workflow_id = $1 AND status IN ('pending', 'running'))
           OR EXISTS (SELECT FROM documents WHERE owner_id = $2 AND processing_state IN ('stored', 'pending_publish', 'queued', 'processing'))
           OR EXISTS (SELECT FROM tabular_files WHERE owner_id = $2 AND processing_state IN ('stored', 'pending_publish', 'queued', 'processing')) AS busy`,
      [account.resources.workflow, id],
    );
    return !busy;
  });
  return { ...account, canary };
}

/** Staff of the deployment, who see no more of other people's things than anybody else. */
export async function makeAdmin({ baseUrl, database }: Ground): Promise<HttpClient> {
  const client = await HttpClient.signUp(baseUrl);
  await database.dataSource.query('UPDATE users SET is_staff = true WHERE username = $1', [client.username]);
  return client;
}
