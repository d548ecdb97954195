import * as fc from 'fast-check';
import { importFile } from '../../../../../test/fixtures/tables/import-file.js';
import { rounds, stride } from '../../../../../test/support/long.js';
import { importCsv } from './import-csv.js';
import { importWorkbook } from './import-workbook.js';
import { TableBuilder } from './table-builder.js';

const program = { importCsv, importWorkbook, TableBuilder };

const LOCALES = 'en-US en-IN de-DE de-CH fr-FR es-ES pt-BR sv-SE pl-PL ru-RU ja-JP hi-IN ar-EG fa-IR'.split(' ');
/** Columns of the one file in which they stand together. */
const AT_ONCE = rounds(20, 4);
const CURRENCIES = ['USD', 'EUR', 'JPY', 'INR', 'CHF', 'SEK', 'EGP', 'KWD'];

interface Written {
  cells: string[];
  /** What the cells say: with no more digits than are shown. */
  values: number[];
}

const columns = (locale: string): fc.Arbitrary<Written> =>
  fc
    .record({
      percent: fc.boolean(),
      currency: fc.constantFrom(...CURRENCIES),
      display: fc.constantFrom('symbol' as const, 'code' as const, 'narrowSymbol' as const),
      digits: fc.integer({ min: 0, max: 1 }),
      accounting: fc.boolean(),
      numbers: fc.array(
        fc.oneof(
          fc.integer({ min: -2_000_000, max: 2_000_000 }),
          fc.integer({ min: -99_999, max: 99_999 }).map((n) => n / 100),
        ),
        { minLength: 1, maxLength: 6 },
      ),
    })
    .map(({ percent, currency, display, digits, accounting, numbers }) => {
      const format = percent
        ? new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits })
        : new Intl.NumberFormat(locale, {
            style: 'currency',
            currency,
            currencyDisplay: display,
            currencySign: accounting ? 'accounting' : 'standard',
          });
      const shown = format.resolvedOptions().maximumFractionDigits ?? 0;
      const scale = 10 ** shown;
      // Whole multiples of what is shown, so that no rounding is in the way.
      const values = numbers.map((number) => Math.trunc(number * scale) / scale);
      return { cells: values.map((value) => format.format(percent ? value / 100 : value)), values };
    });

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/** One column of each sample in one file: what one tells of the decimal sign holds for the others. */
async function read(samples: readonly Written[]): Promise<{ type: string; cells: unknown[] }[]> {
  const height = Math.max(...samples.map(({ cells }) => cells.length));
  const lines = Array.from({ length: height }, (_, row) =>
    samples.map(({ cells }) => quoted(cells[row] ?? '')).join(','),
  );
  const file = await importFile(program, 'csv', [samples.map((_, at) => `v${at}`).join(','), ...lines].join('\n'), {
    headerRow: '1',
  });
  return samples.map((_, at) => ({
    type: file.tables[0]!.columns[at]!.type,
    cells: file.rows[0]!.map((row) => row[at]),
  }));
}

describe('numbers as the locales write them', () => {
  it.each(LOCALES)('are read right or stay text: %s', async (locale) => {
    let numeric = 0;
    let all = 0;
    const check = async (samples: Written[]) => {
      const found = await read(samples);
      for (const [at, { type, cells }] of found.entries()) {
        all += 1;
        if (type === 'text') continue;
        numeric += 1;
        const { values, cells: written } = samples[at]!;
        for (const [row, value] of values.entries())
          if (Math.abs(Number(cells[row]) - value) > 1e-6)
            throw new Error(`${JSON.stringify(written)} became ${JSON.stringify(cells)} (${type})`);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(columns(locale), { minLength: AT_ONCE, maxLength: AT_ONCE }), check), {
      numRuns: 1,
      seed: 7,
    });
    // A column that stands alone, of every other locale in `npm test`.
    if (LOCALES.indexOf(locale) % stride(2) === 0)
      await fc.assert(fc.asyncProperty(fc.array(columns(locale), { minLength: 1, maxLength: 1 }), check), {
        numRuns: 1,
        seed: 8,
      });
    // What is refused is what can be read in two ways, which is little.
    expect(numeric / all).toBeGreaterThan(0.7);
  });
});
