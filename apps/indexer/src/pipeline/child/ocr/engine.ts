import { fileURLToPath } from 'node:url';
import { OEM, PSM, createWorker } from 'tesseract.js';
import type { Page, Worker } from 'tesseract.js';
import { send } from '../send.js';
import type { GreyPicture } from './grey-picture.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
/** Data that tell which way up a page is, and in which script. */
const ORIENTATION = 'osd';
/** Of the two, the mean share of votes is small when the letters are few or torn. */
const SURE = 4;

export interface Orientation {
  /** Clockwise degrees by which the picture has to be turned to stand upright. */
  turn: 0 | 90 | 180 | 270;
  /** Tesseract's name for it: `Latin`, `Arabic`, `Han`. */
  script: string;
  /** False for pages with few letters: a guess. */
  sure: boolean;
}

let worker: Worker | null = null;
let data = '';

/** Which way up the letters stand; null when there are too few to tell. 0.7 s for a page at 300 dpi. */
export async function findOrientation(picture: GreyPicture, folder?: string): Promise<Orientation | null> {
  const engine = await use([ORIENTATION], folder);
  const { data: found } = await engine.detect(toPgm(picture));
  const { orientation_degrees: turn, orientation_confidence: confidence, script } = found;
  if (turn !== 0 && turn !== 90 && turn !== 180 && turn !== 270) return null;
  return { turn, script: script ?? '', sure: (confidence ?? 0) >= SURE };
}

/**
 * Recognises the text of a picture that stands upright.
 * @param languages codes whose data are installed; the first counts most
 */
export async function readPicture(picture: GreyPicture, languages: readonly string[], folder?: string): Promise<Page> {
  const engine = await use(languages, folder);
  const { data: page } = await engine.recognize(toPgm(picture), { rotateAuto: false }, { text: false, blocks: true });
  return page;
}

/**
 * One engine for both jobs, started on first use (1 s, 100 MB) and kept: it takes other data in 0.2 s, while a second
 * one would hold its memory again. Data come from installed packages, never from the network.
 */
async function use(languages: readonly string[], folder = 'packages'): Promise<Worker> {
  const oem = languages[0] === ORIENTATION ? OEM.TESSERACT_ONLY : OEM.LSTM_ONLY;
  const wanted = languages.join('+');
  if (worker === null) worker = await start(languages, oem, folder);
  else if (data !== wanted) await worker.reinitialize(wanted, oem);
  if (data !== wanted && oem === OEM.LSTM_ONLY) {
    // Its own search for blocks drops lines at times, above all of Arabic.
    // Pictures rarely say their resolution truly; without one Tesseract guesses from the letters, badly for small ones.
    await worker.setParameters({ user_defined_dpi: '200', tessedit_pageseg_mode: PSM.SINGLE_BLOCK });
  }
  data = wanted;
  return worker;
}

async function start(languages: readonly string[], oem: OEM, folder: string): Promise<Worker> {
  const before = process.memoryUsage.rss();
  const started = await createWorker([...languages], oem, {
    workerPath: WORKER,
    langPath: folder,
    cacheMethod: 'none',
    legacyCore: true,
    legacyLang: true,
    // Without a handler the library throws a failed job out of a callback, beyond anybody's catch.
    errorHandler: () => undefined,
  });
  send({ type: 'started', bytes: Math.max(0, process.memoryUsage.rss() - before) });
  return started;
}

/** The plainest format that the engine reads: nothing to be packed and unpacked. */
function toPgm({ pixels, width, height }: GreyPicture): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels]);
}
