// Whether quotes are found where they stand, and only there: PDFs that a browser prints, whose own rectangles are the truth.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { anchorQuotes } from '../../../libs/extraction/dist/kit.js';
import { CHILD_ENTRY } from '../../../apps/indexer/dist/pipeline/child-entry.js';
import { DocumentExtractor } from '../../../apps/indexer/dist/pipeline/document-extractor.js';
import { makePages } from '../support/anchor-pages.mjs';
import { inventedQuotes, judge, plain, trueQuotes } from '../support/anchor-quotes.mjs';
import { printPages } from '../support/browser-pdf.mjs';

const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} % (${part} of ${whole})`;

export async function run(bars) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'anchors-'));
  const extractor = new DocumentExtractor({ childEntry: CHILD_ENTRY });
  try {
    const layouts = makePages();
    const { bytes, pages: truth } = await printPages(layouts);
    const file = path.join(folder, 'pages.pdf');
    fs.writeFileSync(process.env.ANCHORS_PDF ?? file, bytes);
    fs.writeFileSync(file, bytes);
    const pages = [];
    await extractor.readPages({ path: file, kind: 'pdf', ocr: false, onPage: (page) => void pages.push(page) });
    const quotes = trueQuotes(
      truth,
      layouts.map(({ kind }) => kind),
    );
    await found(bars, extractor, pages, truth, quotes);
    invented(bars, pages, quotes);
    repeated(bars, pages, truth, layouts);
    lineItems(pages, truth, layouts);
  } finally {
    extractor.close();
    fs.rmSync(folder, { recursive: true });
  }
}

async function found(bars, extractor, pages, truth, quotes) {
  const answers = await extractor.anchor({ pages, quotes: quotes.map(({ quote }) => ({ quote })) });
  const byKind = new Map();
  const all = { quotes: 0, anchored: 0, exact: 0, fuzzy: 0, precise: 0, wrong: 0 };
  for (const [at, quote] of quotes.entries()) {
    const tally = byKind.get(quote.kind) ?? {
      ...all,
      quotes: 0,
      anchored: 0,
      exact: 0,
      fuzzy: 0,
      precise: 0,
      wrong: 0,
    };
    byKind.set(quote.kind, tally);
    const answer = answers[at];
    const isAnchored = answer.anchor !== 'none';
    const { precision, recall } = isAnchored ? judge(answer, quote, truth) : { precision: 0, recall: 0 };
    const precise = precision >= 0.95 && recall >= 0.95;
    const wrong = isAnchored && recall < 0.5;
    if (process.env.ANCHORS_SHOW && (!isAnchored || !precise))
      console.log(
        quote.kind,
        JSON.stringify(quote.quote),
        answer.anchor,
        `p ${precision.toFixed(2)} r ${recall.toFixed(2)}`,
        JSON.stringify(answer.quote),
        answer.spans.length,
      );
    for (const sum of [tally, all]) {
      sum.quotes += 1;
      sum.anchored += isAnchored;
      sum.exact += answer.anchor === 'exact';
      sum.fuzzy += answer.anchor === 'fuzzy';
      sum.precise += precise;
      sum.wrong += wrong;
    }
  }
  for (const [kind, { quotes: of, anchored, precise, wrong, exact, fuzzy }] of byKind)
    console.log(
      `${kind.padEnd(14)} ${of} quotes, ${anchored} anchored (${exact} exact, ${fuzzy} fuzzy), ${precise} on their words, ${wrong} elsewhere`,
    );
  bars.check('verbatim quotes', all.quotes, all.quotes >= 1_000);
  bars.check('anchored, >= 97 %', percent(all.anchored, all.quotes), all.anchored >= 0.97 * all.quotes);
  bars.check('of those words right, >= 95 %', percent(all.precise, all.anchored), all.precise >= 0.95 * all.anchored);
  bars.check('in a wrong place, <= 0.5 %', percent(all.wrong, all.anchored), all.wrong <= 0.005 * all.anchored);
}

function invented(bars, pages, quotes) {
  const others = makePages(99)
    .flatMap(({ html, kind }) => (kind === 'repeated' ? [] : html))
    .flatMap((html) => html.replace(/<[^>]*>/g, ' ').match(/\p{Lu}[^.]{30,120}\./gu) ?? []);
  const printed = plain(pages.map(({ text }) => text).join(' '));
  // What is changed and still there is true.
  const made = inventedQuotes(quotes, others.slice(0, 200)).filter(
    ({ quote, change }) => change !== 0 || !printed.includes(plain(quote)),
  );
  const answers = anchorQuotes(
    pages,
    made.map(({ quote }) => ({ quote })),
  );
  const taken = answers.filter(({ anchor }) => anchor !== 'none').length;
  if (process.env.ANCHORS_SHOW)
    for (const [at, answer] of answers.entries())
      if (answer.anchor !== 'none')
        console.log(
          'invented',
          made[at].change,
          JSON.stringify(made[at].quote),
          'of',
          JSON.stringify(made[at].of),
          answer.anchor,
          JSON.stringify(answer.quote),
        );
  bars.check('invented quotes anchored, <= 1 %', percent(taken, made.length), taken <= 0.01 * made.length);
}

function repeated(bars, pages, truth, layouts) {
  const asked = [];
  for (const [at, words] of truth.entries()) {
    if (layouts[at].kind !== 'repeated') continue;
    const runs = Map.groupBy(
      words.filter((word) => word.repeated),
      ({ block }) => block,
    );
    for (const run of runs.values()) asked.push({ quote: run.map(({ text }) => text).join(' '), page: at + 1 });
  }
  const answers = anchorQuotes(pages, asked);
  const flagged = answers.filter(({ anchor, ambiguous }) => anchor !== 'none' && ambiguous).length;
  bars.check('repeated values flagged, 100 %', percent(flagged, asked.length), flagged === asked.length);
}

/** Cells of tables with their rows: how many of those that stand in several places are told by their order. */
function lineItems(pages, truth, layouts) {
  let [right, wrong, ambiguous] = [0, 0, 0];
  for (const [at, words] of truth.entries()) {
    if (layouts[at].kind !== 'table') continue;
    const cells = [
      ...Map.groupBy(
        words.filter(({ row }) => row !== null),
        ({ block }) => block,
      ).values(),
    ];
    const quotes = cells.map((cell) => ({
      quote: cell.map(({ text }) => text).join(' '),
      row: cell[0].row,
      column: String(cell[0].column),
      page: at + 1,
    }));
    const answers = anchorQuotes([pages[at]], quotes);
    for (const [index, answer] of answers.entries()) {
      const { recall } = judge(answer, { page: at, words: cells[index] }, truth);
      if (answer.ambiguous) ambiguous += 1;
      else if (answer.anchor !== 'none' && recall === 1) right += 1;
      else wrong += 1;
    }
  }
  console.log(`cells of line items: ${right} right, ${ambiguous} ambiguous, ${wrong} wrong or not found`);
}
