import { makeMail } from '../../fixtures/documents/make-mail.js';
import { makeZip, wordParts } from '../../fixtures/documents/make-zip.js';
import { hostile, noise, type HostileFile } from './hostile-file.js';

const MB = 1_048_576;

function nestedMail(levels: number): string {
  let body = 'Content-Type: text/plain\r\n\r\nThe innermost.\r\n';
  for (let at = 0; at < levels; at++)
    body = `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n${body}\r\n--b${at}--\r\n`;
  return `From: a@mail.example\r\nSubject: deep\r\nMIME-Version: 1.0\r\n${body}`;
}

/** Mails within mails, each with a file that lies about its size, and many more than are read. */
function mailOfBombs(levels: number): Buffer {
  const bomb = makeZip([...wordParts('<w:p/>'), { name: 'word/x.xml', data: Buffer.alloc(20 * MB), declaredSize: 10 }]);
  const many = Array.from({ length: 200 }, (_, at) => ({ name: `${at}.json`, bytes: '['.repeat(20_000 + at) }));
  let inner = makeMail(many, { subject: 'many' });
  for (let at = 0; at < levels; at++)
    inner = makeMail(
      [
        { name: `${at}.docx`, bytes: Buffer.concat([bomb, Buffer.from([at])]) },
        { name: `${at}.eml`, type: 'message/rfc822', bytes: inner },
      ],
      { subject: `level ${at}` },
    );
  return inner;
}

const mail = (headers: string, body: string) =>
  `From: a@mail.example\r\nTo: b@mail.example\r\n${headers}\r\n\r\n${body}`;

/** Text that costs its readers more than its length promises. */
export function hostileTexts(): HostileFile[] {
  return [
    hostile('one-word.txt', () => Buffer.alloc(30 * MB, 'a')),
    hostile('over-50-mb.txt', () => Buffer.alloc(51 * MB, 'text ')),
    hostile('line-breaks.txt', () => Buffer.alloc(10 * MB, '\n')),
    hostile('form-feeds.txt', () => 'a\f'.repeat(1_000_000)),
    hostile('blanks.txt', () => Buffer.alloc(5 * MB, ' ')),
    hostile('marks.txt', () => `a${'\u0301'.repeat(1_000_000)}`),
    hostile('families.txt', () => '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'.repeat(200_000)),
    hostile('directions.txt', () => '\u202e\u2066text\u2069'.repeat(200_000)),
    hostile('ligatures.txt', () => '\ufdfa'.repeat(400_000)),
    hostile('joined.txt', () => 'a.'.repeat(1_500_000)),
    hostile('stops.txt', () => '. '.repeat(1_500_000)),
    hostile('unspaced.txt', () => '\u6c34'.repeat(700_000)),
    hostile('utf16-odd.txt', () => Buffer.concat([Buffer.from([0xff, 0xfe]), noise(300_001, 3)])),
    hostile('utf8-broken.txt', () => Buffer.concat([Buffer.from('text '), Buffer.alloc(200_000, 0xc3)])),
    hostile('escapes.txt', () => '\u001b[2J\u001b]0;x\u0007'.repeat(1000) + 'text '.repeat(20_000)),
    hostile('brackets.md', () => '['.repeat(500_000)),
    hostile('stars.md', () => '*a '.repeat(400_000)),
    hostile('quotes.md', () => '> '.repeat(500_000)),
    hostile('table.md', () => `|${'a|'.repeat(200_000)}\n|${'-|'.repeat(200_000)}\n`),
    hostile('open-quote.csv', () => `a,b\n"${'x,'.repeat(3_000_000)}`),
    hostile('columns.csv', () => `${'a,'.repeat(300_000)}\n`.repeat(3)),
    hostile('rows.csv', () => '1,2\n'.repeat(1_500_000)),
    hostile('quotes.csv', () => '"'.repeat(900_000)),
    hostile('one-line.csv', () => Buffer.alloc(20 * MB, 'ab;')),
    hostile('nested.eml', () => nestedMail(2000)),
    hostile('headers.eml', () => mail('X-A: b\r\n'.repeat(100_000), 'text')),
    hostile('long-header.eml', () => mail(`X-A: ${'b'.repeat(3_000_000)}`, 'text')),
    hostile('no-boundary.eml', () => mail('Content-Type: multipart/mixed', 'text')),
    hostile('many-parts.eml', () =>
      mail('Content-Type: multipart/mixed; boundary=b', '--b\r\n\r\nx\r\n'.repeat(100_000)),
    ),
    hostile('encoded-words.eml', () => mail(`Subject: ${'=?utf-8?B?YQ==?= '.repeat(50_000)}`, 'text')),
    hostile('attachment.eml', () =>
      mail(
        'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b',
        `--b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--b\r\nContent-Type: application/octet-stream; name=a.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n${noise(8 * MB).toString('base64')}\r\n--b--`,
      ),
    ),
    hostile('attached-bombs.eml', () => mailOfBombs(2)),
    hostile('attached-deep.eml', () => mailOfBombs(30)),
    hostile('html-deep.eml', () => mail('MIME-Version: 1.0\r\nContent-Type: text/html', '<div>'.repeat(200_000))),
  ];
}
