import { calculate } from './calculate.js';
import type { CalculatedValue } from './formula-messages.js';
import { collectFormulas } from './xlsx-formulas.js';
import { readFacts } from './xlsx-facts.js';
import { XlsxParts } from './xlsx-parts.js';
import { readSharedTexts } from './xlsx-texts.js';

export interface MissingValue {
  sheet: string;
  row: number;
  column: number;
  value: Exclude<CalculatedValue, null>;
}

const [CELL, FORMULA, VALUE] = ['c', 'f', 'v'].map((name) => `(?:\\w{1,20}:)?${name}`);
const ATTRIBUTES = '[^<>]{0,300}';
/** A cell that is no text, and whose formula is followed by nothing, by an empty value, or by what is put here. */
const missing = (instead: string) =>
  new RegExp(
    `<${CELL}\\b(?!${ATTRIBUTES}\\st="(?:str|s|inlineStr)")${ATTRIBUTES}>\\s*` +
      `<${FORMULA}\\b(?:${ATTRIBUTES}/>|${ATTRIBUTES}>[^<]{0,9000}</${FORMULA}>)\\s*` +
      `(?:<${VALUE}\\s*/>|<${VALUE}>\\s*${instead}</${VALUE}>|</${CELL}>)`,
  );
const WITHOUT_VALUE = missing('');
/** For files of writers that calculate nothing. */
const WITHOUT_VALUE_OR_ZERO = missing('(?:0\\s*)?');

/**
 * Computes what the formulas of an XLSX come to where the file does not say it, as no program has opened it yet. Most files
 * say it: that is seen before any cell is looked at.
 * @param program path of the compiled `formula-worker.js`
 * @param maxCells in larger workbooks nothing is computed
 */
export async function findMissingValues(path: string, program: string, maxCells: number): Promise<MissingValue[]> {
  const parts = await XlsxParts.open(path);
  try {
    const root = [...(await parts.relationsOf('')).values()].find(({ type }) => type === 'officeDocument');
    const main = root?.target ?? 'xl/workbook.xml';
    const relations = await parts.relationsOf(main);
    const facts = await readFacts(parts, main, relations);
    const wanted = facts.uncalculated ? WITHOUT_VALUE_OR_ZERO : WITHOUT_VALUE;
    if (!(await holdsAny(parts, facts.sheets, wanted))) return [];
    const texts = [...relations.values()].find(({ type }) => type === 'sharedStrings')?.target;
    const request = await collectFormulas(parts, facts, await readSharedTexts(parts, texts));
    if (request === null || request.cells.length > maxCells) return [];
    const values = await calculate(program, request);
    return [...values].flatMap(([key, value]) => {
      const [sheet = 0, row = 0, column = 0] = key.split(':').map(Number);
      return value === null ? [] : [{ sheet: request.sheetNames[sheet] ?? '', row, column, value }];
    });
  } finally {
    parts.close();
  }
}

async function holdsAny(parts: XlsxParts, sheets: readonly { part: string }[], wanted: RegExp): Promise<boolean> {
  for (const { part } of sheets) if (await parts.holds(part, wanted)) return true;
  return false;
}
