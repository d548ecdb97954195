// Quotes as a model would give them, true and invented ones.
import { seededRandom } from './figures.mjs';

/** Letters and digits alone. */
export const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** @returns `{quote, page, words, kind}`: true quotes, runs of words of one block */
export function trueQuotes(pages, kinds, { perPage = 28, seed = 3 } = {}) {
  const random = seededRandom(seed);
  const quotes = [];
  for (const [page, words] of pages.entries()) {
    const blocks = Map.groupBy(words, ({ block }) => block);
    const lists = [...blocks.values()].filter((list) => list.map(({ text }) => text).join('').length > 3);
    for (let made = 0; made < perPage && lists.length > 0; made += 1) {
      const list = lists[Math.floor(random() * lists.length)];
      const size = Math.min(list.length, 2 + Math.floor(random() * 16));
      const start = Math.floor(random() * (list.length - size + 1));
      const taken = list.slice(start, start + size);
      if (taken.some(({ repeated }) => repeated)) continue;
      const text = taken.map(({ text: word }) => word).join(' ');
      if (text.replace(/[^\p{L}\p{N}]/gu, '').length < 4) continue;
      quotes.push({ quote: asModel(text, random), page, words: taken, kind: kinds[page] });
    }
  }
  // What stands elsewhere, too, is no question of finding.
  const whole = pages.map((words) =>
    [...Map.groupBy(words, ({ block }) => block).values()]
      .map((list) => list.map(({ text }) => text).join(' '))
      .join(' | '),
  );
  const texts = whole.map(plain);
  const countOf = (text) => texts.reduce((sum, page) => sum + page.split(plain(text)).length - 1, 0);
  return quotes.filter(({ words }) => countOf(words.map(({ text }) => text).join(' ')) === 1);
}

/** Blanks, quotation marks and dashes as they come. */
function asModel(text, random) {
  let quote = text;
  if (random() < 0.3) quote = quote.replace(/[“”]/g, '"').replace(/[’]/g, "'");
  if (random() < 0.3) quote = quote.replace(/ – /g, ' - ');
  if (random() < 0.15) quote = quote.replace(/ /g, '  ');
  if (random() < 0.1) quote = quote.replace(/[.,]$/, '');
  if (random() < 0.1) quote = quote.replace(/fi/g, 'ﬁ');
  return quote;
}

/** Plausible falsifications of true quotes. */
export function inventedQuotes(quotes, others, seed = 5) {
  const random = seededRandom(seed);
  const names = 'Ferreira Johansson Abdallah McAllister Dubois Tanaka Novak Romano'.split(' ');
  const changes = [
    (quote) => replaceAt(quote, /\d/g, random, (digit) => String((Number(digit) + 1 + Math.floor(random() * 8)) % 10)),
    (quote) =>
      replaceAt(quote, /(\d)([.,])(?=\d)/g, random, (found) =>
        found.includes('.') ? found.replace('.', ',') : found.replace(',', '.'),
      ),
    (quote) => replaceAt(quote, /\d+(?=[.,]\d)/g, random, (found) => found + String(Math.floor(random() * 10))),
    (quote) => replaceAt(quote, /\p{Lu}\p{Ll}{4,}/gu, random, () => names[Math.floor(random() * names.length)]),
    (quote) => replaceAt(quote, / (?:of|to|in|for|with) /g, random, (found) => ` not${found}`),
    (quote) =>
      replaceAt(
        quote,
        / (?:with|before|under) /g,
        random,
        (found) => ({ ' with ': ' without ', ' before ': ' after ', ' under ': ' over ' })[found],
      ),
    (quote) => replaceAt(quote, /\p{Ll}{6,}/gu, random, (found) => [...found].toReversed().join('')),
    (quote) => replaceAt(quote, /[€£]|EUR|USD/g, random, (found) => (found === '€' || found === 'EUR' ? 'USD' : '€')),
  ];
  const changed = quotes.flatMap(({ quote }, at) => {
    const invented = changes[at % changes.length](quote);
    return invented === null || invented === quote ? [] : [{ quote: invented, of: quote, change: at % changes.length }];
  });
  return [...changed, ...others.map((quote) => ({ quote, of: '', change: 'other' }))];
}

function replaceAt(text, pattern, random, change) {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return null;
  const one = found[Math.floor(random() * found.length)];
  return text.slice(0, one.index) + change(one[0]) + text.slice(one.index + one[0].length);
}

/** Which true words an answer shows, of which it should have. */
export function judge(anchored, { page, words }, truth) {
  const shown = new Set();
  for (const { page: number, rect } of anchored.spans) {
    for (const [at, word] of (truth[number - 1] ?? []).entries())
      for (const [part, [x0, y0, x1, y1]] of word.rects.entries()) {
        const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
        if (x > rect[0] && x < rect[2] && y > rect[1] && y < rect[3]) shown.add(`${number - 1} ${at} ${part}`);
      }
  }
  const wanted = new Set();
  for (const [at, word] of truth[page].entries())
    if (words.includes(word)) for (const part of word.rects.keys()) wanted.add(`${page} ${at} ${part}`);
  const both = [...shown].filter((key) => wanted.has(key)).length;
  return { precision: shown.size === 0 ? 0 : both / shown.size, recall: both / wanted.size };
}
