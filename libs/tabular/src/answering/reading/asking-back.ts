import type { AskedColumn, AskedTable } from '../asked-table.js';
import { labelOf, Unclear, type UnclearQuestion } from './reading.js';

type Asked = Pick<AskedTable, 'chosen'>;
/** What is offered, and what it stands for. */
export type Option<T> = readonly [label: string, value: T];

/**
 * @returns what the person chose, where they were asked before
 * @throws Unclear, to ask them
 */
export function askBack<T>(
  table: Asked,
  about: string,
  options: readonly Option<T>[],
  what: UnclearQuestion['what'] = 'column',
): T {
  const chosen = chosenOf(table, about, options, what);
  if (chosen) return chosen[1];
  throw new Unclear(
    about,
    options.map(([label]) => label),
    what,
  );
}

/** @returns null where the person was not asked, or what they chose is none of these */
export function chosenOf<T>(
  { chosen = [] }: Asked,
  about: string,
  options: readonly Option<T>[],
  what: UnclearQuestion['what'] = 'column',
): Option<T> | null {
  const own = chosen.filter((choice) => choice.what === what && choice.about === about);
  return options.find(([label]) => own.some(({ choice }) => choice === label)) ?? null;
}

/** The only one of the columns, or the one that the person chose. @throws Unclear */
export function oneColumn(
  table: Asked,
  columns: readonly AskedColumn[],
  about: string,
  what: UnclearQuestion['what'] = 'column',
): AskedColumn {
  const [column, ...others] = columns;
  return column && others.length === 0 ? column : askBack(table, about, columnOptions(columns), what);
}

export function columnOptions(columns: readonly AskedColumn[]): Option<AskedColumn>[] {
  return columns.map((column) => [labelOf(column), column]);
}
