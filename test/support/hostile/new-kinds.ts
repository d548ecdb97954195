import { bookParts, filesSaying, macroSlideParts, macroWordParts } from '../../fixtures/documents/make-kinds.js';
import { makeZip, type ZipPart } from '../../fixtures/documents/make-zip.js';
import { sheetParts } from './archives.js';
import { books, manuals, pictures } from './books-and-pictures.js';
import { hostileCompoundFiles } from './compound-files.js';
import { hostile, noise, type HostileFile } from './hostile-file.js';

const MB = 1_048_576;

const ARCHIVES: Record<string, () => ZipPart[]> = {
  epub: () => bookParts({ one: '<p>Words</p>' }, ['one']),
  docm: () => macroWordParts('Words'),
  pptm: () => macroSlideParts('Words'),
  xlsb: () => sheetParts('<worksheet/>'),
  xlsm: () => sheetParts('<worksheet/>'),
};

/** What is put into the archive of each kind. */
const ADDED: Record<string, () => ZipPart[]> = {
  'bomb-lying': () => [{ name: 'media/blank.xml', data: Buffer.alloc(20 * MB), declaredSize: 1000 }],
  'bomb-flat': () => [{ name: 'media/blank.xml', data: Buffer.alloc(40 * MB, 0x20) }],
  'bomb-embedded': () => [
    { name: 'embeddings/a.zip', data: makeZip([{ name: 'blank', data: Buffer.alloc(40 * MB) }]) },
  ],
  'bomb-nested': () => [
    {
      name: 'embeddings/a.zip',
      data: makeZip([{ name: 'b.zip', data: makeZip([{ name: 'c.zip', data: makeZip([]) }]) }]),
    },
  ],
  'many-parts': () => Array.from({ length: 12_000 }, (_, at) => ({ name: `p/${at}.xml`, data: 'x' })),
  outside: () => [{ name: '../../../../tmp/outside.txt', data: 'x' }],
  link: () => [{ name: 'link', data: '/etc/passwd', mode: 0o120777 }],
  password: () => [{ name: 'secret.xml', data: noise(1000), encrypted: true }],
};

function archives(): HostileFile[] {
  return Object.entries(ARCHIVES).flatMap(([kind, own]) =>
    Object.entries(ADDED).map(([name, parts]) => hostile(`${name}.${kind}`, () => makeZip([...own(), ...parts()]))),
  );
}

function damaged(): HostileFile[] {
  return Object.entries(filesSaying('The quokka sleeps. '.repeat(40))).flatMap(([file, bytes]) => {
    const kind = file.split('.')[1]!;
    const flipped = () => {
      const copy = Buffer.from(bytes);
      const places = noise(80, 7);
      for (let at = 0; at < 20; at += 1)
        copy[24 + (places.readUInt32LE(at * 4) % (copy.length - 24))]! ^= 1 << (at % 8);
      return copy;
    };
    return [
      ...[0.2, 0.5, 0.9].map((share) => hostile(`cut-${share}.${kind}`, () => bytes.subarray(0, bytes.length * share))),
      hostile(`flipped.${kind}`, flipped),
      hostile(`noise.${kind}`, () => noise(60_000, 3)),
      hostile(`beginning-and-noise.${kind}`, () => Buffer.concat([bytes.subarray(0, 40), noise(60_000, 5)])),
    ];
  });
}

/** Each kind under the name of every other. */
function misnamed(): HostileFile[] {
  const files = Object.entries(filesSaying('The quokka sleeps.'));
  return files.flatMap(([own, bytes]) =>
    files
      .map(([other]) => other.split('.')[1]!)
      .filter((kind) => !own.endsWith(`.${kind}`))
      .map((kind) => hostile(`is-${own.split('.')[1]}.${kind}`, () => bytes)),
  );
}

const xml = (declarations: string, body = '&x;') => `<?xml version="1.0"?><!DOCTYPE a [${declarations}]><a>${body}</a>`;

function markup(): HostileFile[] {
  const laughs = Array.from({ length: 12 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
  return [
    hostile('laughs.xml', () => xml(`<!ENTITY l0 "ha">${laughs}`, '&l12;')),
    hostile('entity-file.xml', () => xml('<!ENTITY x SYSTEM "file:///etc/passwd">')),
    hostile('entity-http.xml', () => xml('<!ENTITY x SYSTEM "http://127.0.0.1:9/x">')),
    hostile('parameter-entity.xml', () => xml('<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;')),
    hostile('outer-dtd.xml', () => '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a>text</a>'),
    hostile('late-doctype.xml', () => `<!--${' '.repeat(200_000)}-->${xml('<!ENTITY x "y">').slice(21)}`),
    hostile('open-doctype.xml', () => `<!DOCTYPE a [${'<!ENTITY a "b">'.repeat(200_000)}`),
    hostile('utf16-doctype.xml', () =>
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(xml('<!ENTITY x "y">').slice(21), 'utf16le')]),
    ),
    hostile('include.xml', () => '<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="/etc/passwd"/></a>'),
    hostile('stylesheet.xml', () => '<?xml-stylesheet href="file:///etc/passwd"?><a>text</a>'),
    hostile('million-deep.xml', () => `${'<a>'.repeat(1_000_000)}x${'</a>'.repeat(1_000_000)}`),
    hostile('million-beside.xml', () => `<a>${'<b>w</b>'.repeat(1_100_000)}</a>`),
    hostile('attributes.xml', () => `<a ${Array.from({ length: 200_000 }, (_, n) => `b${n}="c"`).join(' ')}>x</a>`),
    hostile('long-names.xml', () => {
      const name = 'n'.repeat(500_000);
      return `<${name} ${Array.from({ length: 2000 }, (_, n) => `b${n}="c"`).join(' ')}>x<${name} d="e" f="g"/></${name}>`;
    }),
    hostile(
      'spaces.xml',
      () => `<a ${Array.from({ length: 20_000 }, (_, n) => `xmlns:p${n}="u${n}"`).join(' ')}>x</a>`,
    ),
    hostile('one-text.xml', () => `<a>${'x'.repeat(30 * MB)}</a>`),
  ];
}

function data(): HostileFile[] {
  const key = 'k'.repeat(50_000);
  return [
    hostile('million-deep.json', () => `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`),
    hostile('million-open.json', () => '{"a":'.repeat(1_000_000)),
    hostile('deep-line.ndjson', () => `{"a":1}\n${'['.repeat(1_000_000)}\n`),
    hostile('string-100-mb.json', () => `"${'x'.repeat(100_000_000)}"`),
    hostile('string-19-mb.json', () => `{"a":"${'x'.repeat(19_000_000)}"}`),
    hostile('string-100-mb.ndjson', () => `{"a":1}\n{"b":"${'x'.repeat(100_000_000)}"}\n`),
    hostile('long-paths.json', () => {
      let value = `[${'{"a":1,"b":[{}]},'.repeat(20_000)}0]`;
      for (let level = 0; level < 100; level += 1) value = `{"${key}":${value}}`;
      return value;
    }),
    hostile('numbers.json', () => `[${'1,'.repeat(5_000_000)}1]`),
    hostile('empty-lists.json', () => `[${'[],'.repeat(5_000_000)}[]]`),
    hostile('prototype.json', () => '{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}}}'),
    hostile('same-key.json', () => `{${'"a":1,'.repeat(2_000_000)}"a":2}`),
    hostile('lines.ndjson', () => '{}\n'.repeat(3_000_000)),
    hostile('lone-surrogates.json', () => `["${'\\ud800'.repeat(1_000_000)}"]`),
  ];
}

const calendar = (lines: string) => `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${lines}\r\nEND:VCALENDAR\r\n`;
const event = (lines: string) =>
  calendar(`BEGIN:VEVENT\r\nSUMMARY:Tide\r\nDTSTART:20260101T000000Z\r\n${lines}\r\nEND:VEVENT`);

const all = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => n + from).join(',');

function calendars(): HostileFile[] {
  return [
    hostile('every-second.ics', () => event('RRULE:FREQ=SECONDLY')),
    hostile('every-second-of-all.ics', () =>
      event(
        `RRULE:FREQ=YEARLY;BYMONTH=${all(1, 12)};BYYEARDAY=${all(1, 366)};BYHOUR=${all(0, 23)};BYMINUTE=${all(0, 59)};BYSECOND=${all(0, 59)};COUNT=2147483647`,
      ),
    ),
    hostile('never.ics', () => event('RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30')),
    hostile('many-rules.ics', () => event('RRULE:FREQ=SECONDLY;UNTIL=99991231T235959Z\r\n'.repeat(100_000))),
    hostile('odd-rule.ics', () => event('RRULE:FREQ=SECONDLY;INTERVAL=0;COUNT=-1')),
    hostile('long-rule.ics', () => event(`RRULE:FREQ=DAILY;BYDAY=${'MO,'.repeat(1_000_000)}MO`)),
    hostile('exceptions.ics', () => event(`EXDATE:${'20260101T000000Z,'.repeat(500_000)}20260102T000000Z`)),
    hostile('folded.ics', () => event(`DESCRIPTION:${'x\r\n '.repeat(2_000_000)}`)),
    hostile('parameters.ics', () => event(`ATTENDEE${';X-A=b'.repeat(500_000)}:mailto:a@example.org`)),
    hostile('deep.ics', () => `BEGIN:VCALENDAR\r\n${'BEGIN:VEVENT\r\n'.repeat(40_000)}`),
    hostile('many-events.ics', () => calendar('BEGIN:VEVENT\r\nEND:VEVENT\r\n'.repeat(200_000).trimEnd())),
    hostile('attached.ics', () => event('ATTACH:file:///etc/passwd\r\nDESCRIPTION:text')),
    hostile('begin-only.ics', () => 'BEGIN:VCALENDAR\r\n'.repeat(2_000_000)),
    hostile('odd-dates.ics', () => event('DTEND:99999999T999999Z\r\nDURATION:P999999999999W\r\nDUE;TZID=x:0')),
  ];
}

/** Of the kinds that came last: what each of them can be attacked with. */
export function hostileNewKinds(): HostileFile[] {
  return [
    ...archives(),
    ...damaged(),
    ...misnamed(),
    ...markup(),
    ...data(),
    ...calendars(),
    ...books(),
    ...hostileCompoundFiles(),
    ...pictures(),
    ...manuals(),
  ];
}
