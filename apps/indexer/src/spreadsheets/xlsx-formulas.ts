import { MOST_CALCULATED_CELLS } from './calculate.js';
import type { CalculatedCell, CalculationRequest } from './formula-messages.js';
import { shiftFormula } from './formula-text.js';
import type { XlsxParts } from './xlsx-parts.js';
import type { WorkbookFacts } from './xlsx-facts.js';
import { isMissing, readSheet, type RawCell } from './xlsx-sheet.js';
import { unescaped } from './xlsx-texts.js';

const MOST_NAMES = 2_000;
/** Text of all cells together. */
const MOST_CHARACTERS = 64 * 1024 ** 2;
/** A formula that nothing can compute. */
const NOT_KNOWN = '=NOW()';

/** All cells of a workbook for its calculation; null when there are more than can be calculated. */
export async function collectFormulas(
  parts: XlsxParts,
  { sheets, names, uncalculated }: WorkbookFacts,
  sharedTexts: readonly string[],
): Promise<CalculationRequest | null> {
  const cells: CalculatedCell[] = [];
  let characters = 0;
  for (const [sheet, { part }] of sheets.entries()) {
    const shared = new Map<string, { text: string; row: number; column: number }>();
    await readSheet(parts, part, {
      cell: (cell) => {
        if (cells.length > MOST_CALCULATED_CELLS || characters > MOST_CHARACTERS) return;
        const { row, column, formula } = cell;
        if (formula !== null && formula.shared !== null && formula.text !== '')
          shared.set(formula.shared, { text: formula.text, row, column });
        const collected = isMissing(cell, uncalculated)
          ? {
              input: formulaOf(cell, shared),
              wanted: true as const,
              ...(formula?.kind === 'array' ? { array: true as const } : {}),
            }
          : { input: constantOf(cell, sharedTexts) };
        if (collected.input === '') return;
        characters += collected.input.length;
        cells.push({ sheet, row, column, ...collected });
      },
    });
  }
  if (cells.length > MOST_CALCULATED_CELLS || characters > MOST_CHARACTERS) return null;
  const known = names.filter(({ name }) => !name.startsWith('_xlnm.')).slice(0, MOST_NAMES);
  return { sheetNames: sheets.map(({ name }) => name), names: known, cells };
}

function formulaOf(
  { row, column, formula }: RawCell,
  shared: ReadonlyMap<string, { text: string; row: number; column: number }>,
): string {
  if (formula === null || formula.kind === 'dataTable') return NOT_KNOWN;
  // An array formula of several cells gives each another value.
  if (formula.kind === 'array' && /:/.test(formula.ref)) return NOT_KNOWN;
  if (formula.text !== '') return `=${formula.text}`;
  const master = formula.shared === null ? undefined : shared.get(formula.shared);
  return master ? `=${shiftFormula(master.text, row - master.row, column - master.column)}` : NOT_KNOWN;
}

function constantOf({ type, text }: RawCell, sharedTexts: readonly string[]): string {
  switch (type) {
    case 's':
      return `'${sharedTexts[Number(text)] ?? ''}`;
    case 'str':
    case 'inlineStr':
      return text === '' ? '' : `'${unescaped(text)}`;
    case 'b':
      return text.trim() === '' ? '' : ['1', 'true'].includes(text.trim()) ? 'TRUE' : 'FALSE';
    // Which error it is does not matter to a sum.
    case 'e':
      return '=NA()';
    default: {
      const value = Number(text);
      return text.trim() === '' || !Number.isFinite(value) ? '' : String(value);
    }
  }
}
