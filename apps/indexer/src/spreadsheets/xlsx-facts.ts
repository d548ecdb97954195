import type { XlsxParts } from './xlsx-parts.js';

/** What the main part of a workbook says. */
export interface WorkbookFacts {
  sheets: readonly { name: string; part: string }[];
  names: readonly { name: string; formula: string; sheet: number | null }[];
  date1904: boolean;
  /** Its writer calculated nothing: a 0 beside a formula is no value. */
  uncalculated: boolean;
}

export async function readFacts(
  parts: XlsxParts,
  main: string,
  relations: ReadonlyMap<string, { target: string; type: string }>,
): Promise<WorkbookFacts> {
  const sheets: { name: string; part: string }[] = [];
  const names: { name: string; formula: string; sheet: number | null }[] = [];
  let date1904 = false;
  let uncalculated = false;
  let inName = false;
  await parts.read(main, {
    open(tag, attributes) {
      if (tag === 'workbookPr') date1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      else if (tag === 'calcPr') uncalculated = ['1', 'true'].includes(attributes.fullCalcOnLoad ?? '');
      else if (tag === 'definedName') {
        inName = true;
        const { name = '', localSheetId } = attributes;
        names.push({ name, formula: '', sheet: localSheetId === undefined ? null : Number(localSheetId) });
      } else if (tag === 'sheet') {
        const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
        const relation = relations.get(id);
        // Sheets that only show a chart have no cells.
        if (relation?.type === 'worksheet') sheets.push({ name: attributes.name ?? '', part: relation.target });
      }
    },
    close(tag) {
      if (tag === 'definedName') inName = false;
    },
    text(piece) {
      if (inName) names.at(-1)!.formula += piece;
    },
  });
  return { sheets, names, date1904, uncalculated };
}
