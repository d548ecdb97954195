// How well scans are read: pages made here (PDFium's own fonts) or shipped (Arabic), upright, turned, skewed and noisy,
// each through the extractor as an upload would be. The first page of all meets a process that was never used.
import '../support/typescript.mjs';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { mean, seededRandom } from '../support/figures.mjs';

const ROOT = path.join(import.meta.dirname, '../../..');
const PIPELINE = path.join(ROOT, 'apps/indexer/dist/pipeline');
const SCANS = path.join(import.meta.dirname, '../corpora/scans');
const LANGUAGES = ['eng', 'ara', 'deu', 'fra', 'spa'];

const TEXTS = {
  english: [
    'The parish council met on the third of May to discuss the future of the old',
    'crane that has stood beside the quay since nineteen hundred and twelve. Mrs',
    'Abernathy reported that repairs would cost 48,200 pounds, of which the county',
    'offers to pay 30 per cent if work begins before 15 September. Two members',
    'proposed to sell the iron instead; their motion was lost by seven votes to',
    'four. The clerk will write to the railway company, whose sidings are needed.',
  ],
  german: [
    'Der Gemeinderat beschloss in seiner Sitzung am dritten Mai, die Gebühren für',
    'die Abfallentsorgung ab dem kommenden Jahr um 4,5 Prozent zu erhöhen. Größere',
    'Haushalte erhalten auf Antrag eine Ermäßigung. Die Straßenbeleuchtung in der',
    'Königsallee wird vollständig erneuert; dafür stehen 126.000 Euro zur Verfügung.',
  ],
  french: [
    'Le conseil municipal a décidé à la majorité de rénover l’école élémentaire avant',
    'la rentrée. Les travaux, estimés à 320 000 euros, débuteront après les élections',
    'et dureront près de trois mois. Les élèves seront accueillis au collège voisin.',
  ],
};

const words = (text) => text.normalize('NFKC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Share of the words of `wanted` that were read, each as often as it stands there. */
function wordsRead(wanted, read) {
  const left = new Map();
  for (const word of words(read)) left.set(word, (left.get(word) ?? 0) + 1);
  const all = words(wanted);
  const found = all.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  });
  return found.length / all.length;
}

async function drawn(extractor, folder, lines) {
  const { makePdf } = await import('../../fixtures/documents/make-pdf.ts');
  const file = path.join(folder, 'page.pdf');
  const runs = lines.map((text, at) => ({ x: 60, y: 740 - at * 19, text, size: 12, font: 'Times-Roman' }));
  fs.writeFileSync(file, makePdf([{ runs }]));
  // A4 at 300 dpi.
  return Buffer.from(await extractor.draw({ path: file, kind: 'pdf', page: 1, width: 2480 }));
}

/** What glass, dust and a feeder make of a page. */
async function worn(image, random) {
  const { data, info } = await sharp(image).greyscale().blur(0.8).raw().toBuffer({ resolveWithObject: true });
  for (let at = 0; at < data.length; at += 1) data[at] = Math.max(0, Math.min(255, data[at] * 0.92 + random() * 26));
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
    .png()
    .toBuffer();
}

const turned = async (image, degrees) =>
  degrees === 0 ? image : sharp(image).rotate(degrees, { background: 'white' }).png().toBuffer();

export async function run(bars) {
  const { DocumentExtractor } = await import(path.join(PIPELINE, 'document-extractor.js'));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'reading-'));
  const childEntry = path.join(PIPELINE, 'child/main.js');
  const drawing = new DocumentExtractor({ childEntry });
  const extractor = new DocumentExtractor({ childEntry });
  const read = async (image) => {
    const file = path.join(folder, 'scan.png');
    fs.writeFileSync(file, await sharp(image).png().toBuffer());
    const pages = [];
    const input = { path: file, kind: 'png', ocr: true, languages: LANGUAGES };
    await extractor.extract({ ...input, onPage: ({ text }) => void pages.push(text) });
    return pages.join('\n');
  };
  try {
    const pages = {};
    for (const [name, lines] of Object.entries(TEXTS))
      pages[name] = { image: await drawn(drawing, folder, lines), text: lines.join('\n') };
    for (const name of ['arabic', 'mixed']) {
      const text = fs.readFileSync(path.join(SCANS, `${name}.txt`), 'utf8');
      pages[name] = { image: fs.readFileSync(path.join(SCANS, `${name}.png`)), text };
    }
    const noisy = await worn(pages.english.image, seededRandom(7));
    const cases = [
      ['english upright', pages.english, 0],
      ['english turned by 90', pages.english, 90],
      ['english turned by 180', pages.english, 180],
      ['english turned by 270', pages.english, 270],
      ['english skewed by 3', pages.english, 3],
      ['english worn, skewed by -2', { ...pages.english, image: noisy }, -2],
      ['german upright', pages.german, 0],
      ['german turned by 90', pages.german, 90],
      ['french upright', pages.french, 0],
      ['arabic upright', pages.arabic, 0],
      ['arabic turned by 180', pages.arabic, 180],
      ['english and arabic', pages.mixed, 0],
    ];
    const shares = new Map();
    let first = 'read';
    for (const [name, { image, text }, degrees] of cases) {
      const started = performance.now();
      const answer = await read(await turned(image, degrees)).catch((error) => {
        if (shares.size === 0) first = error.message;
        return '';
      });
      shares.set(name, wordsRead(text, answer));
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${name}: ${(100 * shares.get(name)).toFixed(1)} % of words, ${seconds} s`);
    }
    const lowest = (start) => Math.min(...[...shares].filter(([name]) => name.startsWith(start)).map(([, s]) => s));
    bars.check('the first page after a fresh start', first, first === 'read');
    bars.check('English, lowest share of words', lowest('english '), lowest('english ') >= 0.95);
    for (const language of ['german', 'french', 'arabic'])
      bars.check(`${language}, lowest share of words`, lowest(language), lowest(language) >= 0.9);
    console.log(`mean of all: ${(100 * mean([...shares.values()])).toFixed(1)} % of words`);
  } finally {
    drawing.close();
    extractor.close();
    fs.rmSync(folder, { recursive: true });
  }
}
