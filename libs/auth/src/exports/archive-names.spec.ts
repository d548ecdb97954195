import { assert, array, property, string } from 'fast-check';
import { freeName } from './archive-names.js';

const names = (...paths: string[]) => {
  const taken = new Map<string, number>();
  return paths.map((path) => freeName(path, taken));
};
const long = 'ä'.repeat(300);

describe('freeName', () => {
  it.each([
    ['as they are', ['a/b.txt', 'Über/日本語😀.csv'], ['a/b.txt', 'Über/日本語😀.csv']],
    ['numbered', ['a/b.txt', 'a/B.TXT', 'a/b.txt'], ['a/b.txt', 'a/B (2).TXT', 'a/b (3).txt']],
    ['the same, however accents are written', ['ü.txt', 'u\u0308.txt'], ['ü.txt', 'ü (2).txt']],
    ['without what leads elsewhere', ['../../etc//./passwd', '/', '..'], ['etc/passwd', '_', '_ (2)']],
    [
      'without what has no name on Windows',
      ['CON.txt', 'a /b. ', 'nul', 'x:y?.txt'],
      ['_CON.txt', 'a_/b__', '_nul', 'x_y_.txt'],
    ],
    ['without what turns their direction', ['a\u202etxt.exe'], ['a_txt.exe']],
    [
      'short enough, with their extension',
      [`${long}.txt`, `${long}.txt`],
      [`${'ä'.repeat(113)}.txt`, `${'ä'.repeat(113)} (2).txt`],
    ],
    ['short enough, without one', [`${long}`, `a.${long}`], ['ä'.repeat(115), `a.${'ä'.repeat(114)}`]],
    [
      'no files where folders are',
      ['a', 'a/b.txt', 'a/c.txt', 'd/e', 'd'],
      ['a', 'a (2)/b.txt', 'a (2)/c.txt', 'd/e', 'd (2)'],
    ],
  ])('are %s', (_, paths, expected) => expect(names(...paths)).toEqual(expected));

  it('are found at once where thousands are called the same', () => {
    const tried: string[] = [];
    class Counted extends Map<string, number> {
      override has(key: string): boolean {
        tried.push(key);
        return super.has(key);
      }
    }
    const taken = new Counted();
    const made = Array.from({ length: 1_000 }, (_, n) => freeName(`a${'?*:|"'.charAt(n % 5)}.txt`, taken));
    expect(new Set(made).size).toBe(1_000);
    expect(tried.length).toBeLessThan(5_000);
  });

  it('are names with which everything can be unpacked', () =>
    assert(
      property(array(string({ unit: 'binary', maxLength: 400 }), { maxLength: 20 }), (paths) => {
        const made = names(...paths);
        expect(new Set(made.map((name) => name.toLowerCase().normalize('NFC'))).size).toBe(paths.length);
        for (const name of made) {
          expect(made.some((other) => other.startsWith(`${name}/`))).toBe(false);
          for (const part of name.split('/')) {
            expect(part).toMatch(/^[^\p{Cc}\\:*?"<>|]*[^\p{Cc}\\:*?"<>|. ]$/u);
            expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255);
          }
        }
      }),
    ));
});
