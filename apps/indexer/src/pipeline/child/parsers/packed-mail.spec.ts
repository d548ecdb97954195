import { makeMail, type MailPart } from '../../../../../../test/fixtures/documents/make-mail.js';
import { makePdf } from '../../../../../../test/fixtures/documents/make-pdf.js';
import { makeEnveloped, makeSigned } from '../../../../../../test/fixtures/documents/make-signed.js';
import { makeTnef, type TnefMessage } from '../../../../../../test/fixtures/documents/make-tnef.js';
import { cpuStopwatch } from '../../../../../../test/support/timing.js';
import { extractWhole } from './extract-text.fixture.js';
import { readPackage } from './tnef.js';

const pdf = (text: string) => makePdf([{ runs: [{ x: 72, y: 700, text }] }]);
const packed = (message: TnefMessage | Buffer): MailPart => ({
  name: 'winmail.dat',
  type: 'application/ms-tnef',
  bytes: Buffer.isBuffer(message) ? message : makeTnef(message),
});
const signed = (bytes: Buffer): MailPart => ({ name: 'smime.p7m', type: 'application/pkcs7-mime', bytes });
const read = async (part: MailPart, body = 'See below.') => {
  const { pages, notice } = await extractWhole('eml', makeMail([part], { body }));
  return { pages: pages.map(({ label, text }) => [label, text]), notice };
};
const HEADERS = 'From: a@example.org\nSubject: Files';

describe('what Outlook packs into one file', () => {
  it('is read as what it holds, under the names that people gave', async () => {
    const files = [
      { name: 'Rechnung für März.pdf', bytes: pdf('Total due: 4,711 euros'), type: 'application/pdf' },
      { name: 'rooms.csv', bytes: 'Room,Beds\nBlue,2\n' },
    ];
    const { pages, notice } = await read(packed({ plain: 'See below.', files }));
    expect(pages).toEqual([
      ['Files', `${HEADERS}\n\nSee below.\n\nAttachments: Rechnung für März.pdf, rooms.csv`],
      ['Rechnung für März.pdf, page 1', 'Attachment: Rechnung für März.pdf\n\nTotal due: 4,711 euros'],
      ['rooms.csv', expect.stringContaining('Blue')],
    ]);
    expect(notice).toBe('');
  });

  it.each<[string, TnefMessage]>([
    ['plain', { plain: 'The café opens at nine.' }],
    ['as a page', { html: '<p>The café opens <b>at nine</b>.</p>' }],
  ])('gives a message its words where they stand nowhere else: %s', async (_, message) => {
    expect((await read(packed(message), '')).pages).toEqual([['Files', `${HEADERS}\n\nThe café opens at nine.`]]);
  });

  it('has the messages that are attached, and what is attached to those', async () => {
    const inner = { plain: 'Inner words.', files: [{ name: 'inner.txt', bytes: 'In the inner file.' }] };
    const { pages } = await read(packed({ plain: 'See below.', messages: { 'Re: keys': inner } }));
    expect(pages).toEqual([
      ['Files', `${HEADERS}\n\nSee below.\n\nInner words.\n\nAttachments: Re: keys, inner.txt`],
      ['inner.txt', 'Attachment: inner.txt\n\nIn the inner file.'],
    ]);
  });

  it('is read as far as it goes, and told where it does not', async () => {
    const whole = makeTnef({
      files: [
        { name: 'first.txt', bytes: 'The first.' },
        { name: 'second.txt', bytes: 'x'.repeat(2000) },
      ],
    });
    const { pages, notice } = await read(packed(whole.subarray(0, -1500)));
    expect(pages[1]).toEqual(['first.txt', 'Attachment: first.txt\n\nThe first.']);
    expect(notice).toContain('winmail.dat: It ends in the middle.');
    const nothing = await read(packed(Buffer.from('no package')));
    expect(nothing.pages[0]).toEqual(['Files', `${HEADERS}\n\nSee below.\n\nAttachments: winmail.dat`]);
    expect(nothing.notice).toContain('winmail.dat: It is no package of Outlook.');
  });

  it('is read without its words where those cannot be', async () => {
    const files = [{ name: 'a.txt', bytes: 'A file.' }];
    const { pages, notice } = await read(packed({ rtf: Buffer.from('no RTF at all'), files }), '');
    expect(pages[1]).toEqual(['a.txt', 'Attachment: a.txt\n\nA file.']);
    expect(notice).toContain('winmail.dat: Its text cannot be read.');
  });

  it('takes no time, and ends, whatever stands in it', () => {
    const good = makeTnef({ plain: 'x', files: [{ name: 'a.txt', bytes: 'a' }], messages: { b: { plain: 'c' } } });
    const took = cpuStopwatch();
    for (let at = 6; at < good.length; at += 1)
      for (const byte of [0, 1, 0x7f, 0xff]) {
        const bad = Buffer.from(good);
        bad[at] = byte;
        expect(readPackage(bad).files.length).toBeLessThanOrEqual(3);
      }
    let nested: TnefMessage = { plain: 'deepest' };
    for (let level = 0; level < 50; level += 1) nested = { messages: { m: nested } };
    readPackage(makeTnef(nested));
    const many = Buffer.concat([good.subarray(0, 6), Buffer.alloc(5_000_000, 0x01)]);
    expect(readPackage(many).isCut).toBe(true);
    expect(took()).toBeLessThan(5_000);
  });
});

describe('what a signature encloses', () => {
  const mail = makeMail([{ name: 'rooms.csv', type: 'text/csv', bytes: 'Room,Beds\nBlue,2\n' }], {
    subject: 'Inner',
    body: 'The deposit is 450 euros.',
  })
    .toString()
    .replace(/^From:.*\r\nSubject:.*\r\n/, '');

  it.each([false, true])('is the message, and what is attached to it (streamed: %s)', async (streamed) => {
    const { pages, notice } = await read(signed(makeSigned(mail, { streamed })), '');
    expect(pages).toEqual([
      ['Files', `${HEADERS}\n\nThe deposit is 450 euros.\n\nAttachments: rooms.csv`],
      ['rooms.csv', expect.stringContaining('Blue')],
    ]);
    expect(notice).toBe('');
  });

  it('may be a file, which is read under its own name', async () => {
    const invoice = {
      name: 'IT01234_00001.pdf.p7m',
      type: 'application/pkcs7-mime',
      bytes: makeSigned(pdf('Importo 1.220')),
    };
    const { pages } = await read(invoice);
    expect(pages.at(-1)).toEqual(['IT01234_00001.pdf, page 1', 'Attachment: IT01234_00001.pdf\n\nImporto 1.220']);
  });

  it.each([
    ['encrypted', makeEnveloped(), 'smime.p7m: It is encrypted for who received it.'],
    ['broken', makeSigned('x').subarray(0, 40), 'smime.p7m: It is no readable signed content.'],
    ['something else', Buffer.from('hello'), 'smime.p7m: It is no readable signed content.'],
    ['deeper than anybody writes', Buffer.alloc(200_000, 0x30), 'smime.p7m: It is no readable signed content.'],
  ])('is told where it cannot be read: %s', async (_, bytes, told) => {
    const { pages, notice } = await read(signed(bytes));
    expect(pages[0]?.[1]).toContain('See below.');
    expect(notice).toContain(told);
  });

  it('is no deeper than other messages within messages', async () => {
    let inner: Buffer = Buffer.from('Subject: x\r\n\r\nInnermost words.');
    for (let level = 0; level < 12; level += 1)
      inner = makeMail([signed(makeSigned(inner))], { body: `Level ${level}.` });
    const { pages, notice } = await extractWhole('eml', inner);
    expect(pages[0]?.text).toContain('Level 9.');
    expect(pages[0]?.text).not.toContain('Level 1.');
    expect(notice).toContain('smime.p7m');
  });
});
