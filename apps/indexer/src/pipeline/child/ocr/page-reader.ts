import type { Bbox, Page } from 'tesseract.js';
import { PageText } from '../page-text.js';
import { findOrientation, readPicture } from './engine.js';
import { shrunk, turned } from './grey-picture.js';
import type { GreyPicture } from './grey-picture.js';
import { groupByScript, scriptOf, tellLanguage } from './languages.js';
import { findSkew } from './skew.js';
import { rectOnPage } from './turned-rect.js';

/** Mean confidence of a page that was read the right way, 0 to 100: nothing else needs to be tried. */
const GOOD = 80;
/** A word below is likely to be wrong. */
const DOUBTFUL = 65;
/** Share of letters in doubtful words from which on another script may be mixed in. */
const MANY_DOUBTFUL = 0.06;
/** By how much the confidence of two scripts has to beat that of one: more letters to choose from mean more wrong ones. */
const MIXED_GAIN = 1.5;
/** Of what one wrong turn reads, nothing is confident; below this a page is noise. */
const NOISE = 25;
const SKEW_SIDE = 1_000;
/** Each costs a reading of the page. */
const MOST_SCRIPTS = 3;

interface Reading {
  page: Page;
  /** Mean of its words, by their letters. */
  confidence: number;
  doubtful: number;
  letters: number;
  picture: GreyPicture;
  turn: number;
  skew: number;
  languages: string[];
}

/** Recognises the pages of one document; what the last page was written in is the first guess for the next. */
export class PageReader {
  private readonly last = new Map<string, string>();

  /**
   * @param languages Tesseract codes that may occur, the likeliest first; their data are installed
   * @param folder with language data of the operator's own
   */
  constructor(
    private readonly languages: readonly string[],
    private readonly folder?: string,
  ) {}

  /** The text of a page however it lies, with rectangles as the page is shown. */
  async read(shown: GreyPicture): Promise<PageText> {
    const seen = await findOrientation(shown, this.folder);
    const likely = seen?.turn ?? 0;
    let best = await this.readTurned(shown, likely, seen?.script ?? null);
    if (best.confidence < GOOD && !seen?.sure) {
      // Few letters: what they are is told best by reading them.
      for (const turn of [0, 90, 180, 270].filter((other) => other !== likely)) {
        const other = await this.readTurned(shown, turn, null);
        if (worth(other) > worth(best)) best = other;
        if (best.confidence >= GOOD) break;
      }
    }
    for (const language of best.languages) this.last.set(scriptOf(language), language);
    return toPageText(best, shown);
  }

  private async readTurned(shown: GreyPicture, turn: number, script: string | null): Promise<Reading> {
    const upright = await turned(shown, turn);
    const skew = findSkew(await shrunk(upright, SKEW_SIDE));
    const picture = await turned(upright, skew);
    const attempt = async (languages: string[]): Promise<Reading> => {
      const page = await readPicture(picture, languages, this.folder);
      return { page, ...gauge(page), picture, turn, skew, languages };
    };
    const groups = groupByScript(this.languages, script);
    const readings: Reading[] = [];
    for (const group of groups) {
      readings.push(await this.readInGroup(group, attempt));
      // Other scripts are looked for where there is much that this one cannot be.
      if (readings[0] === undefined || readings[0].doubtful < MANY_DOUBTFUL) break;
      if (readings.length === MOST_SCRIPTS) break;
    }
    const best = readings.toSorted((a, b) => worth(b) - worth(a))[0] ?? (await attempt(['eng']));
    if (best.doubtful < MANY_DOUBTFUL || readings.length < 2) return best;
    const mixed = await attempt(readings.flatMap(({ languages }) => languages));
    return mixed.confidence > best.confidence + MIXED_GAIN ? mixed : best;
  }

  /** In the language of the page before, and in another of this script if that is what the text turns out to be. */
  private async readInGroup(group: string[], attempt: (languages: string[]) => Promise<Reading>): Promise<Reading> {
    const [first = 'eng'] = group;
    const before = this.last.get(scriptOf(first));
    const guess = before !== undefined && group.includes(before) ? before : first;
    const reading = await attempt([guess]);
    const told = reading.confidence < NOISE ? null : await tellLanguage(textOf(reading.page), group);
    if (told === null || told === guess) return reading;
    const again = await attempt([told]);
    return again.confidence + 2 >= reading.confidence ? again : reading;
  }
}

/** More confident letters are better; few letters that are sure do not beat a page of fairly sure ones. */
function worth({ confidence, letters }: Reading): number {
  return letters * Math.max(0, confidence - NOISE) ** 2;
}

function gauge(page: Page): { confidence: number; doubtful: number; letters: number } {
  let [letters, sum, doubtful] = [0, 0, 0];
  for (const word of wordsOf(page)) {
    const count = word.text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    letters += count;
    sum += count * word.confidence;
    if (word.confidence < DOUBTFUL) doubtful += count;
  }
  return letters === 0
    ? { confidence: 0, doubtful: 1, letters }
    : { confidence: sum / letters, doubtful: doubtful / letters, letters };
}

function* linesOf(page: Page) {
  for (const block of page.blocks ?? []) for (const paragraph of block.paragraphs) yield paragraph.lines;
}

function* wordsOf(page: Page) {
  for (const lines of linesOf(page)) for (const line of lines) yield* line.words;
}

function textOf(page: Page): string {
  const lines = [...linesOf(page)].flatMap((paragraph) => paragraph.map((line) => line.text));
  return lines.join(' ');
}

function toPageText({ page, picture, turn, skew, confidence }: Reading, shown: GreyPicture): PageText {
  const text = new PageText();
  if (confidence < NOISE) return text;
  const place = ({ x0, y0, x1, y1 }: Bbox) => rectOnPage([x0, y0, x1, y1], picture, { shown, turn, skew });
  for (const paragraph of linesOf(page)) {
    text.endParagraph();
    for (const { text: line, bbox, words } of paragraph) {
      const placed = words.map((word) => ({ text: word.text, rect: place(word.bbox) }));
      text.addLine(line, place(bbox), false, placed);
    }
  }
  return text;
}
