// The same of scans: pages drawn as pictures, turned, skewed and grainy, whose words are recognised.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { CHILD_ENTRY } from '../../../apps/indexer/dist/pipeline/child-entry.js';
import { DocumentExtractor } from '../../../apps/indexer/dist/pipeline/document-extractor.js';
import { makePages } from '../support/anchor-pages.mjs';
import { inventedQuotes, judge, trueQuotes } from '../support/anchor-quotes.mjs';
import { printPages } from '../support/browser-pdf.mjs';

const WIDTH = 2_000;
const SCANS = [
  { kind: 'two columns' },
  { kind: 'table', skew: 1.5 },
  { kind: 'wrapped', skew: -2.2 },
  { kind: 'arabic' },
  { kind: 'table', turn: 90 },
  { kind: 'line by line', skew: 0.8 },
];
const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} % (${part} of ${whole})`;

export async function run(bars) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'scans-'));
  const extractor = new DocumentExtractor({ childEntry: CHILD_ENTRY });
  try {
    const made = makePages(11);
    const layouts = SCANS.map(({ kind }, at) => made.filter((page) => page.kind === kind)[at % 2]);
    const printed = await printPages(layouts);
    const file = path.join(folder, 'pages.pdf');
    fs.writeFileSync(file, printed.bytes);
    const all = { quotes: 0, anchored: 0, exact: 0, fuzzy: 0, precise: 0, wrong: 0, invented: 0, taken: 0 };
    for (const [at, scan] of SCANS.entries()) {
      const { picture, place } = await scanned(extractor, file, at + 1, scan);
      fs.writeFileSync(path.join(folder, 'scan.png'), picture);
      const pages = [];
      await extractor.readPages({
        path: path.join(folder, 'scan.png'),
        kind: 'png',
        ocr: true,
        onPage: (page) => void pages.push(page),
      });
      const truth = [printed.pages[at].map((word) => ({ ...word, rects: word.rects.map(place) }))];
      const quotes = trueQuotes(truth, [scan.kind], { perPage: 60 });
      const invented = inventedQuotes(quotes, []);
      const answers = await extractor.anchor({
        pages,
        quotes: [...quotes, ...invented].map(({ quote }) => ({ quote })),
      });
      const tally = count(answers, quotes, invented, truth);
      console.log(`${scan.kind.padEnd(14)} ${JSON.stringify(tally)}`);
      for (const key of Object.keys(all)) all[key] += tally[key];
    }
    console.log(
      `anchored of what was printed, misread words included: ${percent(all.anchored, all.quotes)}, ${all.fuzzy} of them fuzzily`,
    );
    bars.check('of those words right, >= 95 %', percent(all.precise, all.anchored), all.precise >= 0.95 * all.anchored);
    bars.check('in a wrong place, <= 0.5 %', percent(all.wrong, all.anchored), all.wrong <= 0.005 * all.anchored);
    bars.check('invented quotes anchored, <= 1 %', percent(all.taken, all.invented), all.taken <= 0.01 * all.invented);
  } finally {
    extractor.close();
    fs.rmSync(folder, { recursive: true });
  }
}

function count(answers, quotes, invented, truth) {
  const tally = {
    quotes: quotes.length,
    anchored: 0,
    exact: 0,
    fuzzy: 0,
    precise: 0,
    wrong: 0,
    invented: invented.length,
    taken: 0,
  };
  for (const [at, answer] of answers.entries()) {
    if (at >= quotes.length) {
      tally.taken += answer.anchor !== 'none';
      if (process.env.ANCHORS_SHOW && answer.anchor !== 'none')
        console.log(
          'invented',
          invented[at - quotes.length].change,
          JSON.stringify(invented[at - quotes.length]),
          answer.anchor,
          JSON.stringify(answer.quote),
        );
      continue;
    }
    const isAnchored = answer.anchor !== 'none';
    const { precision, recall } = isAnchored ? judge(answer, quotes[at], truth) : { precision: 0, recall: 0 };
    if (process.env.ANCHORS_SHOW && (!isAnchored || precision < 0.95 || recall < 0.95))
      console.log(
        answer.anchor,
        precision.toFixed(2),
        recall.toFixed(2),
        JSON.stringify(quotes[at].quote),
        JSON.stringify(answer.quote),
      );
    tally.anchored += isAnchored;
    tally.exact += answer.anchor === 'exact';
    tally.fuzzy += answer.anchor === 'fuzzy';
    tally.precise += precision >= 0.95 && recall >= 0.95;
    tally.wrong += isAnchored && recall < 0.5;
  }
  return tally;
}

/** @returns the picture, and where a rectangle of the page stands on it */
async function scanned(extractor, file, page, { skew = 0, turn = 0 }) {
  const drawn = sharp(await extractor.draw({ path: file, kind: 'pdf', page, width: WIDTH }));
  const { width, height } = await drawn.metadata();
  const turned = await drawn
    .rotate(turn + skew, { background: 'white' })
    .greyscale()
    .blur(0.6)
    .png()
    .toBuffer();
  const size = await sharp(turned).metadata();
  const radians = ((turn + skew) * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  const put = (x, y) => {
    const [dx, dy] = [(x - 0.5) * width, (y - 0.5) * height];
    return [(dx * cos - dy * sin) / size.width + 0.5, (dx * sin + dy * cos) / size.height + 0.5];
  };
  const place = ([x0, y0, x1, y1]) => {
    const corners = [put(x0, y0), put(x1, y0), put(x0, y1), put(x1, y1)];
    const side = (axis, pick) => pick(...corners.map((corner) => corner[axis]));
    return [side(0, Math.min), side(1, Math.min), side(0, Math.max), side(1, Math.max)];
  };
  return { picture: turned, place };
}
