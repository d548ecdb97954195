import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CFB } from '@e965/xlsx';
import { outlookMessage, workbookFile } from '../../../../../../test/fixtures/documents/make-kinds.js';
import { makeMail } from '../../../../../../test/fixtures/documents/make-mail.js';
import { makePdf } from '../../../../../../test/fixtures/documents/make-pdf.js';
import { makeZip, wordParts } from '../../../../../../test/fixtures/documents/make-zip.js';
import { inAll } from '../../../../../../test/support/long.js';
import { ATTACHMENT_LIMITS, type AttachmentStop } from '../../attached-file.js';
import { AttachmentScreening } from '../../attachment-screening.js';
import { ReadingFolder } from '../../reading-folder.js';
import { extractText, extractWhole } from './extract-text.fixture.js';

const FIXTURES = resolve(__dirname, '../../../../../../test/fixtures/documents');

const pdf = (...pages: string[]) => makePdf(pages.map((text) => ({ runs: [{ x: 72, y: 700, text }] })));
const word = (text: string) => makeZip(wordParts(`<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`));
const shown = (pages: { label?: string; text: string }[]) => pages.map(({ label, text }) => [label, text]);
const textOf = (pages: { text: string }[]) => pages.map(({ text }) => text).join('\n');
const LOST = 'Attachments that were not read, or not as a whole';

describe('what is attached to an e-mail', () => {
  it('is read by kind, behind the message, under its name and with its pages', async () => {
    const parts = [
      { name: 'invoice.pdf', type: 'application/pdf', bytes: pdf('Total due: 4,711 euros', 'Terms of payment') },
      { name: 'offer.docx', bytes: word('The offer stands until May.') },
      {
        name: 'prices.xlsx',
        bytes: workbookFile(
          'xlsx',
          [
            ['Item', 'Price'],
            ['Lamp', 12],
          ],
          'List',
        ),
      },
      { name: 'rooms.csv', type: 'text/csv', bytes: 'Room,Beds\nBlue,2\n' },
      { name: 'notes.txt', type: 'text/plain', bytes: 'Remember the keys.' },
    ];
    const { pages, notice, tainted } = await extractWhole('eml', makeMail(parts));
    expect(shown(pages)).toEqual([
      [
        'Files',
        'From: a@example.org\nSubject: Files\n\nSee below.\n\nAttachments: invoice.pdf, offer.docx, prices.xlsx, rooms.csv, notes.txt',
      ],
      ['invoice.pdf, page 1', 'Attachment: invoice.pdf\n\nTotal due: 4,711 euros'],
      ['invoice.pdf, page 2', 'Terms of payment'],
      ['offer.docx', 'Attachment: offer.docx\n\nThe offer stands until May.'],
      ['prices.xlsx: List', 'Attachment: prices.xlsx\n\nItem | Price\nItem: Lamp; Price: 12'],
      ['rooms.csv', expect.stringMatching(/^Attachment: rooms\.csv\n\nRoom \| Beds\n/)],
      ['notes.txt', 'Attachment: notes.txt\n\nRemember the keys.'],
    ]);
    expect(pages.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    // Places on pages that nobody can be shown are none.
    expect(pages.filter(({ lines }) => lines !== undefined)).toEqual([]);
    expect([notice, tainted]).toEqual(['', false]);
  });

  it('has the places of its words where they are asked for, as places that are not shown', async () => {
    const { pages } = await extractWhole('eml', makeMail([{ name: 'invoice.pdf', bytes: pdf('Total due: 4,711') }]), {
      geometry: true,
    });
    const { text, geometry } = pages[1]!;
    expect(geometry?.words?.map(({ start, end }) => text.slice(start, end))).toEqual(['Total', 'due:', '4,711']);
    expect(geometry).toMatchObject({ width: 595, height: 842, isUnshown: true });
  });

  it('is known by its content where its name or its type does not tell', async () => {
    const parts = [
      { name: 'scan 0001', bytes: pdf('Without an extension') },
      { type: 'application/pdf', bytes: pdf('Without a name') },
      { name: 'wrong.pdf', type: 'application/pdf', bytes: word('A document by mistake') },
      { name: 'data.bin', type: 'text/plain', bytes: 'Only said to be text' },
    ];
    const { pages, notice } = await extractWhole('eml', makeMail(parts));
    expect(pages.map(({ text }) => text.split('\n').at(-1))).toEqual([
      expect.stringContaining('Attachments: '),
      'Without an extension',
      'Without a name',
      'A document by mistake',
      'Only said to be text',
    ]);
    expect(notice).toBe('');
  });

  it('fails nothing when it is broken, locked, empty or of no kind that is read; that is told', async () => {
    const parts = [
      { name: 'locked.pdf', type: 'application/pdf', bytes: readFileSync(resolve(FIXTURES, 'encrypted.pdf')) },
      { name: 'claims.pdf', type: 'application/pdf', bytes: 'no PDF at all' },
      { name: 'damaged.pdf', type: 'application/pdf', bytes: readFileSync(resolve(FIXTURES, 'damaged.pdf')) },
      { name: 'more.zip', type: 'application/zip', bytes: makeZip([{ name: 'a.txt', data: 'SECRET' }]) },
      {
        name: 'bad.xlsx',
        bytes: makeZip([
          { name: '[Content_Types].xml', data: 'x' },
          { name: 'xl/a', data: 'x' },
        ]),
      },
      { name: 'scan.pdf', bytes: readFileSync(resolve(FIXTURES, 'scanned.pdf')) },
      { name: 'photo.png', type: 'image/png', bytes: readFileSync(resolve(FIXTURES, 'demo/notice-board.png')) },
      { name: 'kept.txt', bytes: 'What stands behind them.' },
    ];
    const { pages, notice, tainted } = await extractWhole('eml', makeMail(parts));
    expect(pages.find(({ label }) => label === 'kept.txt')?.text).toContain('What stands behind them.');
    expect(pages.at(-1)?.label).toBe(LOST);
    expect(pages.at(-1)?.text.split('\n')).toEqual([
      `${LOST}:`,
      'locked.pdf: This PDF is protected by a password. Remove the protection and upload it again.',
      'claims.pdf: This is not a PDF file. Its content does not match its name.',
      expect.stringMatching(/^damaged\.pdf: This .*PDF/),
      'more.zip: Files of type ".zip" are not read.',
      expect.stringMatching(/^bad\.xlsx: The file is damaged/),
      expect.stringMatching(/^scan\.pdf: .*OCR was off/),
      expect.stringMatching(/^photo\.png: .*OCR was off/),
    ]);
    expect(notice).toMatch(/^Indexed, but not all that is attached was read\. locked\.pdf: .*So with 4 more\.$/);
    expect(tainted).toBe(true);
    expect(textOf(pages)).not.toContain('SECRET');
  });

  it('leaves out what belongs to the mail: pictures that it shows, signatures and cards', async () => {
    const picture = readFileSync(resolve(FIXTURES, 'demo/notice-board.png'));
    const parts = [
      { name: 'logo.png', type: 'image/png', bytes: picture, id: 'logo@mail', disposition: 'inline' },
      {
        name: 'photo.png',
        type: 'image/png',
        bytes: Buffer.concat([picture, Buffer.alloc(200_000)]),
        id: 'photo@mail',
      },
      { name: 'line.png', type: 'image/png', bytes: picture.subarray(0, 900), id: 'line@mail' },
      { name: 'smime.p7s', type: 'application/pkcs7-signature', bytes: 'x' },
      { name: 'ada.vcf', type: 'text/vcard', bytes: 'BEGIN:VCARD' },
    ];
    const page = { body: '<p>Hello</p><img src="cid:logo@mail"><img src=cid:photo%40mail>', type: 'text/html' };
    const { pages, notice } = await extractWhole('eml', makeMail(parts, page));
    expect(pages).toHaveLength(1);
    expect(pages[0]?.text).toContain('Attachments: logo.png, photo.png, line.png, smime.p7s, ada.vcf');
    expect(notice).toBe('');
  });

  it('is read once, whatever it is called; invitations stand in the message', async () => {
    const calendar = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'SUMMARY:Tide', 'END:VEVENT', 'END:VCALENDAR'].join('\r\n');
    const parts = [
      { name: 'a.txt', bytes: 'The same words.' },
      { name: 'b.txt', bytes: 'The same words.' },
      { type: 'text/calendar', bytes: calendar },
      { name: 'invite.ics', type: 'application/ics', bytes: calendar },
    ];
    const pages = await extractText('eml', makeMail(parts));
    expect(pages.map(({ label }) => label)).toEqual(['Files', 'a.txt']);
    expect(pages[0]?.text).toContain('\n\nTide\n\n');
  });

  it('may be a mail with files of its own, three deep', async () => {
    let inner = makeMail([{ name: 'deepest.txt', bytes: 'Level 0' }], { subject: 'Level 1' });
    for (let level = 2; level < 60; level += 1)
      inner = makeMail([{ name: `level-${level - 1}.eml`, type: 'message/rfc822', bytes: inner }], {
        subject: `Level ${level}`,
      });
    const { pages, notice } = await extractWhole('eml', inner);
    expect(pages.slice(0, 4).map(({ label }) => label)).toEqual([
      'Level 59',
      'level-58.eml: Level 58',
      'level-58.eml / level-57.eml: Level 57',
      'level-58.eml / level-57.eml / level-56.eml: Level 56',
    ]);
    expect(pages).toHaveLength(5);
    expect(notice).toContain('level-55.eml: It is within too many other messages');
    const two = await extractText(
      'eml',
      makeMail([{ name: 'fwd.eml', bytes: makeMail([{ name: 'i.pdf', bytes: pdf('Deep') }]) }]),
    );
    expect(shown(two).at(-1)).toEqual(['fwd.eml / i.pdf, page 1', 'Attachment: fwd.eml / i.pdf\n\nDeep']);
  });

  inAll('is read up to a number, and what was found within a message that is forwarded counts', async () => {
    const many = Array.from({ length: 500 }, (_, n) => ({ name: `${n}.txt`, bytes: `Words of file ${n}.` }));
    const { pages, notice } = await extractWhole('eml', makeMail(many));
    expect(pages).toHaveLength(102);
    expect(textOf(pages)).toContain('Words of file 99.');
    expect(pages.at(-1)?.text).toMatch(/100\.txt: At most 100 attachments are read\.\n[\s\S]*So with 380 more\.$/);
    expect(notice).toMatch(/So with 397 more\.$/);
  });

  inAll('is bounded in its text; a part of it is told as one', async () => {
    const parts = [1, 2, 3].map((n) => ({ name: `${n}.txt`, bytes: `${n} word `.repeat(1_200_000) }));
    const limits = { pages: 5000, characters: 50_000_000 };
    const { pages, notice } = await extractWhole('eml', makeMail(parts), { limits });
    expect(textOf(pages).length).toBeLessThan(20_100_000);
    expect(notice).toContain('3.txt: What is attached holds more than 20 million characters.');
  });

  it('ends where a former try did, and goes on with what follows', async () => {
    const parts = [
      { name: 'slow.pdf', bytes: pdf('First page', 'Second page', 'Third page') },
      { name: 'next.txt', bytes: 'What follows.' },
    ];
    const read = async (stop: Omit<AttachmentStop, 'message'>) => {
      const stops = [{ ...stop, message: 'It took too long.' }];
      return (await extractWhole('eml', makeMail(parts), { stops })).pages
        .slice(1)
        .map(({ text }) => text.split('\n').at(-1));
    };
    const slow = 'slow.pdf: It took too long.';
    expect(await read({ ordinal: 1, pages: 2, isLast: false })).toEqual([
      'First page',
      'Second page',
      'What follows.',
      slow,
    ]);
    expect(await read({ ordinal: 1, pages: 0, isLast: false })).toEqual(['What follows.', slow]);
    expect(await read({ ordinal: 1, pages: 0, isLast: true })).toEqual(['next.txt: It took too long.']);
  });

  it('of Outlook is read likewise, messages within it too', async () => {
    const about = { '0037001F': 'Files', '1000001F': 'See below.' };
    const plain = CFB.read(outlookMessage(about, { '3001001F': 'Bo' }), { type: 'buffer' });
    const add = (folder: string, tag: string, value: Buffer | string) =>
      CFB.utils.cfb_add(plain, `/${folder}/${tag}`, typeof value === 'string' ? Buffer.from(value, 'utf16le') : value);
    const file = (n: number, name: string, bytes: Buffer, more: Record<string, string> = {}) => {
      const folder = `__attach_version1.0_#0000000${n}`;
      add(folder, '__properties_version1.0', Buffer.alloc(8));
      add(folder, '__substg1.0_3707001F', name);
      add(folder, '__substg1.0_37010102', bytes);
      for (const [tag, value] of Object.entries(more)) add(folder, `__substg1.0_${tag}`, value);
    };
    file(0, 'invoice.pdf', pdf('Total due: 4,711 euros'));
    file(1, 'logo.png', Buffer.from('no picture'), { '3712001F': 'logo@mail' });
    add('__attach_version1.0_#00000003', '__properties_version1.0', Buffer.alloc(8));
    add('__attach_version1.0_#00000003', '__substg1.0_3707001F', 'cloud.docx');
    const within = '__attach_version1.0_#00000002';
    add(within, '__properties_version1.0', Buffer.alloc(8));
    add(within, '__substg1.0_3001001F', 'Older news');
    add(`${within}/__substg1.0_3701000D`, '__properties_version1.0', Buffer.alloc(24));
    add(`${within}/__substg1.0_3701000D`, '__substg1.0_0037001F', 'Older news');
    add(`${within}/__substg1.0_3701000D`, '__substg1.0_1000001F', 'What was said before.');
    const bytes = Buffer.from(CFB.write(plain, { type: 'buffer' }) as Uint8Array);
    const { pages, notice, tainted } = await extractWhole('msg', bytes);
    expect(shown(pages)).toEqual([
      ['Files', expect.stringContaining('Attachments: invoice.pdf, logo.png, Older news, cloud.docx')],
      ['invoice.pdf, page 1', 'Attachment: invoice.pdf\n\nTotal due: 4,711 euros'],
      [
        'Older news.msg: Older news',
        expect.stringMatching(/^Attachment: Older news\.msg\n\n[\s\S]*What was said before\.$/),
      ],
      [LOST, expect.stringContaining('cloud.docx: The message refers to this file, but does not hold it.')],
    ]);
    expect([notice, tainted]).toEqual([expect.stringContaining('cloud.docx'), false]);
  });

  it('lies where it can be opened until the reading ends, and the process that asks for more gets none', async () => {
    const folder = new ReadingFolder();
    const screening = new AttachmentScreening(folder);
    const file = { ordinal: 1, name: 'a.txt', mimeType: '', bytes: Buffer.from('words') };
    const taken = await screening.take(file);
    expect(taken).toEqual({ path: expect.any(String), kind: 'text' });
    const { path } = taken as { path: string };
    expect(readFileSync(path, 'utf8')).toBe('words');
    expect(await screening.take({ ...file, bytes: Buffer.alloc(ATTACHMENT_LIMITS.bytes) })).toMatchObject({
      refusal: expect.stringContaining('too many files'),
    });
    await screening.end();
    expect(existsSync(path)).toBe(false);
    folder.close();
  });
});
