import { toSqlName, uniqueSqlNames } from './names.js';

const reserved = new Set(['group', 'order']);

describe('names for SQL', () => {
  it.each([
    ['Sales (EUR)', 'sales_eur'],
    ['orderDate', 'order_date'],
    ['Order ID', 'order_id'],
    ['رقم الطلب', 'رقم_الطلب'],
    ['الكـــمية', 'الكمية'],
    ['Größe/Länge', 'größe_länge'],
    ['2024', 'c_2024'],
    ['GROUP', 'group_'],
    ['rowid', 'rowid_'],
    ['x"; DROP TABLE t; --', 'x_drop_table_t'],
    ['--', ''],
    ['a'.repeat(100), 'a'.repeat(60)],
  ])('turns %j into %j', (original, name) => {
    expect(toSqlName(original, reserved)).toBe(name);
  });

  it('gives each name once, and one to what has none', () => {
    const names = uniqueSqlNames(['Name', 'name', 'NAME 2', '', 'name_2'], reserved, (at) => `column_${at + 1}`);
    expect(names).toEqual(['name', 'name_2', 'name_2_2', 'column_4', 'name_2_3']);
  });
});
