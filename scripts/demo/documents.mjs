import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from '../lib/paths.mjs';
import { SourcesThenText } from './client.mjs';
import { heading, say, shorten, write } from './print.mjs';

const FOLDER = 'Demo';
const terminal = new Set(['completed', 'failed', 'publish_failed', 'untrained']);

/** One file of each kind, with a question that only it can answer. */
const files = [
  { file: 'office-handbook.pdf', ocr: false, question: 'How much may a hotel in Zurich cost?' },
  { file: 'expense-guide.docx', ocr: false, question: 'What is the daily allowance for Norway?' },
  { file: 'first-week.md', ocr: false, question: 'When does the ferry to Sandholm leave?' },
  { file: 'notice-board.png', ocr: true, question: 'When is the fire drill?' },
];

/** The second one is answered by none of them. */
const folderQuestions = [
  'Where does a new colleague fetch the badge, and when is the fire drill?',
  'Which bank manages the pension fund of the company?',
];

async function upload(client, { file, ocr }) {
  const path = inRoot('test', 'fixtures', 'documents', 'demo', file);
  const document = await client.upload('/semantic-search/upload/', {
    path: new File([await readFile(path)], basename(path)),
    folder: FOLDER,
    ocr,
  });
  say(`${file} -> ${document.uid} (${document.processing_state})`);
  return document.uid;
}

/** Uploads the demo files and follows their states by polling, as a client does. */
export async function uploadAndWatch(client) {
  heading('Upload a PDF, a Word file, a Markdown file and a scanned image');
  const uploads = [];
  for (const file of files) uploads.push({ ...file, uid: await upload(client, file) });

  heading('Watch them being read and indexed');
  const seen = new Map();
  for (let open = uploads; open.length > 0; await sleep(150)) {
    const rows = await client.post('/semantic-search/documents/status/', { uids: open.map(({ uid }) => uid) });
    for (const row of rows) {
      const { file } = open.find(({ uid }) => uid === row.uid);
      const line = `${file}: ${row.processing_state}${row.status ? ` (${row.status})` : ''}`;
      if (seen.get(row.uid) !== line) say(line);
      seen.set(row.uid, line);
      if (terminal.has(row.processing_state) && row.processing_state !== 'completed')
        throw new Error(`${file} ended as ${row.processing_state}: ${row.last_error}`);
    }
    const done = new Set(rows.filter((row) => terminal.has(row.processing_state)).map((row) => row.uid));
    open = open.filter(({ uid }) => !done.has(uid));
  }
  return uploads;
}

/** Asks each document its question and prints the streamed answer with its sources. */
export async function answerQuestions(client, uploads) {
  for (const { file, uid, question } of uploads) {
    heading(`${file}: ${question}`);
    const reply = new SourcesThenText();
    for await (const piece of client.stream('/semantic-search/single-file-chat/', { uid, message: question }))
      write(reply.push(piece));
    write('\n');
    for (const source of reply.sources)
      say(`  source: ${source.filename}, page ${source.page}: "${shorten(source.text.replace(/\s+/g, ' '))}"`);
  }

  for (const question of folderQuestions) await askFolder(client, question);

  heading('Search all of them: "meeting point"');
  const found = await client.post('/semantic-search/search/', { query: 'meeting point', limit: 3 });
  for (const hit of found.results)
    say(
      `  ${hit.filename}, page ${hit.page} (${hit.score.toFixed(3)}): "${shorten(hit.text.replace(/\s+/g, ' '), 80)}"`,
    );
}

async function askFolder(client, question) {
  heading(`Ask the whole folder: ${question}`);
  const reply = new SourcesThenText();
  const asked = { message: question, folder: FOLDER };
  for await (const piece of client.stream('/semantic-search/all-files-chat/', asked)) write(reply.push(piece));
  write('\n');
  for (const [at, path] of reply.sources.entries()) say(`  [${at + 1}] ${path}`);
}
