import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { initSync, Model } from '@ironcalc/wasm';
import { boundMemory } from './bound-memory.js';
import type { CalculatedValue, CalculationRequest } from './formula-messages.js';
import { computableFormula, passesErrors } from './formula-text.js';

// The program of a thread that calculates one workbook; whoever started it ends it when it takes too long.

/** 256 MB: text that doubles with every cell must not take all memory. */
const MOST_PAGES = 4_096;
/** What the engine says where it, not the workbook, is at fault. */
const NOT_KNOWN = new Set(['#NAME?', '#ERROR!', '#N/IMPL!', '#N/IMPL', '#CIRC!', '#SPILL!', '#CALC!']);
const UNKNOWN = '=NA()';
/** Fifteen digits, as Excel has them. */
const ALL_DIGITS = '0.00000000000000E+00';
const [NUMBER, TEXT, BOOLEAN] = [1, 2, 4];

const bytes = readFileSync(fileURLToPath(import.meta.resolve('@ironcalc/wasm/wasm_bg.wasm')));
initSync({ module: boundMemory(bytes, MOST_PAGES) });
parentPort!.postMessage(calculate(workerData as CalculationRequest), []);

function calculate({ sheetNames, names, cells }: CalculationRequest): CalculatedValue[] {
  const model = new Model('book', 'en', 'UTC', 'en');
  model.pauseEvaluation();
  for (const [sheet, name] of sheetNames.entries()) {
    if (sheet > 0) model.newSheet();
    model.renameSheet(sheet, `\u0001${sheet}`);
    model.renameSheet(sheet, name);
  }
  for (const { name, formula, sheet } of names) define(model, name, sheet, formula);
  const wanted = cells.filter((cell) => cell.wanted);
  const unknown = new Set<(typeof cells)[number]>();
  const forget = (cell: (typeof cells)[number]) => {
    unknown.add(cell);
    model.setUserInput(cell.sheet, cell.row + 1, cell.column + 1, UNKNOWN);
  };
  for (const cell of cells) {
    const formula = cell.wanted ? computableFormula(cell.input) : null;
    const at = [cell.sheet, cell.row + 1, cell.column + 1] as const;
    if (!cell.wanted) model.setUserInput(...at, cell.input);
    else if (formula === null) forget(cell);
    else if (cell.array) model.setUserArrayFormula(...at, 1, 1, `=${formula}`);
    else model.setUserInput(...at, `=${formula}`);
  }
  model.resumeEvaluation();
  model.evaluate();
  model.pauseEvaluation();
  for (const cell of wanted) if (isUnknown(model, cell)) forget(cell);
  if (unknown.size > 0) {
    // What cannot be computed is an error to the engine, which must not become a value again.
    for (const cell of wanted) if (!unknown.has(cell) && passesErrors(cell.input)) forget(cell);
    model.resumeEvaluation();
    model.evaluate();
    model.pauseEvaluation();
  }
  showAllDigits(model, wanted);
  return wanted.map((cell) => (unknown.has(cell) ? null : valueOf(model, cell, unknown.size > 0)));
}

function define(model: Model, name: string, sheet: number | null, formula: string): void {
  try {
    model.newDefinedName(name, sheet, formula);
  } catch (error) {
    // A name that the engine does not take is not known to formulas, which then have no value.
    if (error instanceof Error && error.name === 'RuntimeError') throw error;
  }
}

type At = { sheet: number; row: number; column: number };

function isUnknown(model: Model, { sheet, row, column }: At): boolean {
  const at = [sheet, row + 1, column + 1] as const;
  const type = model.getCellType(...at);
  if (type !== NUMBER && type !== TEXT && type !== BOOLEAN && NOT_KNOWN.has(model.getFormattedCellValue(...at)))
    return true;
  const structure: unknown = model.getCellArrayStructure(...at);
  // A list of values from one formula is not what one cell shows.
  return typeof structure === 'object' && Object.values(structure ?? {}).some((size) => String(size) !== '1,1');
}

function showAllDigits(model: Model, wanted: readonly At[]): void {
  for (const { sheet, row, column } of wanted)
    if (model.getCellType(sheet, row + 1, column + 1) === NUMBER)
      model.updateRangeStyle({ sheet, row: row + 1, column: column + 1, width: 1, height: 1 }, 'num_fmt', ALL_DIGITS);
}

function valueOf(model: Model, { sheet, row, column }: At, tainted: boolean): CalculatedValue {
  const at = [sheet, row + 1, column + 1] as const;
  const shown = model.getFormattedCellValue(...at);
  switch (model.getCellType(...at)) {
    case NUMBER: {
      const value = Number(shown);
      return shown !== '' && Number.isFinite(value) ? { type: 'number', value } : null;
    }
    case TEXT:
      return { type: 'text', value: shown };
    case BOOLEAN:
      return { type: 'boolean', value: shown === 'TRUE' };
    default:
      return NOT_KNOWN.has(shown) || (tainted && shown === '#N/A') ? null : { type: 'error', value: shown };
  }
}
