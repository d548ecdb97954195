// Table files of every writing that people use: numbers are right, or their cells are empty (or text) and people are told.
import '../support/typescript.mjs';

// After the line above, which lets Node read TypeScript.
const { IMPORT_CORPUS } = await import('../../fixtures/tables/import-corpus.ts');
const { importFile } = await import('../../fixtures/tables/import-file.ts');
const child = new URL('../../../apps/indexer/dist/tabular/child/', import.meta.url);
const program = {
  ...(await import(new URL('import-csv.js', child))),
  ...(await import(new URL('import-workbook.js', child))),
  ...(await import(new URL('table-builder.js', child))),
};

export async function run(bars) {
  const cells = { right: 0, told: 0, wrong: 0 };
  const failed = [];
  for (const { what, kind, bytes, options, rows, truth = rows } of IMPORT_CORPUS) {
    const file = await importFile(program, kind, bytes, options).catch(() => null);
    if (file === null || file.rows[0].length !== truth.length) {
      cells.wrong += truth.flat().length;
      failed.push(what);
      continue;
    }
    const warned = (file.warnings ?? []).length > 0;
    for (const [at, row] of truth.entries())
      for (const [column, value] of row.entries()) {
        const found = file.rows[0][at][column] ?? null;
        if (found === value && !(value === null && warned)) cells.right += 1;
        else if (found === null && warned) cells.told += 1;
        else {
          cells.wrong += 1;
          failed.push(`${what}: ${JSON.stringify(found)} for ${JSON.stringify(value)}`);
        }
      }
  }
  console.log(`${IMPORT_CORPUS.length} files, ${cells.right + cells.told + cells.wrong} cells`);
  bars.check('right cells', cells.right, true);
  bars.check('cells that are empty, and people are told', cells.told, true);
  bars.check('wrong cells', cells.wrong, cells.wrong === 0);
  for (const line of failed) console.log(`  ${line}`);
}
