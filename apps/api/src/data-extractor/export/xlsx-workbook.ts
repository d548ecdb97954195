import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { cellXml, columnLetters, escapeXml, type SheetCell, STYLES, textCell } from './xlsx-cells.js';

/** A sheet whose rows are read when their turn comes. */
export interface Sheet {
  name: string;
  header: readonly string[];
  /** Characters that fit into a column, by its place; 20 unless told. */
  widths?: readonly (number | undefined)[];
  isRightToLeft: boolean;
  rows(): AsyncIterable<readonly SheetCell[]>;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
/** Of a piece of XML, in characters. */
const PIECE = 65_536;

/**
 * A workbook that is written while its rows are read: however many there are, few are in memory. (The libraries that write
 * workbooks hold them whole: docs/decisions/0054.)
 */
export function writeWorkbook(sheets: readonly Sheet[]): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  const fail = (error: Error) => output.destroy(error);
  zip.outputStream.on('error', fail);
  for (const [path, xml] of Object.entries(partsOf(sheets))) zip.addBuffer(Buffer.from(HEAD + xml), path);
  for (const [index, sheet] of sheets.entries()) {
    // Opened when its turn comes, and given up when nobody reads the workbook any more.
    zip.addReadStreamLazy(`xl/worksheets/sheet${index + 1}.xml`, (done) => {
      const stream = Readable.from(sheetXml(sheet), { objectMode: false });
      stream.on('error', fail);
      output.once('close', () => stream.destroy());
      done(null, stream);
    });
  }
  zip.end();
  zip.outputStream.pipe(output);
  return output;
}

async function* sheetXml(sheet: Sheet): AsyncGenerator<Buffer> {
  const { header, widths = [], isRightToLeft } = sheet;
  const view = `<sheetView workbookViewId="0"${isRightToLeft ? ' rightToLeft="1"' : ''}><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>`;
  const columns = header.map((_, index) => {
    return `<col min="${index + 1}" max="${index + 1}" width="${widths[index] ?? 20}" customWidth="1"/>`;
  });
  let text = `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews>${view}</sheetViews><cols>${columns.join('')}</cols><sheetData>`;
  const letters = header.map((_, index) => columnLetters(index));
  let number = 0;
  const add = (cells: readonly SheetCell[]) => {
    number += 1;
    text += `<row r="${number}">${cells.map((cell, index) => cellXml(cell, `${letters[index]}${number}`)).join('')}</row>`;
  };
  add(header.map((name) => textCell(name, STYLES.header)));
  for await (const row of sheet.rows()) {
    add(row);
    if (text.length < PIECE) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}</sheetData></worksheet>`);
}

const override = (part: string, type: string): string =>
  `<Override PartName="/xl/${part}" ContentType="${TYPE}.${type}+xml"/>`;
const relation = (id: number, type: string, target: string): string =>
  `<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;

/** Everything but the sheets themselves. */
function partsOf(sheets: readonly Sheet[]): Record<string, string> {
  const numbers = sheets.map((_, index) => index + 1);
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('workbook.xml', 'sheet.main')}${override('styles.xml', 'styles')}${numbers.map((number) => override(`worksheets/sheet${number}.xml`, 'worksheet')).join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships">${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.map(({ name }, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${numbers.map((number) => relation(number, 'worksheet', `worksheets/sheet${number}.xml`)).join('')}${relation(sheets.length + 1, 'styles', 'styles.xml')}</Relationships>`,
    'xl/styles.xml': STYLE_SHEET,
  };
}

/** In the order of `STYLES`. */
const STYLE_SHEET =
  `<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="166" formatCode="0.##&quot;%&quot;"/>` +
  `</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6">' +
  [
    [0, 0],
    [0, 1],
    [164, 0],
    [165, 0],
    [166, 0],
    [4, 0],
  ]
    .map(
      ([format, font]) =>
        `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`,
    )
    .join('') +
  '</cellXfs></styleSheet>';
