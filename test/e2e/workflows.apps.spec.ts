import { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';

const PATH = '/microservices/workflow/';
const SECRET = 'sesame-open-sesame';

interface Row {
  node_id: string;
  status: string;
  params: Record<string, unknown>;
  output: { text?: string } | null;
}

/** The middle step is the sharer's business; the last one is the result. */
const definition = {
  name: 'Greeting',
  nodes: [
    { id: 'start', kind: 'manual_trigger', next: ['middle'] },
    { id: 'middle', kind: 'template', params: { template: 'recipe {{_secret.key}}' }, next: ['end'] },
    {
      id: 'end',
      kind: 'template',
      params: { template: 'Hello {{_webhook_payload.name}}, {{_output.middle.text}}' },
      save_output: true,
    },
  ],
};

describe('apps of others, run by those who received them', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  let receiver: HttpClient;
  let app: string;

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner']);
    [owner, receiver] = [await HttpClient.signUp(platform.baseUrl), await HttpClient.signUp(platform.baseUrl)];
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>(`${PATH}start/`, {
      json: { name: 'Greeting', nodes: definition.nodes.slice(0, 1).map((node) => ({ ...node, next: [] })) },
    });
    await owner.post(`${PATH}${id}/secrets/`, { name: 'key', value: SECRET });
    const saved = await owner.send('PUT', `${PATH}${id}/`, { name: 'Greeting', json_spec: definition });
    expect(saved.status).toBe(200);
    await owner.post(`${PATH}${id}/share/`, {
      emails: [`${receiver.username}@test.example`],
      only_view_in_apps: true,
    });
    const { results } = await receiver.get<{ results: { id: string }[] }>(`${PATH}?available_as_app=true`);
    app = results[0]!.id;
  });
  afterAll(() => platform.stop());

  it('run with the secrets of the workflow, show results to their receiver, and nothing else to anybody', async () => {
    const socket = NodesSocket.of(platform.baseUrl, app, `token=${receiver.token}`);
    await until(() => socket.frames.length > 0);
    const started = { workflow_id: app, webhook_payload: { name: 'Ada' } };
    expect(await receiver.post(`${PATH}rerun/`, started)).toMatchObject({ version: 1 });
    await until(() => socket.statuses().end === 'COMPLETED');
    const rows = await receiver.get<Row[]>(`${PATH}${app}/nodes/`);
    expect(rows.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
    expect(rows[1]).toMatchObject({ params: {}, output: null });
    expect(rows[2]!.output!.text).toBe('Hello Ada, recipe ***');
    const outputs = await receiver.get<{ results: { value: unknown }[] }>(`${PATH}${app}/outputs/`);
    expect(outputs.results).toHaveLength(1);
    const [{ owner_id: runBy }] = await platform.database.dataSource.query<[{ owner_id: number }]>(
      'SELECT w.owner_id FROM workflow_runs r JOIN workflows w ON w.id = r.workflow_id WHERE r.workflow_id = $1',
      [app],
    );
    expect(runBy).toBe((await receiver.get<{ info: { id: number } }>('/users/me/')).info.id);
    const told = JSON.stringify([rows, outputs, socket.frames, await receiver.get(`${PATH}${app}/`)]);
    expect(told).not.toContain(SECRET);
    expect(told).not.toContain('_secret.key');
    expect(told).not.toContain('_output.middle');
    expect((await owner.send('GET', `${PATH}${app}/nodes/`)).status).toBe(404);
    socket.close();
  });

  it('answer in a stream like any other workflow', async () => {
    expect(await receiver.text('/workflow/run/stream/', { workflow_id: app, inputs: { name: 'Grace' } })).toContain(
      'Hello',
    );
  });
});
