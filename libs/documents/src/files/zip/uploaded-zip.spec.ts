import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import iconv from 'iconv-lite';
import { ZipFile } from 'yazl';
import { makeZip, wordParts, type ZipPart } from '../../../../../test/fixtures/documents/make-zip.js';
import { UploadedZip } from './uploaded-zip.js';
import { ZipBudget } from './zip-budget.js';

const MB = 1024 * 1024;
const LIMITS = { files: 20, totalBytes: 40 * MB, fileBytes: 30 * MB, ratio: 100 };

const overlapping = () => {
  const zip = makeZip([{ name: 'a.txt', data: 'x'.repeat(5000) }]);
  const end = zip.length - 22;
  const entry = zip.subarray(zip.readUInt32LE(end + 16), end);
  const tail = Buffer.from(zip.subarray(end));
  for (const at of [8, 10]) tail.writeUInt16LE(10, at);
  tail.writeUInt32LE(entry.length * 10, 12);
  // Its data is much larger than what the directory takes.
  const directory = Array.from({ length: 10 }, () => {
    const copy = Buffer.from(entry);
    copy.writeUInt32LE(900, 20);
    return copy;
  });
  return Buffer.concat([zip.subarray(0, end - entry.length), ...directory, tail]);
};

describe('an archive that is uploaded', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'zip-'))));
  afterAll(() => rm(folder, { recursive: true }));

  async function open(bytes: Buffer, budget = new ZipBudget(LIMITS)) {
    const path = join(folder, 'upload.zip');
    await writeFile(path, bytes);
    return UploadedZip.open(path, budget);
  }
  async function listed(parts: ZipPart[]) {
    const zip = await open(makeZip(parts));
    zip.close();
    return zip.members.map(({ folder: inner, filename, refusal }) => [inner, filename, refusal] as const);
  }
  const named = async (...names: string[]) =>
    (await listed(names.map((name) => ({ name, data: 'x' })))).map(([inner, filename]) => `${inner}|${filename}`);

  it('lists files in their folders, by cleaned names, without what systems add', async () => {
    expect(
      await named(
        'a.txt',
        'year/2024/b.txt',
        'year\\c.txt',
        'empty/',
        './d.txt',
        'x//e.txt',
        '__MACOSX/._a.txt',
        'year/.DS_Store',
        'Thumbs.db',
        'year/._b.txt',
        'two\u202e/f\u202efdp.txt',
        'cafe\u0301/g\u0007.txt',
        ' blank /.hidden.txt',
      ),
    ).toEqual([
      '|a.txt',
      'year/2024|b.txt',
      'year|c.txt',
      '|d.txt',
      'x|e.txt',
      'two|ffdp.txt',
      'café|g.txt',
      'blank|hidden.txt',
    ]);
  });

  it.each([
    ['../a.txt', /path leads out/],
    ['a/../../b.txt', /path leads out/],
    ['/etc/a.txt', /path leads out/],
    ['C:\\a.txt', /path leads out/],
    ['..\\a.txt', /path leads out/],
    ['inner.zip', /Archives within an archive/],
    ['run.exe', /type "\.exe" are not supported/],
    ['nothing', /without an extension/],
  ])('does not take %s', async (name, reason) => {
    expect(await listed([{ name, data: 'x' }])).toMatchObject([
      [expect.anything(), expect.anything(), expect.stringMatching(reason)],
    ]);
  });

  it.each<[string, Partial<ZipPart>, RegExp]>([
    ['a link', { mode: 0o120777 }, /a link/],
    ['a device', { mode: 0o060644 }, /no file/],
    ['an encrypted file', { encrypted: true }, /password/],
    ['another packing', { method: 14 }, /cannot be read/],
    ['a bomb', { data: Buffer.alloc(20 * MB) }, /more than 100 times/],
    ['a large one', { data: Buffer.from('x'), declaredSize: 31 * MB }, /too large/],
  ])('does not take %s, but what stands beside it', async (_, part, reason) => {
    const members = await listed([
      { name: 'a.txt', data: 'x', ...part },
      { name: 'b.txt', data: 'y' },
    ]);
    expect(members).toEqual([
      ['', 'a.txt', expect.stringMatching(reason)],
      ['', 'b.txt', null],
    ]);
  });

  it.each<[string, () => Buffer, RegExp]>([
    ['nothing in it', () => makeZip([]), /holds no files/],
    ['folders only', () => makeZip([{ name: 'a/', data: '' }]), /holds no files/],
    [
      'too many files',
      () => makeZip(Array.from({ length: 21 }, (_, n) => ({ name: `${n}.txt`, data: 'x' }))),
      /at most 20 files/,
    ],
    [
      'too many bytes',
      () => makeZip([1, 2].map((n) => ({ name: `${n}.txt`, data: 'x', declaredSize: 25 * MB }))),
      /cannot be opened/,
    ],
    ['files upon each other', overlapping, /upon each other/],
    ['a Word document', () => makeZip(wordParts('<w:p/>')), /Office document/],
    ['text', () => Buffer.from('no archive at all'), /no ZIP archive/],
    ['nothing at all', () => Buffer.alloc(0), /no ZIP archive/],
  ])('refuses one with %s', async (_, bytes, reason) => {
    const roomy = new ZipBudget({ ...LIMITS, ratio: 1e9 });
    await expect(open(bytes(), roomy)).rejects.toMatchObject({ code: 'upload_rejected', message: reason });
  });

  it('refuses or reads one that is cut off anywhere or has flipped bytes, never with another error', async () => {
    const whole = makeZip(Array.from({ length: 5 }, (_, n) => ({ name: `f/${n}.txt`, data: `file ${n} `.repeat(50) })));
    let state = 7;
    const next = (most: number) => (state = (state * 48_271) % 2_147_483_647) % most;
    for (let round = 0; round < 60; round += 1) {
      const bytes = Buffer.from(round % 2 ? whole : whole.subarray(0, next(whole.length)));
      if (round % 2) for (let n = 0; n < 4; n += 1) bytes[next(bytes.length)]! ^= 1 << next(8);
      const zip = await open(bytes).catch((error: { code: string }) => expect(error.code).toBe('upload_rejected'));
      if (!zip) continue;
      for (const member of zip.members.filter(({ refusal }) => refusal === null))
        await zip.unpack(member, buffer).catch((error: { code: string }) => expect(error.code).toBe('upload_rejected'));
      zip.close();
    }
  });

  it('unpacks what it says, and refuses what is something else', async () => {
    const zip = await open(
      makeZip([
        { name: 'a.txt', data: 'whole' },
        { name: 'b.txt', data: 'other', checksum: crc32('whole') },
        { name: 'c.txt', data: 'longer than told', declaredSize: 3 },
      ]),
    );
    const [whole, other, longer] = zip.members;
    expect((await zip.unpack(whole!, buffer)).toString()).toBe('whole');
    for (const member of [other!, longer!]) await expect(zip.unpack(member, buffer)).rejects.toThrow('damaged');
    await expect(zip.unpack(whole!, () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
    zip.close();
  });

  it('reads archives with data descriptors, and those of the large format', async () => {
    for (const forceZip64Format of [false, true]) {
      const made = new ZipFile();
      made.addReadStream(Readable.from(['streamed']), 'größe/a.txt', {
        forceZip64Format,
      });
      made.end({ forceZip64Format, comment: '' });
      const zip = await open(await buffer(made.outputStream));
      expect(zip.members).toMatchObject([{ folder: 'größe', filename: 'a.txt', refusal: null }]);
      expect((await zip.unpack(zip.members[0]!, buffer)).toString()).toBe('streamed');
      zip.close();
    }
  });

  it.each([
    ['cp437', ['Größe.txt', 'Übersicht/Maß.txt', 'café.txt']],
    ['cp850', ['São Paulo.txt', 'Ações.txt', 'Dimensões.txt']],
    ['cp852', ['Zażółć gęślą jaźń.txt', 'Łódź.txt', 'Książka.txt']],
    ['cp866', ['Договор поставки.txt', 'Отчёт за март.txt']],
    ['shift_jis', ['議事録.txt', '請求書/ソフトの更新.txt', '売上の報告.txt']],
    ['gb18030', ['会议记录.txt', '合同/付款通知书.txt']],
    ['euc-kr', ['회의록.txt', '계약서/결제 안내.txt']],
    ['utf8', ['議事録.txt', 'Größe.txt', 'Отчёт.txt']],
  ])('names in %s', async (encoding, names) => {
    const encoded = names.map((name) => ({ name: 'raw', data: 'x', rawName: iconv.encode(name, encoding) }));
    const plain = { name: 'plain.txt', data: 'x' };
    const flagged = { name: 'помечено.txt', data: 'x', utf8: true };
    const found = await listed([plain, ...encoded, flagged]);
    expect(found.map(([inner, filename]) => (inner === '' ? filename : `${inner}/${filename}`))).toEqual([
      'plain.txt',
      ...names,
      'помечено.txt',
    ]);
  });
});
