import { makeZip, wordParts, type ZipPart } from '../../fixtures/documents/make-zip.js';
import { hostile, noise, type HostileFile } from './hostile-file.js';

const MB = 1_048_576;
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';
const SLIDES = 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml';

const types = (part: string, type: string) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/${part}" ContentType="${type}"/></Types>`;

const rels = (target: string, kind: string) =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/></Relationships>`;

/** The least that is taken for a workbook, with this as its only sheet. */
export const sheetParts = (sheet: string, more: ZipPart[] = []): ZipPart[] => [
  { name: '[Content_Types].xml', data: types('xl/workbook.xml', SPREADSHEET) },
  { name: '_rels/.rels', data: rels('xl/workbook.xml', 'officeDocument') },
  {
    name: 'xl/workbook.xml',
    data: '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
  },
  { name: 'xl/_rels/workbook.xml.rels', data: rels('worksheets/sheet1.xml', 'worksheet') },
  { name: 'xl/worksheets/sheet1.xml', data: sheet },
  ...more,
];

export const slideParts = (slide: string): ZipPart[] => [
  { name: '[Content_Types].xml', data: types('ppt/presentation.xml', SLIDES) },
  { name: '_rels/.rels', data: rels('ppt/presentation.xml', 'officeDocument') },
  { name: 'ppt/presentation.xml', data: '<p:presentation xmlns:p="p"/>' },
  { name: 'ppt/slides/slide1.xml', data: slide },
];

export const openDocumentParts = (kind: 'text' | 'spreadsheet' | 'presentation', content: string): ZipPart[] => [
  { name: 'mimetype', data: `application/vnd.oasis.opendocument.${kind}` },
  { name: 'content.xml', data: content },
  {
    name: 'META-INF/manifest.xml',
    data: '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
  },
];

/** Each kind of archive with this among its parts. */
function inEveryKind(name: string, parts: () => ZipPart[]): HostileFile[] {
  const kinds: Record<string, () => ZipPart[]> = {
    docx: () => wordParts('<w:p><w:r><w:t>Words</w:t></w:r></w:p>'),
    xlsx: () => sheetParts('<worksheet/>'),
    pptx: () => slideParts('<p:sld xmlns:p="p"/>'),
    odt: () => openDocumentParts('text', '<office:document-content/>'),
    ods: () => openDocumentParts('spreadsheet', '<office:document-content/>'),
    odp: () => openDocumentParts('presentation', '<office:document-content/>'),
  };
  return Object.entries(kinds).map(([kind, own]) => hostile(`${name}.${kind}`, () => makeZip([...own(), ...parts()])));
}

const nested = (depth: number): Buffer =>
  makeZip([{ name: 'inner.zip', data: depth === 0 ? Buffer.alloc(8 * MB) : nested(depth - 1) }]);

/** Every entry of the directory points at the same packed bytes (Fifield's bomb, in small). */
function overlapping(): Buffer {
  const zip = makeZip([...wordParts(''), { name: 'kernel.xml', data: Buffer.alloc(4 * MB) }]);
  const end = zip.length - 22;
  const directory = zip.readUInt32LE(end + 16);
  let last = directory;
  for (let at = directory; at < end; at += 46 + zip.readUInt16LE(at + 28)) last = at;
  const entry = zip.subarray(last, end);
  const copies = 500;
  const tail = Buffer.from(zip.subarray(end));
  const count = tail.readUInt16LE(10) + copies;
  tail.writeUInt16LE(count, 8);
  tail.writeUInt16LE(count, 10);
  tail.writeUInt32LE(end - directory + copies * entry.length, 12);
  return Buffer.concat([zip.subarray(0, end), ...Array.from({ length: copies }, () => entry), tail]);
}

const spaces = (size: number) => [{ name: 'media/blank.xml', data: Buffer.alloc(size, 0x20) }];

export function hostileArchives(): HostileFile[] {
  return [
    ...inEveryKind('bomb-flat', () => spaces(300 * MB)),
    ...inEveryKind('bomb-many', () =>
      Array.from({ length: 40 }, (_, at) => ({ name: `m/${at}`, data: Buffer.alloc(14 * MB) })),
    ),
    ...inEveryKind('bomb-lying', () => [{ name: 'media/blank.xml', data: Buffer.alloc(100 * MB), declaredSize: 1000 }]),
    ...inEveryKind('bomb-nested', () => [{ name: 'embeddings/a.zip', data: nested(4) }]),
    ...inEveryKind('bomb-embedded', () => [{ name: 'embeddings/a.zip', data: makeZip(spaces(200 * MB)) }]),
    ...inEveryKind('many-parts', () => Array.from({ length: 12_000 }, (_, at) => ({ name: `p/${at}.xml`, data: 'x' }))),
    ...inEveryKind('outside', () => [{ name: '../../../../tmp/outside.txt', data: 'x' }]),
    ...inEveryKind('absolute', () => [{ name: '/etc/cron.d/outside', data: 'x' }]),
    ...inEveryKind('link', () => [{ name: 'link', data: '/etc/passwd', mode: 0o120777 }]),
    ...inEveryKind('password', () => [{ name: 'secret.xml', data: noise(1000), encrypted: true }]),
    ...inEveryKind('twice', () => [
      { name: 'word/document.xml', data: '<a/>' },
      { name: 'content.xml', data: '<b/>' },
      { name: 'xl/worksheets/sheet1.xml', data: '<c/>' },
    ]),
    hostile('overlapping.docx', overlapping),
    hostile('no-directory.docx', () => {
      const zip = makeZip(wordParts('<w:p/>'));
      return zip.subarray(0, zip.length - 60);
    }),
    hostile('plain-zip.docx', () => makeZip([{ name: 'a.txt', data: 'no document' }])),
    hostile('empty-zip.xlsx', () => makeZip([])),
    hostile('no-document.docx', () => makeZip(wordParts('').filter(({ name }) => name !== 'word/document.xml'))),
  ];
}
