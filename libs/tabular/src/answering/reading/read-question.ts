import type { AskedTable } from '../asked-table.js';
import type { PastTurn } from '../prompts.js';
import { markWords } from './mark-words.js';
import { combine, type Parts } from './parts.js';
import { readParts } from './read-parts.js';
import { Unclear, type ReadQuery, type Reading } from './reading.js';
import { wordsOf } from './words.js';

/** Simple questions are short; each word of one is compared with every name and value of the tables. */
const LONGEST = 1000;
const MOST_WORDS = 60;

/**
 * Understands simple questions in English and Arabic without a model: counts, sums, averages, lowest, highest and middle
 * values, by columns, over rows that equal or exceed something, the first of an order. Every word must be understood:
 * a question with any other word is not read at all, rather than half.
 * @returns null when it is not understood
 */
export function readQuestion(
  question: string,
  tables: readonly AskedTable[],
  history: readonly PastTurn[],
): Reading | null {
  if (!isShort(question)) return null;
  const alone = readAlone(question, tables);
  if (alone?.kind === 'query') return alone;
  // "Total by city", then "in Amman", then "and in Irbid": as far back as it takes.
  for (let turns = 1; turns <= history.length; turns++) {
    const before = history.slice(-turns).map((turn) => turn.question);
    if (!isShort(before[0]!)) break;
    const followed = readFollowing([...before, question], tables);
    if (followed) return followed;
  }
  return alone;
}

function isShort(question: string): boolean {
  return question.length <= LONGEST && wordsOf(question).length <= MOST_WORDS;
}

function readAlone(question: string, tables: readonly AskedTable[]): Reading | null {
  return choose(tables, (table) => {
    const parts = readParts(markWords(question, table), table);
    return parts && { parts, named: parts.namesTable };
  });
}

/** "And in Irbid?" keeps what was asked and replaces what is said anew; the answer to "which column?" adds to it. */
function readFollowing(questions: readonly string[], tables: readonly AskedTable[]): Reading | null {
  return choose(tables, (table) => {
    const all = questions.map((text) => readParts(markWords(text, table), table));
    const parts = all.reduce((earlier, now) => earlier && now && combine(earlier, now));
    return parts ? { parts, named: parts.namesTable } : null;
  });
}

interface Candidate {
  parts: Parts;
  named: boolean;
}

/** The one table in whose words the question makes sense; a table that it names goes first. */
function choose(tables: readonly AskedTable[], read: (table: AskedTable) => Candidate | null): Reading | null {
  const readings: { query: ReadQuery; named: boolean }[] = [];
  let unclear: Unclear | null = null;
  for (const table of tables) {
    try {
      const candidate = read(table);
      const query = candidate?.parts.toQuery() ?? null;
      if (candidate && query) readings.push({ query, named: candidate.named });
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      unclear ??= error;
    }
  }
  const named = readings.filter((reading) => reading.named);
  const best = named.length > 0 ? named : readings;
  if (best.length === 1) return best[0]!.query;
  if (best.length > 1) return { kind: 'unclear', about: '', choices: best.map(({ query }) => query.table.alias) };
  return unclear && { kind: 'unclear', about: unclear.about, choices: unclear.choices };
}
