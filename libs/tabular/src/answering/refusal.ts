import type { AskedTable } from './asked-table.js';
import { labelOf, isKey, isNumeric, isTime } from './reading/reading.js';

const MOST_WORDS = 5;
const LONGEST_WORD = 60;

/** Why a question was not read, and the nearest that would be, in the names of its tables. */
export function refusalText(unknown: readonly string[], tables: readonly AskedTable[]): string {
  const words = [...new Set(unknown)].slice(0, MOST_WORDS).map((word) => `“${word.slice(0, LONGEST_WORD)}”`);
  const why =
    words.length > 0
      ? `Neither a word of asking nor a name or value of the tables: ${words.join(', ')}.`
      : 'Each of its words is known, but not what they mean together: shorter questions, one at a time, are understood best.';
  const [table] = tables;
  const examples = table ? examplesOf(table) : [];
  const instead = examples.length === 0 ? '' : ` What can be asked, for instance: ${examples.join(', ')}.`;
  return `No language model is configured, and this question is not one of the simple ones that are answered without: counts, sums, averages, lowest and highest values of named columns, rows with named values. ${why}${instead}`;
}

function examplesOf({ alias, columns }: AskedTable): string[] {
  const number = columns.find((column) => isNumeric(column) && !isKey(column));
  const text = columns.find(({ type, complete, unique }) => type === 'text' && complete === true && unique !== true);
  const value = text?.values[0];
  const time = columns.find(isTime);
  return [
    `“how many rows in ${alias}${text && value ? ` with ${labelOf(text)} ${value}` : ''}”`,
    ...(number
      ? [`“average ${labelOf(number)}${text ? ` by ${labelOf(text)}` : ''}”`, `“highest ${labelOf(number)}”`]
      : []),
    ...(number && time && !text ? [`“average ${labelOf(number)} by year”`] : []),
  ].map((example) => example.replace(/\s+/g, ' ').slice(0, 120));
}
