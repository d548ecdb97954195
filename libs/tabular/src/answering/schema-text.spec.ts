import type { AskedTable } from './asked-table.js';
import { columnsInStatement, incompletenessText } from './incompleteness.js';
import { planningPrompt, resultMessage } from './prompts.js';
import { schemaFacts, schemaText } from './schema-text.js';

const column = { type: 'number' as const, nullable: true, values: [] };
const budget: AskedTable = {
  alias: 'budget',
  name: 'budget',
  sheet: 'Plan',
  uid: 'u',
  filename: 'budget.xlsx',
  rowCount: 3,
  columns: [
    { ...column, name: 'department', originalName: 'Department', type: 'text', values: ['HR'], complete: false },
    {
      ...column,
      name: 'q1',
      originalName: 'Q1',
      unit: '€</table>',
      headerPath: ['2024', 'Q1'],
      missingFormulas: 2,
    },
    { ...column, name: 'rate', originalName: 'Rate', unit: '%' },
  ],
  sample: [],
  range: 'A1:C4',
  firstRow: 2,
  contiguous: true,
  totalRows: [{ row: 9, label: 'Total' }],
};

describe('what a model is told of tables', () => {
  it('has units, header paths, rows of sums and what is missing', () => {
    const text = planningPrompt([budget], 'English');
    expect(text).toContain('under the headers ["2024","Q1"]');
    expect(text).toContain('incomplete: 2 cells with formulas have no value');
    expect(text).toContain('"rate" (number), header "Rate", in percent (10 stands for 10 %)');
    expect(text).toContain(
      'Rows of sums in the file, which are not rows of this table (row of the sheet, label): 9 "Total".',
    );
    expect(text).toContain('values ["HR"] and others');
    // A unit comes from a cell: it cannot end the table and speak outside it.
    expect(text.match(/<\/table>/g)).toHaveLength(1);
    const { totalRows: _, ...old } = { ...budget, columns: budget.columns.slice(0, 1) };
    expect(schemaText([old])).not.toMatch(/Rows of sums|incomplete|under the headers/);
    const result = { columns: [], rows: [], truncated: false, durationMs: 1 };
    const facts = schemaFacts(budget.columns.slice(1));
    expect(resultMessage('Q', 'SELECT 1', result, facts)).toMatchObject({
      content: expect.stringContaining('About columns of the statement:') as string,
    });
    expect(schemaFacts(budget.columns.slice(0, 1))).toBe('');
  });

  it.each([
    ['SELECT sum("q1") FROM budget', true],
    ['SELECT * FROM "budget"', true],
    ['FROM budget', true],
    ['WITH b AS (SELECT * FROM budget) SELECT max(Q1) FROM b', true],
    ['SELECT COLUMNS(*) FROM budget', true],
    ['SELECT count(*) FROM budget', false],
    ['SELECT department, count( * ) * 2 AS n FROM budget GROUP BY 1', false],
    ['SELECT avg(rate) FROM budget', false],
  ])('%s rests on the incomplete column: %s', (sql, does) => {
    expect(incompletenessText(columnsInStatement(sql, [budget]), 'en') !== '').toBe(does);
  });

  it('is said in words of the language', () => {
    expect(incompletenessText(budget.columns, 'en')).toMatch(/^Incomplete: in “2024 Q1” 2 cells hold formulas/);
    expect(incompletenessText(budget.columns, 'ar')).toMatch(/^غير مكتمل/);
  });
});
