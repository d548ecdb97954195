import { madeColumn } from '../../../../test/support/made-column.js';
import type { ExtractedValue, TableColumn } from '../kit.js';
import type { JudgedCell } from '../model/judged-cell.js';
import { combineRows, needsModel, withoutModel } from './combine-rows.js';

const plain = madeColumn('Total');
const asked: TableColumn = { ...plain, instruction: 'The sum of the second order' };

function cell(value: string | null, more: Partial<ExtractedValue['evidence']> = {}): JudgedCell {
  return {
    value,
    at: null,
    evidence: {
      status: value === null ? 'no_evidence' : 'anchored',
      quote: value ?? '',
      spans: [],
      place: null,
      model: null,
      pageWidth: null,
      pageHeight: null,
      score: 1,
      ambiguous: false,
      method: 'rules',
      anchor: 'exact',
      reason: null,
      ...more,
    },
  };
}
const model = (value: string | null, more = {}) => cell(value, { method: 'model', ...more });

const combined = (column: TableColumn, rule: JudgedCell, said: JudgedCell) => {
  const [row] = combineRows([column], 'document', [{ Total: rule }], [new Map([['Total', said]])]);
  const { value, evidence } = row!.Total!;
  return [value, evidence.method, evidence.score, evidence.reason];
};

const valuesOf = (rows: ReturnType<typeof combineRows>) => rows.map(({ Total }) => Total!.value);

describe('rules beside a model', () => {
  it.each([
    ['sure of a label', plain, cell('1'), false],
    ['asked for more than a label', asked, cell('1'), true],
    ['without a value', plain, cell(null), true],
    ['with the words in several places', plain, cell('1', { ambiguous: true }), true],
    ['with a low score', plain, cell('1', { score: 0.8 }), true],
  ])('need one when they are %s: %#', (_when, column, rule, needed) => {
    expect(needsModel([column], [{ Total: rule }])).toBe(needed);
  });
  it('need one where they found no row', () => expect(needsModel([plain], [])).toBe(true));

  it.each([
    ['both agree', plain, cell('1'), model('1'), ['1', 'model', 1, null]],
    ['the model has nothing and the rule is sure', plain, cell('1'), model(null), ['1', 'rules', 1, null]],
    ['the rule has nothing', plain, cell(null), model('1'), ['1', 'model', 1, null]],
    ['they differ over a label', plain, cell('1'), model('2'), ['1', 'rules', 0.6, 'methods_disagree']],
    ['they differ over an instruction', asked, cell('1'), model('2'), ['2', 'model', 0.6, 'methods_disagree']],
    [
      'a doubtful rule stands against a value without proof',
      asked,
      cell('1'),
      model('2', { status: 'unanchored', score: 0.1 }),
      ['2', 'model', 0.1, null],
    ],
  ] as const)('%s', (_when, column, rule, said, expected) => expect(combined(column, rule, said)).toEqual(expected));

  it('give its line items where it gave any, else their own', () => {
    const rules = [{ Total: cell('1') }, { Total: cell('2') }];
    expect(valuesOf(combineRows([plain], 'items', rules, [new Map([['Total', model('3')]])]))).toEqual(['3']);
    expect(valuesOf(combineRows([plain], 'items', rules, []))).toEqual(['1', '2']);
    expect(valuesOf(combineRows([plain], 'items', rules, null))).toEqual(['1', '2']);
  });

  it('say why it did not help', () => {
    const [row] = withoutModel([{ Total: cell(null, { reason: 'model_not_configured' }) }], 'model_auth_failed');
    expect(row!.Total!.evidence.reason).toBe('model_auth_failed');
  });
});
