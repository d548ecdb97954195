import { runInNewContext } from 'node:vm';
import { importN8n } from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import { DateTime } from 'luxon';

/** An expression of n8n behind a node with items, as the script that a Set becomes. */
function imported(expression: string) {
  const assignments = [{ name: 'x', value: `={{ ${expression} }}` }];
  const nodes = [
    { name: 'List', type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode: 'return [];' } },
    { name: 'It', type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: { assignments: { assignments } } },
  ];
  const connections = { List: { main: [[{ node: 'It', type: 'main', index: 0 }]] } };
  const { jsonSpec, report } = importN8n({ nodes, connections }, 'json', toolCatalogue);
  const { code } = jsonSpec.nodes.find(({ id }) => id === 'it')!.params as { code: string };
  const entry = Object.values(report)
    .flat()
    .find(
      (each): each is { name: string; notes: string[] } & typeof each => typeof each === 'object' && each.name === 'It',
    );
  return { code, notes: entry!.notes };
}

/** In a realm of its own, as in the sandbox: scripts give methods to all values. */
async function valueOf(expression: string, item: object = {}): Promise<unknown> {
  const script = `(async (items, params) => {${imported(expression).code}\n})(JSON.parse(json), {})`;
  const rows = await (runInNewContext(script, { json: JSON.stringify([item]) }) as Promise<unknown>);
  const [row] = JSON.parse(JSON.stringify(rows)) as { x: unknown }[];
  return row!.x;
}

const TIMES = [
  '2024-01-31T13:05:09.007Z',
  '2024-02-29T00:00:00.000Z',
  '2023-12-31T23:59:59.999Z',
  '2025-12-29T12:00:00.000Z',
];
const at = (iso: string) => DateTime.fromISO(iso, { zone: 'utc' });

describe('times in expressions of n8n', () => {
  it.each(TIMES)('are those of luxon: %s', async (iso) => {
    const [time, js] = [at(iso), `DateTime.fromISO('${iso}')`];
    const formats = [
      "yyyy-MM-dd'T'HH:mm:ss.SSS",
      'dd LLL yyyy',
      'cccc, d MMMM y',
      'h:mm a',
      'EEE W WW o ooo q',
      'M/d/yy hh X x ZZ',
    ];
    for (const format of formats)
      expect(await valueOf(`${js}.toFormat(${JSON.stringify(format)})`)).toBe(time.toFormat(format));
    for (const unit of ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute'] as const) {
      expect(await valueOf(`${js}.startOf('${unit}').toISO()`)).toBe(time.startOf(unit).toISO());
      expect(await valueOf(`${js}.endOf('${unit}').toISO()`)).toBe(time.endOf(unit).toISO());
      expect(await valueOf(`${js}.plus(1, '${unit}').toISO()`)).toBe(time.plus({ [unit]: 1 }).toISO());
      expect(await valueOf(`${js}.minus({ ${unit}s: 13 }).toISO()`)).toBe(time.minus({ [unit]: 13 }).toISO());
      for (const other of TIMES)
        expect(await valueOf(`${js}.diff(DateTime.fromISO('${other}'), '${unit}s').as('${unit}s')`)).toBeCloseTo(
          time.diff(at(other), `${unit}s`).as(`${unit}s`),
          6,
        );
    }
    expect(await valueOf(`[${js}.weekday, ${js}.weekNumber, ${js}.daysInMonth, ${js}.monthLong]`)).toEqual([
      time.weekday,
      time.weekNumber,
      time.daysInMonth,
      time.monthLong,
    ]);
  });

  it.each([
    ['05.03.2024', 'dd.MM.yyyy'],
    ['2024/3/5 7:08 PM', 'yyyy/M/d h:mm a'],
    ['12:30 AM 01-02-99', 'hh:mm a dd-MM-yy'],
    ['20240305', 'yyyyMMdd'],
    ['no date', 'yyyy'],
  ])('reads %s as %s', async (text, format) => {
    const expected = DateTime.fromFormat(text, format, { zone: 'utc' });
    expect(await valueOf(`DateTime.fromFormat('${text}', '${format}').toISO()`)).toBe(expected.toISO());
  });

  it.each<[string, unknown]>([
    ['endOfMonth().toISODate()', '2026-02-28'],
    ["beginningOf('month').toISODate()", '2026-02-01'],
    ['beginningOf().toISODate()', '2026-02-02'],
    ['isWeekend()', true],
    ["isBetween('2026-02-08', '2026-02-06')", true],
    ["isBetween('2026-02-07T12:00:00', '2026-02-08')", false],
    ['extract()', 6],
    ["extract('month')", 2],
    ['isDst()', false],
    ["isInLast(1, 'day')", false],
    ['zoneName', 'UTC'],
  ])('have what n8n adds to them: %s', async (js, expected) => {
    expect(await valueOf(`'2026-02-07T12:00:00'.toDateTime().${js}`)).toEqual(expected);
  });

  it('are compared, made of texts, and said to be in UTC', async () => {
    expect(await valueOf("$now > $now.minus(1, 'day') && $today <= $now")).toBe(true);
    expect(await valueOf("$json.d.toDateTime().toFormat('dd.MM.')", { d: '2026-02-03T04:05' })).toBe('03.02.');
    expect(imported('$now.toISO()').notes).toEqual([expect.stringContaining('UTC')]);
    expect(imported("$now.setZone('Europe/Berlin')").notes).toContainEqual(expect.stringContaining('setZone'));
    // What would be written wrong fails instead.
    await expect(valueOf("$now.toFormat('DDDD')")).rejects.toThrow('DDDD');
  });
});

describe('methods that n8n gives to values', () => {
  it.each<[string, unknown]>([
    ['[3, 1, 2, 3].unique().sum()', 6],
    ['[[1], [2]].last()', [2]],
    ['[1, 2].average()', 1.5],
    ['[{ a: 1, b: 2 }].pluck("a")', [1]],
    ['[1, 2, 3].chunk(2)', [[1, 2], [3]]],
    ['[{ k: "a", v: 1 }].smartJoin("k", "v")', { a: 1 }],
    ['[1, 2, 3].difference([2])', [1, 3]],
    ['(3.14159).round(2)', 3.14],
    ['"5.7".toInt()', 5],
    ['"12.5".toNumber() + 1', 13.5],
    ['"a <b>x</b>".removeTags()', 'a x'],
    ['"hello big world".toTitleCase()', 'Hello Big World'],
    ['"mail me@x.example now".extractEmail()', 'me@x.example'],
    ['"https://a.example.com/x?y".extractDomain()', 'a.example.com'],
    ['true.toInt()', 1],
    ['$input.first().json.a + $input.all().length', 8],
    ['[{ a: 1 }, { a: 1, b: 2 }, { a: 2 }].removeDuplicates("a")', [{ a: 1 }, { a: 2 }]],
    ['[{ a: 1 }, { a: 1 }, {}].unique().length', 2],
    ['$json.o.keys()', ['x', 'y']],
    ['$json.o.values()', [1, '']],
    ['Object.keys($json.o).length + [...new Map([[1, 2]]).values()][0]', 4],
    [
      '[$json.o.isEmpty(), ({}).isEmpty(), [].isEmpty(), "".isEmpty(), "a".isNotEmpty(), (0).isEmpty()]',
      [false, true, true, true, true, false],
    ],
    ['[$json.o.hasField("x"), $json.o.hasField("z")]', [true, false]],
    ['$json.o.removeField("x")', { y: '' }],
    ['$json.o.compact()', { x: 1 }],
    ['[1, null, ""].compact()', [1]],
    ['({ a: "find me", b: "no" }).keepFieldsContaining("find")', { a: 'find me' }],
    ['({ a: "find me", b: 1 }).removeFieldsContaining("find")', { b: 1 }],
    ['({ q: "a b", r: 1 }).urlEncode()', 'q=a%20b&r=1'],
    ['$json.o.toJsonString()', '{"x":1,"y":""}'],
    ['"Grüße 😀!".base64Encode()', Buffer.from('Grüße 😀!').toString('base64')],
    ['"R3LDvMOfZSDwn5iAIQ".base64Decode()', 'Grüße 😀!'],
    ['["", "a", "ab", "abc"].map((text) => text.base64Encode().base64Decode())', ['', 'a', 'ab', 'abc']],
    ['"Hello bigWorld-now".toSnakeCase()', 'hello_big_world_now'],
    ['["a.example".isDomain(), "a b".isDomain()]', [true, false]],
    ['"https://a.example/x/y?z#q".extractUrlPath()', '/x/y'],
  ])('%s', async (expression, expected) => {
    expect(await valueOf(expression, { a: 7, o: { x: 1, y: '' } })).toEqual(expected);
    expect(imported(expression).notes).toEqual([]);
  });

  it.each([
    ['"a".hash("md5")', 'hash'],
    ['$now.setZone("Europe/Berlin").toISO()', 'Europe/Berlin'],
    ['$now.setLocale("de")', 'setLocale'],
    ['[{ a: 1 }].merge([{ b: 2 }])', 'merged'],
  ])('fail where there is none here: %s', async (expression, message) => {
    await expect(valueOf(expression)).rejects.toThrow(message);
  });

  it.each(['null', 'undefined', 'true', '""'])('make no time of %s', async (value) => {
    expect(await valueOf(`DateTime.fromISO(${value}).isValid`)).toBe(false);
    expect(await valueOf(`DateTime.fromISO(${value}).plus(1, 'day').toISO()`)).toBeNull();
    expect(await valueOf(`DateTime.fromISO('2026-05-06').setZone('utc').toISODate()`)).toBe('2026-05-06');
  });

  it('are in a script only where it uses them, and those that are missing are named', () => {
    expect(imported('$input.first().json.a + $("List").last().json.a + Math.max(1, 2)').code).not.toContain('__extend');
    expect(imported('Object.keys($json)').code).not.toContain('Object.prototype');
    expect(imported('$json.a.hash("md5")').notes).toEqual([expect.stringContaining('hash')]);
  });
});
