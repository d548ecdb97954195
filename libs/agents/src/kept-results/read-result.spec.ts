import { readResult } from './read-result.js';
import { describeShape } from './result-shape.js';
import { toResultValue, valueAt } from './result-value.js';

const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join('\n');
const items = Array.from({ length: 400 }, (_, id) => ({ id, name: `Name ${id}`, tags: ['a/b', 'c'] }));
const json = JSON.stringify({ data: { items }, 'odd/key': 'here', body: lines });

describe('reading on in a result', () => {
  it('goes through text by lines without losing one', async () => {
    const read: string[] = [];
    for (let offset = 0; ;) {
      const [about = '', ...shown] = (await readResult(lines, { offset }, 6_000)).split('\n');
      read.push(...shown);
      const next = /It goes on at offset (\d+)/.exec(about);
      if (!next) break;
      offset = Number(next[1]);
    }
    expect(read.join('\n')).toBe(lines);
  });

  it('goes through one endless line by characters', async () => {
    const text = 'x'.repeat(20_000);
    expect(await readResult(text, {}, 2_000)).toMatch(/first 1800 of 20000 characters.*unit characters, offset 1800/);
    expect(await readResult(text, { unit: 'characters', offset: 19_000 }, 2_000)).toBe(
      `Characters 19000 to 20000 of 20000.\n${'x'.repeat(1_000)}`,
    );
  });

  it('goes through items, and into them by paths of both kinds', async () => {
    expect(await readResult(json, { path: '/data/items', offset: 398 }, 6_000)).toBe(
      `Items 398 to 399 of 400, counted from 0.\n${JSON.stringify(items[398])}\n${JSON.stringify(items[399])}`,
    );
    expect(await readResult(json, { path: 'data.items[7].tags' }, 6_000)).toContain('"a/b"');
    expect(await readResult(json, { path: '/data/items/*/name', limit: 2 }, 6_000)).toContain('"Name 0"\n"Name 1"');
    expect(await readResult(json, { path: '/odd~1key' }, 6_000)).toContain('here');
    expect(await readResult(json, { path: '/body', offset: 4_998 }, 6_000)).toContain('line 4999\nline 5000');
  });

  it('says what there is where a path leads nowhere', async () => {
    expect(await readResult(json, { path: '/nothing' }, 6_000)).toMatch(
      /nothing at the path "\/nothing"[^]*\/data\/items: array of 400 objects with id, name, tags[^]*\/body: text of \d+ characters, 5000 lines/,
    );
    expect(valueAt({ a: 1 }, '/__proto__')).toBeUndefined();
  });

  it('searches within a path, and names where hits stand', async () => {
    const found = await readResult(json, { path: '/data', search: 'Name 321' }, 6_000);
    expect(found).toContain('[/items/321] {"id":321');
    expect(await readResult(lines, { search: 'nowhere' }, 6_000)).toMatch(/No part of it has any of these words/);
    expect(await readResult(lines, { search: 'the' }, 6_000)).toMatch(/No part/);
  });

  it.each([0, 5_000, 1e9])('stays within its bounds at offset %i', async (offset) => {
    for (const text of [lines, json, JSON.stringify(items), `${lines}\n${'y'.repeat(50_000)}`])
      for (const search of [undefined, 'name line'])
        expect((await readResult(text, { offset, ...(search && { search }) }, 2_000)).length).toBeLessThan(2_400);
  });
});

describe('what a result is made of', () => {
  it.each([
    ['a,b,c\n1,2,3\n4,5,6\n', /Table as text: 4 lines, 3 columns: a, b, c/],
    [lines, /Text: 5000 lines/],
    [JSON.stringify(items), /array of 400 objects with id, name, tags/],
    ['[1, 2', /Text/],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, { n }]))), /and 4960 more/],
  ])('%#', (text, shape) => {
    const said = describeShape(toResultValue(text));
    expect(said).toMatch(shape);
    expect(said.length).toBeLessThan(1_600);
  });
});
