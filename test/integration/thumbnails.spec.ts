import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DocumentReplacement, Thumbnails, thumbnailWork, type ThumbnailName } from '@app/documents';
import { LooseFiles } from '@app/entitlements';
import { ClaimLostError, TryAgainError, WorkClaims, WorkPerformer } from '@app/work';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';
import { inAll } from '../support/long.js';

const IMAGE = Buffer.from('a picture');

const keyOf = ({ uid, page, width }: ThumbnailName) => [uid, String(page), String(width)];

describe('thumbnails that several workers draw', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let thumbnails: Thumbnails;
  beforeAll(async () => {
    database = await createTestDatabase();
    documents = await startDocuments(database, await createUserRow(database));
    thumbnails = documents.app.get(Thumbnails);
  });
  afterAll(async () => {
    await documents.close();
    await database.drop();
  });

  const sql = (text: string, values: unknown[] = []) => database.dataSource.query<{ n: number }[]>(text, values);
  async function wanted(): Promise<ThumbnailName> {
    const { document } = await documents.add({ train: false });
    const name = { uid: document.uid, page: 1, width: 160 };
    await thumbnails.demand([name]);
    return name;
  }
  const claim = (name: ThumbnailName) => documents.app.get(WorkClaims).claim(thumbnailWork, keyOf(name));
  const claimed = async (name: ThumbnailName) => (await claim(name))!;
  const fileOf = async (name: ThumbnailName) => {
    const found = await thumbnails.find(name);
    return found?.state === 'ready' ? join(documents.folder, 'files', found.storageKey) : null;
  };
  const expire = (uid: string) =>
    sql(`UPDATE document_thumbnails SET leased_until = now() - interval '1 second' WHERE document_uid = $1`, [uid]);

  it('are asked for once by many, and claimed by one', async () => {
    const { document } = await documents.add({ train: false });
    const name = { uid: document.uid, page: 1, width: 160 };
    await Promise.all(Array.from({ length: 20 }, () => thumbnails.demand([name])));
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(name)));
    expect(claims.filter((one) => one !== null)).toHaveLength(1);
  });

  it('are kept by the worker whose claim holds; the file of a late one goes', async () => {
    const name = await wanted();
    const late = await claimed(name);
    await expire(name.uid);
    const next = await claimed(name);
    await expect(thumbnails.finish(late, IMAGE)).rejects.toThrow(ClaimLostError);
    await thumbnails.finish(next, IMAGE);
    expect(existsSync((await fileOf(name))!)).toBe(true);
    expect(await sql(`SELECT FROM loose_files WHERE storage_key LIKE 'thumbnails/%'`)).toEqual([]);
  });

  it('are given up after three tries', async () => {
    const name = await wanted();
    for (const state of ['waiting', 'waiting', 'none']) {
      await documents.app.get(WorkPerformer).perform(thumbnailWork, keyOf(name), () => {
        throw new TryAgainError('The page could not be drawn.');
      });
      expect(await thumbnails.find(name)).toMatchObject({ state });
    }
    expect(await claim(name)).toBeNull();
  });

  it('go when their document gets other bytes, also while one is being drawn', async () => {
    const name = await wanted();
    await thumbnails.finish(await claimed(name), IMAGE);
    const file = (await fileOf(name))!;
    await thumbnails.demand([{ ...name, width: 320 }]);
    const underWay = await claimed({ ...name, width: 320 });
    const sourcePath = join(documents.folder, 'new');
    await writeFile(sourcePath, 'new bytes');
    const content = { filename: 'b.txt', sourcePath, kind: 'text' as const, mimeType: 'text/plain' };
    await documents.app.get(DocumentReplacement).replace(name.uid, content);
    expect(existsSync(file)).toBe(false);
    expect(await thumbnails.find(name)).toBeNull();
    await expect(thumbnails.finish(underWay, IMAGE)).rejects.toThrow(ClaimLostError);
    expect(await sql('SELECT FROM document_thumbnails WHERE document_uid = $1', [name.uid])).toEqual([]);
    await documents.app.get(LooseFiles).removeDue();
  });

  inAll('of one document wait in bounded number', async () => {
    const { document } = await documents.add({ train: false });
    for (let page = 1; page <= 300; page += 50)
      await thumbnails.demand(
        Array.from({ length: 50 }, (_, index) => ({ uid: document.uid, page: page + index, width: 160 })),
      );
    const rows = await sql('SELECT count(*)::int AS n FROM document_thumbnails WHERE document_uid = $1', [
      document.uid,
    ]);
    expect(rows[0]!.n).toBe(200);
  });
});
