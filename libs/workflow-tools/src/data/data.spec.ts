import { encodeFile } from '../jobs/file-content.js';
import { errorOf, outputOf, run } from '../testing/tool-harness.spec-support.js';

describe('set', () => {
  it('keeps a field called __proto__, in fields of fields as well', async () => {
    const fields = JSON.parse('{"a":1,"__proto__":{"b":2},"c":{"__proto__":3}}') as Record<string, unknown>;
    const output = (await outputOf('set', { fields })) as Record<string, unknown>;
    expect(JSON.stringify(output)).toBe('{"a":1,"c":{"__proto__":3},"__proto__":{"b":2}}');
    expect(output.b).toBeUndefined();
    const { result } = (await outputOf('code', { code: 'return Object.keys(params);', params: fields })) as {
      result: unknown;
    };
    expect(result).toEqual(['a', 'c', '__proto__']);
  });
});

describe('text', () => {
  it.each([
    ['upper', ' straße ', {}, ' STRASSE '],
    ['upper', 'i', { locale: 'tr' }, 'İ'],
    ['lower', 'ÄB', {}, 'äb'],
    ['capitalize', '«hello you»', {}, '«Hello you»'],
    ['title', "o'neil and ann-marie", {}, "O'neil And Ann-Marie"],
    ['trim', ' \u00A0a b\n', {}, 'a b'],
    ['squeeze', ' a \n\t b ', {}, 'a b'],
    ['replace', 'a.b.c', { find: '.', replacement: '$&' }, 'a$&b$&c'],
    ['replace', 'abc', { find: '' }, 'abc'],
    ['between', '<b>bold</b>', { find: '<b>', until: '</b>' }, 'bold'],
    ['between', 'key=value', { find: '=' }, 'value'],
    ['between', 'none', { find: '=' }, ''],
    ['truncate', '😀😀😀😀', { length: 3 }, '😀😀…'],
    ['truncate', 'a👨‍👩‍👧b', { length: 4 }, 'a…'],
    ['truncate', 'a🇩🇪🇫🇷', { length: 3 }, 'a…'],
    ['truncate', 'cafe\u0301s', { length: 5 }, 'caf…'],
    ['truncate', '👨‍👩‍👧', { length: 3 }, '👨‍…'],
    ['pad_start', '7', { length: 3, filler: '0' }, '007'],
    ['pad_end', '7', { length: 3 }, '7  '],
    ['pad_start', '😀b', { length: 5, filler: '👍x' }, '👍x👍😀b'],
    ['slug', 'Größe & Façade: №1 Ångström!', {}, 'grosse-facade-no1-angstrom'],
    ['escape_html', `<a href="x">'&`, {}, '&#60;a href=&#34;x&#34;&#62;&#39;&#38;'],
  ])('%s %j', async (operation, text, more, expected) => {
    expect(await outputOf('text', { operation, text, ...more })).toMatchObject({ text: expected });
  });

  it('counts characters as people see them, and words', async () => {
    expect(await outputOf('text', { operation: 'length', text: 'two 😀😀' })).toEqual({
      text: 'two 😀😀',
      length: 6,
      words: 2,
    });
  });

  it('bounds what comes out', async () => {
    const params = { operation: 'replace', text: 'a'.repeat(100_000), find: 'a', replacement: 'b'.repeat(1_000) };
    expect(await errorOf('text', params)).toMatchObject({ code: 'text_too_long' });
    expect(await errorOf('text', { operation: 'upper', text: 'a', locale: 'not a locale' })).toMatchObject({
      code: 'invalid_locale',
    });
  });
});

describe('regex', () => {
  const text = 'Invoice 2026-114, credit 2025-7';
  it('finds, with groups and names', async () => {
    expect(await outputOf('regex', { text, pattern: '(\\d{4})-(?<number>\\d+)(x)?' })).toEqual({
      matched: true,
      count: 2,
      matches: [
        { text: '2026-114', index: 8, groups: ['2026', '114', null], named: { number: '114' } },
        { text: '2025-7', index: 25, groups: ['2025', '7', null], named: { number: '7' } },
      ],
      text,
      items: [],
    });
    expect(await outputOf('regex', { text, pattern: 'INVOICE', ignore_case: true, operation: 'match' })).toMatchObject({
      count: 1,
      matches: [{ text: 'Invoice' }],
    });
    expect(await outputOf('regex', { text, pattern: '^credit', operation: 'test' })).toMatchObject({ matched: false });
  });

  it('replaces and splits', async () => {
    expect(
      await outputOf('regex', { text, pattern: '(?<y>\\d{4})-(\\d+)', operation: 'replace', replacement: '$2/$<y>' }),
    ).toMatchObject({ text: 'Invoice 114/2026, credit 7/2025', count: 2 });
    expect(await outputOf('regex', { text: 'a, b;c', pattern: '[,;]\\s*', operation: 'split' })).toMatchObject({
      items: ['a', 'b', 'c'],
    });
  });

  it('ends with empty matches, and refuses what is no pattern', async () => {
    expect(await outputOf('regex', { text: 'ab', pattern: 'x*' })).toMatchObject({ count: 3 });
    expect(await outputOf('regex', { text: 'aaaa', pattern: 'a', limit: 2 })).toMatchObject({ count: 2 });
    expect(await errorOf('regex', { text, pattern: '(' })).toMatchObject({ code: 'invalid_pattern', retryable: false });
  });
});

describe('number', () => {
  it.each([
    [{ value: 1234.5 }, 1234.5, '1,234.5'],
    [{ value: '1.234,50', decimal_separator: ',', style: 'currency', locale: 'de' }, 1234.5, '1.234,50\u00A0€'],
    [{ value: '1 234.5', style: 'plain', decimals: 2 }, 1234.5, '1234.50'],
    [{ value: '-12,34,567.5' }, -1_234_567.5, '-1,234,567.5'],
    [{ value: '1.500', decimal_separator: ',' }, 1500, '1,500'],
    [{ value: 2.5, decimals: 0 }, 3, '3'],
    [{ value: 2.5, decimals: 0, rounding: 'half_even' }, 2, '2'],
    [{ value: -2.5, decimals: 0, rounding: 'floor' }, -3, '-3'],
    [{ value: 0.1234, style: 'percent', decimals: 1 }, 0.123, '12.3%'],
    [{ value: 1234, style: 'compact' }, 1234, '1.2K'],
    [{ value: 1.005, decimals: 2 }, 1.01, '1.01'],
  ])('%j', async (params, number, text) => {
    expect(await outputOf('number', params)).toEqual({ number: expect.closeTo(number, 10) as number, text });
  });

  it.each([
    [{ value: 'ten' }, 'invalid_number'],
    [{ value: '' }, 'invalid_number'],
    [{ value: '12,90' }, 'invalid_number'],
    [{ value: '0,125' }, 'invalid_number'],
    [{ value: '1.50', decimal_separator: ',' }, 'invalid_number'],
    [{ value: '1,234.5', decimal_separator: ',' }, 'invalid_number'],
    [{ value: 1, style: 'currency', currency: '12' }, 'invalid_params'],
    [{ value: 1, locale: '!' }, 'invalid_format'],
  ])('refuses %j', async (params, code) => {
    expect(await errorOf('number', params)).toMatchObject({ code });
  });
});

it.each([
  [{ value: '12345678901234567890' }, { text: '12,345,678,901,234,567,890' }],
  [
    { value: 1.005, decimals: 2 },
    { text: '1.01', number: 1.01 },
  ],
  [
    { value: '2.675', decimals: 2, style: 'plain' },
    { text: '2.68', number: 2.68 },
  ],
  [
    { value: 1.115, style: 'percent', decimals: 0 },
    { text: '112%', number: 1.12 },
  ],
  [
    { value: -0.001, decimals: 2 },
    { text: '0.00', number: 0 },
  ],
  [
    { value: '\u22125,5', decimal_separator: ',' },
    { text: '-5.5', number: -5.5 },
  ],
])('writes the number that people see: %j', async (params, expected) => {
  expect(await outputOf('number', params)).toEqual({ ...expected, number: expect.any(Number) as number, ...expected });
});

describe('date', () => {
  it('keeps the time of day over a change of the clocks, and hours as they pass', async () => {
    const params = { value: '2026-03-28T09:00', timezone: 'Europe/Berlin' };
    expect(await outputOf('date', { ...params, add: 1, unit: 'days' })).toMatchObject({
      iso: '2026-03-29T07:00:00.000Z',
      time: '09:00:00',
    });
    expect(await outputOf('date', { ...params, add: 24, unit: 'hours' })).toMatchObject({ time: '10:00:00' });
  });

  it('reads other formats and writes words', async () => {
    expect(
      await outputOf('date', {
        value: '24.12.2026 18:30',
        input_format: 'dd.MM.yyyy HH:mm',
        timezone: 'Europe/Vienna',
        format: 'cccc, d. LLLL yyyy',
        locale: 'de',
      }),
    ).toMatchObject({ iso: '2026-12-24T17:30:00.000Z', text: 'Donnerstag, 24. Dezember 2026', weekday: 'Thursday' });
    for (const value of ['Sat, 31 Jan 2026 12:00:00 GMT', '2026-01-31 12:00:00', 1_769_860_800_000, '1769860800000']) {
      expect(await outputOf('date', { value })).toMatchObject({ iso: '2026-01-31T12:00:00.000Z' });
    }
  });

  it.each([
    ['3 March 2026 10:00', '2026-03-03T09:00:00.000Z'],
    ['March 3, 2026', '2026-03-02T23:00:00.000Z'],
    ['3/31/2026 10:00', '2026-03-31T08:00:00.000Z'],
    ['3/31/26', '2026-03-30T22:00:00.000Z'],
    ['2026/07/01', '2026-06-30T22:00:00.000Z'],
    ['1.2.2026', '2026-01-31T23:00:00.000Z'],
    ['24.12.2026 18:30', '2026-12-24T17:30:00.000Z'],
    ['May 2026', '2026-04-30T22:00:00.000Z'],
    ['Tue Mar 03 2026 10:00:00 GMT+0100 (Central European Standard Time)', '2026-03-03T09:00:00.000Z'],
    ['March 3, 2026 10:00 UTC', '2026-03-03T10:00:00.000Z'],
    ['March 3, 2026 10:00 pm -0500', '2026-03-04T03:00:00.000Z'],
    ['3-31-2026', '2026-03-30T22:00:00.000Z'],
  ])('reads %s by the clock of the zone, unless it names an offset', async (value, iso) => {
    expect(await outputOf('date', { value, timezone: 'Europe/Berlin' })).toMatchObject({ iso });
  });

  it.each([
    '2026-02-30',
    'February 30, 2026',
    'February 30, 2026 10:00 UTC',
    'Feb 30 2026 10:00 GMT+0100 (CET)',
    'Feb 30 2026 10:00 -0500',
    '2/30/2026',
    'Invoice 12',
    'Invoice 12 EST',
    'Room 3, 2',
    '31/12/2026',
  ])('reads no date into %s', async (value) => {
    expect(await errorOf('date', { value })).toMatchObject({ code: 'invalid_date' });
  });

  it.each([
    ['05/06/2026', 1],
    ['5-6-26 10:00', 1],
    ['05/05/2026', 0],
    ['3/31/2026', 0],
    ['5.6.2026', 0],
    ['2026-05-06', 0],
    [1_769_860_800_000, 0],
  ])('tells where the day could be the month: %s', async (value, count) => {
    const warnings = Array.from({ length: count }, () => expect.stringContaining('month first') as unknown);
    expect(await run('date', { value })).toMatchObject({ warnings });
    expect(await run('date', { compare_with: value })).toMatchObject({ warnings });
  });

  it('does not where the format is given', async () => {
    expect(await run('date', { value: '05/06/2026', input_format: 'dd/MM/yyyy' })).toMatchObject({
      output: { date: '2026-06-05' },
      warnings: [],
    });
  });

  it('rounds to boundaries of the zone and measures in months', async () => {
    expect(await outputOf('date', { start_of: 'month', timezone: 'America/New_York' })).toMatchObject({
      iso: '2026-01-01T05:00:00.000Z',
    });
    expect(await outputOf('date', { end_of: 'quarter' })).toMatchObject({ iso: '2026-03-31T23:59:59.999Z' });
    expect(await outputOf('date', { value: '2026-03-31', compare_with: '2026-01-31', unit: 'months' })).toMatchObject({
      difference: 2,
    });
  });

  it.each([
    [{ value: '31.02.2026', input_format: 'dd.MM.yyyy' }, 'invalid_date'],
    [{ add: 1_000_000, unit: 'years' }, 'invalid_date'],
    [{ value: '9999-12-31T23:59', timezone: 'America/New_York' }, 'invalid_date'],
    [{ value: '2026-01-01', compare_with: 'never' }, 'invalid_date'],
  ])('refuses %j', async (params, code) => {
    expect(await errorOf('date', params)).toMatchObject({ code });
  });
});

it.each([
  ['1.2.26', '2026-02-01T00:00:00.000Z'],
  ['31.12.25 9:05', '2025-12-31T09:05:00.000Z'],
])('has the day before the month where there are dots, in short years too: %s', async (value, iso) => {
  expect(await outputOf('date', { value })).toMatchObject({ iso });
});

describe('CSV', () => {
  it('keeps the empty cells of a single column', async () => {
    const items = [{ a: '' }, { a: 'x' }, { a: null }];
    const { text } = (await outputOf('write_csv', { items })) as { text: string };
    expect(text).toBe('a\n""\nx\n""\n');
    expect(await outputOf('parse_csv', { text })).toMatchObject({ items: [{ a: '' }, { a: 'x' }, { a: '' }] });
  });

  it.each([
    [
      'a,b\r\n1,2\n3,4\r\n',
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
    [
      'a,b\n1,2\r\n"3\r\n",4',
      [
        { a: '1', b: '2' },
        { a: '3\r\n', b: '4' },
      ],
    ],
    [
      'a,b\r1,2\r3,"4\n"',
      [
        { a: '1', b: '2' },
        { a: '3', b: '4\n' },
      ],
    ],
    ['a,b\nx\ry,2', [{ a: 'x\ry', b: '2' }]],
  ])('ends lines as they come: %j', async (text, items) => {
    expect(await outputOf('parse_csv', { text })).toMatchObject({ items });
  });

  it.each([
    ['a;b\n1;2\n', {}, [';']],
    ['a\tb\tc\n1\t2\t3', {}, ['a tab']],
    ['1|2\n3|4', { has_header: false }, ['|']],
    ['a,b\n1,2', { delimiter: ';' }, [',']],
    ['a;b', {}, [';']],
    ['note\nfirst; second', {}, []],
    ['a,b;c\n1,2;3', {}, []],
    ['name\nAda', {}, []],
    ['', {}, []],
  ])('tells of another delimiter that the text seems to have: %j %j', async (text, params, delimiters) => {
    expect(await run('parse_csv', { text, ...params })).toMatchObject({
      warnings: delimiters.map((name) => `Every row is one value, and each holds ${name}. Is that the delimiter?`),
    });
  });

  it('is written so that it can be read again, and no cell becomes a formula', async () => {
    const items = [
      { name: 'a "quoted", b', price: -3, note: '=HYPERLINK("x")' },
      { name: 'line\nbreak', price: 4.5, deep: { x: 1 } },
    ];
    const written = (await outputOf('write_csv', { items })) as { text: string };
    expect(written).toMatchObject({ columns: ['name', 'price', 'note', 'deep'], count: 2 });
    expect(written.text).toContain(`'=HYPERLINK`);
    expect(written.text).toContain(',-3,');
    expect(await outputOf('parse_csv', { text: written.text })).toMatchObject({
      items: [
        { name: 'a "quoted", b', price: '-3' },
        { name: 'line\nbreak', deep: '{"x":1}' },
      ],
    });
    expect(await outputOf('write_csv', { items, columns: ['deep.x', 'name'], delimiter: ';', header: false })).toEqual({
      text: ';"a ""quoted"", b"\n1;"line\nbreak"\n',
      columns: ['deep.x', 'name'],
      count: 2,
    });
    expect(await outputOf('write_csv', { items: [[1, 'x'], [2]] })).toMatchObject({ text: '1,x\n2\n' });
    expect(await outputOf('write_csv', { items: ['a', 2, null] })).toMatchObject({ text: 'a\n2\n""\n' });
  });

  it('keeps columns whose names hold dots, and negative numbers of other CSV', async () => {
    expect(await outputOf('write_csv', { items: [{ 'a.b': '-5.25', 'c[0]': ' =x', '=d': '-1+1' }] })).toMatchObject({
      text: "a.b,c[0],'=d\n-5.25,' =x,'-1+1\n",
    });
    const file = await encodeFile({ content: [{ a: '-5', b: ' =x' }], format: 'csv', delimiter: ',' });
    expect(Buffer.from(file.bytes).toString()).toBe("a,b\n-5,' =x\n");
  });

  it('writes all rows to a file, and tells which texts a spreadsheet could not hold', async () => {
    const content = Array.from({ length: 100_001 }, (_, n) => [n]);
    const csv = await encodeFile({ content, format: 'csv', delimiter: ',' });
    expect(Buffer.from(csv.bytes).toString()).toMatch(/\n99999\n100000\n$/);
    const long = [{ a: 'x'.repeat(32_767), b: 'y'.repeat(32_768) }];
    const { warnings } = await encodeFile({ content: long, format: 'xlsx', delimiter: ',' });
    expect(warnings).toEqual(['Texts of 1 cells were cut to the 32767 characters that a spreadsheet holds.']);
  });

  it('keeps cells that the header has no name for', async () => {
    expect(await outputOf('parse_csv', { text: 'a,b\n1,2,3\n4\n5,6,7,8\n' })).toEqual({
      columns: ['a', 'b', 'column_3', 'column_4'],
      items: [
        { a: '1', b: '2', column_3: '3', column_4: '' },
        { a: '4', b: '', column_3: '', column_4: '' },
        { a: '5', b: '6', column_3: '7', column_4: '8' },
      ],
      count: 3,
    });
  });

  it.each([true, false])('says so when there are more rows than it reads (with a header: %s)', async (hasHeader) => {
    const rows = (count: number): string => `${hasHeader ? 'a\n' : ''}${'1\n'.repeat(count)}`;
    expect(await run('parse_csv', { text: rows(100_000), has_header: hasHeader })).toMatchObject({
      output: { count: 100_000 },
      warnings: [],
    });
    expect(await run('parse_csv', { text: rows(100_001), has_header: hasHeader })).toMatchObject({
      output: { count: 100_000 },
      warnings: ['The text has more than 100000 rows; the others are left out.'],
    });
  });

  it('is read in another thread when it is long', async () => {
    const text = `a,b\n${'1,2\n'.repeat(20_000)}`;
    const jobs: string[] = [];
    const sandbox = {
      run: (_viewer: unknown, { job }: { job: string }) => {
        jobs.push(job);
        return Promise.resolve({ ok: false as const, code: 'invalid_csv', message: 'No.' });
      },
    };
    expect(await errorOf('parse_csv', { text }, { sandbox })).toMatchObject({ code: 'invalid_csv' });
    expect(jobs).toEqual(['parse_csv']);
    expect(await run('parse_csv', { text: 'a\n1' }, { sandbox })).toMatchObject({ output: { count: 1 } });
  });
});

describe('XML', () => {
  it('is read and written', async () => {
    const text =
      '<?xml version="1.0"?><o:order xmlns:o="x" id="007"><!-- n --><line n="1">a &amp; b</line><flag/></o:order>';
    const { value } = (await outputOf('parse_xml', { text, lists: ['line'], remove_namespaces: true })) as {
      value: { order: Record<string, unknown> };
    };
    expect(value.order).toMatchObject({ '@id': '007', line: [{ '@n': '1', '#text': 'a & b' }], flag: '' });
    const written = { '@id': 7, line: ['a & <b>', { '@n': 2, '#text': 'c' }], empty: '' };
    const { text: xml } = (await outputOf('write_xml', { value: written, root: 'order', pretty: false })) as {
      text: string;
    };
    expect(xml).toContain('<order id="7"><line>a &amp; &lt;b&gt;</line><line n="2">c</line><empty');
    expect(await outputOf('parse_xml', { text: xml })).toMatchObject({ value: { order: { '@id': '7' } } });
    expect(await outputOf('write_xml', { value: [1, 2], pretty: false })).toMatchObject({
      text: expect.stringContaining('<root><item>1</item><item>2</item></root>') as string,
    });
  });

  it.each([
    '<a><b></a>',
    'no markup',
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    '<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><a/>',
    `${'<a>'.repeat(5_000)}${'</a>'.repeat(5_000)}`,
  ])('refuses %s', async (text) => {
    expect((await errorOf('parse_xml', { text })).code).toMatch(/invalid_xml|input_too_complex/);
  });

  it('reads signs by number, and writes lists in lists and nothing in its place', async () => {
    expect(await outputOf('parse_xml', { text: '<a b="&#233;">&#xE9;&amp;#233;&euml;</a>' })).toEqual({
      value: { a: { '@b': 'é', '#text': 'é&#233;&euml;' } },
    });
    const value = { e: [[1, 2], [3]], n: [null, 1, null], c: 'x\b\fy', l: [[[]]] };
    const { text } = (await outputOf('write_xml', { value, pretty: false })) as { text: string };
    expect(text.split('\n')[1]).toBe(
      '<root><e><item>1</item><item>2</item></e><e><item>3</item></e><n/><n>1</n><n/><c>xy</c><l><item/></l></root>',
    );
  });

  it('reads elements that are called like what every object has', async () => {
    const inner =
      '<constructor a="1">Ferrari</constructor><x:prototype/><toString>1</toString><toString>2</toString><__proto__><polluted>yes</polluted></__proto__><hasOwnProperty><valueOf/></hasOwnProperty>';
    const { value } = (await outputOf('parse_xml', {
      text: `<r constructor="b" xmlns:x="y">${inner}</r>`,
      remove_namespaces: true,
      lists: ['constructor'],
    })) as { value: object };
    expect(JSON.stringify(value)).toBe(
      '{"r":{"constructor":[{"#text":"Ferrari","@a":"1"}],"prototype":"","toString":["1","2"],"__proto__":{"polluted":"yes"},"hasOwnProperty":{"valueOf":""},"@constructor":"b"}}',
    );
    const { text } = (await outputOf('write_xml', { value, pretty: false })) as { text: string };
    for (const part of ['<constructor a="1">Ferrari</constructor>', '<toString>2</toString>', '<__proto__><polluted>'])
      expect(text).toContain(part);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it('lets no name become markup, and no prototype change', async () => {
    for (const value of [{ 'a><b': 1 }, { a: { 'x y': 1 } }, { '@on load': 1 }, { '@a': {} }, { '#text': [1] }])
      expect(await errorOf('write_xml', { value })).toMatchObject({ code: 'invalid_xml' });
    for (const root of ['1', '@x', '#text'])
      expect(await errorOf('write_xml', { value: {}, root })).toMatchObject({ code: 'invalid_xml' });
    await run('parse_xml', { text: '<__proto__><polluted>yes</polluted></__proto__>' }).catch(() => undefined);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

describe('HTML', () => {
  const html = `<!doctype html><html><head><title>Shop &amp; Co</title><style>p{}</style></head><body><h1>Prices</h1>
    <script>alert(1)</script><table><tr class="row"><td>Kettle</td><td><a href="/k?a=1&amp;b=2">20 €</a></td></tr>
    <tr class="row"><td>Cup</td><td>3&nbsp;€</td></tr></table><p>One<br>two</body>`;

  it('gives fields of items, and what a reader sees', async () => {
    const fields = [
      { name: 'name', selector: 'td:first-child' },
      { name: 'link', selector: 'a', take: 'attribute' },
      { name: 'cells', selector: 'td', all: true },
      { name: 'html', selector: 'td:last-child', take: 'html' },
    ];
    expect(await outputOf('parse_html', { html, item_selector: 'tr.row', fields })).toEqual({
      items: [
        { name: 'Kettle', link: '/k?a=1&b=2', cells: ['Kettle', '20 €'], html: '<a href="/k?a=1&amp;b=2">20 €</a>' },
        { name: 'Cup', link: null, cells: ['Cup', '3 €'], html: '3&nbsp;€' },
      ],
      count: 2,
      title: 'Shop & Co',
      text: 'Prices\nKettle 20 €\nCup 3 €\nOne\ntwo',
    });
    expect(((await outputOf('parse_html', { html })) as { text: string }).text).not.toContain('alert');
  });

  it('bounds items and depth, and says which selector is wrong', async () => {
    expect(
      await outputOf('parse_html', { html, item_selector: 'td', fields: [{ name: 'x' }], limit: 1 }),
    ).toMatchObject({ items: [{ x: 'Kettle' }] });
    expect(await errorOf('parse_html', { html, item_selector: 'td[', fields: [{ name: 'x' }] })).toMatchObject({
      code: 'invalid_selector',
    });
    expect(await errorOf('parse_html', { html: '<div>'.repeat(50_000) })).toMatchObject({ code: 'invalid_html' });
  });
});

describe('Markdown', () => {
  it('becomes HTML without anything that runs', async () => {
    const text = [
      '# Title',
      '- [x] done',
      '| a | b |\n|---|--:|\n| 1 | 2 |',
      '<script>alert(1)</script><img src=x onerror=alert(1)> <b style="x">bold</b>',
      '[bad](javascript:alert(1)) ![worse](javascript:alert(2))',
      '<iframe src="https://x.example"></iframe><a href="data:text/html,x">d</a>',
    ].join('\n\n');
    const { html } = (await outputOf('markdown_to_html', { text })) as { html: string };
    expect(html).toContain('<h1>Title</h1>');
    expect(html).toContain('<td align="right">2</td>');
    expect(html).toContain('<b>bold</b>');
    expect(html).not.toMatch(/script|onerror|javascript:|iframe|style=|data:/);
    expect(await outputOf('markdown_to_html', { text: 'a\nb', line_breaks: true })).toMatchObject({
      html: expect.stringContaining('<br') as string,
    });
  });
});

describe('crypto', () => {
  it.each([
    [{ text: 'abc' }, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [{ text: 'abc', algorithm: 'md5' }, '900150983cd24fb0d6963f7d28e17f72'],
    [
      { operation: 'hmac', text: 'what do ya want for nothing?', key: 'Jefe' },
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [{ operation: 'encode', text: 'ä?', encoding: 'base64url' }, 'w6Q_'],
    [{ operation: 'decode', text: 'w6Q/', encoding: 'base64' }, 'ä?'],
  ])('%j', async (params, value) => {
    expect(await outputOf('crypto', params)).toEqual({ value });
  });

  it('reads base64 as it is sent: broken into lines, without its padding', async () => {
    const params = { operation: 'decode', encoding: 'base64' };
    for (const text of ['YWJj\r\nZA==\n', 'YWJjZA', ' YWJjZA== '])
      expect(await outputOf('crypto', { ...params, text })).toEqual({ value: 'abcd' });
    expect(await outputOf('crypto', { ...params, text: '' })).toEqual({ value: '' });
  });

  it.each([
    ['base64', '!!!'],
    ['base64', 'YWJjZ'],
    ['base64', '/w=='],
    ['base64url', 'Y W%3D'],
    ['hex', '6z'],
    ['hex', '616'],
    ['hex', 'ff'],
  ])('makes no text of what is none: %s %s', async (encoding, text) => {
    expect(await errorOf('crypto', { operation: 'decode', encoding, text })).toMatchObject({ code: 'invalid_text' });
  });

  it('makes what nobody can guess', async () => {
    expect(await outputOf('crypto', { operation: 'uuid' })).toEqual({
      value: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/) as string,
    });
    const { value } = (await outputOf('crypto', { operation: 'random', bytes: 20 })) as { value: string };
    expect(value).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe('JSON', () => {
  it('is written', async () => {
    expect(await outputOf('write_json', { value: { a: [1] } })).toEqual({ text: '{"a":[1]}' });
    expect(await outputOf('write_json', { value: { a: 1 }, pretty: true })).toEqual({ text: '{\n  "a": 1\n}' });
  });
});
