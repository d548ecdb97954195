import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chunkPages } from '@app/retrieval';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { FULL, rounds } from '../support/long.js';
import { until } from '../support/until.js';

/** The figures with `npm run test:chaos`; a shorter run of the same kind in `npm test`. */
const KILLS = FULL ? 100 : rounds(5, 2);
const DOCUMENTS = FULL ? 240 : rounds(30, 12);
/** There from the beginning; the others come in between the kills, so that each kill hits work. */
const AT_FIRST = FULL ? 40 : rounds(10, 4);
/** Reported by a sweeper when a worker died three times over the same document (docs/contract/documents.md#states). */
const WORKER_LOST = /stopped unexpectedly/;

const HANDBOOK = readFileSync(join(__dirname, '../fixtures/documents/demo/office-handbook.pdf'));

const isPdf = (number: number) => number % 4 === 3;

/** Long enough to be cut into several passages. */
function noteText(number: number): string {
  const lines = Array.from(
    { length: 40 + (number % 5) * 60 },
    (_, at) => `Line ${at} of note ${number} is about herons.`,
  );
  return lines.join('\n');
}

function fileOf(number: number): File {
  return isPdf(number)
    ? new File([HANDBOOK], `handbook-${number}.pdf`)
    : new File([noteText(number)], `note-${number}.txt`);
}

interface Indexed {
  filename: string;
  state: string;
  error: string;
  /** Generations that are kept. */
  generations: number;
  live: boolean;
  counted: number;
  chunks: number;
  contents: number;
}

describe('an indexer that is killed again and again', () => {
  let platform: HostedPlatform;
  let client: HttpClient;
  beforeAll(async () => {
    const leases = { LEASE_SECONDS: '3', HEARTBEAT_SECONDS: '1', SWEEP_SECONDS: '1' };
    platform = await hostPlatform(['api'], leases);
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const query = async <T>(sql: string): Promise<T[]> => platform.database.dataSource.query(sql) as Promise<T[]>;
  const unfinished = async () => {
    const [row] = await query<{ count: string }>(
      `SELECT count(*) FROM documents WHERE processing_state NOT IN ('completed', 'failed')`,
    );
    return Number(row!.count);
  };

  let uploaded = 0;
  async function uploadUpTo(count: number): Promise<void> {
    const form = new FormData();
    for (; uploaded < Math.min(count, DOCUMENTS); uploaded++) form.append('files', fileOf(uploaded));
    if (!form.has('files')) return;
    const response = await fetch(`${platform.baseUrl}/semantic-search/upload/batch/`, {
      method: 'POST',
      headers: { authorization: `Token ${client.token}` },
      body: form,
    });
    expect(response.status).toBe(202);
  }

  /** Each lives for a random time that covers starting, claiming, reading and writing. */
  async function killAgainAndAgain(): Promise<void> {
    for (let kill = 1; kill <= KILLS; kill++) {
      const indexer = await platform.start('indexer');
      await uploadUpTo(AT_FIRST + Math.ceil(((DOCUMENTS - AT_FIRST) * kill) / KILLS));
      await sleep(Math.random() * 500);
      await indexer.kill('SIGKILL');
    }
  }

  it('loses no document and indexes none twice', async () => {
    await uploadUpTo(AT_FIRST);
    await killAgainAndAgain();
    const afterKills = await unfinished();
    await platform.host('indexer');
    await until(async () => (await unfinished()) === 0, FULL ? 180_000 : 60_000);

    // What was hit three times has failed with that reason, and waits for its owner to try again.
    const failed = await query<{ uid: string; last_error: string }>(
      `SELECT uid, last_error FROM documents WHERE processing_state = 'failed'`,
    );
    for (const { uid, last_error: reason } of failed) {
      expect(reason).toMatch(WORKER_LOST);
      await client.post(`/semantic-search/${uid}/retry/`, {});
    }
    await until(async () => (await unfinished()) === 0, 60_000);
    process.stdout.write(
      `chaos: ${KILLS} kills; ${DOCUMENTS - afterKills} of ${DOCUMENTS} documents done by then, ${failed.length} had been hit three times\n`,
    );

    const documents = await query<Indexed>(
      `SELECT d.filename, d.processing_state AS state, d.last_error AS error,
         count(DISTINCT i.id)::int AS generations, bool_and(i.generation = d.index_generation) AS live,
         max(i.chunk_count) AS counted, count(c.id)::int AS chunks, count(t.chunk_id)::int AS contents
       FROM documents d LEFT JOIN document_indexes i ON i.document_uid = d.uid LEFT JOIN chunks c ON c.index_id = i.id
         LEFT JOIN chunk_contents t ON t.chunk_id = c.id GROUP BY d.uid`,
    );
    expect(documents).toHaveLength(DOCUMENTS);
    const passages = new Map<string, number>();
    for (let number = 0; number < DOCUMENTS; number++) {
      const { length } = isPdf(number) ? [] : await chunkPages([{ number: 1, text: noteText(number) }]);
      passages.set(fileOf(number).name, length);
    }
    const ofPdfs = Math.max(
      ...documents.filter(({ filename }) => filename.endsWith('.pdf')).map(({ chunks }) => chunks),
    );
    for (const one of documents) {
      const chunks = passages.get(one.filename) || ofPdfs;
      const right = {
        state: 'completed',
        error: '',
        generations: 1,
        live: true,
        counted: chunks,
        chunks,
        contents: chunks,
      };
      expect(one).toMatchObject(right);
    }
  }, 600_000);
});
