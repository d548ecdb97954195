import type { AskedColumn } from '../asked-table.js';
import { amountAt } from './amounts.js';
import type { ElapsedMark } from './elapsed-words.js';
import type { Comparison } from './lexicon.js';
import type { Vocabulary } from './vocabulary.js';
import type { Word } from './words.js';

const TENURE = ['tenure', 'tenures', 'seniority', 'length of service', 'length of employment', 'years of service'];
const SERVED = [
  'worked here',
  'work here',
  'working here',
  'been here',
  'been employed',
  'been with us',
  'been with the company',
  'been working here',
  'worked for us',
  'worked with us',
  'worked at the company',
];
const HOW_LONG = ['how long has', 'how long have', 'how long had', 'how long did'];
const COMPARED: readonly (readonly [string, Comparison])[] = [
  ['more than', '>'],
  ['over', '>'],
  ['above', '>'],
  ['at least', '>='],
  ['less than', '<'],
  ['fewer than', '<'],
  ['under', '<'],
  ['below', '<'],
];

/** What words say of ages, and of how long people have been employed, where only dates tell. */
export function yearsOf(words: readonly Word[], at: number, { elapsed, units }: Vocabulary): ElapsedMark[] {
  const { age, tenure } = elapsed;
  if (!age && !tenure) return [];
  const plain = words.slice(at).map((word) => (word.quoted ? '' : word.plain));
  const lengthOf = (phrase: string) => {
    const parts = phrase.split(' ');
    return parts.every((part, next) => plain[next] === part) ? parts.length : 0;
  };
  const says = (phrases: readonly string[]) => Math.max(0, ...phrases.map(lengthOf));
  const marks: ElapsedMark[] = [];
  const named = (column: AskedColumn, length: number) => {
    if (length > 0) marks.push({ kind: 'column', columns: [column], length });
  };
  const compares = (column: AskedColumn, op: Comparison, length: number) => {
    const direction = op.startsWith('>') ? 'desc' : 'asc';
    marks.push({ kind: 'adjective', adjective: { form: 'comparative', direction, op, columns: [column] }, length });
  };
  const [phrase, op] = COMPARED.find(([own]) => lengthOf(own) > 0) ?? [];
  const length = phrase ? lengthOf(phrase) : 0;
  const amount = phrase && at + length < words.length ? amountAt(words, at + length, units) : null;
  const isYears = amount !== null && (amount.amount.unit === null || /^years?$/.test(amount.amount.unit));
  const behind = amount ? plain.slice(length + amount.length).join(' ') : '';
  if (age) {
    named(age, says(['age', 'ages', 'how old']));
    if (lengthOf('older than') > 0) compares(age, '>', 2);
    if (lengthOf('younger than') > 0) compares(age, '<', 2);
    if (isYears && op && /^(?:old|of age)(?: |$)/.test(behind)) compares(age, op, length);
    if (/^years?$/.test(words[at - 1]?.plain ?? '')) {
      const said = says(['old', 'of age']);
      if (said > 0) marks.push({ kind: 'aside', length: said });
    }
  }
  if (tenure) {
    const said = words.map((word) => (word.quoted ? '' : word.plain)).join(' ');
    const serves = SERVED.some((own) => said.includes(own));
    named(tenure, says(TENURE));
    // "How long has Ann lived in Oslo" is not about her work.
    named(tenure, serves ? says(HOW_LONG) : 0);
    if (isYears && op && /^of (?:service|tenure|employment)(?: |$)/.test(behind)) compares(tenure, op, length);
    const aside = says([...SERVED, 'of service', 'of tenure', 'of employment']);
    if (aside > 0) marks.push({ kind: 'aside', length: aside });
    const longest = Math.max(says(['longest serving', 'longest-serving']), serves ? says(['longest']) : 0);
    if (longest > 0)
      marks.push({
        kind: 'adjective',
        adjective: { form: 'superlative', direction: 'desc', op: '>', columns: [tenure] },
        length: longest,
      });
  }
  return marks;
}
