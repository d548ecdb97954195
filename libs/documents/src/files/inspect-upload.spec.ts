import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeZip, wordParts } from '../../../../test/fixtures/documents/make-zip.js';
import type { ZipPart } from '../../../../test/fixtures/documents/make-zip.js';
import { inspectArchive } from './archive-limits.js';
import { inspectUpload } from './inspect-upload.js';
import { UploadRejectedError } from './upload-rejected.error.js';

const PDF = '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n';
const MZ = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200), Buffer.from('PE\0\0')]);
const MB = 1024 * 1024;

const word = (...more: ZipPart[]) => makeZip([...wordParts('<w:p/>'), ...more]);

describe('inspectUpload', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inspect-upload-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function inspect(filename: string, content: Buffer | string) {
    const path = join(folder, 'upload');
    await writeFile(path, content);
    return inspectUpload({ path, filename, sizeBytes: Buffer.byteLength(content) });
  }

  async function reasons(filename: string, content: Buffer | string): Promise<string> {
    const outcome = await inspect(filename, content).catch((error: unknown) => error);
    if (!(outcome instanceof UploadRejectedError)) throw new Error(`accepted: ${JSON.stringify(outcome)}`);
    expect(outcome.extra).toEqual({ reasons: outcome.reasons });
    return outcome.reasons.join(' ');
  }

  it.each([
    ['report.PDF', PDF, 'pdf', 'application/pdf'],
    ['Report v1..pdf', PDF, 'pdf', 'application/pdf'],
    ['v1.2...final..md', 'x', 'markdown', 'text/markdown'],
    ['notes.md', '# Notes\n', 'markdown', 'text/markdown'],
    ['BM.txt', 'BMW and MZ are letters, not signatures.', 'text', 'text/plain'],
    ['arabic.txt', Buffer.from('\ufeffسياسة السفر', 'utf16le'), 'text', 'text/plain'],
    ['rows.tsv', 'a\tb\n1\t2\n', 'csv', 'text/csv'],
    ['page.htm', '<p>hello</p>', 'html', 'text/html'],
    ['old.rtf', '{\\rtf1 hello}', 'rtf', 'application/rtf'],
    ['mail.eml', 'Return-Path: <a@example.org>\r\nSubject: Hi\r\n\r\nhello', 'eml', 'message/rfc822'],
    ['box.eml', 'From a@example.org Fri Mar  1\nX-Mailer: none\nDate: today\n\nhello', 'eml', 'message/rfc822'],
  ])('accepts %s', async (filename, content, kind, mimeType) => {
    await expect(inspect(filename, content)).resolves.toEqual({ kind, mimeType });
  });

  it('accepts a Word document, also with an embedded workbook', async () => {
    await expect(inspect('a.docx', word())).resolves.toMatchObject({ kind: 'docx' });
    const sheet = makeZip([{ name: 'xl/workbook.xml', data: '<x/>' }]);
    const embedding = { name: 'word/embeddings/sheet.xlsx', data: sheet };
    await expect(inspect('a.docx', word(embedding))).resolves.toMatchObject({ kind: 'docx' });
  });

  it.each([
    ['empty.pdf', '', /empty/],
    ['program.exe', MZ, /"\.exe" are not supported.*pdf/],
    ['noextension', 'text', /without an extension/],
    ['not.pdf', 'Just some text', /not a PDF file/],
    ['program.pdf', MZ, /not a PDF file.*EXE/],
    ['hello.pdf', '%PDF-1.4\n<html><script>alert(1)</script>', /only begins like one/],
    ['late.pdf', `GIF89a${' '.repeat(300)}${PDF}`, /not a PDF file.*GIF/],
    ['both.pdf', Buffer.concat([Buffer.from(PDF), makeZip([{ name: 'a.js', data: 'x' }])]), /archive at once/],
    ['plain.docx', makeZip([{ name: 'readme.txt', data: 'x' }]), /zip archive, not a Word document/],
    ['text.xlsx', 'a,b', /not an Excel workbook/],
    ['broken.docx', word().subarray(0, 200), /damaged/],
    ['binary.txt', MZ, /not a text file.*EXE/],
    ['paper.txt', PDF, /not a text file.*PDF/],
    ['letter.md', '{\\rtf1\\ansi Dear all}', /not a Markdown file.*RTF/],
    ['page.png', PDF, /not a PNG image.*PDF/],
    ['text.eml', 'Dear all,\n\nSubject: not a header', /not an e-mail/],
    ['program.eml', Buffer.concat([Buffer.from('Subject: x\n\n'), MZ]), /not an e-mail/],
    ['page.eml', '<html>Subject: x</html>', /not an e-mail/],
    ['old.doc', PDF, /not a Word 97-2003 document/],
  ])('refuses %s', async (filename, content, expected) => {
    expect(await reasons(filename, content)).toMatch(expected);
  });

  it('finds the antivirus test string wherever it stands', async () => {
    const eicar = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$${'EICAR'}-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`;
    expect(await reasons('a.txt', eicar)).toMatch(/virus/i);
    expect(await reasons('a.txt', `${'x'.repeat(MB - 20)}${eicar}`)).toMatch(/virus/i);
  });

  it('refuses images of more than 50 million pixels by their header alone', async () => {
    const header = Buffer.alloc(64);
    header.write('89504e470d0a1a0a0000000d49484452', 'hex');
    header.writeUInt32BE(10_000, 16);
    header.writeUInt32BE(5_001, 20);
    header.write('0806000000', 24, 'hex');
    header.write('\0\0\0\0IDAT', 33, 'latin1');
    expect(await reasons('huge.png', header)).toMatch(/10000 x 5001 pixels/);
  });

  describe('archives', () => {
    it.each([
      ['a bomb', [{ name: 'word/bomb.xml', data: Buffer.alloc(20 * MB) }], /100 times/],
      ['a declared total over 512 MB', [{ name: 'word/a', data: 'x', declaredSize: 513 * MB }], /512 MB/],
      ['a symbolic link', [{ name: 'word/link', data: '/etc/passwd', mode: 0o120777 }], /symbolic link/],
      ['a climbing name', [{ name: '../../etc/cron.d/x', data: 'x' }], /outside the file/],
      ['an absolute name', [{ name: '/etc/passwd', data: 'x' }], /outside the file/],
      ['a password', [{ name: 'word/a', data: 'x', encrypted: true }], /password/],
      [
        'too many parts',
        Array.from({ length: 10_001 }, (_, n) => ({ name: `word/${n}`, data: '' })),
        /more than 10000 parts/,
      ],
      [
        'deep nesting',
        [{ name: 'word/a.docx', data: makeZip([{ name: 'b.zip', data: makeZip([{ name: 'c', data: '' }]) }]) }],
        /inside files inside files/,
      ],
    ])('refuses %s', async (_what, parts, expected) => {
      expect(await reasons('a.docx', word(...parts))).toMatch(expected);
    });

    it('finds sizes that lie when it unpacks', async () => {
      const path = join(folder, 'liar.docx');
      await writeFile(path, word({ name: 'word/liar.xml', data: Buffer.alloc(2 * MB), declaredSize: 1000 }));
      await expect(inspectArchive(path)).resolves.toMatchObject({ mimetype: null });
      await expect(inspectArchive(path, { inflate: true })).rejects.toThrow(/larger than it declares/);
    });
  });
});
