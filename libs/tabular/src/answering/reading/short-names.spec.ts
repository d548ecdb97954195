import type { AskedTable } from '../asked-table.js';
import { filledColumn, tableOf } from './asked-table.spec-support.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const only = (name: string, values: string[]) => filledColumn(name, 'text', { values, complete: true, unique: false });
const staff: AskedTable = {
  ...tableOf('staff_export', [
    filledColumn('emp_name', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: true }),
    only('dept', ['Sales', 'IT']),
    filledColumn('dob', 'date', { span: ['1960-01-01', '2004-11-20'] }),
    filledColumn('sal', 'number'),
  ]),
  persons: true,
};
const sales = tableOf('sales', [
  filledColumn('inv_no', 'integer', { unique: true, numbers: true }),
  only('cust', ['Acme', 'Beta']),
  filledColumn('amt', 'number'),
  filledColumn('inv_date', 'date', { span: ['2026-01-01', '2026-11-20'] }),
]);
const homes = tableOf('listings', [
  only('city', ['Austin', 'Dallas']),
  filledColumn('sq_ft', 'integer'),
  filledColumn('beds', 'integer'),
]);

function sqlOf(question: string, table: AskedTable): string | null {
  const { reading } = readQuestion(question, [table], [], '2026-11-30');
  return reading?.kind === 'query' ? readingSql(reading).replace(/ ORDER BY .*$/, '') : (reading?.kind ?? null);
}

describe('columns that are called by short names', () => {
  it.each([
    ['average salary by department', staff, 'SELECT "dept", avg("sal") AS "avg_sal" FROM "staff_export" GROUP BY 1'],
    ['employees born after 1990', staff, `SELECT * FROM "staff_export" WHERE "dob" >= DATE '1991-01-01'`],
    ['how many invoices', sales, 'SELECT count(*) AS "count" FROM "sales"'],
    ['total amount by customer', sales, 'SELECT "cust", sum("amt") AS "sum_amt" FROM "sales" GROUP BY 1'],
    [
      'average square footage in Austin',
      homes,
      `SELECT avg("sq_ft") AS "avg_sq_ft" FROM "listings" WHERE "city" = 'Austin'`,
    ],
    ['homes with at least 3 bedrooms', homes, 'SELECT * FROM "listings" WHERE "beds" >= 3'],
  ])('%s', (question, table, sql) => {
    expect(sqlOf(question, table)).toBe(sql);
  });

  it('leaves what they do not stand for', () => {
    expect(sqlOf('average salary', sales)).toBeNull();
    const pets = tableOf('pets', [only('category', ['A', 'B']), filledColumn('age', 'integer')]);
    expect(sqlOf('how many cats', pets)).toBeNull();
    expect(sqlOf('average square metres', homes)).toBeNull();
  });
});
