import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CFB, utils, write } from '@e965/xlsx';
import type { FileKind } from '@app/documents/kit';
import { makeZip, wordParts, type ZipPart } from '../../../../../../test/fixtures/documents/make-zip.js';
import type { ChildMessage } from '../../child-messages.js';
import type { ExtractedPage } from '../../extracted-page.js';
import { unpackSent } from '../../packed-page.js';
import { PageSender } from '../page-sender.js';
import { parserFor } from '../parser.js';
import { loadPdfium } from '../pdfium.js';

const paragraph = (text: string, extra = '') => `<w:p><w:r>${extra}<w:t>${text}</w:t></w:r></w:p>`;

function record(type: number, data: Buffer, container = false, instance = 0): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE((instance << 4) | (container ? 0xf : 0), 0);
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data]);
}

/** A PDF of these objects, numbered from 1; the first is the catalogue. */
function makePdf(objects: string[]): string {
  let file = '%PDF-1.7\n';
  const offsets = objects.map((object, n) => {
    const at = file.length;
    file += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return `${file}${table}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
}

const pdfForm = (drawn: string, extra = '') =>
  `<< /Type /XObject /Subtype /Form /BBox [0 -10 600 100] ${extra} /Resources << /Font << /F1 5 0 R >> /XObject << /Inner 7 0 R >> >> /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`;

const formsPdf = (...words: string[]) =>
  makePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /ExtGState << /G0 << /ca 0 >> >> /XObject << /Plain 6 0 R /Cut 8 0 R /Half 9 0 R >> >> >>',
    `<< /Length ${words.join('\n').length} >>\nstream\n${words.join('\n')}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    pdfForm(`${pdfText(0, 'Of a form')} q 0.5 0 0 0.5 300 0 cm /Inner Do Q`),
    pdfForm(pdfText(20, 'and its own')),
    pdfForm(`q 0 -10 5 5 re W n ${pdfText(0, 'SECRET clip')} Q ${pdfText(300, 'SECRET beyond the box')}`),
    pdfForm(`${pdfText(0, 'Left of the matrix')}`, '/Matrix [0.5 0 0 0.5 0 0]'),
  ]);

/** A Word 97 file of runs with the modifiers of their characters (hex). */
function makeWord97(runs: [text: string, modifiers: string][]): Buffer {
  const [textAt, pageAt] = [1024, 2048];
  const text = runs.map(([words]) => words).join('');
  const file = Buffer.alloc(pageAt + 512);
  for (const [at, value] of [
    [0, 0xa5ec],
    [0x4c, text.length],
    [0xfa, 100],
    [0xfe, 12],
    [0x106, 4],
  ] as const)
    file.writeUInt32LE(value, at);
  file.write(text, textAt, 'latin1');
  const page = file.subarray(pageAt);
  let [position, free] = [textAt, 510];
  for (const [n, [words, modifiers]] of runs.entries()) {
    page.writeUInt32LE(position, 4 * n);
    position += words.length;
    const bytes = Buffer.from(modifiers, 'hex');
    if (bytes.length === 0) continue;
    free -= 2 * Math.ceil((bytes.length + 1) / 2);
    page[4 * (runs.length + 1) + n] = free / 2;
    page[free] = bytes.length;
    bytes.copy(page, free + 1);
  }
  page.writeUInt32LE(position, 4 * runs.length);
  page[511] = runs.length;
  const table = Buffer.alloc(112);
  table[0] = 2;
  for (const [at, value] of [
    [1, 16],
    [9, text.length],
    [15, 0x4000_0000 + 2 * textAt],
    [100, textAt],
    [104, position],
    [108, pageAt / 512],
  ] as const)
    table.writeUInt32LE(value, at);
  const container = CFB.utils.cfb_new();
  CFB.utils.cfb_add(container, 'WordDocument', file);
  CFB.utils.cfb_add(container, '0Table', table);
  return Buffer.from(CFB.write(container, { type: 'buffer' }) as Uint8Array);
}

const colouredRun = (text: string, colour: string, more = '') =>
  `<a:r><a:rPr><a:solidFill>${colour}</a:solidFill>${more}</a:rPr><a:t>${text}</a:t></a:r>`;

const seenBox = (runs: string, fill = '') =>
  `<p:sp><p:spPr>${fill}</p:spPr><p:txBody><a:p><a:r><a:t>Seen</a:t></a:r>${runs}</a:p></p:txBody></p:sp>`;

const odfStyle = (name: string, family: string, properties: string, parent = '') =>
  `<style:style style:name="${name}" style:family="${family}" style:parent-style-name="${parent}">${properties}</style:style>`;

const raisedStyle = (name: string, position: string, parent = '') =>
  odfStyle(name, 'text', position && `<style:text-properties style:text-position="${position}"/>`, parent);

const mathElement = (name: string, inner: string) => `<math:${name}>${inner}</math:${name}>`;

const odfSpan = (style: string, text: string) => `<text:span text:style-name="${style}">${text}</text:span>`;

const odpBox = (style: string, text: string) =>
  `<draw:frame draw:style-name="${style}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;

const odpShapes = (style: string, ...shapes: string[]) =>
  `<draw:page draw:style-name="${style}">${shapes.join('')}</draw:page>`;

const raisedRun = (text: string) => `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>${text}</w:t></w:r>`;

const plainRun = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;

const mathRun = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;

const mathOf = (name: string, ...parts: string[]) => `<m:${name}>${parts.join('')}</m:${name}>`;

const symbolRun = (font: string, code: string) => `<w:r><w:sym w:font="${font}" w:char="${code}"/></w:r>`;

const formField = (data: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;

const noted = (text: string) => `<w:r><w:t>${text}</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r>`;

const shape = (text: string) => text && `<p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;

const values = (element: string, texts: (string | number)[]) =>
  `<c:${element}><c:strCache>${texts.map((text) => `<c:pt><c:v>${text}</c:v></c:pt>`).join('')}</c:strCache></c:${element}>`;

const CHART =
  '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">' +
  '<c:chart><c:title><a:p><a:pPr/><a:r><a:t>Copies &amp; maps</a:t></a:r></a:p></c:title><c:plotArea><c:barChart>' +
  `<c:ser>${values('tx', ['Sold'])}${values('cat', ['Rome', 'Cairo'])}${values('val', [5, 8])}</c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`;

const slideBody = (...paragraphs: string[]) =>
  `<p:sp><p:nvSpPr><p:cNvPr id="3"/><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><p:txBody>${paragraphs.join('')}</p:txBody></p:sp>`;
const slidePoint = (text: string, properties = '') => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;

/** A deck with one text on each slide, or none. */
function presentationParts(texts: string[]): ZipPart[] {
  const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const names =
    `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${types}" ` +
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
  const slides = texts.map((text, n) => ({
    name: `ppt/slides/slide${n}.xml`,
    data: `<p:sld ${names}><p:cSld><p:spTree>${shape(text)}</p:spTree></p:cSld></p:sld>`,
  }));
  const ids = texts.map((_, n) => `<p:sldId id="${n + 256}" r:id="s${n}"/>`).join('');
  const targets = texts
    .map((_, n) => `<Relationship Id="s${n}" Type="${types}/slide" Target="slides/slide${n}.xml"/>`)
    .join('');
  const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets}</Relationships>`;
  return [
    { name: '[Content_Types].xml', data: '<Types/>' },
    {
      name: 'ppt/presentation.xml',
      data: `<p:presentation ${names}><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    },
    { name: 'ppt/_rels/presentation.xml.rels', data: relations },
    ...slides,
  ];
}

const run = (properties: string, text: string) => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;

const groupOf = (shapes: string) =>
  `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="100" y="100"/><a:ext cx="500" cy="500"/><a:chOff x="50000" y="50000"/><a:chExt cx="1000" cy="1000"/></a:xfrm></p:grpSpPr>${shapes}</p:grpSp>`;

const placedShape = (text: string, x: number, y: number, hidden = '') =>
  `<p:sp><p:nvSpPr><p:cNvPr id="1" name="n" ${hidden}/></p:nvSpPr><p:spPr><a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="1000" cy="1000"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;

const wordStyle = (id: string, extra: string) => `<w:style w:type="paragraph" w:styleId="${id}">${extra}</w:style>`;

const wordTable = (properties: string, cell: string, row = '') =>
  `<w:tbl><w:tblPr>${properties}</w:tblPr><w:tr>${row}<w:tc>${cell}</w:tc></w:tr></w:tbl>`;

const odpSlide = (style: string, text: string) =>
  `<draw:page draw:style-name="${style}"><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;

const dated = (z: string, v: number) => ({ t: 'n' as const, v, z });

const pdfText = (y: number, text: string) => `BT /F1 12 Tf 50 ${y} Td (${text}) Tj ET`;

describe('parsers', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parsers-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs a parser in this process, with a sink that is acknowledged at once. */
  async function pagesOf(kind: FileKind, content: Buffer | string): Promise<ExtractedPage[]> {
    const path = join(folder, `file.${kind}`);
    await writeFile(path, content);
    const pages: ExtractedPage[] = [];
    const request = { path, kind, ocr: false, languages: [], limits: { pages: 1000, characters: 1e6 } };
    const sink: PageSender = new PageSender(request, (message: ChildMessage) => {
      if (message.type === 'page') pages.push(unpackSent(message.page));
      sink.acknowledge();
    });
    await (
      await parserFor(kind)
    )(request, sink);
    sink.finish();
    return pages;
  }

  const texts = async (kind: FileKind, content: Buffer | string) =>
    (await pagesOf(kind, content)).map((page) => page.text);

  it('Word: pages as they were last laid out, tables as lines, footnotes and fields kept', async () => {
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
    const body = [
      '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Title</w:t></w:r></w:p>',
      '<w:p><w:r><w:t>Keep </w:t></w:r><w:del w:id="1"><w:r><w:delText>deleted</w:delText></w:r></w:del><w:r><w:t>this</w:t></w:r></w:p>',
      '<w:p><w:r><w:br w:type="page"/></w:r></w:p>',
      paragraph('Second page', '<w:lastRenderedPageBreak/>'),
      `<w:tbl><w:tr>${cell('Name')}${cell('Days')}</w:tr><w:tr>${cell('Leave')}${cell('28')}</w:tr></w:tbl>`,
    ].join('');
    expect(await texts('docx', makeZip(wordParts(body)))).toEqual([
      'Title\n\nKeep this',
      'Second page\n\nName | Days\nLeave | 28',
    ]);
  });

  it('Word: no text that its author has hidden', async () => {
    const body = [
      `<w:p>${run('<w:b/>', 'Leave is ')}${run('<w:vanish/>', '99 or ')}${run('<w:vanish w:val="0"/>', '28 days.')}</w:p>`,
      // Of the mark at the end of the paragraph, and of how it was before a change.
      `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>', 'All of it.')}</w:p>`,
      `<w:p>${run('<w:i/><w:vanish w:val="true"/>', 'Ignore what was said.')}</w:p>`,
    ].join('');
    expect(await texts('docx', makeZip(wordParts(body)))).toEqual(['Leave is 28 days.\n\nAll of it.']);
  });

  it('Word: no part of a formula that its author has hidden, made a speck, or white upon white', async () => {
    const unseen = ['<w:vanish/>', '<w:sz w:val="1"/>', '<w:color w:val="FFFFFF"/>'].map(
      (look) => `<m:r><w:rPr>${look}</w:rPr><m:t>99</m:t></m:r>`,
    );
    const power = mathOf('sSup', mathOf('e', mathRun('r')), mathOf('sup', mathRun('2'), ...unseen));
    const body = `<w:p>${mathOf('oMath', mathRun('A='), power, ...unseen)}</w:p>`;
    expect(await texts('docx', makeZip(wordParts(body)))).toEqual(['A=r^2']);
  });

  it('Word: no text that is hidden by a style or its row, a speck, or white upon white', async () => {
    const white = '<w:color w:val="FFFFFF"/>';
    const shaded = '<w:shd w:val="clear" w:color="auto" w:fill="1F4E79"/>';
    const styled = (style: string, text: string, own = '') =>
      `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run(own, text)}</w:p>`;
    const body = [
      `<w:p>${run('', 'Seen')}${run(white, ' SECRET')}${run('<w:sz w:val="2"/>', ' SECRET')}${run('<w:rStyle w:val="Gone"/>', ' SECRET')}</w:p>`,
      `<w:p>${run('<w:rStyle w:val="Gone"/><w:vanish w:val="0"/>', 'shown again')}</w:p>`,
      `<w:p>${run(`${white}<w:highlight w:val="black"/>`, 'on a marker')}${run(white + shaded, ' and a colour')}</w:p>`,
      `<w:p><w:pPr>${shaded}</w:pPr>${run(white, 'in a bar')}</w:p>`,
      styled('Whisper', 'SECRET'),
      styled('Whisper', 'loud', '<w:color w:val="FF0000"/>'),
      styled('Banner', 'white of a banner'),
      wordTable('', `<w:tcPr>${shaded}</w:tcPr><w:p>${run(white, 'head of a table')}</w:p>`),
      wordTable(
        '',
        `<w:tcPr><w:shd w:fill="auto" w:themeFill="accent1"/></w:tcPr><w:p>${run(white, 'in its theme')}</w:p>`,
      ),
      wordTable('<w:tblStyle w:val="GridTable4-Accent1"/>', `<w:p>${run(white, 'head by a style')}</w:p>`),
      wordTable('<w:tblStyle w:val="TableGrid"/>', `<w:p>${run(white, 'SECRET')}</w:p>`),
      wordTable('', paragraph('SECRET'), '<w:trPr><w:hidden/></w:trPr>'),
      `<w:p><w:r><w:pict><w:txbxContent><w:p>${run(white, 'in a box')}</w:p></w:txbxContent></w:pict></w:r></w:p>`,
    ].join('');
    const styles =
      '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
      wordStyle('Gone', '<w:rPr><w:vanish/></w:rPr>') +
      wordStyle('Pale', `<w:rPr>${white}</w:rPr>`) +
      wordStyle('Whisper', '<w:basedOn w:val="Pale"/>') +
      wordStyle('Banner', `<w:basedOn w:val="Pale"/><w:pPr>${shaded}</w:pPr>`) +
      '</w:styles>';
    const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    const relation = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="${types}/styles" Target="styles.xml"/></Relationships>`;
    const parts = [
      ...wordParts(body),
      { name: 'word/_rels/document.xml.rels', data: relation },
      { name: 'word/styles.xml', data: styles },
    ];
    const [text = ''] = await texts('docx', makeZip(parts));
    expect(text.split(/\n+/)).toEqual([
      'Seen',
      'shown again',
      'on a marker and a colour',
      'in a bar',
      'loud',
      'white of a banner',
      'head of a table',
      'in its theme',
      'head by a style',
      'in a box',
    ]);
    const cover =
      '<w:hdr xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">' +
      '<w:p><w:r><w:drawing><wp:anchor behindDoc="1"/></w:drawing></w:r></w:p></w:hdr>';
    const covered = [
      ...wordParts(`<w:p>${run(white, 'upon a cover')}</w:p>`),
      {
        name: 'word/_rels/document.xml.rels',
        data: relation.replace('/styles', '/header').replace('styles.', 'header1.'),
      },
      { name: 'word/header1.xml', data: cover },
    ];
    expect(await texts('docx', makeZip(covered))).toEqual(['upon a cover']);
  });

  it('Word and PowerPoint: exponents and marks of notes are no digits of the number before them', async () => {
    const formula = `<m:oMath>${mathRun('E=m')}<m:sSup><m:e>${mathRun('c')}</m:e><m:sup>${mathRun('2')}</m:sup></m:sSup>${mathRun('+')}<m:f><m:num>${mathRun('1')}</m:num><m:den>${mathRun('2+x')}</m:den></m:f></m:oMath>`;
    const body = `<w:p>${plainRun('10')}${raisedRun('6')}${plainRun(' of 25 m')}${raisedRun('2')}${plainRun(' in 2024')}${raisedRun('1')}</w:p><w:p>${formula}</w:p>`;
    expect(await texts('docx', makeZip(wordParts(body)))).toEqual(['10^6 of 25 m2 in 2024^1\n\nE=mc^2+1/(2+x)']);
    const runs = '<a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r>';
    const slide = presentationParts(['RAISED']).map(({ name, data }) => ({
      name,
      data: String(data).replace('<a:r><a:t>RAISED</a:t></a:r>', runs),
    }));
    expect(await texts('pptx', makeZip(slide))).toEqual(['10^6']);
    const half = slide.map(({ name, data }) => ({ name, data: data.replace(runs, `<a14:m>${formula}</a14:m>`) }));
    expect(await texts('pptx', makeZip(half))).toEqual(['E=mc^2+1/(2+x)']);
  });

  it('Word: roots, brackets, limits and what stands below the line are said in formulas', async () => {
    const e = mathOf('e', mathRun('x'));
    const [one, two] = [mathOf('sub', mathRun('1')), mathOf('sup', mathRun('2'))];
    const sum = '<m:naryPr><m:chr m:val="\u2211"/></m:naryPr>';
    const bars = '<m:dPr><m:begChr m:val="|"/><m:endChr m:val="|"/></m:dPr>';
    const formulas = [
      [mathOf('rad', mathOf('deg'), e), '\u221ax'],
      [mathOf('rad', mathOf('deg', mathRun('3')), mathOf('e', mathRun('x+1'))), '\u221a[3](x+1)'],
      [mathOf('sSup', mathOf('e', mathOf('d', mathOf('e', mathRun('a+b')))), two), '(a+b)^2'],
      [mathOf('sSubSup', e, one, two), 'x_1^2'],
      [mathOf('nary', sum, mathOf('sub', mathRun('i=1')), two, e), '\u2211_(i=1)^2 x'],
      [mathOf('d', bars, e), '|x|'],
      [mathOf('func', mathOf('fName', mathRun('sin')), e), 'sin x'],
      [mathOf('m', mathOf('mr', e, e), mathOf('mr', e, e)), '[x, x; x, x]'],
    ];
    const body = formulas.map(([formula]) => `<w:p>${mathOf('oMath', formula ?? '')}</w:p>`).join('');
    expect(await texts('docx', makeZip(wordParts(body)))).toEqual([formulas.map(([, said]) => said).join('\n\n')]);
  });

  it('Word: signs of symbol fonts, boxes and lists of forms, and documents that were put in whole', async () => {
    const box = (checked: string) => formField(`<w:checkBox><w:default w:val="0"/>${checked}</w:checkBox>`);
    const list = formField(
      '<w:ddList><w:result w:val="1"/><w:listEntry w:val="Red"/><w:listEntry w:val="Blue"/></w:ddList>',
    );
    const body = [
      `<w:p>${symbolRun('Symbol', 'F0B1')}${plainRun('5 ')}${symbolRun('Symbol', 'F06D')}${plainRun('m ')}${symbolRun('Wingdings', 'F0FE')}${symbolRun('Other', 'F0FE')}</w:p>`,
      `<w:p>${list}${plainRun(' ')}${box('<w:checked/>')}${plainRun('yes ')}${box('')}${plainRun('no')}</w:p>`,
      ...['Page', 'Mail', 'Word', 'Lost'].map((id) => `<w:altChunk r:id="${id}"/>`),
    ].join('');
    const related = ['Page:page.htm', 'Mail:mail.mht', 'Word:part.docx', 'Lost:lost.docx'].map((each) => {
      const [id = '', target = ''] = each.split(':');
      return `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk" Target="${target}"/>`;
    });
    const mail =
      'Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>=C3=A9t=C3=A9</p>';
    const file = makeZip([
      ...wordParts(body),
      {
        name: 'word/_rels/document.xml.rels',
        data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${related.join('')}</Relationships>`,
      },
      { name: 'word/page.htm', data: '<p>of a page</p>' },
      { name: 'word/mail.mht', data: mail },
      { name: 'word/part.docx', data: makeZip(wordParts(paragraph('of a part'))) },
      { name: 'word/lost.docx', data: 'no zip' },
    ]);
    expect(await texts('docx', file)).toEqual([
      '\u00b15 \u03bcm \u2611\n\nBlue \u2612yes \u2610no\n\nof a page\n\n\u00e9t\u00e9\n\nof a part',
    ]);
  });

  it('PowerPoint: no hidden slides, and no shapes that are hidden or beside the slide', async () => {
    const shapes = [
      placedShape('Seen', 0, 0),
      placedShape('At the edge', -500, 0),
      placedShape('SECRET', -2000, 0),
      placedShape('SECRET', 0, 9000),
      placedShape('SECRET', 0, 0, 'hidden="1"'),
      groupOf(placedShape('Of a group', 50_000, 50_000) + placedShape('SECRET', 100, 100)),
      shape('Placed by its layout'),
      '<p:sp><p:txBody><a:p><a:r><a:rPr sz="100"/><a:t>SECRET</a:t></a:r><a:r><a:rPr sz="1000"/><a:t>Small print</a:t></a:r></a:p></p:txBody></p:sp>',
    ].join('');
    const parts = presentationParts(['Hidden', 'SHAPES', 'Last']).map(({ name, data }) => ({
      name,
      data: String(data)
        .replace('</p:sldIdLst>', '</p:sldIdLst><p:sldSz cx="9000" cy="7000"/>')
        .replace(shape('SHAPES'), shapes)
        .replace(/<p:sld (?=.*Hidden)/, '<p:sld show="0" '),
    }));
    const pages = await pagesOf('pptx', makeZip(parts));
    expect(pages.map(({ text }) => text.split(/\n+/))).toEqual([
      [''],
      ['Seen', 'At the edge', 'Of a group', 'Placed by its layout', 'Small print'],
      ['Last'],
    ]);
  });

  it('PowerPoint: no white text upon white', async () => {
    const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    const names =
      'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
    const [white, ground] = ['<a:srgbClr val="FFFFFF"/>', '<a:schemeClr val="bg1"/>'];
    const related = (name: string, ...targets: [type: string, target: string][]) => ({
      name,
      data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([type, target]) => `<Relationship Id="${type}" Type="${types}/${type}" Target="${target}"/>`).join('')}</Relationships>`,
    });
    const deck = (light: string, shapes: string) =>
      makeZip([
        ...presentationParts(['SHAPES']).map(({ name, data }) => ({
          name,
          data: String(data).replace(shape('SHAPES'), shapes),
        })),
        related('ppt/slides/_rels/slide0.xml.rels', ['slideLayout', '../slideLayouts/slideLayout1.xml']),
        related('ppt/slideLayouts/_rels/slideLayout1.xml.rels', ['slideMaster', '../slideMasters/slideMaster1.xml']),
        related('ppt/slideMasters/_rels/slideMaster1.xml.rels', ['theme', '../theme/theme1.xml']),
        {
          name: 'ppt/slideLayouts/slideLayout1.xml',
          data: `<p:sldLayout ${names}><p:cSld><p:spTree/></p:cSld></p:sldLayout>`,
        },
        {
          name: 'ppt/slideMasters/slideMaster1.xml',
          data: `<p:sldMaster ${names}><p:cSld><p:bg><p:bgRef idx="1001">${ground}</p:bgRef></p:bg><p:spTree/></p:cSld><p:clrMap bg1="lt1"/></p:sldMaster>`,
        },
        {
          name: 'ppt/theme/theme1.xml',
          data: `<a:theme ${names}><a:themeElements><a:clrScheme><a:lt1><a:sysClr val="window" lastClr="${light}"/></a:lt1></a:clrScheme></a:themeElements></a:theme>`,
        },
      ]);
    const hidden = colouredRun(' SECRET', white) + colouredRun(' SECRET', ground);
    const marked = colouredRun(', marked', white, '<a:highlight><a:srgbClr val="000080"/></a:highlight>');
    expect(await texts('pptx', deck('FFFFFF', seenBox(hidden + marked)))).toEqual(['Seen, marked']);
    const blue = '<a:solidFill><a:srgbClr val="000080"/></a:solidFill>';
    for (const file of [
      deck('FFFFFF', seenBox(colouredRun(' in white', white), blue)),
      deck('FFFFFF', seenBox(colouredRun(' in white', white)) + '<p:pic/>'),
      deck('102030', seenBox(colouredRun(' in white', white))),
    ])
      expect(await texts('pptx', file)).toEqual(['Seen in white']);
  });

  it('Word: the author\u2019s breaks when the file was never laid out', async () => {
    const body = `${paragraph('One')}<w:p><w:r><w:br w:type="page"/></w:r></w:p>${paragraph('Two')}`;
    expect(await texts('docx', makeZip(wordParts(body)))).toEqual(['One', 'Two']);
  });

  it('Word: footnotes behind the paragraph, the point of a list and the cell that refer to them', async () => {
    const body =
      `<w:p>${noted('Leave')}<w:r><w:t> ends in May.</w:t></w:r></w:p>` +
      `<w:tbl><w:tr><w:tc><w:p>${noted('Days')}</w:p></w:tc></w:tr></w:tbl>`;
    const note = `<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote w:id="2">${paragraph('Not in Rome.')}</w:footnote></w:footnotes>`;
    const parts = [...wordParts(body), { name: 'word/footnotes.xml', data: `<?xml version="1.0"?>${note}` }];
    expect(await texts('docx', makeZip(parts))).toEqual(['Leave ends in May.\n(Not in Rome.)\n\nDays (Not in Rome.)']);
  });

  it('OpenDocument: footnotes likewise', async () => {
    const names = ['office', 'text'].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`);
    const note =
      '<text:note text:id="n" text:note-class="footnote"><text:note-body><text:p>Not in Rome.</text:p></text:note-body></text:note>';
    const content = `<office:document-content ${names.join(' ')}><office:body><office:text><text:p>Leave${note} ends.</text:p></office:text></office:body></office:document-content>`;
    const odt = makeZip([
      { name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' },
      { name: 'content.xml', data: content },
    ]);
    expect(await texts('odt', odt)).toEqual(['Leave ends.\n(Not in Rome.)']);
  });

  it('PowerPoint: several paragraphs of what a layout fills are points', async () => {
    const deck = presentationParts(['One']).map((part) =>
      part.name.startsWith('ppt/slides/slide')
        ? {
            ...part,
            data: String(part.data).replace(
              '</p:spTree>',
              `${slideBody(slidePoint('Opening on 1 July'), slidePoint(''), slidePoint('No hiring'), slidePoint('So far', '<a:pPr><a:buNone/></a:pPr>'))}${slideBody(slidePoint('Alone'))}</p:spTree>`,
            ),
          }
        : part,
    );
    expect(await texts('pptx', makeZip(deck))).toEqual(['One\n\n- Opening on 1 July\n- No hiring\n\nSo far\n\nAlone']);
  });

  it('PowerPoint: a slide without anything keeps its number', async () => {
    const pages = await pagesOf('pptx', makeZip(presentationParts(['First', '', 'Third'])));
    expect(pages.map(({ number, text, label }) => [number, text, label])).toEqual([
      [1, 'First', 'First'],
      [2, '', undefined],
      [3, 'Third', 'Third'],
    ]);
  });

  it('PowerPoint: charts', async () => {
    const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    const parts = presentationParts(['Numbers']).map((part) => ({
      ...part,
      data: String(part.data).replace(
        '</p:spTree>',
        '<p:graphicFrame><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">' +
          '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="c1"/></a:graphicData></a:graphic></p:graphicFrame></p:spTree>',
      ),
    }));
    const relation = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="c1" Type="${types}/chart" Target="../charts/chart7.xml"/></Relationships>`;
    const deck = makeZip([
      ...parts,
      { name: 'ppt/slides/_rels/slide0.xml.rels', data: relation },
      { name: 'ppt/charts/chart7.xml', data: CHART },
    ]);
    expect(await texts('pptx', deck)).toEqual(['Numbers\n\nCopies & maps\nSold: Rome 5; Cairo 8']);
  });

  it('Excel: text boxes and titles of charts behind the sheets', async () => {
    const workbook = utils.book_new(utils.aoa_to_sheet([['Shop'], ['Rome']]), 'Shops');
    const bytes: Buffer = write(workbook, { type: 'buffer', bookType: 'xlsx' });
    const file = CFB.read(bytes, { type: 'buffer' });
    const box =
      '<xdr:txBody><a:p><a:r><a:t>Mind the </a:t></a:r><a:r><a:t xml:space="preserve">gap.</a:t></a:r></a:p><a:p/></xdr:txBody>';
    CFB.utils.cfb_add(file, '/xl/drawings/drawing1.xml', Buffer.from(`<xdr:wsDr>${box}</xdr:wsDr>`));
    CFB.utils.cfb_add(file, '/xl/charts/chart1.xml', Buffer.from(CHART));
    const pages = await pagesOf('xlsx', CFB.write(file, { fileType: 'zip', type: 'buffer' }) as Buffer);
    expect(pages.map(({ label, text }) => [label, text])).toEqual([
      ['Shops', 'Shop\nRome'],
      ['Text boxes and charts', 'Copies & maps\n\nMind the gap.'],
    ]);
  });

  it('HTML: text only, whatever the encoding', async () => {
    const html =
      '<html><head><title>T</title><script>alert(1)</script><style>p{}</style></head><body><h1>Caf\u00e9</h1><ul><li>a<li>b</ul></body></html>';
    expect(await texts('html', Buffer.from(html, 'latin1'))).toEqual(['Caf\u00e9\n\n- a\n- b']);
  });

  it('RTF: signs that have names, and no text that a change has deleted', async () => {
    const rtf =
      '{\\rtf1\\ansi 5\\~000\\endash 6\\~000 \\bullet\\emdash co\\_op{\\deleted  gone}\\deleted  gone\\deleted0 , kept\\sect next}';
    expect(await texts('rtf', rtf)).toEqual(['5 000–6 000 •—co-op, kept\n\nnext']);
  });

  it('JSON: numbers as they are written where JavaScript would hold others', async () => {
    const json = '{"id": 12345678901234567890, "far": 1e400, "list": [9007199254740993, 2], "plain": 1.5}';
    expect(await texts('json', json)).toEqual([
      'id: 12345678901234567890\nfar: 1e400\nlist: 9007199254740993, 2\nplain: 1.5',
    ]);
    expect(await texts('json', '{"id": 12345678901234567890}\n{"id": 2}')).toEqual([
      'id: 12345678901234567890\n\nid: 2',
    ]);
  });

  it('CSV: a first line that names the delimiter is none of the table', async () => {
    expect(await texts('csv', '\ufeffsep=;\r\na;b\r\n1,5;"x;y"\r\n')).toEqual(['a | b\na: 1,5; b: x;y']);
    expect(await texts('csv', 'sep=x;y\n1;2\n')).toEqual(['sep=x | y\nsep=x: 1; y: 2']);
  });

  const sheetText = async (rows: unknown[][], merges: string[] = []) => {
    const sheet = utils.aoa_to_sheet(rows);
    sheet['!merges'] = merges.map((range) => utils.decode_range(range));
    return (await texts('xlsx', write(utils.book_new(sheet, 'S'), { type: 'buffer', bookType: 'xlsx' }))).join('\n');
  };

  it('Excel: the header below a title, in two rows where the upper one gathers columns', async () => {
    const title = [['Prices'], ['valid from', 'May'], []];
    expect(await sheetText([...title, ['No.', 'Name', 'Net', 'Stock'], ['A-1', 'Shelf', 38.5, 14]])).toBe(
      'Prices\nvalid from | May\nNo. | Name | Net | Stock\nNo.: A-1; Name: Shelf; Net: 38.5; Stock: 14',
    );
    const grouped = [
      ['Price', null, 'Stock', 'Place'],
      ['Net', 'Gross', null, null],
      [38.5, 79.9, 14, 'B2'],
    ];
    expect(await sheetText([...title, ...grouped], ['A4:B4', 'C4:C5'])).toBe(
      'Prices\nvalid from | May\nPrice | Stock | Place\nNet | Gross\nPrice Net: 38.5; Price Gross: 79.9; Stock: 14; Place: B2',
    );
    // A form below its title is no table.
    expect(await sheetText([['Order'], ['Name', 'Ruiz'], ['City', 'Rome']])).toBe('Order\nName | Ruiz\nCity | Rome');
  });

  it('Excel: another table further down a sheet has a header of its own', async () => {
    const members = [
      ['Group', 'Adults', 'Children'],
      ['Rowing', 84, 31],
      ['Sailing', 57, 12],
    ];
    expect(
      await sheetText([...members, [], ['Fees (EUR)'], ['Category', 'Fee'], ['Adult', 180], ['Child', 65]]),
    ).toContain(
      'Sailing; Adults: 57; Children: 12\nFees (EUR)\nCategory | Fee\nCategory: Adult; Fee: 180\nCategory: Child; Fee: 65',
    );
    // Below many rows, too.
    const many = Array.from({ length: 30 }, (_, at) => [`Group ${at}`, at, at]);
    expect(await sheetText([members[0]!, ...many, [], ['Category', 'Fee'], ['Adult', 180]])).toContain(
      'Group 29; Adults: 29; Children: 29\nCategory | Fee\nCategory: Adult; Fee: 180',
    );
    // Rows that go on with the table, and its sums.
    expect(await sheetText([...members, [], ['Chess', 'unknown', 4], ['Total', 141, 47]])).toContain(
      'Group: Chess; Adults: unknown; Children: 4\nGroup: Total; Adults: 141; Children: 47',
    );
    expect(
      await sheetText([['Name', 'City', 'Days'], ['Ann', 'Rome', 3], [], ['Ben', 'Oslo', 'none'], ['Cy', 'Cork', 2]]),
    ).toContain('Name: Ben; City: Oslo; Days: none\nName: Cy; City: Cork; Days: 2');
  });

  it('Excel: dates whose format has dots', async () => {
    const sheet = utils.aoa_to_sheet([
      ['Day', 'At'],
      [dated('dd.mm.yyyy', 45_000), dated('d. mmm yy hh.mm', 45_000.5)],
      [dated('0.00', 1.5), dated('yyyy年m月d日', 45_000)],
    ]);
    const of1900 = utils.book_new(sheet, 'Days');
    const read = async (bookType: 'xlsx' | 'xlsb') =>
      (await texts(bookType, write(of1900, { type: 'buffer', bookType }))).join('\n');
    const shown = 'Day | At\nDay: 15.03.2023; At: 15. Mar 23 12.00\nDay: 1.50; At: 2023年3月15日';
    expect([await read('xlsx'), await read('xlsb')]).toEqual([shown, shown]);
    of1900.Workbook = { WBProps: { date1904: true } };
    expect(await read('xlsx')).toContain('16.03.2027');
  });

  it('Excel: what formulas come to where the file does not say it', async () => {
    const sheet = utils.aoa_to_sheet([
      ['Item', 'Euros'],
      ['Desk', 1200.5],
      ['Lamp', 88],
      ['Total'],
      ['Double'],
      ['Done'],
      ['Today'],
    ]);
    const made = write(
      { SheetNames: ['Costs'], Sheets: { Costs: sheet } },
      { type: 'buffer', bookType: 'xlsx' },
    ) as Uint8Array;
    const container = CFB.read(made, { type: 'buffer' });
    const change = (part: string, edit: (text: string) => string) => {
      const file = CFB.find(container, part);
      if (file) file.content = Buffer.from(edit(Buffer.from(file.content).toString()));
    };
    const formulas = {
      4: '<f>SUM(B2:B3)</f><v/>',
      5: '<f>B4*2</f><v>0</v>',
      6: '<f>B4&gt;B2</f>',
      7: '<f>TODAY()</f><v></v>',
    };
    const file = (facts: string) => {
      change('/xl/worksheets/sheet1.xml', (text) =>
        Object.entries(formulas).reduce(
          (changed, [row, cell]) =>
            changed.replace(
              new RegExp(`(<row r="${row}".*?)(?:<c r="B${row}".*?</c>)?(</row>)`),
              `$1<c r="B${row}">${cell}</c>$2`,
            ),
          text,
        ),
      );
      change('/xl/workbook.xml', (text) => text.replace(/<calcPr[^>]*>|(?=<\/workbook>)/, facts));
      return Buffer.from(CFB.write(container, { fileType: 'zip', type: 'buffer' }) as Uint8Array);
    };
    const rows = async (facts: string) => (await texts('xlsx', file(facts))).join('\n').split('\n').slice(-4);
    expect(await rows('')).toEqual([
      'Item: Total; Euros: 1288.5',
      'Item: Double; Euros: 0',
      'Item: Done; Euros: TRUE',
      'Item: Today',
    ]);
    expect(await rows('<calcPr fullCalcOnLoad="1"/>')).toContain('Item: Double; Euros: 2577');
  });

  it('RTF: no text that its author has hidden', async () => {
    const rtf =
      "{\\rtf1\\ansi seen{\\v SECRET {\\b SECRET} \\u8364? \\'e4} shown \\v SECRET\\v0 again \\v SECRET \\plain at last\\vertalc .}";
    expect(await texts('rtf', rtf)).toEqual(['seen shown again at last.']);
  });

  it('OpenDocument: no hidden text, sections and slides', async () => {
    const names = ['office', 'text', 'style', 'drawing', 'presentation'].map(
      (name) => `xmlns:${name === 'drawing' ? 'draw' : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
    );
    const styles =
      '<office:automatic-styles><style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style>' +
      '<style:style style:name="P1" style:family="paragraph"><style:text-properties text:display="none"/></style:style><style:style style:name="P2" style:family="paragraph" style:parent-style-name="P1"/>' +
      '<style:style style:name="dp1" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style></office:automatic-styles>';
    const file = (body: string) =>
      makeZip([
        {
          name: 'content.xml',
          data: `<office:document-content ${names.join(' ')}>${styles}<office:body>${body}</office:body></office:document-content>`,
        },
      ]);
    const words =
      '<text:p>Seen<text:span text:style-name="T1"> SECRET</text:span><text:hidden-text text:is-hidden="true"> SECRET</text:hidden-text>, all</text:p>' +
      '<text:p text:style-name="P2">SECRET</text:p><text:p><text:hidden-paragraph text:is-hidden="true"/>SECRET</text:p>' +
      '<text:section text:display="none"><text:p>SECRET</text:p></text:section><text:p>Last</text:p>';
    expect(await texts('odt', file(`<office:text>${words}</office:text>`))).toEqual(['Seen, all\n\nLast']);
    const slides = `<office:presentation>${odpSlide('dp1', 'SECRET')}${odpSlide('dp2', 'Seen')}</office:presentation>`;
    expect(await texts('odp', file(slides))).toEqual(['', 'Seen']);
  });

  it('OpenDocument: exponents and marks of notes are no digits of the number before them', async () => {
    const names = ['office', 'text', 'style'].map(
      (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
    );
    const styles =
      raisedStyle('up', 'super 58%') +
      raisedStyle('high', '33% 58%') +
      raisedStyle('down', 'sub 58%') +
      raisedStyle('own', '', 'up');
    const body = `<text:p>10${odfSpan('up', '6')} of 10${odfSpan('high', '-3')} in 2024${odfSpan('own', '1')}, CO${odfSpan('down', '2')}, 5 m${odfSpan('up', '2')}</text:p>`;
    const data = `<office:document-content ${names.join(' ')}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`;
    expect(await texts('odt', makeZip([{ name: 'content.xml', data }]))).toEqual([
      '10^6 of 10^-3 in 2024^1, CO2, 5 m2',
    ]);
  });

  it('OpenDocument: fractions of formulas are fractions', async () => {
    const [one, two, x] = ['1', '2', 'x'].map((text) => mathElement('mn', text));
    const formula =
      mathElement('msup', mathElement('mi', 'c') + two) +
      mathElement('mfrac', one + mathElement('mrow', `${two}${mathElement('mo', '+')}${x}`));
    const data = `<math:math xmlns:math="http://www.w3.org/1998/Math/MathML">${mathElement('semantics', mathElement('mrow', formula) + mathElement('annotation', 'SECRET'))}</math:math>`;
    const body =
      '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"><office:body><office:text><text:p>So:<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p></office:text></office:body></office:document-content>';
    const odt = makeZip([
      { name: 'content.xml', data: body },
      { name: 'Object 1/content.xml', data },
    ]);
    expect(await texts('odt', odt)).toEqual(['So:\n\nc^2 1/(2+x)']);
  });

  it('RTF: exponents likewise', async () => {
    const rtf =
      '{\\rtf1\\ansi 10{\\super 6} of 10\\b\\super -3\\nosupersub  in 2024{\\up6\\fs16 1}, 1{\\up0 2}, 5 m{\\super 2}, 7\\par {\\super 1} A note}';
    expect(await texts('rtf', rtf)).toEqual(['10^6 of 10^-3 in 2024^1, 12, 5 m2, 7\n\n1 A note']);
  });

  it('OpenDocument: no white text upon white', async () => {
    const names = ['office', 'text', 'style', 'table', 'drawing', 'presentation', 'xsl-fo-compatible'].map(
      (name) =>
        `xmlns:${name === 'drawing' ? 'draw' : name.replace('xsl-fo-compatible', 'fo')}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
    );
    const white = '<style:text-properties fo:color="#ffffff"/>';
    const styles = [
      odfStyle('White', 'text', white),
      odfStyle('Dark', 'text', '<style:text-properties fo:color="#000000"/>'),
      odfStyle('Marked', 'text', '<style:text-properties fo:color="#fefefe" fo:background-color="#000080"/>'),
      odfStyle('Parent', 'paragraph', white),
      odfStyle(
        'Pale',
        'paragraph',
        '<style:paragraph-properties><style:background-image/></style:paragraph-properties>',
        'Parent',
      ),
      odfStyle('Bar', 'paragraph', '<style:paragraph-properties fo:background-color="#123456"/>', 'Parent'),
      odfStyle('Blue', 'table-cell', '<style:table-cell-properties fo:background-color="#000080"/>'),
      odfStyle('clear', 'graphic', '<style:graphic-properties draw:fill="none"/>'),
      odfStyle('filled', 'graphic', '<style:graphic-properties draw:fill="solid" draw:fill-color="#000080"/>'),
      odfStyle('night', 'drawing-page', '<style:drawing-page-properties draw:fill="solid" draw:fill-color="#000000"/>'),
      odfStyle('day', 'drawing-page', '<style:drawing-page-properties draw:fill="solid" draw:fill-color="#ffffff"/>'),
    ].join('');
    const file = (body: string, more = '') =>
      makeZip([
        {
          name: 'content.xml',
          data: `<office:document-content ${names.join(' ')}><office:automatic-styles>${styles}${more}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
        },
      ]);
    const cell = (style: string, text: string) =>
      `<table:table-cell table:style-name="${style}"><text:p>${odfSpan('White', text)}</text:p></table:table-cell>`;
    const words =
      `<text:p>Seen${odfSpan('White', ` SECRET${odfSpan('Dark', ', within')}`)}${odfSpan('Marked', ', marked')}</text:p>` +
      `<text:p text:style-name="Pale">SECRET<text:note><text:note-body><text:p>A note</text:p></text:note-body></text:note></text:p><text:p text:style-name="Bar">On a bar</text:p>` +
      `<text:p>Before<draw:frame><draw:text-box><text:p>${odfSpan('White', 'In a box')}</text:p></draw:text-box></draw:frame></text:p>` +
      `<table:table><table:table-row>${cell('Blue', 'In blue')}${cell('', 'SECRET')}</table:table-row></table:table>`;
    const [read] = await texts('odt', file(`<office:text>${words}</office:text>`));
    expect(read?.split(/\n+/)).toEqual([
      'Seen, within, marked',
      '(A note)',
      'On a bar',
      'Before',
      'In a box',
      'In blue',
    ]);
    const letterhead = odfStyle('behind', 'graphic', '<style:graphic-properties style:run-through="background"/>');
    expect((await texts('odt', file(`<office:text>${words}</office:text>`, letterhead))).join()).toContain('SECRET');
    const slides = [
      odpShapes('day', odpBox('clear', `Seen${odfSpan('White', ' SECRET')}`)),
      odpShapes('night', odpBox('clear', odfSpan('White', 'By night'))),
      odpShapes('day', odpBox('clear', odfSpan('White', 'Maybe upon the other')), odpBox('filled', 'A box')),
    ];
    expect(await texts('odp', file(`<office:presentation>${slides.join('')}</office:presentation>`))).toEqual([
      'Seen',
      'By night',
      'Maybe upon the other\n\nA box',
    ]);
  });

  it('RTF', async () => {
    expect(await texts('rtf', '{\\rtf1\\ansi first\\page second \\u1587?}')).toEqual(['first\n\nsecond \u0633']);
  });

  it('CSV: header in every line, pages of 50 rows', async () => {
    const rows = Array.from({ length: 120 }, (_, n) => `"Shop ""${n}""";${n}`);
    const pages = await pagesOf('csv', ['Shop;Copies', ...rows].join('\r\n'));
    expect(pages.map((page) => page.label)).toEqual(['rows 1-50', 'rows 51-100', 'rows 101-121']);
    expect(pages[2]?.text.split('\n').at(-1)).toBe('Shop: Shop "119"; Copies: 119');
  });

  it('CSV: a table without a header keeps its rows as they are', async () => {
    expect(await texts('csv', '1,2\n3,4\n')).toEqual(['1 | 2\n3 | 4']);
  });

  it('CSV: reads the lines as they stand from an unclosed quotation mark on, and says so', async () => {
    const broken = `a,b\n1,2\n"3,4\n${'5,6\n'.repeat(10)}`;
    const text = (await texts('csv', broken)).join('\n');
    expect(text).toMatch(/a: 1; b: 2\n\(Row 3: a quotation mark is not closed[^\n]*\)\na: "3; b: 4\na: 5; b: 6/);
    expect(text.match(/a: 5; b: 6/g)).toHaveLength(10);
  });

  it('CSV: marks rows that have more or fewer cells than the header', async () => {
    const [text] = await texts('csv', 'Name,City,Days\nAda,Rome,3\nBo,Oslo\nCy,Bonn,4,extra\nDi,Kiel,5,\n');
    expect(text).toBe(
      'Name | City | Days\nName: Ada; City: Rome; Days: 3\nName: Bo; City: Oslo (row 3 has 2 cells, the header 3)\n' +
        'Name: Cy; City: Bonn; Days: 4; extra (row 4 has 4 cells, the header 3)\nName: Di; City: Kiel; Days: 5',
    );
  });

  it('PDF: what was typed into a form and upon the page, behind its text', async () => {
    const words = 'BT /F1 12 Tf 50 700 Td (Name of the applicant) Tj ET';
    const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
    const widget = '/Type /Annot /Subtype /Widget /F 4';
    const [page] = await pagesOf(
      'pdf',
      makePdf([
        '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R 6 0 R 8 0 R 9 0 R 11 0 R 12 0 R] >> >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 ${font} >> >> /Annots [5 0 R 7 0 R 8 0 R 9 0 R 10 0 R 11 0 R 12 0 R 13 0 R] >>`,
        `<< /Length ${words.length} >>\nstream\n${words}\nendstream`,
        `<< ${widget} /FT /Tx /T (name) /V (Ada Lovelace) /Rect [200 700 400 720] >>`,
        '<< /FT /Ch /T (city) /V <FEFF0627064406420627064706310629> /Kids [7 0 R] >>',
        `<< ${widget} /Parent 6 0 R /Rect [200 650 400 670] >>`,
        `<< ${widget} /FT /Btn /T (agree) /V /Yes /AS /Yes /Rect [200 610 220 630] >>`,
        '<< /Type /Annot /Subtype /Widget /F 2 /FT /Tx /T (hidden) /V (Not for you) /Rect [200 580 400 600] >>',
        '<< /Type /Annot /Subtype /FreeText /F 4 /Contents (Typed upon it) /DA (/Helv 12 Tf) /Rect [50 500 300 520] >>',
        `<< ${widget} /FT /Ch /Ff 131072 /T (Text4) /TU (Country) /V (SE) /Opt [[(SE) (Sweden)] [(NO) (Norway)]] /Rect [50 450 300 470] >>`,
        `<< ${widget} /FT /Btn /T (news) /V /Off /AS /Off /Rect [200 410 220 430] >>`,
        '<< /Type /Annot /Subtype /Text /F 4 /T (Kim) /Contents (Check the salary) /Rect [300 600 320 620] >>',
      ]),
    );
    expect(page?.text).toBe(
      'Name of the applicant\n\nname: Ada Lovelace\ncity: القاهرة\nagree: Yes\nTyped upon it\nCountry: Sweden\nComment: Kim: Check the salary',
    );
    const [x0, y0, x1, y1] = page!.lines![1]!.rect;
    expect([x0, y0, x1, y1].map((place) => Number(place.toFixed(3)))).toEqual([0.333, 0.1, 0.667, 0.125]);
  });

  it('PDF: hyphens at the ends of lines go where they part a word, and stay where they are part of it', async () => {
    const lines = [
      'The inter-',
      'national co-',
      'operation, state-of-the-',
      'art, of case AB-',
      '123 and Haupt-',
      'und Nebenkosten',
    ];
    const words = lines.map((line, at) => `BT /F1 12 Tf 50 ${700 - 15 * at} Td (${line}) Tj ET`).join('\n');
    const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
    const file = makePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 ${font} >> >> >>`,
      `<< /Length ${words.length} >>\nstream\n${words}\nendstream`,
    ]);
    expect(await texts('pdf', file)).toEqual([
      'The international cooperation, state-of-the-art, of case AB-123 and Haupt-\nund Nebenkosten',
    ]);
  });

  it('PDF: no words in the colour of the page, but those that stand on something', async () => {
    const words = [
      pdfText(700, 'Budget is 10'),
      `1 1 1 rg ${pdfText(680, 'SECRET WORDS')}`,
      `0 0 0 rg /G0 gs ${pdfText(660, 'SECRET TOO')} /G1 gs`,
      `40 595 300 25 re f 1 1 1 rg ${pdfText(600, 'On a bar')}`,
    ].join('\n');
    const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
    const states = '/ExtGState << /G0 << /ca 0 >> /G1 << /ca 1 >> >>';
    const file = makePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /Rotate 90 /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 ${font} >> ${states} >> >>`,
      `<< /Length ${words.length} >>\nstream\n${words}\nendstream`,
    ]);
    expect((await texts('pdf', file)).join().split(/\n+/)).toEqual(['Budget is 10', 'On a bar']);
  });

  it('PDF: no words of layers that are off, beyond the page, cut away or without a shape, and all that are shown', async () => {
    const form = (text: string, extra = '') => {
      const drawn = pdfText(0, text);
      return `<< /Type /XObject /Subtype /Form /BBox [0 -10 600 20] ${extra} /Resources << /Font << /F1 7 0 R >> >> /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`;
    };
    const words = [
      pdfText(700, 'Budget is 10'),
      `/OC /Off BDC ${pdfText(680, 'SECRET layer')} EMC`,
      `/OC /On BDC ${pdfText(660, 'Shown layer')} EMC`,
      '/OC /On BDC 0.9 g BT /F1 4 Tf 40 650 Td (Small print, il.) Tj ET 0 g EMC',
      `q 0 0 20 20 re W n ${pdfText(640, 'SECRET clipped')} Q`,
      `q 40 610 300 30 re W n ${pdfText(620, 'Within a clip')} Q`,
      'BT /F1 12 Tf 900 600 Td (SECRET beyond) Tj ET',
      `3 Tr ${pdfText(580, 'SECRET shapeless')} 0 Tr`,
      'q 1 0 0 1 0 560 cm /Hid Do Q q 1 0 0 1 0 540 cm /Seen Do Q',
      `q 1 0 0 1 0 0 cm 300 0 0 40 40 490 cm /Scan Do Q 3 Tr ${pdfText(500, 'Of a scan')} 0 Tr`,
    ].join('\n');
    const resources =
      '/Font << /F1 7 0 R >> /Properties << /Off 5 0 R /On 6 0 R >> /XObject << /Hid 8 0 R /Seen 9 0 R /Scan 10 0 R >>';
    const file = makePdf([
      '<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [5 0 R 6 0 R] /D << /OFF [5 0 R] /Order [] >> >> >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << ${resources} >> >>`,
      `<< /Length ${words.length} >>\nstream\n${words}\nendstream`,
      '<< /Type /OCG /Name (Off) >>',
      '<< /Type /OCG /Name (On) >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      form('SECRET form', '/OC 5 0 R'),
      form('Shown form'),
      '<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\nstream\n~\nendstream',
    ]);
    expect((await texts('pdf', file)).join().split(/\n+/)).toEqual([
      'Budget is 10',
      'Shown layer',
      'Small print, il.',
      'Within a clip',
      'Shown form',
      'Of a scan',
    ]);
  });

  it('PDF: words of forms are drawn to see them only where something may hide them', async () => {
    const drawn = jest.spyOn(await loadPdfium(), 'FPDF_RenderPageBitmap');
    try {
      const plain = formsPdf('q 1 0 0 1 0 700 cm /Plain Do Q', 'q 20 590 250 40 re W n 1 0 0 1 0 600 cm /Half Do Q');
      expect((await texts('pdf', plain)).join().split(/\n+/)).toEqual([
        'Of a form',
        'and its own',
        'Left of the matrix',
      ]);
      expect(drawn).not.toHaveBeenCalled();
      const hiding = formsPdf(
        'q 1 0 0 1 0 700 cm /Cut Do Q q 1 0 0 1 0 600 cm /Plain Do Q',
        'q 0 0 20 20 re W n 1 0 0 1 0 500 cm /Plain Do Q q /G0 gs 1 0 0 1 0 400 cm /Plain Do Q',
      );
      expect((await texts('pdf', hiding)).join().split(/\n+/)).toEqual(['Of a form', 'and its own']);
      expect(drawn).toHaveBeenCalledTimes(1);
    } finally {
      drawn.mockRestore();
    }
  });

  it('Word 97: no hidden and no deleted text, and all of what is spaced or styled', async () => {
    const file = makeWord97([
      ['Seen, ', ''],
      ['SECRET hidden, ', '3508013c0801'],
      ['SECRET deleted, ', '000801'],
      ['not hidden after all, ', '3c08013c0800'],
      ['spaced by odd points, ', '4088fdff'],
      ['of another script, ', '604a0100'],
      ['last\r', '3508013c0800'],
    ]);
    expect(await texts('doc', file)).toEqual([
      'Seen, not hidden after all, spaced by odd points, of another script, last',
    ]);
  });

  it('Word 97: what is raised behind a number is no digit of it', async () => {
    const file = makeWord97([
      ['10', ''],
      ['6', '482a01'],
      [' joules, 10', ''],
      ['-', '45480600'],
      ['3', '482a01'],
      [' m, the 3', ''],
      ['rd', '482a01'],
      [' of May, x', ''],
      ['2', '482a01'],
      [' and CO', ''],
      ['2', '482a02'],
      [', 5', ''],
      ['7\r', '482a00'],
    ]);
    expect(await texts('doc', file)).toEqual(['10^6 joules, 10^-3 m, the 3rd of May, x2 and CO2, 57']);
  });

  it('RTF: words on the line behind a control word, as LibreOffice writes them', async () => {
    const rtf = '{\\rtf1\\ansi\\pard{\\loch\nBefore}{\\b\r\n 12} {\\loch\\f1\n150.00 EUR}\n\\par {\\u8364\n?}}';
    expect(await texts('rtf', rtf)).toEqual(['Before 12 150.00 EUR\n\n€']);
  });

  it('RTF: headers, footers and comments follow the text', async () => {
    const remark = '{\\*\\atnid AL}{\\*\\atnauthor Ada}\\chatn{\\*\\annotation Look again}';
    const rtf = `{\\rtf1\\ansi{\\header\\pard Acme\\par}{\\footer\\pard Contract 77\\par}\\pard Body${remark} text\\par}`;
    expect(await texts('rtf', rtf)).toEqual([
      'Body text',
      'Headers and footers:\nAcme\nContract 77',
      'Comments:\nAda: Look again',
    ]);
  });

  it('Word 97: hyphens of a line, and signs of Windows that are letters of no code page', async () => {
    const file = makeWord97([['co\u001fop\u001er \u0080 5\u0081\r', '']]);
    expect(await texts('doc', file)).toEqual(['coop-r € 5']);
  });

  it('PowerPoint 97: outline and text boxes, slide by slide', async () => {
    const persist = record(0x03f3, Buffer.alloc(20));
    const outline = [
      persist,
      record(0x0fa0, Buffer.from('\u0633\u0641\u0631', 'utf16le')),
      persist,
      record(0x0fa8, Buffer.from('Plans\rof the year', 'latin1')),
    ];
    const hidden = Buffer.alloc(16);
    hidden.writeUInt16LE(0x04, 10);
    const stream = Buffer.concat([
      record(0x03e8, record(0x0ff0, Buffer.concat([...outline, persist, outline[3]!]), true), true),
      record(0x03ee, record(0xf00d, record(0x0fa8, Buffer.from('Text box')), true), true),
      record(0x03ee, record(0x03f9, Buffer.alloc(16)), true),
      record(0x03ee, record(0x03f9, hidden), true),
    ]);
    const file = CFB.utils.cfb_new();
    CFB.utils.cfb_add(file, '/PowerPoint Document', stream);
    const pages = await pagesOf('ppt', Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array));
    expect(pages).toEqual([
      { number: 1, text: '\u0633\u0641\u0631\n\nText box', label: '\u0633\u0641\u0631', ocr: false },
      { number: 2, text: 'Plans\nof the year', label: 'Plans', ocr: false },
      { number: 3, text: '', ocr: false },
    ]);
  });

  it('Text: form feeds part pages; NUL never comes through', async () => {
    expect(await texts('text', 'one\u0000\ftwo\f')).toEqual(['one', 'two']);
    await expect(texts('markdown', ' \n\t\n')).rejects.toMatchObject({ code: 'empty', permanent: true });
  });

  it('stops at the limits of pages and characters', async () => {
    await expect(texts('text', 'x\f'.repeat(1001))).rejects.toMatchObject({ code: 'too_large' });
    await expect(texts('text', 'x'.repeat(1_000_001))).rejects.toMatchObject({ code: 'too_large' });
  });
});
