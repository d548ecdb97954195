import type { AskedColumn } from '../asked-table.js';
import { askBack, columnOptions } from './asking-back.js';
import { labelOf, isTime, Unclear, type ReadQuery } from './reading.js';
import type { Mark } from './mark-words.js';
import { isYesOrNo } from './yes-no.js';
import { textOf } from './words.js';
import { nameWords, sameWord } from './words.js';

const TIMES = new Set<Mark['kind']>(['period', 'season']);
/** Between what was done and when. */
const BETWEEN = new Set<Mark['kind']>(['preposition', 'article', 'from', 'until', 'compare', 'between', 'verb']);

/**
 * "Paid in March": where `paid` is a status and there is a day on which something was paid, it is not that of the order.
 * @throws Unclear
 */
export function requireOneDate({ table, filters, order }: ReadQuery, marks: readonly Mark[]): void {
  const dates = table.columns.filter(isTime);
  if (dates.length < 2) return;
  const said = marks.flatMap((mark) => (mark.kind === 'column' ? mark.columns : []));
  const taken = filters
    .filter(({ kind }) => kind === 'periods' || kind === 'moment')
    .map(({ column }) => column)
    .filter((column) => !said.includes(column));
  const ordered = order?.column;
  if (ordered && isTime(ordered) && !said.includes(ordered)) requireOwnDate(ordered, dates, marks);
  for (const [at, time] of marks.entries()) {
    if (!TIMES.has(time.kind)) continue;
    const before = marks.slice(0, at).findLast(({ kind }) => !BETWEEN.has(kind));
    // "Wurden im März bezahlt"
    const behind = marks.slice(at + 1).find(({ kind }) => !BETWEEN.has(kind));
    // «Im Dezember fällige Rechnungen»
    const own = behind?.kind === 'column' ? behind.columns.filter(isTime) : [];
    const things = behind && marks[marks.indexOf(behind) + 1]?.kind;
    if (own.length > 0 && (things === 'table' || things === 'rows') && taken.some((date) => !own.includes(date)))
      askBack(table, textOf(time.words), columnOptions(dates));
    const done = [before, behind].find((mark) => mark !== undefined && isState(mark));
    if (!done) continue;
    const named = dates.filter((date) => isNamed(date, done));
    const ofOther = named.length > 0 || isStatus(done);
    if (taken.some((date) => ofOther && !named.includes(date)))
      askBack(table, textOf(time.words), columnOptions(dates));
  }
}

/** "The last 5 paid orders": the last that were made, or the last that were paid? @throws Unclear */
function requireOwnDate(ordered: AskedColumn, dates: readonly AskedColumn[], marks: readonly Mark[]): void {
  for (const done of marks.filter(isState)) {
    const named = dates.filter((date) => isNamed(date, done));
    if ((named.length > 0 || isStatus(done)) && !named.includes(ordered))
      throw new Unclear(textOf(done.words), dates.map(labelOf));
  }
}

function isState(mark: Mark): boolean {
  return mark.kind === 'value' || (mark.kind === 'column' && mark.columns.every(isYesOrNo));
}

/** Columns of which each value is a step: there may be a day for each, whatever it is called ("paid", "date of payment"). */
const STEPS = /(?:^|_)(?:status|statut|estado|etat|état|stato|situacao|situação|toestand|zustand|الحالة|حالة)(?:_|$)/iu;

/** Whether it says how far a thing has come. */
export function isStatusColumn({ name }: AskedColumn): boolean {
  return STEPS.test(name);
}

function isStatus(mark: Mark): boolean {
  return mark.kind === 'value' && mark.found.every(({ column }) => isStatusColumn(column));
}

function isNamed({ name }: AskedColumn, { words }: Mark): boolean {
  return words.some(({ norm }) => nameWords(name).some((part) => sameWord(norm, part)));
}
