import { makeZip, wordParts } from '../../fixtures/documents/make-zip.js';
import { openDocumentParts, sheetParts, slideParts } from './archives.js';
import { hostile, noise, type HostileFile } from './hostile-file.js';

const laughs = (tag: string) => {
  const levels = Array.from({ length: 12 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
  return `<?xml version="1.0"?><!DOCTYPE ${tag} [<!ENTITY l0 "ha">${levels}]><${tag}>&l12;</${tag}>`;
};
const quadratic = (tag: string) =>
  `<?xml version="1.0"?><!DOCTYPE ${tag} [<!ENTITY a "${'a'.repeat(100_000)}">]><${tag}>${'&a;'.repeat(20_000)}</${tag}>`;
const outside = (tag: string, address: string) =>
  `<?xml version="1.0"?><!DOCTYPE ${tag} [<!ENTITY x SYSTEM "${address}">]><${tag}>&x;</${tag}>`;
const deep = (tag: string, levels: number) => `<${tag}>`.repeat(levels) + 'x' + `</${tag}>`.repeat(levels);
const letters = (length: number) =>
  noise(Math.ceil((length * 3) / 4), 8)
    .toString('base64')
    .slice(0, length);

const BODIES: Record<string, (tag: string) => string> = {
  laughs,
  quadratic,
  'entity-file': (tag) => outside(tag, 'file:///etc/passwd'),
  'entity-http': (tag) => outside(tag, 'http://127.0.0.1:9/x'),
  'deep-10k': (tag) => deep(tag, 10_000),
  'deep-400k': (tag) => deep(tag, 400_000),
  unclosed: (tag) => `<${tag}><${tag}>text`,
  'bad-bytes': (tag) => `<${tag}>\u0000\u0001\uffff</${tag}>`,
  'huge-attribute': (tag) => `<${tag} a="${letters(8_000_000)}">x</${tag}>`,
  'huge-text': (tag) => `<${tag}>${letters(20_000_000)}</${tag}>`,
  'many-elements': (tag) => `<${tag}>${`<${tag}>w</${tag}>`.repeat(300_000)}</${tag}>`,
  empty: () => '',
};

/** What XML parsers are attacked with, as the main part of each office format, and in plain HTML. */
export function hostileMarkup(): HostileFile[] {
  const files = Object.entries(BODIES).flatMap(([name, body]) => [
    hostile(`${name}.docx`, () =>
      makeZip(wordParts('').map((part) => (part.name === 'word/document.xml' ? { ...part, data: body('w:p') } : part))),
    ),
    hostile(`${name}.odt`, () => makeZip(openDocumentParts('text', body('text:p')))),
    hostile(`${name}.ods`, () => makeZip(openDocumentParts('spreadsheet', body('table:table')))),
    hostile(`${name}.pptx`, () => makeZip(slideParts(body('a:p')))),
    hostile(`${name}.xlsx`, () => makeZip(sheetParts(body('row')))),
    hostile(`${name}.html`, () => body('div')),
  ]);
  const repeated =
    '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>';
  const spread =
    '<dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>end</t></is></c></row></sheetData>';
  return [
    ...files,
    hostile('repeated.ods', () =>
      makeZip(
        openDocumentParts(
          'spreadsheet',
          `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table table:name="S">${repeated.repeat(50)}</table:table></office:spreadsheet></office:body></office:document-content>`,
        ),
      ),
    ),
    hostile('spread.xlsx', () => makeZip(sheetParts(`<worksheet>${spread}</worksheet>`))),
    hostile('merged.xlsx', () =>
      makeZip(
        sheetParts(
          `<worksheet><sheetData/><mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(50_000)}</mergeCells></worksheet>`,
        ),
      ),
    ),
    hostile(
      'spans.html',
      () => `<table>${'<tr><td colspan="1000000000" rowspan="1000000000">x</td></tr>'.repeat(1000)}</table>`,
    ),
    hostile(
      'scripts.html',
      () => `<script>${'while(1){}'.repeat(1000)}</script><iframe src="file:///etc/passwd"></iframe>text`,
    ),
    hostile('comments.html', () => '<!--'.repeat(500_000)),
    hostile('angle-brackets.html', () => '<'.repeat(5_000_000)),
    hostile('ampersands.html', () => '&'.repeat(3_000_000)),
    hostile('groups.rtf', () => `{\\rtf1 ${'{'.repeat(500_000)}x${'}'.repeat(500_000)}}`),
    hostile('open-groups.rtf', () => `{\\rtf1 ${'{\\b '.repeat(500_000)}`),
    hostile('binary.rtf', () => `{\\rtf1 {\\pict\\bin2147483647 x}}`),
    hostile('unicode.rtf', () => `{\\rtf1 ${'\\u-99999?'.repeat(400_000)}}`),
  ];
}
