import { CFB } from '@e965/xlsx';
import {
  bookParts,
  macroWordParts,
  outlookMessage,
  workbookFile,
} from '../../../../../../test/fixtures/documents/make-kinds.js';
import { makeZip } from '../../../../../../test/fixtures/documents/make-zip.js';
import { extractText } from './extract-text.fixture.js';

const textsOf = async (...args: Parameters<typeof extractText>) => (await extractText(...args)).map(({ text }) => text);

describe('kinds of files', () => {
  it('EPUB: about, then the chapters in reading order; scripts and remote files are not touched', async () => {
    const pages = await extractText(
      'epub',
      makeZip(bookParts({ 'a b': '<p>Second</p>', one: '<ul><li>First</li></ul>' }, ['one', 'a b'])),
    );
    expect(pages.map(({ label, text }) => [label, text])).toEqual([
      ['About this book', 'Title: The Tide\nAuthor: Ada Byron'],
      ['one', 'one\n\n- First'],
      ['a b', 'a b\n\nSecond'],
    ]);
  });

  it('EPUB: what style sheets of the book hide is left out, and what they raise is no digit of the number before it', async () => {
    const css = '.note { display: none } .up { vertical-align: super }';
    const link = '<link rel="stylesheet" href="../book%20style.css"/>';
    const chapter = `${link}<p>10<span class="up">6</span> joules<span class="note">, SECRET</span> and no more.</p>`;
    const parts = bookParts({ one: chapter }, ['one']).map(({ name, data }) => ({
      name,
      data: String(data).replace(
        '<manifest>',
        '<manifest><item id="css" href="book%20style.css" media-type="text/css"/><item id="gone" href="gone.css" media-type="text/css"/>',
      ),
    }));
    const pages = await textsOf('epub', makeZip([...parts, { name: 'OEBPS/book style.css', data: css }]));
    expect(pages.at(-1)).toBe('one\n\n10^6 joules and no more.');
  });

  it('EPUB: its list of chapters is found where its address is written as those within the book', async () => {
    const parts = bookParts({ one: '<p>First</p>' }, ['one']).map(({ name, data }) => ({
      name: name.replace('book.opf', 'my book.opf'),
      data: String(data).replace('book.opf', 'my%20book.opf'),
    }));
    expect((await textsOf('epub', makeZip(parts))).at(-1)).toBe('one\n\nFirst');
  });

  it('MSG: people, subject and text; a page where there is no plain text', async () => {
    const about = { '0037001F': 'Tide tables', '0C1A001F': 'Ada', '5D01001F': 'ada@example.org' };
    const to = { '3001001F': 'Bo', '39FE001F': 'bo@example.org' };
    const html = Buffer.from('<p>High <b>tide</b></p><p>at noon</p>');
    const [plain] = await extractText('msg', outlookMessage({ ...about, '1000001F': 'High tide at noon.' }, to));
    expect(plain).toMatchObject({
      label: 'Tide tables',
      text: 'From: Ada <ada@example.org>\nTo: Bo <bo@example.org>\nSubject: Tide tables\n\nHigh tide at noon.',
    });
    const [shown] = await textsOf('msg', outlookMessage({ ...about, '10130102': html }, to));
    expect(shown).toMatch(/\n\nHigh tide\n\nat noon$/);
  });

  it.each(['xlsb', 'xlsm'] as const)('%s is read like its brother', async (kind) => {
    const rows = [
      ['Shop', 'Sold'],
      ['Rome', 5],
    ];
    const bytes = workbookFile(kind, rows, 'Shops');
    expect(await textsOf(kind, bytes)).toEqual(['Shop | Sold\nShop: Rome; Sold: 5']);
  });

  it('DOCM: its text; the macros are not looked at', async () => {
    expect(await textsOf('docm', makeZip(macroWordParts('Words')))).toEqual(['Words']);
  });

  it('XML: values with the names of their elements; declarations are refused', async () => {
    const xml = '<orders><order id="7"><item>Paper &amp; ink</item><note>To <b>Ada</b> soon</note></order></orders>';
    expect(await textsOf('xml', xml)).toEqual([
      'orders / order id: 7\norders / order / item: Paper & ink\norders / order / note: To Ada soon',
    ]);
    const entity = '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>';
    await expect(textsOf('xml', entity)).rejects.toMatchObject({ code: 'unsupported', message: /DOCTYPE/ });
    await expect(textsOf('xml', '<a><b></a>')).rejects.toMatchObject({ code: 'damaged', message: /line 1, column/ });
    const windows = Buffer.from('<?xml version="1.0" encoding="windows-1251"?><a>\xc4\xe0</a>', 'latin1');
    expect(await textsOf('xml', windows)).toEqual(['a: Да']);
  });

  it('JSON: paths with values; lines of values; where it breaks', async () => {
    const json = '{"order":{"id":7,"tags":["a","b"],"lines":[{"sku":"P1","n":2},{"sku":"P2"}]}}';
    expect(await textsOf('json', json)).toEqual([
      'order.id: 7\norder.tags: a, b\norder.lines[0].sku: P1\norder.lines[0].n: 2\norder.lines[1].sku: P2',
    ]);
    expect(await textsOf('json', '{"a":1}\n\n{"a":2}\n')).toEqual(['a: 1\n\na: 2']);
    await expect(textsOf('json', '{"a":1}\n{"a":\n')).rejects.toMatchObject({ code: 'damaged', message: /line 2/ });
    await expect(textsOf('json', '[1,')).rejects.toMatchObject({ code: 'damaged' });
  });

  it('ICS: what, when as written, where and who', async () => {
    const ics = [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'SUMMARY:Tide',
      ' council',
      'DTSTART;TZID=Europe/Oslo:20260331T090000',
      'DTEND:20260331T090000Z',
      'LOCATION:Pier 4\\, hall',
      'ATTENDEE;CN=Ada:mailto:ada@example.org',
      'RRULE:FREQ=WEEKLY;COUNT=3',
      'END:VEVENT',
      'END:VCALENDAR',
    ].join('\r\n');
    expect(await textsOf('ics', ics)).toEqual([
      'Tidecouncil\nStart: 2026-03-31 09:00 (Europe/Oslo)\nEnd: 2026-03-31 09:00 UTC\nLocation: Pier 4, hall\nAttendee: Ada <ada@example.org>\nRepeats: FREQ=WEEKLY;COUNT=3',
    ]);
    await expect(textsOf('ics', 'BEGIN:VCALENDAR\nno')).rejects.toMatchObject({ code: 'damaged' });
  });

  it('Markdown: nothing that its readers do not see', async () => {
    const written = [
      'The budget is 10.',
      '<!-- SECRET -->',
      'Costs rise <!-- SECRET --> slowly.',
      '',
      '[//]: # (SECRET)',
      '<!--',
      'SECRET',
      '',
      'SECRET --><div style="color:red; display: none">SECRET</div><p hidden>SECRET</p>',
      'Write `<!-- note -->` so:',
      '',
      '```html',
      '<!-- code -->',
      '```',
      'End.',
    ].join('\n');
    expect(await textsOf('markdown', written)).toEqual([
      'The budget is 10.\nCosts rise slowly.\n\nWrite `<!-- note -->` so:\n\n```html\n<!-- code -->\n```\nEnd.',
    ]);
  });

  it('Markdown: what shows markup, or only speaks of hiding, is read', async () => {
    const written =
      'Put `<script>` before `</script>`, a <b title="what is hidden">badge</b> and an <i hidden-note>aside</i>, <template> stays open.';
    expect(await textsOf('markdown', written)).toEqual([written]);
    // A search for its end from each beginning would take hours.
    const many = '<script>'.repeat(200_000) + '<b hidden>'.repeat(200_000);
    expect((await textsOf('markdown', many)).join('').length).toBeGreaterThan(3_000_000);
  });

  it('Markdown and HTML: tables as everywhere', async () => {
    const table = 'Before\n| Name | Days |\n|:--|--:|\n| Leave | 28 |\n| a \\| b | 2 |\nAfter';
    expect(await textsOf('markdown', table)).toEqual(['Before\n\nName | Days\nLeave | 28\na | b | 2\n\nAfter']);
    const html = '<p>Before<table><tr><th>Name<th>Days<tr><td rowspan=2>Leave<td>28<tr><td>30</table>After';
    expect(await textsOf('html', html)).toEqual(['Before\n\nName | Days\nLeave | 28\nLeave | 30\n\nAfter']);
  });

  it('PowerPoint 97 with a password says so', async () => {
    const file = CFB.utils.cfb_new();
    const user = Buffer.alloc(20);
    user.writeUInt32LE(0xf3d1c4df, 12);
    CFB.utils.cfb_add(file, '/PowerPoint Document', Buffer.alloc(600, 7));
    CFB.utils.cfb_add(file, '/Current User', user);
    const bytes = Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array);
    await expect(textsOf('ppt', bytes)).rejects.toMatchObject({
      code: 'encrypted',
      message: /protected by a password/,
    });
  });

  it('OpenDocument with a password says so', async () => {
    const manifest =
      '<manifest:manifest xmlns:manifest="m"><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    for (const kind of ['odt', 'ods', 'odp'] as const) {
      const bytes = makeZip([
        { name: 'content.xml', data: Buffer.alloc(50, 1) },
        { name: 'META-INF/manifest.xml', data: manifest },
      ]);
      await expect(textsOf(kind, bytes)).rejects.toMatchObject({ code: 'encrypted' });
    }
  });

  it.each([
    ['html', '<div>'.repeat(9_000) + 'deep'],
    ['html', '<table><tr><td>'.repeat(3_000) + 'deep'],
    ['xml', '<a>'.repeat(1_000) + 'deep' + '</a>'.repeat(1_000)],
  ] as const)('%s that is nested without end keeps its text', async (kind, content) => {
    expect((await textsOf(kind, content)).join('')).toContain('deep');
  });

  it('what is a million levels deep is refused', async () => {
    await expect(textsOf('html', '<div>'.repeat(1_000_000))).rejects.toMatchObject({ code: 'too_large' });
    await expect(textsOf('xml', '<a>'.repeat(1_000_000))).rejects.toMatchObject({ code: 'too_large' });
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
    await expect(textsOf('json', deep)).rejects.toMatchObject({ code: 'too_large' });
  });
});
