import type { TableColumn } from '../kit.js';
import { changesRows, compareSchemas, warningOf } from './schema-change.js';

const column = (name: string, outputType: TableColumn['outputType'] = 'string'): TableColumn => ({
  name,
  instruction: '',
  outputType,
  format: null,
  required: false,
  enum: null,
  reference: null,
});

describe('another list of columns', () => {
  it('says what comes and goes; another spelling is the same column', () => {
    const change = compareSchemas([column('A'), column('b'), column('C')], [column('B'), column('A'), column('D')]);
    expect(change).toMatchObject({ added: ['D'], removed: ['C'], retyped: [] });
    expect([...change.renamed]).toEqual([['B', 'b']]);
    expect(warningOf(change, 3, 0)).toBe('The values of "C" were deleted from 3 rows.');
    expect(warningOf(change, 0, 0)).toBeNull();
  });

  it('that adds or moves some touches no rows', () => {
    const change = compareSchemas([column('A'), column('B')], [column('B'), column('A'), column('C')]);
    expect(changesRows(change)).toBe(false);
    expect(warningOf(change, 9, 0)).toBeNull();
  });

  it('tells of values that cannot be read in their new type', () => {
    const change = compareSchemas([column('A')], [column('A', 'number')]);
    expect(changesRows(change)).toBe(true);
    expect(warningOf(change, 9, 2)).toMatch(/^2 values of "A" cannot be read in their new type/);
  });
});
