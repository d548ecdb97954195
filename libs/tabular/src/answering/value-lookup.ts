import { QueryError } from '../query/query-error.js';
import type { QueryRun, QueryRunner } from '../query/query-runner.js';
import { sqlName, sqlText, type AskedTable } from './asked-table.js';
import { formsOf, spaced, wordsOf } from './reading/words.js';

/** Rules read no longer ones. */
const LONGEST_QUESTION = 1000;
/** Words of one value. */
const LONGEST_PHRASE = 6;
const LONGEST_VALUE = 80;
/** Stretches that are looked for: those of the first questions. */
const MOST_PHRASES = 600;
/** Columns over all tables that are searched; the first ones. */
const SEARCHED_COLUMNS = 40;
/** Cells of one column that a question can name. */
const MOST_FOUND = 60;

/**
 * Finds what questions name in columns with too many values to know them all, without regard to case and accents, and
 * makes it the columns' `values`. Where a search is too heavy they stay as they are: its words are then not understood.
 * @param questions the newest first
 */
export async function lookUpValues(
  runner: QueryRunner,
  run: Omit<QueryRun, 'statements' | 'evidence'>,
  tables: readonly AskedTable[],
  questions: readonly string[],
): Promise<void> {
  const columns = tables
    .flatMap((table) => table.columns.map((column) => ({ table, column })))
    .filter(({ column }) => column.type === 'text' && column.complete !== true)
    .slice(0, SEARCHED_COLUMNS);
  const phrases = [...new Set(questions.filter(({ length }) => length <= LONGEST_QUESTION).flatMap(phrasesOf))].slice(
    0,
    MOST_PHRASES,
  );
  if (columns.length === 0 || phrases.length === 0) return;
  const list = phrases.map(sqlText).join(', ');
  const statements = columns.map(({ table, column }) => {
    const name = sqlName(column.name);
    return `SELECT DISTINCT ${name} FROM ${sqlName(table.alias)} WHERE length(${name}) <= ${LONGEST_VALUE} AND ${sqlFold(name)} IN (${list}) ORDER BY 1 LIMIT ${MOST_FOUND}`;
  });
  try {
    const results = await runner.run({ ...run, statements });
    for (const [at, { column }] of columns.entries()) column.values = results[at]!.rows.map(([value]) => String(value));
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
  }
}

/** Like `spaced`, in SQL. */
function sqlFold(name: string): string {
  return `trim(regexp_replace(translate(lower(strip_accents(${name})), 'أإآٱىة’', 'اااايه'''), '[\\s_-]+', ' ', 'g'))`;
}

/** Every stretch of some words, as written and without the endings of its words. */
function phrasesOf(question: string): string[] {
  const words = wordsOf(question).slice(0, 60);
  return words.flatMap(({ quoted, norm, start }, at) => {
    if (quoted) return [spaced(norm)];
    const stretches = words
      .slice(at, at + LONGEST_PHRASE)
      .map(({ end }) => spaced(question.slice(start, end)))
      .filter((text) => text.length <= LONGEST_VALUE);
    return [
      ...stretches,
      ...formsOf(norm),
      ...(/^[وبلفك]\p{Script=Arabic}/u.test(norm) ? stretches.map((text) => text.slice(1)) : []),
    ];
  });
}
