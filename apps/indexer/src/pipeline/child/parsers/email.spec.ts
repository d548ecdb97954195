import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildMessage } from '../../child-messages.js';
import type { ExtractedPage } from '../../extracted-page.js';
import { unpackSent } from '../../packed-page.js';
import { PageSender } from '../page-sender.js';
import { parseEmail } from './email.js';

const lines = (...parts: string[]) => parts.join('\r\n');
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n');
const quoted = (text: string) =>
  [...Buffer.from(text)].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

describe('parseEmail', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'email-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function pagesOf(content: Buffer | string): Promise<ExtractedPage[]> {
    const path = join(folder, 'mail.eml');
    await writeFile(path, content);
    const pages: ExtractedPage[] = [];
    const limits = { pages: 1000, characters: 1e6 };
    const sink: PageSender = new PageSender(
      { path, kind: 'eml', ocr: false, languages: [], limits },
      (message: ChildMessage) => {
        if (message.type === 'page') pages.push(unpackSent(message.page));
        sink.acknowledge();
      },
    );
    await parseEmail({ path, kind: 'eml', ocr: false, languages: [], limits }, sink);
    sink.finish();
    return pages;
  }
  const textOf = async (content: Buffer | string) => (await pagesOf(content)).map(({ text }) => text).join('\f');

  it('reads the headers, the plain text of an alternative, and names attachments', async () => {
    const mail = lines(
      'Received: from mx.example.org by mail.example.com; Fri, 1 Mar 2024 10:00:01 +0300',
      'From: "Sara O\'Neil" <sara@example.org>',
      'To: Team <team@example.org>, omar@example.org',
      'Cc: Board: a@example.org, b@example.org;',
      'Date: Fri, 1 Mar 2024 10:00:00 +0300',
      'Subject: =?UTF-8?Q?Caf=C3=A9_budget?=',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="outer"',
      '',
      'This is a multi-part message in MIME format.',
      '--outer',
      'Content-Type: multipart/alternative; boundary="inner"',
      '',
      '--inner',
      'Content-Type: text/plain; charset=utf-8; format=flowed',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'The budget is 28=E2=82=AC per person, as agreed with everybody who came to th=',
      'e meeting.',
      '--inner',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>The budget is 28&euro; per person, as agreed with everybody who came to the meeting.</p>',
      '--inner--',
      '--outer',
      'Content-Type: application/pdf; name="=?UTF-8?B?2YXZitiy2KfZhtmK2Kk=?= 2024.pdf"',
      "Content-Disposition: attachment; filename*=UTF-8''%D9%85%D9%8A%D8%B2%D8%A7%D9%86%D9%8A%D8%A9%202024.pdf",
      'Content-Transfer-Encoding: base64',
      '',
      base64(Buffer.alloc(3000, 1)),
      '--outer--',
      '',
    );
    expect(await pagesOf(mail)).toEqual([
      {
        number: 1,
        ocr: false,
        label: 'Café budget',
        text: [
          "From: Sara O'Neil <sara@example.org>",
          'To: Team <team@example.org>, omar@example.org',
          'Cc: a@example.org, b@example.org',
          'Date: Fri, 1 Mar 2024 10:00:00 +0300',
          'Subject: Café budget',
          '',
          'The budget is 28€ per person, as agreed with everybody who came to the meeting.',
          '',
          'Attachments: ميزانية 2024.pdf',
        ].join('\n'),
      },
    ]);
  });

  it('reads Arabic, quoted-printable in UTF-8 and base64 in the old code page', async () => {
    const head = ['From: a@example.org', 'Subject: =?windows-1256?B?5OXH7MjH?=', 'MIME-Version: 1.0'];
    const body = 'سياسة السفر في الشركة';
    const utf8 = lines(
      ...head,
      'Content-Type: text/plain; charset="utf-8"',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      quoted(body),
    );
    expect(await textOf(utf8)).toContain(`\n\n${body}`);
    // In windows-1256: "سفر" is D3 DD D1.
    const old = lines(
      ...head,
      'Content-Type: text/plain; charset="windows-1256"',
      'Content-Transfer-Encoding: base64',
      '',
      base64(Buffer.from([0xd3, 0xdd, 0xd1])),
    );
    expect(await textOf(old)).toMatch(/\n\nسفر$/);
  });

  it('shows what a page of HTML says when there is no text, or one that only excuses itself', async () => {
    const page = `<html><head><style>p{color:red}</style></head><body><h1>News</h1><script>alert(1)</script><p>${'Our new office opens in Riyadh. '.repeat(9)}</p></body></html>`;
    const only = lines(
      'From: a@example.org',
      'Content-Type: text/html',
      'Content-Transfer-Encoding: base64',
      '',
      base64(page),
    );
    expect(await textOf(only)).toMatch(/^From: a@example.org\n\nNews\n\nOur new office opens in Riyadh/);
    expect(await textOf(only)).not.toMatch(/alert|color/);
    const excused = lines(
      'From: a@example.org',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Please view this in an HTML mail program.',
      '--b',
      'Content-Type: text/html',
      '',
      page,
      '--b--',
    );
    expect(await textOf(excused)).toContain('Our new office opens in Riyadh.');
  });

  it('reads a forwarded message inside of the message', async () => {
    const mail = lines(
      'From: a@example.org',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'See below.',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'From: c@example.org',
      'Subject: Original',
      '',
      'The contract ends in May.',
      '--b--',
    );
    const text = await textOf(mail);
    expect(text).toMatch(/See below\.[\s\S]*The contract ends in May\./);
  });

  it('reads a page with a message inside as it is shown, not as its tags are', async () => {
    const mail = lines(
      'From: a@example.org',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      '<style>.pre{display:none}</style><p class="pre">SECRET</p><p>See below.</p>',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'From: Cy <c@example.org>',
      'Subject: Original',
      '',
      'The contract ends in May.',
      '--b--',
    );
    expect((await textOf(mail)).split(/\n+/)).toEqual([
      'From: a@example.org',
      'See below.',
      'From: Cy <c@example.org>',
      'Subject: Original',
      'The contract ends in May.',
    ]);
  });

  it('reads each message inside of a message by its own parts', async () => {
    const inner = ['From: Cy <c@example.org>', 'Date: Mon, 2 Jun 2025 09:00:00 +0200'];
    const mail = lines(
      'From: a@example.org',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: multipart/alternative; boundary=i',
      '',
      '--i',
      'Content-Type: text/plain',
      '',
      'See below.',
      '--i',
      'Content-Type: text/html',
      '',
      '<p>See below.</p>',
      '--i--',
      '--b',
      'Content-Type: message/rfc822',
      '',
      ...inner,
      'Content-Type: text/html',
      '',
      '<p>The code is <span style="display:none">SECRET </span>77.</p>',
      '--b',
      'Content-Type: message/rfc822; name="other.eml"',
      'Content-Disposition: attachment; filename="other.eml"',
      '',
      'From: d@example.org',
      '',
      'Not read.',
      '--b--',
    );
    expect((await textOf(mail)).split(/\n+/)).toEqual([
      'From: a@example.org',
      'See below.',
      ...inner,
      'The code is 77.',
      'Attachments: other.eml',
    ]);
  });

  it.each([
    ['a boundary that never ends', ['Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'kept text']],
    ['no boundary at all', ['Content-Type: multipart/mixed', '', 'kept text']],
    ['an unknown charset', ['Content-Type: text/plain; charset=klingon-8', '', 'kept text']],
    ['an unknown encoding', ['Content-Transfer-Encoding: rot13', '', 'kept text']],
    ['broken base64', ['Content-Transfer-Encoding: base64', '', '!!a2VwdCB0ZXh0==!!']],
    ['broken quoted-printable', ['Content-Transfer-Encoding: quoted-printable', '', 'kept=20text=ZZ=']],
    ['a header without a colon', ['garbage here', 'X-Empty:', '', 'kept text']],
  ])('reads on through %s', async (_name, rest) => {
    expect(await textOf(lines('From: a@example.org', ...rest))).toContain('kept text');
  });

  it('guesses the encoding of what names none, and takes that of the text for headers', async () => {
    const raw = (...parts: string[]) => Buffer.from(lines(...parts), 'latin1');
    expect(await textOf(raw('Subject: Gr\u00fc\u00dfe', '', 'Sch\u00f6ne Gr\u00fc\u00dfe aus K\u00f6ln'))).toBe(
      'Subject: Gr\u00fc\u00dfe\n\nSch\u00f6ne Gr\u00fc\u00dfe aus K\u00f6ln',
    );
    const koi8 = raw(
      'Subject: \u00f3\u00de\u00a3\u00d4',
      'Content-Type: text/plain; charset="koi8-r"',
      '',
      '\u00f3\u00de\u00a3\u00d4',
    );
    expect(await textOf(koi8)).toBe('Subject: Счёт\n\nСчёт');
    const mixed = Buffer.concat([
      Buffer.from(
        lines(
          'Content-Type: multipart/mixed; boundary=b',
          '',
          '--b',
          'Content-Type: text/plain; charset=utf-8',
          '',
          'Größe',
          '--b',
          '',
        ),
      ),
      raw('Content-Type: application/octet-stream', '', '\u00ff\u00fe', '--b--', ''),
    ]);
    expect(await textOf(mixed)).toContain('Größe');
  });

  it('takes the line of a mailbox file for none of the message', async () => {
    expect(await textOf('From a@example.org Fri Mar  1 10:00:00 2024\nSubject: Hi\n\nhello')).toBe(
      'Subject: Hi\n\nhello',
    );
  });

  it('parts a very long message, and refuses hostile ones with a reason', async () => {
    expect(await pagesOf(lines('Subject: long', '', 'word '.repeat(50_000)))).toHaveLength(3);
    const deep = Array.from({ length: 200 }, (_, n) =>
      lines(`Content-Type: multipart/mixed; boundary=b${n}`, '', `--b${n}`, ''),
    );
    await expect(textOf(lines('Subject: x', deep.join('')))).rejects.toMatchObject({ code: 'too_large' });
    const parts = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(25_000)}`;
    await expect(textOf(parts)).rejects.toMatchObject({ code: 'too_large' });
    const wide = lines(
      'Subject: x',
      ...Array.from({ length: 60_000 }, (_, n) => `X-Header-${n}: ${'v'.repeat(20)}`),
      '',
      'x',
    );
    await expect(textOf(wide)).rejects.toMatchObject({ code: 'too_large' });
  });
});
