import { Ajv2020 } from 'ajv/dist/2020.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';

interface Warning {
  code: string;
  node_id: string | null;
  path: string;
  message: string;
}
interface Row {
  node_id: string;
  status: string;
}
const ROOT = '/microservices/workflow/';

/** A condition that holds, drawn by edges alone. */
const drawn = {
  name: 'Drawn',
  nodes: [
    { id: 'if', kind: 'condition', params: { left: 1, operator: 'equals', right: 1 } },
    { id: 'yes', kind: 'no_op' },
    { id: 'no', kind: 'no_op' },
  ],
  edges: [
    { id: 'e1', source: 'if', target: 'yes', sourceHandle: 'true', targetHandle: 'in' },
    { id: 'e2', source: 'if', target: 'no', sourceHandle: 'false', targetHandle: 'in' },
  ],
};

describe('the contract of definitions', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner']);
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  async function run(id: string): Promise<Record<string, string>> {
    await owner.post(`${ROOT}rerun/`, { workflow_id: id });
    await until(async () =>
      ['COMPLETED', 'FAILED'].includes((await owner.get<{ status: string }>(`${ROOT}${id}/`)).status),
    );
    const rows = await owner.get<Row[]>(`${ROOT}${id}/nodes/`);
    return Object.fromEntries(rows.map((row) => [row.node_id, row.status]));
  }

  it('runs the branch that is drawn, and stores it as next', async () => {
    const created = await owner.post<{ workflow_id: string; warnings: Warning[] }>(`${ROOT}start/`, { json: drawn });
    expect(created.warnings).toEqual([]);
    const id = created.workflow_id;
    const { json_spec: stored } = await owner.get<{ json_spec: Record<string, unknown> }>(`${ROOT}${id}/`);
    expect(stored).toMatchObject({
      nodes: [{ next: ['yes', 'no'], params: { if_true: ['yes'], if_false: ['no'] } }, {}, {}],
      edges: drawn.edges,
    });
    expect(await run(id)).toEqual({ if: 'COMPLETED', yes: 'COMPLETED', no: 'SKIPPED' });

    // In the body of a loop too, saved over it; an earlier version is restored as it runs.
    const looped = { nodes: [{ id: 'loop', kind: 'loop', params: { items: [1], body: drawn } }] };
    const saved = await owner.send('PUT', `${ROOT}${id}/`, { name: 'Looped', json_spec: looped });
    expect(saved.status).toBe(200);
    expect(await run(id)).toMatchObject({ loop: 'COMPLETED' });
    const { json_spec: kept } = await owner.get<{ json_spec: unknown }>(`${ROOT}${id}/`);
    expect(kept).toMatchObject({
      nodes: [{ params: { body: { nodes: [{ params: { if_true: ['yes'] } }, {}, {}] } } }],
    });
    await owner.post(`${ROOT}${id}/versions/1/restore/`, {});
    expect(await run(id)).toEqual({ if: 'COMPLETED', yes: 'COMPLETED', no: 'SKIPPED' });
  });

  it('reads the lines of the canvas layout where the definition has none', async () => {
    const { edges, ...json } = drawn;
    const vueflow_json = { nodes: drawn.nodes.map(({ id }) => ({ id, position: { x: 0, y: 0 } })), edges };
    const created = await owner.post<{ workflow_id: string; warnings: Warning[] }>(`${ROOT}start/`, {
      json,
      vueflow_json,
    });
    expect(created.warnings).toEqual([]);
    const id = created.workflow_id;
    expect(await run(id)).toEqual({ if: 'COMPLETED', yes: 'COMPLETED', no: 'SKIPPED' });
    const detail = await owner.get<{ json_spec: Record<string, unknown>; vueflow_json: unknown }>(`${ROOT}${id}/`);
    expect(detail.vueflow_json).toEqual(vueflow_json);
    expect(detail.json_spec).toMatchObject({ nodes: [{ next: ['yes', 'no'], params: { if_true: ['yes'] } }, {}, {}] });
    expect(detail.json_spec).not.toHaveProperty('edges');
    // Said the same at each place, under the path that the client knows.
    const stray = { ...vueflow_json, edges: [...edges, { id: 'e3', source: 'if', target: 'gone' }] };
    const validated = await owner.post<{ warnings: Warning[] }>(`${ROOT}validate/`, { json, vueflow_json: stray });
    expect(validated.warnings).toMatchObject([{ code: 'edge_unknown_node', path: 'vueflow_json.edges[2].target' }]);
    const saved = await owner.send('PUT', `${ROOT}${id}/`, { name: 'x', json_spec: json, vueflow_json: stray });
    expect(await saved.json()).toMatchObject({ warnings: validated.warnings });
    expect(await run(id)).toEqual({ if: 'COMPLETED', yes: 'COMPLETED', no: 'SKIPPED' });
    const perhaps = { ...vueflow_json, edges: [{ ...edges[0], sourceHandle: 'perhaps' }] };
    const refused = await owner.send('PUT', `${ROOT}${id}/`, { name: 'x', json_spec: json, vueflow_json: perhaps });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ problems: [expect.objectContaining({ path: 'vueflow_json.edges[0].sourceHandle' })] }),
    ]);
  });

  it('says at save what validate says: where edges and next differ, and which params nobody knows', async () => {
    const json = {
      ...drawn,
      nodes: [
        { ...drawn.nodes[0], next: ['yes'], params: { left: 1, right: 1, opperator: 'equals', if_true: ['yes'] } },
        ...drawn.nodes.slice(1),
      ],
    };
    const { warnings } = await owner.post<{ warnings: Warning[] }>(`${ROOT}validate/`, { json });
    const found = warnings.map(({ code, node_id, path }) => `${code} ${node_id} ${path}`);
    expect(found).toEqual(['edge_not_followed if edges[1]', 'unknown_param if nodes[0].params.opperator']);
    expect(warnings[0]!.message).toContain('"e2" from "if" to "no"');
    const created = await owner.post<{ workflow_id: string; warnings: Warning[] }>(`${ROOT}start/`, { json });
    expect(created.warnings).toEqual(warnings);
    const path = `${ROOT}${created.workflow_id}/`;
    const saved = await owner.send('PUT', path, { name: 'x', json_spec: json });
    expect(await saved.json()).toMatchObject({ warning: null, warnings });
    const wrong = { ...drawn, edges: [{ ...drawn.edges[0], sourceHandle: 'perhaps' }] };
    const refused = await owner.send('PUT', path, { name: 'x', json_spec: wrong });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ problems: [expect.objectContaining({ code: 'unknown_outlet', node_id: 'if' })] }),
    ]);
  });

  it('publishes the schema of definitions to everybody', async () => {
    const url = `${platform.baseUrl}/schemas/workflow.json`;
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/schema+json');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    const validate = new Ajv2020({ strict: true }).compile((await answer.json()) as object);
    expect(validate(drawn)).toBe(true);
    expect(validate({ ...drawn, nodes: [{ id: 'a', kind: 'nothing' }] })).toBe(false);
    const again = await fetch(url, { headers: { 'if-none-match': answer.headers.get('etag')! } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });
});
