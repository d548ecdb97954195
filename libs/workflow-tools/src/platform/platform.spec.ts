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

  it('fail when an MCP tool says that it failed', async () => {
    const mcp = { call: () => Promise.resolve({ content: 'secret words', isError: true }) };
    const error = await errorOf(mcpToolTool, { server: 's', tool: 't' }, { mcp });
    expect(error).toMatchObject({ code: 'mcp_tool_failed', message: 'The tool answered with an error.' });
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
