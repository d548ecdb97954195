import type { PublishedArtifact, SandboxPort } from '@app/workflow-definition';
import { errorOf, outputOf } from '../tool-context.spec-support.js';
import { agentTool } from './agent.tool.js';
import { dashboardTool } from './dashboard.tool.js';
import { extractTableRowsTool } from './extract-table-rows.tool.js';
import { mcpToolTool } from './mcp-tool.tool.js';
import { publishArtifactTool } from './publish-artifact.tool.js';
import { toResultOutput } from './table-results.js';
import { textPieces } from './text-pieces.js';

describe('kinds whose service is not there', () => {
  const result = { columns: [{ name: 'a', type: 'text' }], rows: [['x']], truncated: false };
  it.each([
    [
      agentTool,
      'agent',
      { run: () => Promise.resolve({ text: 'done', steps: [], model: 'm', usage: { tokens: 3, spend: 0 } }) },
      { prompt: 'x' },
    ],
    [extractTableRowsTool, 'extractor', { rows: () => Promise.resolve(result) }, { table_id: 't' }],
    [mcpToolTool, 'mcp', { call: () => Promise.resolve({ content: [1], isError: false }) }, { server: 's', tool: 't' }],
    [
      publishArtifactTool,
      'artifacts',
      { publish: () => Promise.resolve({ artifactId: 'a', version: 1 }) },
      { title: 'T', content: '<p>' },
    ],
    [
      dashboardTool,
      'dashboards',
      { addChart: () => Promise.resolve({ mgid: 'm' }) },
      { board_id: 7, title: 'T', items: [{ a: 1 }] },
    ],
  ])('%# say so, and work once their port is there', async (tool, name, port, params) => {
    expect(tool.toCatalogueEntry({})).toMatchObject({ available: false });
    expect(tool.unavailableReason({})).toMatch(
      /(not part of this deployment( yet)?|No language model is configured)\.$/,
    );
    expect(await errorOf(tool, params)).toMatchObject({
      code: expect.stringMatching(/_not_(available|configured)$/) as string,
    });
    expect(tool.toCatalogueEntry({ [name]: true })).toMatchObject({ available: true, unavailable_reason: null });
    expect(await outputOf(tool, params, { [name]: port })).toBeTruthy();
  });

  it.each([
    [
      { text: 'No such customer.\r\n Ask by \u202eid. ' },
      'The tool answered with an error: No such customer. Ask by id.',
    ],
    [{ text: ' \n ' }, 'The tool answered with an error.'],
    ['words', 'The tool answered with an error.'],
  ])('fail when an MCP tool says that it failed, in its words: %j', async (content, message) => {
    const mcp = { call: () => Promise.resolve({ content, isError: true }) };
    const error = await errorOf(mcpToolTool, { server: 's', tool: 't' }, { mcp });
    expect(error).toMatchObject({ code: 'mcp_tool_failed', message });
  });
});

describe('what is published', () => {
  const published = async (params: Record<string, unknown>): Promise<PublishedArtifact> => {
    const seen: PublishedArtifact[] = [];
    const publish = (_viewer: unknown, artifact: PublishedArtifact) => {
      seen.push(artifact);
      return Promise.resolve({ artifactId: 'a', version: 1 });
    };
    await outputOf(
      publishArtifactTool,
      { title: 'T <1>', content: 'x', ...params },
      { artifacts: { publish }, sandbox },
    );
    return seen[0]!;
  };
  const sandbox: SandboxPort = {
    run: (_viewer, { input }) => Promise.resolve({ ok: true, value: `<h1>${JSON.stringify(input)}</h1>` }),
  };

  it('is HTML as it stands, and anything else as a page around it', async () => {
    expect(await published({ content: '<b>&amp;' })).toEqual({
      title: 'T <1>',
      kind: 'page',
      html: '<b>&amp;',
      queries: [],
      changeNote: '',
    });
    const text = await published({ format: 'text', content: '</pre><script>1</script>&' });
    expect(text.kind).toBe('report');
    expect(text.html).toContain('<title>T &#60;1&#62;</title>');
    expect(text.html).toContain('<pre>&#60;/pre&#62;&#60;script&#62;1&#60;/script&#62;&#38;</pre>');
    const markdown = await published({ format: 'markdown', content: '# 1', kind: 'dashboard' });
    expect(markdown).toMatchObject({ kind: 'dashboard', html: expect.stringContaining('"text":"# 1"') as string });
    const svg = await published({ format: 'svg', content: '<svg/>' });
    expect(svg).toMatchObject({ kind: 'page', html: expect.stringContaining('<body><svg/></body>') as string });
  });

  it('brings its queries along', async () => {
    const query = { name: 'q', source_ref: 'ds:1', sql: 'SELECT 1', params: [{ name: 'a', type: 'date' }] };
    expect(await published({ queries: [query], change_note: 'New.' })).toMatchObject({
      queries: [{ name: 'q', sourceRef: 'ds:1', sql: 'SELECT 1', params: [{ name: 'a', type: 'date' }] }],
      changeNote: 'New.',
    });
    for (const wrong of [{ name: '' }, { sql: '' }, { params: [{ name: 'a', type: 'uuid' }] }, { source_ref: 7 }])
      expect(
        await errorOf(publishArtifactTool, { title: 'T', content: 'x', queries: [{ ...query, ...wrong }] }),
      ).toBeTruthy();
  });
});

it('columns of one name are told apart', () => {
  const columns = ['a', 'b', 'a'].map((name) => ({ name, type: 'integer' }));
  expect(toResultOutput({ columns, rows: [[1, 2, 3]], truncated: true })).toEqual({
    items: [{ a: 1, b: 2, a_2: 3 }],
    columns: [
      { name: 'a', type: 'integer' },
      { name: 'b', type: 'integer' },
      { name: 'a_2', type: 'integer' },
    ],
    count: 1,
    truncated: true,
  });
});

it.each([
  ['', 10],
  ['short', 10],
  ['one two three four', 9],
  ['first.\n\nsecond.\n\nthird.', 12],
  ['x'.repeat(25), 10],
  ['\u{1f600}'.repeat(9), 5],
])('the pieces of %j are the text', (text, size) => {
  const pieces = textPieces(text, size);
  expect(pieces.join('')).toBe(text);
  for (const piece of pieces) {
    expect(piece.length).toBeLessThanOrEqual(size);
    // Half a character would not survive.
    expect(Buffer.from(piece).toString()).toBe(piece);
  }
});
