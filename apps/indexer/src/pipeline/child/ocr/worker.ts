import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parentPort } from 'node:worker_threads';

// The library's worker script with another way to find language data. Its own takes one folder for all languages,
// while npm gives each language a package; and language data handed over as bytes make it fail (its `initialize`
// joins the bytes instead of the codes). Anything missing it would fetch from a CDN: here that is refused.

interface TesseractWorkerScript {
  dispatchHandlers(packet: unknown, send: (message: unknown) => void): void;
  setAdapter(adapter: Record<string, unknown>): void;
}

const require = createRequire(import.meta.url);
const script = require('tesseract.js/src/worker-script/index.js') as TesseractWorkerScript;

script.setAdapter({
  getCore: require('tesseract.js/src/worker-script/node/getCore.js') as unknown,
  gunzip: gunzipSync,
  readCache: readLanguage,
  fetch: () => Promise.reject(new Error('OCR never downloads language data.')),
  writeCache: () => Promise.resolve(),
  deleteCache: () => Promise.resolve(),
});

/** @param path the folder with languages of its own, or `packages`, and the name of the packed file */
async function readLanguage(path: string): Promise<Buffer> {
  const file = basename(path);
  const language = basename(file, '.traineddata.gz');
  const folder = dirname(path);
  if (folder !== 'packages') {
    for (const name of [`${language}.traineddata`, file]) {
      const data = await readFile(join(folder, name)).catch(() => null);
      if (data !== null) return data;
    }
  }
  return readFile(require.resolve(`@tesseract.js-data/${language}/4.0.0_best_int/${file}`));
}

const reply = parentPort?.postMessage.bind(parentPort) ?? (() => undefined);
parentPort?.on('message', (packet: unknown) => script.dispatchHandlers(packet, reply));
