import { randomBytes } from 'node:crypto';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { csv, importTable } from '../support/tabular-api.js';
import { until } from '../support/until.js';

interface Row {
  node_id: string;
  status: string;
  output: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
}

interface Told {
  artifact_id: string;
  title: string;
  kind: string;
  version: number;
  change_note: string;
  dataset_names: string[];
}

const WORKFLOW = '/microservices/workflow/';
const ARTIFACTS = '/microservices/artifacts/';

const page = (id: string, params: object) => ({
  id,
  kind: 'publish_artifact',
  params: { title: 'Trips', format: 'markdown', content: '# Trips', ...params },
  on_error: 'continue',
});

describe('artifacts that workflows publish', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  let sourceRef: string;

  beforeAll(async () => {
    platform = await hostPlatform();
    owner = await HttpClient.signUp(platform.baseUrl);
    const { uid } = await importTable(owner, csv('city,km\nAmman,3\nAqaba,5\nAmman,4\n', 'trips.csv'));
    sourceRef = `file:${uid}`;
  });
  afterAll(() => platform.stop());

  const create = async (nodes: object[], client = owner) =>
    (await client.post<{ workflow_id: string }>(`${WORKFLOW}start/`, { json: { nodes } })).workflow_id;
  const run = async (id: string, client = owner): Promise<Record<string, Row>> => {
    await client.post(`${WORKFLOW}rerun/`, { workflow_id: id });
    await until(async () => {
      const { status } = await client.get<{ status: string }>(`${WORKFLOW}${id}/`);
      return ['COMPLETED', 'FAILED', 'STOPPED'].includes(status);
    }, 45_000);
    const rows = await client.get<Row[]>(`${WORKFLOW}${id}/nodes/`);
    return Object.fromEntries(rows.map((row) => [row.node_id, row]));
  };
  const htmlOf = async (row: Row) => {
    const [{ html }] = await platform.database.dataSource.query<[{ html: string }]>(
      'SELECT html FROM artifact_versions WHERE artifact_id = $1',
      [row.output!.artifact_id],
    );
    return html;
  };
  const query = (more: object = {}) => ({
    name: 'by_city',
    source_ref: sourceRef,
    sql: 'SELECT city, sum(km) AS km FROM trips WHERE city = :city OR :city IS NULL GROUP BY city',
    params: [{ name: 'city', type: 'text', default: null }],
    ...more,
  });
  const list = async () => (await owner.get<{ artifacts: Told[] }>(ARTIFACTS)).artifacts;

  it('are one per node, with a version for each run, and go with the workflow', async () => {
    const id = await create([page('day', { queries: [query()], change_note: 'As of today.' }), page('other', {})]);
    const first = await run(id);
    expect(first.day).toMatchObject({ status: 'COMPLETED', output: { version: 1, title: 'Trips' } });
    const again = await run(id);
    expect(again.day!.output).toEqual({ ...first.day!.output, version: 2 });
    expect(again.other!.output).toEqual({ ...first.other!.output, version: 2 });
    const artifactId = first.day!.output!.artifact_id as string;
    expect(artifactId).not.toBe(first.other!.output!.artifact_id);
    expect(await owner.get(`${ARTIFACTS}${artifactId}/`)).toMatchObject({
      kind: 'report',
      version: 2,
      change_note: 'As of today.',
      dataset_names: ['trips.csv'],
      sources: { [sourceRef]: { type: 'file', source_ref: sourceRef, name: 'trips.csv' } },
    });
    // What somebody renamed is renamed back: the node says what it is called.
    await owner.send('PATCH', `${ARTIFACTS}${artifactId}/`, { title: 'Mine' });
    expect((await run(id)).day!.output).toMatchObject({ artifact_id: artifactId, version: 4, title: 'Trips' });

    const kept = await run(await create([page('kept', {})]));
    expect(await owner.get(`${WORKFLOW}${id}/delete-impact/`)).toMatchObject({
      artifacts: { count: 2, bytes: expect.any(Number) as number, sample: ['Trips', 'Trips'] },
    });
    const answer = await owner.send('DELETE', `${WORKFLOW}${id}/permanent-delete/`);
    expect(await answer.json()).toMatchObject({ deleted: { artifacts: 2 } });
    expect((await list()).map((artifact) => artifact.artifact_id)).toEqual([kept.kept!.output!.artifact_id]);
  });

  it('are none of somebody else’s, and fail in words where a query cannot be kept', async () => {
    const nodes = [
      page('refused', { queries: [query({ sql: 'DROP TABLE trips' })] }),
      page('broken', { queries: [query({ sql: 'SELECT nothing FROM trips', params: [] })] }),
      page('twice', { queries: [query(), query()] }),
      page('unknown', { queries: [query({ source_ref: `file:${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}` })] }),
      page('odd', { queries: [query({ source_ref: 'http://127.0.0.1/' })] }),
    ];
    const before = await list();
    const rows = await run(await create(nodes));
    for (const { id } of nodes) expect([id, rows[id]!.status]).toEqual([id, 'FAILED']);
    const codes = nodes.map(({ id }) => rows[id]!.error!.code);
    const [refused, own, known] = ['invalid_query', 'invalid_artifact', 'source_not_found'];
    expect(codes).toEqual([refused, refused, own, known, own]);
    const stranger = await HttpClient.signUp(platform.baseUrl);
    const theirs = await run(await create([page('theirs', { queries: [query()] })], stranger), stranger);
    expect(theirs.theirs!.error).toMatchObject({ code: 'source_not_found' });
    expect(await list()).toEqual(before);
  });

  it('shows Markdown without what could run, and text as it stands', async () => {
    const canary = randomBytes(6).toString('hex');
    const { markdown, text } = await run(
      await create([
        page('markdown', { content: `# ${canary}\n\n<script>1</script>\n\n[x](javascript:1)` }),
        page('text', { format: 'text', content: `<b>${canary}</b>`, kind: 'dashboard' }),
      ]),
    );
    const rendered = await htmlOf(markdown!);
    expect(rendered).toContain(`<h1>${canary}</h1>`);
    expect(rendered).not.toMatch(/<script|href="javascript/);
    expect(await htmlOf(text!)).toContain(`<pre>&#60;b&#62;${canary}&#60;/b&#62;</pre>`);
    expect(
      (await list())
        .slice(0, 2)
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['dashboard', 'report']);
  });
});
