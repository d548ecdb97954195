import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeZip } from '../fixtures/documents/make-zip.js';
import { HttpClient } from '../support/http-client.js';
import { startPlatform, type Platform, type RunningApp } from '../support/platform.js';
import { until } from '../support/until.js';

const FILES = 80;
/** Documents that are there when the api is killed, one round after the other; 0 while the archive is unpacked. */
const KILLED_AT = [0, 30];

interface Batch {
  batch_id: string;
  total: number;
  results: { uid: string; status: string }[];
}

describe('an api that is killed while it opens an archive', () => {
  let platform: Platform;
  let client: HttpClient;
  beforeAll(async () => {
    platform = await startPlatform(['api']);
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const query = <T>(sql: string): Promise<T[]> => platform.database.dataSource.query(sql) as Promise<T[]>;
  const count = async (table: string) => (await query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]!.n;
  const onTheirWay = () => readdir(join(platform.env.STORAGE_DIR!, '.uploads')).catch(() => []);
  const archive = makeZip(
    Array.from({ length: FILES }, (_, n) => ({
      name: `year ${n % 5}/note ${n}.txt`,
      data: `Note ${n} is about herons.`,
    })),
  );

  async function send(api: RunningApp): Promise<Batch | null> {
    const form = new FormData();
    form.append('train_after_upload', 'false');
    form.append('files', new File([new Uint8Array(archive)], 'notes.zip'));
    const headers = { authorization: `Token ${client.token}`, 'idempotency-key': 'notes' };
    const address = `http://127.0.0.1:${String(api.ready.port)}/semantic-search/upload/batch/`;
    const response = await fetch(address, { method: 'POST', headers, body: form }).catch(() => null);
    return response?.status === 202 ? ((await response.json()) as Batch) : null;
  }

  it('leaves nothing half, and goes on when it is asked again with the same key', async () => {
    let api = platform.apps[0]!;
    for (const least of KILLED_AT) {
      const answer = send(api);
      await until(async () => (least === 0 ? (await onTheirWay()).length > 5 : (await count('documents')) >= least));
      await api.kill('SIGKILL');
      await answer;
      // A document and its place in the batch are there together, or neither is.
      expect(await count('documents')).toBe(await count('upload_batch_items'));
      // The key of a process that died is free after a minute.
      await query(
        `UPDATE idempotency_keys SET lease_expires_at = now() - interval '1 second' WHERE response_status IS NULL`,
      );
      api = await platform.start('api');
    }
    const batch = await send(api);
    expect([batch?.total, new Set(batch?.results.map(({ uid }) => uid)).size]).toEqual([FILES, FILES]);
    expect([await count('documents'), await count('upload_batch_items'), await count('upload_batches')]).toEqual([
      FILES,
      FILES,
      1,
    ]);
  });
});
