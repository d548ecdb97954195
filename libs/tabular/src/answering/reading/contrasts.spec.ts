import { column, tableOf as table } from './asked-table.spec-support.js';
import { cpuStopwatch } from '../../../../../test/support/timing.js';
import { factStatements } from './facts.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';
import type { ReadQuery } from './reading.js';
import { readAnswer } from './wording.js';

const shop = table('shop', [
  column('order_id', 'integer'),
  column('city', 'text', { values: ['Oslo', "O'Hare", 'Difference', 'difference'], complete: true }),
  column('tags', 'text', { values: ['new', 'old', 'new; old'], complete: true }),
  column('revenue', 'number'),
  column('order_date', 'date', { span: ['2023-01-02', '2024-06-30'] }),
]);

function read(question: string, tables = [shop]): ReadQuery {
  const { reading } = readQuestion(question, tables, []);
  if (reading?.kind !== 'query') throw new Error(`${question}: ${JSON.stringify(reading)}`);
  return reading;
}

const result = (rows: (number | null)[][]) => ({
  columns: rows[0]!.map((_, at) => ({ name: `c${at}`, type: 'number' as const })),
  rows,
  truncated: false,
  durationMs: 0,
});

const sumOf = (city: string) => `sum("revenue") FILTER (WHERE "city" = '${city}')`;
const larger = (question: string) => answerTo(question, [3, 2, 1, 50], [4, 4, 2, 2]);

function answerTo(question: string, figures: (number | null)[], facts: number[]): string {
  const query = read(question);
  return readAnswer(query, result([figures]), factStatements(query).read(result([figures]), [result([facts])]), 'en');
}

describe('two figures side by side', () => {
  it('are one statement, in which texts are quoted and names told apart', () => {
    const [one, other] = [sumOf("O''Hare"), sumOf('Oslo')];
    expect(readingSql(read(`how much more revenue did O'Hare make than Oslo`))).toBe(
      `SELECT ${one} AS "O'Hare", ${other} AS "Oslo", ${one} - ${other} AS "difference", 100e0 * (${one} - ${other}) / CASE WHEN ${other} > 0 THEN ${other} END AS "difference_percent" FROM "shop" WHERE (("city" = 'O''Hare') OR ("city" = 'Oslo'))`,
    );
    expect(readingSql(read('is revenue in Oslo higher than in "Difference"?'))).toMatch(
      / AS "Oslo", .* AS "Difference", .* AS "difference_2", .* AS "difference_percent"/,
    );
  });

  it('are of cells that name several things, too, where it matters', () => {
    const query = read('is revenue of "new" higher than of "old"?');
    const { statements } = factStatements(query);
    expect(statements.at(-1)).toContain('list_has_any');
    expect(statements.at(-1)).toContain('"difference"');
  });

  it('say yes or no, and of floating point no difference', () => {
    const question = 'is revenue in Oslo higher than in "Difference"?';
    expect(answerTo(question, [3, 2, 1, 50], [4, 4, 2, 2])).toMatch(/^\*\*Yes\.\*\* “Oslo” is 1 \(50 %\) above/);
    expect(answerTo(question, [1, 2, -1, -50], [4, 4, 2, 2])).toMatch(/^\*\*No\.\*\* “Oslo” is 1 \(50 %\) below/);
    expect(answerTo(question, [0.1 + 0.2, 0.3, 0.1 + 0.2 - 0.3, 0], [4, 4, 2, 2])).toMatch(
      /^\*\*No\.\*\* “Oslo” and “Difference” are the same\./,
    );
  });

  it('say on which side there is nothing', () => {
    const question = 'how much more revenue did Oslo make than "Difference"';
    expect(answerTo(question, [3, null, null, null], [2, 2, 2, 0])).toContain('No rows match for “Difference”');
    expect(answerTo(question, [null, 3, null, null], [4, 2, 2, 2])).toContain('The rows for “Oslo” have no value');
    expect(answerTo(question, [null, null, null, null], [0, 0, 0, 0])).toContain('No rows match.');
  });

  it('say that half a year is compared with a whole one', () => {
    const notice = 'The data do not cover 2024 as a whole: “order_date” runs from 2023-01-02 to 2024-06-30.';
    expect(larger('change in revenue from 2023 to 2024')).toContain(notice);
    expect(larger('change in revenue from Q1 2024 to Q2 2024')).not.toContain('do not cover');
  });

  it('ask of which table, and back where the ways to part a question lead to different figures', () => {
    const other = { ...shop, alias: 'other', name: 'other' };
    const { reading } = readQuestion('how much more revenue did Oslo make than "Difference"', [shop, other], []);
    expect(reading).toMatchObject({ kind: 'unclear', what: 'table', choices: ['shop', 'other'] });
  });

  it('are a question of its own after others, and none to go on with', () => {
    const past = [{ question: 'total revenue', sql: null, answer: '' }];
    const { reading } = readQuestion('change in revenue from 2023 to 2024', [shop], past);
    expect(reading).toMatchObject({ kind: 'query', contrast: { sides: [{ label: '2024' }, { label: '2023' }] } });
    const before = [{ question: 'change in revenue from 2023 to 2024', sql: null, answer: '' }];
    expect(readQuestion('and in Oslo?', [shop], before).reading).toBeNull();
  });

  it('name the words that are not understood, not those of the sentence', () => {
    expect(readQuestion('how much more revenue did Oslo make than Stavanger', [shop], []).unknown).toEqual([
      'Stavanger',
    ]);
  });

  it('are looked for in bounded time', () => {
    const elapsed = cpuStopwatch();
    for (const phrase of ['than and in Oslo ', 'difference between revenue in Oslo and ', 'did more revenue than '])
      readQuestion(phrase.repeat(10).slice(0, 300), [shop], []);
    expect(elapsed()).toBeLessThan(4000);
  });
});
