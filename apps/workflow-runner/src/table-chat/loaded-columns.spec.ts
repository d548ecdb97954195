import type { TableColumn } from '@app/extraction';
import { madeColumn as column } from '../../../../test/support/made-column.js';
import { loadedColumns } from './loaded-columns.js';
import { loadedValue } from './loaded-value.js';

const typeOf = (more: Partial<TableColumn>) => loadedColumns([column('x', more)]).columns[3];

describe('columns of extracted tables, for statements', () => {
  it('have names that are theirs alone, whatever they are called', () => {
    const names = ['Total (EUR)', 'total eur', '2nd', '—', 'row id', 'المجموع', 'constructor', '__proto__', 'Größe'];
    const { columns, names: of } = loadedColumns(names.map((name) => column(name)));
    expect(columns.map(({ name }) => name)).toEqual([
      'row_id',
      'source_uid',
      'filename',
      'total_eur',
      'total_eur_2',
      'c_2nd',
      'column_4',
      'row_id_2',
      'المجموع',
      'constructor',
      'proto',
      'größe',
    ]);
    expect(names.map((name) => of.get(name))).toEqual(columns.slice(3).map(({ name }) => name));
    expect(columns[3]).toMatchObject({ originalName: 'Total (EUR)', type: 'text' });
  });

  it('have the types that their values have, and units', () => {
    expect(typeOf({ outputType: 'number', format: 'percent' })).toMatchObject({ type: 'number', unit: '%' });
    expect(typeOf({ outputType: 'number', format: 'currency' })).toMatchObject({ type: 'number' });
    expect(typeOf({ outputType: 'boolean' })).toMatchObject({ type: 'boolean' });
    expect(typeOf({ format: 'date' })).toMatchObject({ type: 'date' });
    expect(typeOf({ format: 'datetime' })).toMatchObject({ type: 'datetime' });
    expect(typeOf({ outputType: 'list' })).toMatchObject({ type: 'text' });
  });
});

describe('values of extracted tables, for statements', () => {
  it.each([
    ['number', 1.5, 1.5],
    ['number', '1.5', null],
    ['number', Number.NaN, null],
    ['boolean', false, false],
    ['boolean', 'no', null],
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '2026-02-29', null],
    ['date', '2026-2-9', null],
    ['date', "2026-01-01'); DROP", null],
    ['datetime', '2026-03-01T01:30:00+02:00', '2026-02-28T23:30:00.000'],
    ['datetime', '+12026-01-01T00:00:00Z', null],
    ['datetime', 'soon', null],
    ['text', '=1+1', '=1+1'],
    ['text', 'half \ud83d', 'half \ufffd'],
    ['text', ['a', { b: 1 }], '["a",{"b":1}]'],
    ['text', null, null],
    ['number', undefined, null],
  ] as const)('%s: %j is %j', (type, value, loaded) => {
    expect(loadedValue(type, value)).toBe(loaded);
  });
});
