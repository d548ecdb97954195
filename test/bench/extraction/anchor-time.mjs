// What finding a quote costs: on 1 to 1,000 pages, and with inputs that make careless searches quadratic.
import { anchorQuotes } from '../../../libs/extraction/dist/kit.js';
import { seededRandom } from '../support/figures.mjs';

const QUOTES = 200;
const WORD_LETTERS = 'etaoinshrdlucmfw';

export function run(bars) {
  const perQuote = [1, 10, 100, 1_000].map((count) => {
    const random = seededRandom(count);
    const pages = makePages(count, random);
    const quotes = Array.from({ length: QUOTES }, (_, at) => quoteOf(pages, random, at % 4));
    const idle = cpuOf(() => anchorQuotes(pages, []));
    const busy = cpuOf(() => anchorQuotes(pages, quotes));
    console.log(
      `${count} pages: ${idle.toFixed(0)} ms to fold them, ${busy.toFixed(0)} ms with ${QUOTES} quotes, ${(busy / QUOTES).toFixed(2)} ms each`,
    );
    return busy / QUOTES;
  });
  bars.check('CPU of a quote on 100 pages, <= 50 ms', `${perQuote[2].toFixed(1)} ms`, perQuote[2] <= 50);
  const growth = perQuote[3] / perQuote[2];
  bars.check('1,000 pages over 100, linear: <= 12x', `${growth.toFixed(1)}x`, growth <= 12);
  let worst = { name: '', ms: 0 };
  for (const [name, [pages, quote]] of Object.entries(traps())) {
    const ms = cpuOf(() => anchorQuotes(pages, [{ quote }]));
    if (ms > worst.ms) worst = { name, ms };
    console.log(`${name.padEnd(34)} ${ms.toFixed(0)} ms`);
  }
  bars.check('a quote of hostile pages, <= 2 s', `${worst.ms.toFixed(0)} ms (${worst.name})`, worst.ms <= 2_000);
}

function cpuOf(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function makePages(count, random) {
  const letters = () =>
    Array.from(
      { length: 2 + Math.floor(random() * 9) },
      () => WORD_LETTERS[Math.floor(random() * WORD_LETTERS.length)],
    );
  const vocabulary = Array.from({ length: 3_000 }, () => letters().join(''));
  return Array.from({ length: count }, (_, page) => {
    const words = [];
    let text = '';
    for (let at = 0; at < 45 * 11; at += 1) {
      const [line, column] = [Math.floor(at / 11), at % 11];
      const word =
        random() < 0.05 ? String(Math.floor(random() * 100_000)) : vocabulary[Math.floor(random() * vocabulary.length)];
      if (at > 0) text += column === 0 ? '\n' : ' ';
      const [x, y] = [0.08 + column * 0.08, 0.05 + line * 0.02];
      words.push({ start: text.length, end: text.length + word.length, rect: [x, y, x + 0.07, y + 0.015] });
      text += word;
    }
    return { number: page + 1, text, ocr: false, words, width: 595, height: 842 };
  });
}

/** Verbatim, misspelt or made up in its second half. */
function quoteOf(pages, random, kind) {
  const { text, words } = pages[Math.floor(random() * pages.length)];
  const first = Math.floor(random() * (words.length - 12));
  const quote = text.slice(words[first].start, words[first + 3 + Math.floor(random() * 8)].end);
  if (kind === 3) return { quote: quote.replace(/[a-z]{6}/, (found) => `${found.slice(0, 3)}z${found.slice(4)}`) };
  return { quote: kind === 2 ? `${quote} that nobody wrote` : quote };
}

const page = (text, ocr = false) => [{ number: 1, text, ocr }];

function traps() {
  const random = seededRandom(5);
  const sentence = 'the quick brown fox jumps over the lazy dog and ';
  const crowd = Array.from({ length: 100_000 }, (_, at) => {
    const [x, y] = [random() * 0.9, random() * 0.9];
    return { start: 3 * at, end: 3 * at + 2, rect: [x, y, x + 0.1, y + 0.1] };
  });
  const letters = Array.from({ length: 5_000 }, (_, at) => ({
    number: at + 1,
    text: 'a',
    ocr: false,
    words: [{ start: 0, end: 1, rect: [0, 0, 0.1, 0.1] }],
  }));
  return {
    'one letter, 3 million times': [page('a'.repeat(3e6)), 'a'.repeat(10_000)],
    'the same and another at the end': [page('a'.repeat(3e6)), `${'a'.repeat(9_999)}b`],
    'the same and another before': [page('a'.repeat(3e6), true), `b${'a'.repeat(9_999)}`],
    'the same and another in the middle': [page('a'.repeat(3e6), true), `${'a'.repeat(1_900)}z${'a'.repeat(1_900)}`],
    'words of one letter': [page('a '.repeat(1.5e6)), 'a'],
    'many words of one letter': [page('a '.repeat(1.5e6)), `${'a '.repeat(2_000)}b`],
    'a quote of a million characters': [page(sentence.repeat(40_000)), sentence.repeat(21_000)],
    'long almost-matches, recognised': [page(`${sentence.repeat(80)}x `.repeat(700), true), `${sentence.repeat(80)}y`],
    'slips in each word, recognised': [page(`${'abcdefgh '.repeat(400)}1 `.repeat(600), true), 'abcdefgx '.repeat(400)],
    digits: [page('1 '.repeat(1.5e6)), '1'],
    'a number of 3 million digits': [page('1'.repeat(3e6)), '1'.repeat(5_000)],
    'numbers in a row': [page('12 '.repeat(1e6)), `${'12 '.repeat(500)}13`],
    'numbers without an end': [page('1.'.repeat(1.5e6)), '1.1'],
    'lines of one letter': [page('a\n'.repeat(1.5e6)), 'a a a a a a a a a a b'],
    'a letter under 2 million marks': [page(`a${'\u0301'.repeat(2e6)}b`), 'ab'],
    'hidden characters': [page(`a${'\u200b'.repeat(2e6)}${'b '.repeat(1e5)}`), 'b'],
    'signs without blanks': [page('\u4e2d'.repeat(2e6)), '\u4e2d'.repeat(4)],
    'pages of one letter': [letters, 'a'],
    'words upon each other': [
      [{ number: 1, text: 'ab '.repeat(1e5), ocr: false, width: 600, height: 800, words: crowd }],
      'ab '.repeat(6_000).trim(),
    ],
  };
}
