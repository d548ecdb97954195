import { madeColumn as column } from '../../../../test/support/made-column.js';
import { ValidationError } from '@app/common';
import { checkColumns, columnKey, columnName, ColumnIndex } from './column-rules.js';

function complaintsOf(...names: string[]): Record<string, string[]> {
  try {
    checkColumns(names.map((name) => column(name)));
  } catch (error) {
    if (error instanceof ValidationError) return error.fields;
    throw error;
  }
  return {};
}

describe('names of columns', () => {
  it.each([
    ['  Total  (JOD) ', 'Total (JOD)'],
    ['a.b$c[d]{e}"f\'g\\h`i', 'abcdefghi'],
    ['tab\tline\nend\u0007', 'tab line end'],
    ['e\u0301', '\u00e9'],
    // Joined by what stood between them.
    ['e"\u0301', '\u00e9'],
    ['رقم الفاتورة', 'رقم الفاتورة'],
    ['50 %', '50 %'],
    ['lone \ud800 half', 'lone half'],
  ])('%j is kept as %j', (given, kept) => {
    expect(columnName(given)).toBe(kept);
    expect(columnName(kept)).toBe(kept);
  });

  it('are the same whatever their case, form and hidden characters', () => {
    for (const other of ['TOTAL', 'total ', 'to.tal', 'to\u200dtal', '\u202etotal', 'ｔｏｔａｌ'])
      expect(columnKey(other)).toBe('total');
    expect(columnKey('STRASSE')).toBe(columnKey('straße'));
    expect(complaintsOf('Total', 'to"tal', 'TOTAL')).toEqual({
      'columns.1.name': ['"total" and "Total" are the same name.'],
      'columns.2.name': ['"TOTAL" and "Total" are the same name.'],
    });
  });

  it('are refused where nothing is left of them, they are too long, or not for columns', () => {
    expect(complaintsOf('..', 'x'.repeat(65), 'File.name', '__proto__', '\u200d')).toEqual({
      'columns.0.name': ['This name has no characters that a name may have.'],
      'columns.1.name': ['Ensure this field has no more than 64 characters.'],
      'columns.2.name': ['"Filename" is kept by the machine for every row, and cannot be a column.'],
      'columns.3.name': ['"__proto__" cannot be the name of a column.'],
      'columns.4.name': ['This name has no characters that a name may have.'],
    });
    expect(complaintsOf('😀'.repeat(64), 'constructor', 'toString', 'hasOwnProperty')).toEqual({});
  });

  it('are 200 at most, and at least one', () => {
    const names = Array.from({ length: 201 }, (_, index) => `c${index}`);
    expect(complaintsOf(...names)).toEqual({ columns: ['Ensure this field has no more than 200 elements.'] });
    expect(complaintsOf(...names.slice(1))).toEqual({});
    expect(complaintsOf()).toEqual({ columns: ['This list may not be empty.'] });
  });

  it('find their column in any spelling, and nothing else', () => {
    const index = new ColumnIndex([column('Invoice No'), column('constructor')]);
    expect(index.find('INVOICE NO.')?.name).toBe('Invoice No');
    expect(index.find('Constructor')?.name).toBe('constructor');
    expect(index.find('toString')).toBeNull();
    expect(index.find('__proto__')).toBeNull();
  });

  it('that refer to a table say to which', () => {
    expect(() => checkColumns([column('Supplier', { outputType: 'reference' })])).toThrow(ValidationError);
    const reference = { tableId: 'a', column: ' Na.me ' };
    expect(checkColumns([column('Supplier', { outputType: 'reference', reference })])[0]!.reference).toEqual({
      tableId: 'a',
      column: 'Name',
    });
    expect(checkColumns([column('Supplier', { reference })])[0]!.reference).toBeNull();
  });
});
