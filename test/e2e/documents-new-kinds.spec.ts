import { join } from 'node:path';
import sharp from 'sharp';
import { bitmap, filesSaying, workbookFile } from '../fixtures/documents/make-kinds.js';
import { makeUnmappedPdf } from '../fixtures/documents/make-unmapped-pdf.js';
import { callStore, upload, type DocumentBody } from '../support/documents-api.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { inAll, stride } from '../support/long.js';
import { csv, importTable } from '../support/tabular-api.js';
import { until } from '../support/until.js';

interface Found {
  results: { uid: string; text: string }[];
}

const NOTICE = join(__dirname, '../fixtures/documents/demo/notice-board.png');

const file = (name: string, bytes: Buffer) => new File([new Uint8Array(bytes)], name);

describe('the kinds of files that came last', () => {
  let platform: HostedPlatform;
  let client: HttpClient;
  beforeAll(async () => {
    platform = await hostPlatform(['api', 'indexer']);
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  async function completed(uid: string): Promise<DocumentBody> {
    let body: DocumentBody | undefined;
    await until(async () => {
      ({ body } = await callStore(client, 'GET', `documents/${uid}/`));
      return ['completed', 'failed'].includes(body.processing_state);
    }, 120_000);
    return body!;
  }

  const search = async (query: string, uid: string) =>
    (await client.post<Found>('/semantic-search/search/', { query, uids: [uid] })).results.map(({ text }) => text);

  it('are uploaded, read and found', async () => {
    const uids = new Map<string, string>();
    for (const [name, bytes] of Object.entries(filesSaying('The quokka sleeps behind the lighthouse.'))) {
      const { status, body } = await upload(client, file(name, bytes));
      expect([name, status, body.detail]).toEqual([name, 201, undefined]);
      uids.set(name, body.uid);
    }
    for (const [name, uid] of uids) {
      const { processing_state, last_error } = await completed(uid);
      expect([name, processing_state, last_error]).toEqual([name, 'completed', '']);
      expect([name, (await search('quokka', uid)).join('\n')]).toEqual([
        name,
        expect.stringContaining('quokka sleeps behind the lighthouse'),
      ]);
    }
  });

  inAll('a BMP is recognised and found; without recognition it says what to do', async () => {
    const { data, info } = await sharp(NOTICE).removeAlpha().toColourspace('srgb').raw().toBuffer({
      resolveWithObject: true,
    });
    const notice = file('notice.bmp', bitmap(data, info.width, info.height));
    const { body } = await upload(client, notice, { ocr: 'true', ocr_languages: 'eng' });
    expect(await completed(body.uid)).toMatchObject({ processing_state: 'completed', last_error: '' });
    expect((await search('staircase', body.uid)).join('\n')).toContain('east staircase');
    const plain = await upload(client, notice, { ocr: 'false' });
    expect(await completed(plain.body.uid)).toMatchObject({
      processing_state: 'failed',
      last_error: expect.stringMatching(/OCR/),
    });
  });

  inAll('a PDF whose letters have no meaning is read by what it shows, at once or when it is asked for', async () => {
    const lines = ['The harbour office keeps a list of all boats', 'and the quokka sleeps behind the lighthouse.'];
    const shown = Array.from({ length: 3 }, () => lines).flat();
    const unmapped = file('unmapped.pdf', makeUnmappedPdf(shown));
    const recognised = await upload(client, unmapped, { ocr: 'true', ocr_languages: 'eng' });
    const plain = await upload(client, unmapped, { ocr: 'false' });
    expect(await completed(recognised.body.uid)).toMatchObject({ processing_state: 'completed', last_error: '' });
    expect((await search('quokka lighthouse', recognised.body.uid)).join('\n')).toContain('quokka sleeps behind');
    const said = await completed(plain.body.uid);
    expect(JSON.stringify(said)).toMatch(/text layer that cannot be read.*OCR on/);
    expect((await search('quokka lighthouse', plain.body.uid)).join('\n')).not.toContain('quokka');
    const again = await callStore(client, 'POST', `${plain.body.uid}/retry/`, { ocr: true, ocr_languages: ['eng'] });
    expect(again.status).toBeLessThan(300);
    expect(JSON.stringify(await completed(plain.body.uid))).not.toContain('text layer');
    expect((await search('quokka lighthouse', plain.body.uid)).join('\n')).toContain('quokka sleeps behind');
  });

  const STORES = ['database-search', 'spreadsheet-search'] as const;
  it.each(['xlsm', 'xlsb'] as const)('%s is a table as well', async (kind) => {
    const rows = [
      ['Shop', 'Sold', 'Day'],
      ['Rome', 5, '2026-03-01'],
      ['Oslo', 7.5, '2026-03-02'],
    ];
    // Each kind in one of the stores, and each store with one of the kinds.
    const turn = kind === 'xlsm' ? 0 : 1;
    for (const store of STORES.filter((_, at) => (at + turn) % stride(2) === 0)) {
      const upload = csv(new Uint8Array(workbookFile(kind, rows, 'Sales')), `sales.${kind}`);
      const { processing_state, last_error, tables } = await importTable(client, upload, {}, store);
      expect([processing_state, last_error]).toEqual(['completed', '']);
      expect(tables).toMatchObject([
        {
          sheet: 'Sales',
          row_count: 2,
          columns: [
            { name: 'shop', type: 'text' },
            { name: 'sold', type: 'number' },
            { name: 'day', type: 'date' },
          ],
        },
      ]);
    }
  });
});
