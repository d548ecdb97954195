import { IMPORT_CORPUS } from '../../../../../test/fixtures/tables/import-corpus.js';
import { importFile } from '../../../../../test/fixtures/tables/import-file.js';
import { importCsv } from './import-csv.js';
import { importWorkbook } from './import-workbook.js';
import { TableBuilder } from './table-builder.js';

const program = { importCsv, importWorkbook, TableBuilder };

describe('the corpus of table files', () => {
  it.each(IMPORT_CORPUS.map((one) => [one.what, one] as const))('reads %s', async (_what, expected) => {
    const { kind, bytes, options, columns, rows, totals = [], paths = {}, missing = {}, told } = expected;
    const file = await importFile(program, kind, bytes, options);
    const [table] = file.tables;
    expect(table!.columns.map(({ name, type, unit }) => [name, type, unit].filter(Boolean).join(':'))).toEqual(columns);
    expect(file.rows[0]).toEqual(rows);
    expect((table!.totalRows ?? []).map(({ row, label }) => `${row} ${label}`)).toEqual(totals);
    for (const [name, path] of Object.entries(paths))
      expect(table!.columns.find((column) => column.name === name)?.headerPath).toEqual(path);
    for (const { name, missingFormulas = 0 } of table!.columns) expect(missingFormulas).toBe(missing[name] ?? 0);
    const warnings = (file.warnings ?? []).join('\n');
    if (told === undefined) expect(warnings).toBe('');
    else expect(warnings).toContain(told);
  });
});
