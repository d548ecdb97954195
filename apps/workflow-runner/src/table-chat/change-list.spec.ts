import type { TableChangeEntry } from '@app/extraction';
import { changeExtra, changeList } from './change-list.js';

const cell = (more: object = {}): TableChangeEntry => ({
  type: 'cell',
  rowId: 'r1',
  sourceUid: 's1',
  column: 'Total',
  before: 1,
  after: 2,
  cell: null,
  ...more,
});
const change = (entries: TableChangeEntry[], filename = '') => ({
  id: 'c1',
  entries,
  filenames: new Map(filename === '' ? [] : [['r1', filename]]),
});

describe('the list of what a turn has changed', () => {
  it('shows values that others wrote as code, on one line', () => {
    const after = 'x`\n\n# Heading\n![p](https://evil.example/p) \u202e<img src=x>';
    const list = changeList(change([cell({ after })], 'a`b\n.pdf'), 'Change it.');
    const [line] = list.split('\n').filter((one) => one.startsWith('- '));
    expect(line).toBe('- row `a b .pdf`, `Total`: `1` → `x # Heading ![p](https://evil.example/p) <img src=x>`');
    expect(list.split('\n').filter((one) => one.includes('evil'))).toHaveLength(1);
  });

  it('says what came of each, in the language of the question', () => {
    const row = { id: 'r2', sourceUid: 's2', filename: 'b.pdf' };
    const entries = [
      cell({ before: null, after: '' }),
      cell({ verified: true }),
      { type: 'added', rowId: 'r1', sourceUid: 's1', data: {} },
      { type: 'row', row, cells: [] },
    ] as unknown as TableChangeEntry[];
    expect(changeList(change(entries), 'Do it')).toMatch(
      /Changed in the table: 4\*\*\n\n- row `s1`, `Total`: \(empty\) → \(empty\)\n- row `s1`, `Total`: verified\n- row `s1`: added\n- row `b\.pdf`: deleted\n\n.*`c1`/,
    );
    expect(changeList(change(entries), 'غيّر الجدول من فضلك')).toContain('ما تغير في الجدول: 4');
  });

  it('is bounded', () => {
    const many = change(Array.from({ length: 5_000 }, () => cell({ after: 'y'.repeat(60_000) })));
    const list = changeList(many, 'x');
    expect(list).toContain('- and 4950 more');
    expect(list.length).toBeLessThan(10_000);
    const extra = changeExtra('t1', many);
    expect(extra).toMatchObject({ count: 5_000, undo: '/microservices/data-extractor/table/t1/changes/c1/undo' });
    expect(JSON.stringify(extra).length).toBeLessThan(300_000);
  });
});
