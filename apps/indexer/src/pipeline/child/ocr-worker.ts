import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
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
  readCache: (path: string) => {
    const file = basename(path);
    const language = file.split('.')[0];
    return readFile(require.resolve(`@tesseract.js-data/${language}/4.0.0_best_int/${file}`));
  },
  fetch: () => Promise.reject(new Error('OCR never downloads language data.')),
  writeCache: () => Promise.resolve(),
  deleteCache: () => Promise.resolve(),
});

const reply = parentPort?.postMessage.bind(parentPort) ?? (() => undefined);
parentPort?.on('message', (packet: unknown) => script.dispatchHandlers(packet, reply));
