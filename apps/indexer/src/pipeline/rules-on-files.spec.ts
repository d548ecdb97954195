import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ColumnFormat, OutputType, SourcePage, TableColumn } from '@app/extraction/kit';
import { DocumentExtractor } from './document-extractor.js';

const FOLDER = resolve(__dirname, '../../../../test/fixtures/documents/demo/invoices');
const CHILD_ENTRY = resolve(__dirname, '../../dist/pipeline/child/main.js');

interface WrittenColumn {
  name: string;
  output_type: OutputType;
  format?: ColumnFormat;
}

const columns = (JSON.parse(readFileSync(resolve(FOLDER, 'columns.json'), 'utf8')) as WrittenColumn[]).map(
  ({ name, output_type: outputType, format = null }): TableColumn => ({
    name,
    instruction: '',
    outputType,
    format,
    required: false,
    enum: null,
    reference: null,
  }),
);

describe('rules on files', () => {
  const extractor = new DocumentExtractor({ childEntry: CHILD_ENTRY });
  afterAll(() => extractor.close());

  it.each([
    ['larkspur-stationery.pdf', ['LS-2026-0417', '2026-03-03', '2026-04-02', 'Sandholm Maps Ltd', 426, 85.2, 511.2]],
    ['vogt-moebel.pdf', ['2026-1093', '2026-02-12', '2026-03-14', null, 2891, 549.29, 3440.29]],
    ['noor-trading.pdf', ['NT-5521', '2026-01-25', '2026-02-24', 'شركة الأفق الحديثة', 6150, 922.5, 7072.5]],
    ['gulf-freight.pdf', ['GF/26/0088', '2026-02-18', '2026-03-20', 'Sandholm Maps Ltd', 12400, 620, 13020]],
    ['oakridge-print-scan.png', ['OPH-3307', '2026-03-09', '2026-04-08', 'Sandholm Maps Ltd', 1180, 236, 1416]],
  ])('read the columns of the demo from %s, each with its place', async (file, values) => {
    const pages: SourcePage[] = [];
    const kind = file.endsWith('.png') ? 'png' : 'pdf';
    const onPage = (page: SourcePage) => void pages.push(page);
    await extractor.readPages({ path: resolve(FOLDER, file), kind, ocr: true, onPage });
    const rows = await extractor.applyRules({ pages, columns, rowMode: 'document' });
    const cells = columns.map(({ name }) => rows[0]?.[name]);
    expect(cells.map((cell) => cell?.value)).toEqual(values);
    for (const cell of cells)
      if (cell?.value !== null) expect(cell?.evidence).toMatchObject({ status: 'anchored', spans: [{ page: 1 }] });
  });
});
