import { readdir } from 'node:fs/promises';
import { call, startApi, type TestApi } from '../support/api.js';
import { startTestClamd, TEST_SIGNATURE, TEST_THREAT, type Clamd } from '../support/clamd.js';
import { note, upload, uploadForm } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';
import { csv, uploadTable, type StoreName } from '../support/tabular-api.js';

const VIRUS = `The kettle ${TEST_SIGNATURE} is in the kitchen.`;

describe('uploads with a virus scanner', () => {
  let api: TestApi;
  let clamd: Clamd;
  let owner: HttpClient;
  beforeAll(async () => {
    clamd = await startTestClamd();
    api = await startApi({
      ANTIVIRUS: 'clamd',
      CLAMD_PORT: String(clamd.port),
      CLAMD_TIMEOUT_SECONDS: '5',
      LOG_LEVEL: 'fatal',
    });
    owner = await api.signUp();
  });
  afterAll(async () => {
    await api.stop();
    await clamd.stop();
  });

  /** Rows, announced files and files on disk. */
  const stored = async () => {
    const [row] = await api.database.dataSource.query<[object]>(
      `SELECT (SELECT count(*) FROM documents)::int AS documents, (SELECT count(*) FROM tabular_files)::int AS tables,
              (SELECT count(*) FROM loose_files)::int AS loose,
              (SELECT count(*) FROM upload_batches)::int AS batches`,
    );
    const entries = await readdir(api.config.storage.folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return { ...row, files: entries.filter((entry) => entry.isFile()).length };
  };
  const scanner = async () => {
    const { status, body } = await call(`${api.baseUrl}/readyz/`);
    return [status, (body as { checks: Record<string, { status: string }> }).checks.scanner?.status];
  };
  const sendBatch = (...files: File[]) => {
    const form = new FormData();
    for (const file of files) form.append('files', file);
    return uploadForm(owner, form, 'upload/batch/');
  };
  /** The scanner with a fault, or none at all, while `during` runs. */
  const withScanner = async (start: () => Promise<Clamd | null>, during: () => Promise<void>) => {
    const { port } = clamd;
    await clamd.stop();
    const other = await start();
    try {
      await during();
    } finally {
      await other?.stop();
      clamd = await startTestClamd(undefined, port);
    }
  };
  const UNAVAILABLE = {
    status: 503,
    body: {
      detail: 'Files cannot be checked for viruses at the moment. Try again later.',
      code: 'scanner_unavailable',
    },
  };

  it('takes what is clean', async () => {
    expect((await upload(owner, note())).status).toBe(201);
    expect(await scanner()).toEqual([200, 'ok']);
  });

  it('refuses what is not, and stores nothing of it', async () => {
    const before = await stored();
    const reason = `A virus was found in the file: ${TEST_THREAT}.`;
    expect(await upload(owner, note(VIRUS))).toEqual({
      status: 400,
      body: { detail: reason, code: 'upload_blocked', reasons: [reason] },
    });
    expect(await stored()).toEqual(before);
  });

  it.each<StoreName>(['database-search', 'spreadsheet-search'])('looks at tables too: %s', async (store) => {
    const before = await stored();
    expect(await uploadTable(owner, csv(`city\n${TEST_SIGNATURE}\n`), {}, store)).toMatchObject({
      status: 400,
      body: { code: 'upload_blocked', reasons: [expect.stringContaining(TEST_THREAT)] },
    });
    expect(await stored()).toEqual(before);
  });

  it('blocks it in a batch, and takes the others', async () => {
    const { status, body } = await sendBatch(note(), note(VIRUS, 'bad.txt'), note('', 'empty.txt'));
    expect([status, body.results]).toMatchObject([
      202,
      [
        { filename: 'note.txt', status: 'queued', uid: expect.any(String) },
        { filename: 'bad.txt', status: 'blocked', uid: null, reasons: [expect.stringContaining(TEST_THREAT)] },
        { filename: 'empty.txt', status: 'rejected', uid: null },
      ],
    ]);
  });

  it.each(['silent', 'nonsense', 'size limit', 'half a reply', 'hangs up'] as const)(
    'takes nothing while the scanner cannot be trusted: %s',
    async (fault) => {
      const before = await stored();
      await withScanner(
        () => startTestClamd(fault, clamd.port),
        async () => {
          expect(await upload(owner, note())).toEqual(UNAVAILABLE);
          expect(await sendBatch(note(), note())).toEqual(UNAVAILABLE);
        },
      );
      expect(await stored()).toEqual(before);
    },
  );

  it('takes nothing while the scanner is down, shows it, and goes on afterwards', async () => {
    const before = await stored();
    await withScanner(
      async () => null,
      async () => {
        expect(await upload(owner, note())).toEqual(UNAVAILABLE);
        expect(await sendBatch(note(), note())).toEqual(UNAVAILABLE);
        // Chats, searches and downloads need no scanner.
        expect(await scanner()).toEqual([200, 'unavailable']);
      },
    );
    expect(await stored()).toEqual(before);
    expect((await upload(owner, note())).status).toBe(201);
    expect(await scanner()).toEqual([200, 'ok']);
  });
});
