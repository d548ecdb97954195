import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hostile, noise, type HostileFile } from './hostile-file.js';

const FIXTURES = resolve(process.cwd(), 'test/fixtures/documents');

/** The first bytes by which programs know the kinds. */
const MAGIC: Record<string, Buffer> = {
  pdf: Buffer.from('%PDF-1.7\n'),
  docx: Buffer.from('504b0304', 'hex'),
  odt: Buffer.from('504b0304', 'hex'),
  xlsx: Buffer.from('504b0304', 'hex'),
  ods: Buffer.from('504b0304', 'hex'),
  pptx: Buffer.from('504b0304', 'hex'),
  odp: Buffer.from('504b0304', 'hex'),
  doc: Buffer.from('d0cf11e0a1b11ae1', 'hex'),
  xls: Buffer.from('d0cf11e0a1b11ae1', 'hex'),
  ppt: Buffer.from('d0cf11e0a1b11ae1', 'hex'),
  rtf: Buffer.from('{\\rtf1\\ansi '),
  html: Buffer.from('<!DOCTYPE html><html>'),
  eml: Buffer.from('From: a@mail.example\r\nSubject: x\r\n\r\n'),
  csv: Buffer.from('a,b,c\n'),
  txt: Buffer.from('A text. '),
  md: Buffer.from('# A title\n'),
  png: Buffer.from('89504e470d0a1a0a', 'hex'),
  jpg: Buffer.from('ffd8ffe000104a464946000101', 'hex'),
  gif: Buffer.from('GIF89a'),
  webp: Buffer.from('RIFF\u00ff\u00ff\u0000\u0000WEBPVP8 ', 'latin1'),
  tiff: Buffer.from('49492a0008000000', 'hex'),
};

/** Streams without which an OLE file is not taken for its kind, as the directory spells them. */
const OLE_MARKS = { doc: 'WordDocument', xls: 'Workbook', ppt: 'PowerPoint Document' };

const SEEDS: Record<string, string> = {
  pdf: 'demo/office-handbook.pdf',
  docx: 'demo/expense-guide.docx',
  pptx: 'spring-meeting.pptx',
  xlsx: 'stock.xlsx',
  png: 'demo/notice-board.png',
  csv: 'rooms.csv',
  txt: 'travel-ar.txt',
  md: 'demo/first-week.md',
};

const seed = (kind: string) => readFileSync(join(FIXTURES, SEEDS[kind]!));

function flipped(bytes: Buffer, count: number, salt: number): Buffer {
  const where = noise(count * 4, salt);
  // Behind the magic, which would only be refused.
  for (let at = 0; at < count; at++) bytes[64 + (where.readUInt32LE(at * 4) % (bytes.length - 64))]! ^= 1 << (salt % 8);
  return bytes;
}

/** Empty, random, cut and damaged files of every kind, and files that bear another kind's name. */
export function brokenBytes(): HostileFile[] {
  const files: HostileFile[] = [];
  for (const [kind, magic] of Object.entries(MAGIC)) {
    files.push(
      hostile(`zero.${kind}`, () => Buffer.alloc(0)),
      hostile(`one-byte.${kind}`, () => magic.subarray(0, 1)),
      hostile(`magic-only.${kind}`, () => magic),
      hostile(`noise.${kind}`, () => noise(65_536, 3)),
      hostile(`magic-and-noise.${kind}`, () => Buffer.concat([magic, noise(300_000, 5)])),
      hostile(`magic-and-nul.${kind}`, () => Buffer.concat([magic, Buffer.alloc(1_000_000)])),
    );
  }
  for (const [kind, mark] of Object.entries(OLE_MARKS))
    for (const salt of [1, 2, 3])
      files.push(
        hostile(`ole-noise-${salt}.${kind}`, () => {
          const name = Buffer.from(mark, 'utf16le');
          return Buffer.concat([MAGIC[kind]!, noise(504, salt), name, noise(60_000, salt + 9)]);
        }),
      );
  for (const kind of Object.keys(SEEDS)) {
    for (const share of [0.1, 0.5, 0.9, 0.99])
      files.push(hostile(`cut-${share}.${kind}`, () => seed(kind).subarray(0, Math.floor(seed(kind).length * share))));
    for (const salt of [1, 2, 3, 4])
      files.push(hostile(`flipped-${salt}.${kind}`, () => flipped(seed(kind), 20 * salt, salt)));
    files.push(hostile(`tail.${kind}`, () => Buffer.concat([seed(kind), noise(100_000, 4)])));
    for (const other of Object.keys(SEEDS).filter((name) => name !== kind))
      files.push(hostile(`${other}-named.${kind}`, () => seed(other)));
  }
  files.push(
    hostile('pdf-and-zip.pdf', () => Buffer.concat([seed('pdf'), seed('docx')])),
    hostile('zip-and-pdf.docx', () => Buffer.concat([seed('docx'), seed('pdf')])),
    hostile('png-and-html.png', () => Buffer.concat([seed('png'), Buffer.from('<script>alert(1)</script>')])),
    hostile('gif-and-script.gif', () => 'GIF89a/*\u0001\u0001*/=1;alert(1)'),
    hostile('program.txt', () => Buffer.concat([Buffer.from('7f454c46020101', 'hex'), noise(5000, 6)])),
    hostile('program.pdf', () => Buffer.concat([Buffer.from('MZ'), noise(5000, 6)])),
    hostile('encrypted.pdf', () => readFileSync(join(FIXTURES, 'encrypted.pdf'))),
    hostile('no-pages.pdf', () => readFileSync(join(FIXTURES, 'no-pages.pdf'))),
  );
  return files;
}
