import * as fc from 'fast-check';
import { hostileValue, asText } from './values.js';

export interface Part {
  name: string;
  /** Null: a plain field. */
  filename: string | null;
  type: string;
  content: string;
}

/** A form, and what is broken about it. */
export interface Form {
  parts: Part[];
  flaw: 'none' | 'no boundary' | 'other boundary' | 'cut off' | 'no end' | 'no names' | 'binary';
}

const BOUNDARY = '----atrium';
const FILE_NAMES = [
  'note.txt',
  'trips.csv',
  'a.pdf',
  '../../etc/passwd',
  '..\\..\\x.csv',
  '/etc/passwd',
  'C:\\x.xlsx',
  '.',
  '..',
  '',
  ' ',
  'a\u0000b.csv',
  '\u202evsc.exe',
  '__proto__',
  'x'.repeat(300) + '.csv',
  '.csv',
  'a.csv.',
  'a/b/c.txt',
  '%2e%2e%2fa.txt',
  'مرحبا.csv',
  'con.txt',
];
const TYPES = [
  'text/plain',
  'text/csv',
  'application/pdf',
  'application/json',
  'image/png',
  '',
  'x',
  'text/csv; charset=utf-16',
];
const CONTENTS = [
  '',
  'city,cost\nOslo,1\n',
  'Plain words.',
  '\u0000\u0001\u0002',
  '%PDF-1.7\n',
  'PK\u0003\u0004',
  '\ufeffa,b\n1,2\n',
  '=cmd(),+1,-1,@x\n1,2,3,4\n',
  '"unclosed\n1,2',
  'a,a,a\n1,2,3\n',
  `${'c,'.repeat(2000)}c\n`,
  '{"a":1}',
];

const part = (names: readonly string[]): fc.Arbitrary<Part> =>
  fc.record({
    name: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...names) },
      { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'a[b][c]', 'path[]', '', 'unknown') },
    ),
    filename: fc.option(fc.constantFrom(...FILE_NAMES)),
    type: fc.constantFrom(...TYPES),
    content: fc.oneof(fc.constantFrom(...CONTENTS), hostileValue.map(asText)),
  });

export function forms(names: readonly string[]): fc.Arbitrary<Form> {
  return fc.record({
    parts: fc.array(part(names), { maxLength: 4, size: 'max' }),
    flaw: fc.oneof(
      { weight: 6, arbitrary: fc.constant('none' as const) },
      {
        weight: 2,
        arbitrary: fc.constantFrom('no boundary', 'other boundary', 'cut off', 'no end', 'no names', 'binary'),
      },
    ),
  });
}

const quoted = (text: string) => text.replaceAll(/["\r\n]/g, '_');

export function writeForm({ parts, flaw }: Form, fill: (text: string) => string): { type: string; body: Buffer } {
  const texts = parts.map(({ name, filename, type, content }) => {
    const file = filename === null ? '' : `; filename="${quoted(filename)}"`;
    const disposition = flaw === 'no names' ? 'form-data' : `form-data; name="${quoted(name)}"${file}`;
    const typed = filename === null || type === '' ? '' : `Content-Type: ${type}\r\n`;
    return `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n${typed}\r\n${fill(content)}\r\n`;
  });
  const whole = Buffer.from(`${texts.join('')}${flaw === 'no end' ? '' : `--${BOUNDARY}--\r\n`}`);
  const body = flaw === 'cut off' ? whole.subarray(0, whole.length >> 1) : whole;
  // Half of a character, in the middle of the names and values.
  if (flaw === 'binary') for (let at = 40; at < body.length; at += 97) body[at] = 0xff;
  const boundary = flaw === 'no boundary' ? '' : `; boundary=${flaw === 'other boundary' ? 'elsewhere' : BOUNDARY}`;
  return { type: `multipart/form-data${boundary}`, body };
}
