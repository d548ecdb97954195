import { join } from 'node:path';
import type { TabularContents, TabularTable } from '@app/tabular';
import { detectFileEncoding } from '../../pipeline/child/encodings/file-encoding.js';
import { ExtractionError } from '../../pipeline/extraction-error.js';
import type { ImportRequest } from '../import-messages.js';
import type { BuiltTable } from './build-table.js';
import { cellName } from './cell-names.js';
import { surveyCsv, type CsvSurvey } from './csv-survey.js';
import { readSample, writeAsUtf8 } from './csv-text.js';
import { DELIMITERS, delimiterScore, detectDelimiter } from './delimiter.js';
import { planTable, type TablePlan } from './plan-table.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import type { TableBuilder } from './table-builder.js';
import { uniqueSqlNames } from './names.js';

/** Cells at the end of a record that hold nothing are dropped; more than this is no table. */
const WIDEST_RECORD = 2000;
/** What people may want to read. */
const MOST_WARNINGS = 50;
/** So many rows longer than the header, and such a share of all, are no slip of the pen. */
const MOST_LONGER = 100;
const GARBAGE_SHARE = 0.2;
const SHOWN_ROWS = 10;
/** Of a note, characters that are told. */
const LONGEST_NOTE = 100;
const LONGEST_RECORD_BYTES = 16 * 1024 * 1024;
const DAMAGED =
  'The file is in the encoding UTF-8, but some of its bytes are none: the sign \ufffd stands in their place.';

/** One CSV is one table. A large file takes no more memory than a small one. */
export async function importCsv(
  request: ImportRequest,
  builder: TableBuilder,
  report: (status: string) => void,
): Promise<TabularContents> {
  const { path, delimiter, survey, damaged } = await prepare(request);
  refuseUnusable(survey, request.maximum);
  report(`Reading ${survey.records.toLocaleString('en')} rows.`);
  const staged = { columns: survey.cells, delimiter, padded: survey.padded, marked: false };
  await builder.stage(path, staged, survey);
  const plan = planTable(await builder.sample(staged), request.options.headerRow, 0);
  const planned = await plan.columns(builder, staged);
  if (planned.length === 0) throw nothingInIt();
  refuseTooWide(planned.length, request.maximum.columns);
  const { columns, warnings: ragged } = await keepRagged(builder, survey, staged, planned, plan);
  report('Recognising numbers and dates.');
  const [name] = uniqueSqlNames([request.filename.replace(/\.[^.]*$/, '')], builder.reserved, () => 'table_1');
  const { firstRowid, lastRowid, totals, notes, second, warnings, ...built } = await builder.build(
    name!,
    staged,
    columns,
    plan.firstRow,
  );
  const top = (plan.header ?? firstRowid) + 1;
  const bottom = Math.max(lastRowid + 1, top);
  return {
    tables: [
      {
        ...built,
        sheet: null,
        range: `${cellName(columns[0]!.index, top)}:${cellName(columns.at(-1)!.index, bottom)}`,
        firstRow: firstRowid + 1,
        ...totalRowsOf(totals, 1),
      },
    ],
    sheets: [],
    ...warningsOf([
      ...(damaged ? [DAMAGED] : []),
      ...ragged,
      ...warnings,
      ...notesOf(notes, 1),
      ...secondOf(second, 1),
    ]),
  };
}

/** @param above rows of the sheet above the first staged row, and one for the counting from 1 */
export const totalRowsOf = (totals: BuiltTable['totals'], above: number): Pick<TabularTable, 'totalRows'> =>
  totals.length === 0 ? {} : { totalRows: totals.map(({ rowid, label }) => ({ row: rowid + above, label })) };

/** Notes that were left out, for people: what is no data to us may be to them. */
export const notesOf = (notes: BuiltTable['notes'], above: number): string[] =>
  notes.map(
    ({ rowid, text }) =>
      `Row ${rowid + above} is not counted as data, but as a note below the table: "${shortened(text)}".`,
  );

/** Its rows stand in columns that are not theirs. */
export const secondOf = (second: BuiltTable['second'], above: number): string[] =>
  second === null
    ? []
    : [
        `Row ${second + above} looks like the header of another table, whose rows are read as rows of this one. ` +
          'Put each table on a sheet, or into a file, of its own.',
      ];

const shortened = (text: string) =>
  [...text].length <= LONGEST_NOTE ? text : `${[...text].slice(0, LONGEST_NOTE).join('')}…`;

export const warningsOf = (warnings: readonly string[]): Pick<TabularContents, 'warnings'> =>
  warnings.length === 0 ? {} : { warnings: warnings.slice(0, MOST_WARNINGS) };

interface Prepared {
  /** In UTF-8. */
  path: string;
  delimiter: string;
  survey: CsvSurvey;
  /** It is UTF-8 but for some bytes. */
  damaged: boolean;
}

async function prepare(request: ImportRequest): Promise<Prepared> {
  const sample = await readSample(request.path);
  const wanted = request.options.encoding;
  const encoding = wanted === 'auto' ? await detectFileEncoding(request.path) : new TextDecoder(wanted).encoding;
  const cutOff = sample.length < request.sizeBytes;
  const delimiter = delimiterOf(request, new TextDecoder(encoding).decode(sample), cutOff);
  let path = request.path;
  if (encoding !== 'utf-8') path = await decoded(request, encoding);
  let survey = await surveyCsv(path, delimiter);
  const damaged = !survey.utf8;
  if (damaged) {
    if (wanted !== 'auto')
      throw new ExtractionError('damaged', 'The file is not in the encoding UTF-8. Choose another encoding.');
    path = await decoded(request, encoding);
    survey = await surveyCsv(path, delimiter);
  }
  return { path, delimiter, survey, damaged };
}

async function decoded(request: ImportRequest, encoding: string): Promise<string> {
  const target = join(request.workFolder, 'decoded.csv');
  await writeAsUtf8(request.path, encoding, target);
  return target;
}

function delimiterOf({ options }: ImportRequest, sample: string, cutOff: boolean): string {
  const { delimiter } = options;
  if (delimiter === 'auto') return detectDelimiter(sample, cutOff);
  // A file of one column is well with any delimiter; one that another delimiter parts is not.
  if (delimiterScore(sample, delimiter, cutOff) === 0) {
    const better = DELIMITERS.find((other) => delimiterScore(sample, other, cutOff) > 1.5);
    if (better !== undefined)
      throw new ExtractionError(
        'damaged',
        `The delimiter ${shown(delimiter)} does not part the rows of this file; ${shown(better)} does.`,
      );
  }
  return delimiter;
}

const shown = (delimiter: string) => (delimiter === '\t' ? 'tab' : `"${delimiter}"`);

function refuseUnusable(survey: CsvSurvey, maximum: ImportRequest['maximum']): void {
  const { records, cells, unclosedAt, widths, longestRecordBytes } = survey;
  if (records === 0 || (widths.size === 1 && widths.has(0))) throw nothingInIt();
  // Before the count of cells, which an open quotation mark makes meaningless.
  if (unclosedAt !== null)
    throw new ExtractionError('damaged', `Row ${unclosedAt} has a quotation mark that is never closed.`);
  refuseTooWide(Math.max(...widths.keys()), maximum.columns);
  if (cells > WIDEST_RECORD)
    throw new ExtractionError('too_large', `A row has ${cells} cells. At most ${maximum.columns} are accepted.`);
  if (longestRecordBytes > LONGEST_RECORD_BYTES)
    throw new ExtractionError('too_large', 'A row is longer than 16 MB, which is not accepted.');
  // The header is a record too, so one more is left to the count of the built table.
  refuseTooLong(records - 1, maximum.rows);
}

export function refuseTooLong(rows: number, maximum: number): void {
  if (rows <= maximum) return;
  throw new ExtractionError(
    'too_large',
    `There are ${rows.toLocaleString('en')} rows. At most ${maximum.toLocaleString('en')} are accepted: ` +
      'split the file and upload the parts.',
  );
}

function refuseTooWide(columns: number, maximum: number): void {
  if (columns <= maximum) return;
  throw new ExtractionError('too_large', `The table has ${columns} columns. At most ${maximum} are accepted.`);
}

/**
 * A row that is longer than the table most often holds a delimiter without quotation marks, which moves its values to
 * the wrong columns. Where most rows are longer than the header, they are the table, and the header lacks names.
 * @throws ExtractionError when so many are longer that nothing is known for certain
 */
async function keepRagged(
  builder: TableBuilder,
  { widths, records }: CsvSurvey,
  staged: StagedTable,
  columns: PlannedColumn[],
  { header, firstRow, namedColumns: named }: TablePlan,
): Promise<{ columns: PlannedColumn[]; warnings: string[] }> {
  if (header === null || named >= columns.at(-1)!.index + 1) return { columns, warnings: [] };
  const longer = [...widths].filter(([width]) => width > named);
  const count = longer.reduce((sum, [, { records: some }]) => sum + some, 0);
  if (count > records / 2) return { columns, warnings: [] };
  const [width, { first }] = longer.reduce((a, b) => (b[1].first < a[1].first ? b : a));
  if (count > MOST_LONGER && count > records * GARBAGE_SHARE)
    throw new ExtractionError(
      'damaged',
      `Row ${first} has ${width} cells, but the header has ${named}; so it is with ${count.toLocaleString('en')} rows. ` +
        'A cell that contains the delimiter must stand in quotation marks.',
    );
  const found = await builder.mendRagged(staged, columns, { named, firstRow });
  if (found.length === 0) return { columns, warnings: [] };
  const names = columns.filter(({ index }) => index < named);
  const taken = new Set(names.map(({ name }) => name));
  let name = 'whole_row';
  while (taken.has(name)) name += '_';
  const shown = found.slice(0, SHOWN_ROWS).map((rowid) => rowid + 1);
  return {
    columns: [...names, { index: named, name, originalName: '' }],
    warnings: [
      `${count === 1 ? '1 row has' : `${count.toLocaleString('en')} rows have`} more cells than the header, which has ${named} ` +
        `(row ${shown.join(', ')}${count > shown.length ? ' and others' : ''}). The text of such a row stands in the column "${name}"; ` +
        'its values are empty where it is not certain to which column they belong. ' +
        'A cell that contains the delimiter must stand in quotation marks.',
    ],
  };
}

function nothingInIt(): ExtractionError {
  return new ExtractionError('empty', 'The file has no rows.');
}
