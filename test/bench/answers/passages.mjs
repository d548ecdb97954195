// Where passages end, over the files at hand and generated texts, and how fast a document is cut.
import { chunkPages } from '@app/retrieval';
import { LANGUAGES, readFiles, runningText, tableText } from '../support/page-corpus.mjs';

const SPEED_CHARACTERS = 30_000_000;
const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Whether an offset lies within a word or number of any script; `$2` | `.5` is within a number. */
function cuts(text, at) {
  if (at <= 0 || at >= text.length) return { word: false, number: false };
  const [before, after] = [text[at - 1], text[at]];
  const number =
    (/\p{N}$/u.test(before) && /^(?:\p{N}|[.,]\p{N})/u.test(text.slice(at, at + 2))) ||
    (/^\p{N}/u.test(after) && /\p{N}[.,]$/u.test(text.slice(Math.max(0, at - 2), at)));
  const from = Math.max(0, at - 60);
  const word = [...words.segment(text.slice(from, at + 60))].some(
    ({ index, segment, isWordLike }) => isWordLike && from + index < at && from + index + segment.length > at,
  );
  return { word: word || number, number };
}

/** @param cut the chunker */
export async function measure(documents, cut) {
  const totals = { boundaries: 0, inWords: 0, inNumbers: 0, rows: 0, passages: 0, characters: 0, wrong: 0 };
  for (const { pages, name } of documents) {
    const chunks = await cut(pages, { filename: name });
    const texts = new Map(pages.map((page) => [page.number, page.text]));
    totals.passages += chunks.length;
    totals.characters += pages.reduce((sum, { text }) => sum + text.length, 0);
    for (const { page, start, end, text: passage } of chunks) {
      const text = texts.get(page);
      if (text.slice(start, end) !== passage) totals.wrong++;
      for (const at of [start, end]) {
        if (text.slice(0, at).trim() === '' || text.slice(at).trim() === '') continue;
        totals.boundaries++;
        const { word, number } = cuts(text, at);
        totals.inWords += word;
        totals.inNumbers += number;
        const line = text.slice(
          text.lastIndexOf('\n', at - 1) + 1,
          text.indexOf('\n', at) === -1 ? undefined : text.indexOf('\n', at),
        );
        if (line.includes(' | ') && text[at] !== '\n' && text[at - 1] !== '\n') totals.rows++;
      }
    }
  }
  return totals;
}

const percent = (part, all) => `${((100 * part) / Math.max(1, all)).toFixed(2)} % (${part} of ${all})`;

export function report(title, totals) {
  const perMegabyte = Math.round((totals.passages * 1_000_000) / totals.characters);
  console.log(
    `${title}: ${totals.passages} passages of ${(totals.characters / 1e6).toFixed(1)} M characters, ${perMegabyte} a million;`,
  );
  console.log(
    `  ends within a word ${percent(totals.inWords, totals.boundaries)}, a number ${totals.inNumbers}, a row ${totals.rows}; ${totals.wrong} texts not at their offsets`,
  );
}

export const generated = () => [
  ...LANGUAGES.map((language) => ({
    name: `${language}.txt`,
    pages: [{ number: 1, text: runningText(language, 60_000) }],
  })),
  { name: 'table.txt', pages: [{ number: 1, text: tableText(600) }] },
];

export async function speed(cut) {
  const pages = Array.from({ length: 300 }, (_, at) => ({
    number: at + 1,
    text: runningText('en', SPEED_CHARACTERS / 300, at),
  }));
  const started = performance.now();
  const chunks = await cut(pages, { filename: 'long.txt' });
  return { seconds: (performance.now() - started) / 1000, passages: chunks.length };
}

export async function run(bars, cut = chunkPages) {
  const files = await readFiles();
  for (const [title, documents] of [
    ['files at hand', files],
    ['generated texts', generated()],
  ]) {
    const totals = await measure(documents, cut);
    report(title, totals);
    bars.check(
      `passages of ${title} that end within a word, number or row`,
      totals.inWords + totals.rows,
      totals.inWords + totals.rows <= totals.boundaries * 0.005,
    );
    bars.check(`passages of ${title} that are not at their offsets`, totals.wrong, totals.wrong === 0);
  }
  const { seconds, passages } = await speed(cut);
  console.log(`30 M characters: ${seconds.toFixed(1)} s, ${passages} passages`);
}
