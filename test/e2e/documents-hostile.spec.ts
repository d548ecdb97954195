import { readFileSync } from 'node:fs';
import { upload, callStore } from '../support/documents-api.js';
import { hostileFiles } from '../support/hostile/index.js';
import { HttpClient } from '../support/http-client.js';
import { hostPlatform } from '../support/hosted-platform.js';
import { rounds } from '../support/long.js';
import type { Platform } from '../support/platform.js';

/** `npm run bench -- hostile` takes them all, one at a time, and looks at memory too. */
const EVERY = rounds(11, 55);
/** Each for a way in which files have hurt: bombs, cycles, lies about sizes, deep nesting. */
const ALWAYS = [
  'bomb-lying.docx',
  'overlapping.docx',
  'laughs.docx',
  'deep-10k.html',
  'bomb-3.pdf',
  'tree-cycle.pdf',
  'form-cycle.pdf',
  'count-lies.pdf',
  'claims-2-billion.png',
  'text-bomb.png',
  'repeated.ods',
  'groups.rtf',
  'ole-noise-1.doc',
  'quotes.csv',
  'nested.eml',
  'attached-bombs.eml',
  'attached-deep.eml',
  'outside-chapters.epub',
  'bomb-lying.epub',
  'siblings-loop.msg',
  'directory-loop.msg',
  'size-2-gb.msg',
  'entity-file.xml',
  'million-deep.xml',
  'attributes.xml',
  'million-deep.json',
  'numbers.json',
  'parameters.ics',
  'every-second-of-all.ics',
  'claims-2-billion.bmp',
  'include.rst',
];
/** Made or read too slowly for a test. */
const SLOW =
  /^(bomb-(flat|many|embedded)|huge-text|many-elements|operators|letters|image-huge|over-50|one-word|rows|tail\.png|string-100|one-text|begin-only|many-(parts|properties|chapters))/;
const UNCLEAR = /unexpected error|stopped unexpectedly/i;
const GROWTH = 300 * 1_048_576;

/** Of the indexer itself, which never opens a file; its reading processes are bounded on their own. */
const resident = (pid: number) => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;

describe('hostile files', () => {
  let platform: Platform;
  let client: HttpClient;
  beforeAll(async () => {
    platform = await hostPlatform(['api']);
    await platform.start('indexer');
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const files = hostileFiles().filter(
    ({ name }, at) => ALWAYS.includes(name) || (at % EVERY === 0 && !SLOW.test(name)),
  );

  const accepted = new Map<string, string>();
  let residentBefore = 0;
  const indexer = () => platform.apps.find(({ name }) => name === 'indexer')!.process;

  it('are more than a few', () => {
    expect(files.length).toBeGreaterThan(rounds(50, 33));
    if (process.platform === 'linux') residentBefore = resident(indexer().pid!);
  });

  it.each(files)('$name is taken, or refused with a reason', async ({ name, bytes }) => {
    const answer = await upload(client, new File([new Uint8Array(bytes())], name), { ocr: 'false' });
    expect(answer.status).toBeLessThan(500);
    if (answer.status === 201) accepted.set(name, answer.body.uid);
    else expect((answer.body.reasons ?? []).join('').length).toBeGreaterThan(10);
  });

  it.each(files)('$name is read, or failed with a clear reason', async ({ name }) => {
    const uid = accepted.get(name);
    if (uid === undefined) return;
    let { body } = await callStore(client, 'GET', `documents/${uid}/`);
    while (!['completed', 'failed'].includes(body.processing_state)) {
      await new Promise((wake) => setTimeout(wake, 200));
      ({ body } = await callStore(client, 'GET', `documents/${uid}/`));
    }
    if (body.processing_state === 'completed') return;
    expect([body.last_error, body.last_error.length > 10]).toEqual([expect.not.stringMatching(UNCLEAR), true]);
  });

  it('end no process, and grow none', () => {
    expect(accepted.size).toBeGreaterThan(rounds(20, 15));
    for (const { process: app } of platform.apps) expect([app.exitCode, app.signalCode]).toEqual([null, null]);
    if (process.platform === 'linux') expect(resident(indexer().pid!) - residentBefore).toBeLessThan(GROWTH);
  });
});
