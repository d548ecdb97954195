import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { fixture, note, upload } from '../support/documents-api.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Signed {
  urls: { path: string; url: string }[];
  not_found: string[];
}

const picture = async (width: number, height: number) => {
  const pixels = sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 30 } } });
  return new File([new Uint8Array(await pixels.png().toBuffer())], 'red.png');
};

const sign = (client: HttpClient, ...paths: string[]) => client.post<Signed>('/media/sign/', { paths });

/** What is drawn for longer than a request waits is 503, and asked for again. */
const read = async (address: string) => {
  let response!: Response;
  await until(async () => {
    response = await fetch(address);
    return response.status !== 503;
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
};

const codeOf = async (address: string) => {
  const { status, bytes } = await read(address);
  return [status, (JSON.parse(bytes.toString()) as { code: string }).code];
};

describe('thumbnails', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  let reader: HttpClient;
  let stranger: HttpClient;
  beforeAll(async () => {
    platform = await hostPlatform(['api', 'indexer']);
    owner = await HttpClient.signUp(platform.baseUrl);
    reader = await HttpClient.signUp(platform.baseUrl);
    stranger = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const addressOf = async (path: string) => (await sign(owner, path)).urls[0]!.url;
  const added = async (file: File, fields: Record<string, string> = { train_after_upload: 'false' }) =>
    (await upload(owner, file, fields)).body.uid;
  const files = async () => {
    const names = await readdir(join(platform.env.STORAGE_DIR!, 'thumbnails'), {
      recursive: true,
      withFileTypes: true,
    });
    return names.filter((entry) => entry.isFile()).length;
  };

  it('shows pages of a PDF, drawn once, in colour, without waiting for its indexing', async () => {
    const uid = await added(await fixture('demo/office-handbook.pdf'));
    const spelled = `thumbnails/${uid}/1-160.webp`;
    expect(
      (await sign(owner, `/media/${spelled}`, spelled, `/media/${spelled.replace(uid, uid.toUpperCase())}`)).urls,
    ).toHaveLength(3);
    const paths = [160, 320, 640, 1280].map((width) => `/media/thumbnails/${uid}/2-${width}.webp`);
    const { urls, not_found } = await sign(owner, ...paths, `/media/thumbnails/${uid}/2-500.webp`);
    expect(not_found).toEqual([`/media/thumbnails/${uid}/2-500.webp`]);
    const answers = await Promise.all(urls.map(({ url }) => read(url)));
    for (const [index, width] of [160, 320, 640, 1280].entries()) {
      const { status, headers, bytes } = answers[index]!;
      expect([status, headers.get('content-type')]).toEqual([200, 'image/webp']);
      const shown = await sharp(bytes).metadata();
      expect([shown.format, shown.width]).toEqual(['webp', width]);
      expect(shown.height).toBeCloseTo(width * Math.SQRT2, -1);
    }
    const etag = answers[0]!.headers.get('etag')!;
    expect((await fetch(urls[0]!.url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const rows = await platform.database.dataSource.query<{ fence: number }[]>(
      'SELECT fence FROM document_thumbnails WHERE document_uid = $1',
      [uid],
    );
    expect(rows.map(({ fence }) => fence)).toEqual([1, 1, 1, 1, 1]);
    // Written in dark letters on white: neither blank nor black.
    const { channels } = await sharp(answers[3]!.bytes).stats();
    expect(channels[0]!.mean).toBeGreaterThan(200);
    expect(channels[0]!.min).toBeLessThan(100);
  });

  inAll('shows pictures in their colours, upright, and none larger than they are', async () => {
    const uid = await added(await picture(600, 300));
    const shown = await read(await addressOf(`/media/thumbnails/${uid}/1-1280.webp`));
    expect(await sharp(shown.bytes).metadata()).toMatchObject({ width: 600, height: 300 });
    const [red, green] = (await sharp(shown.bytes).stats()).channels;
    expect([red!.mean > 180, green!.mean < 60]).toEqual([true, true]);
    const tall = await added(await picture(100, 3000));
    const narrow = await read(await addressOf(`/media/thumbnails/${tall}/1-160.webp`));
    expect((await sharp(narrow.bytes).metadata()).height).toBe(320);
  });

  inAll('has none of other kinds, of pages that are not there, and of what cannot be opened', async () => {
    const text = await added(note());
    expect(await sign(owner, `/media/thumbnails/${text}/1-320.webp`)).toMatchObject({ urls: [] });
    const pdf = await added(await fixture('demo/office-handbook.pdf'));
    expect(await codeOf(await addressOf(`/media/thumbnails/${pdf}/9-320.webp`))).toEqual([404, 'no_thumbnail']);
    const image = await added(await picture(50, 50));
    expect(await sign(owner, `/media/thumbnails/${image}/2-320.webp`)).toMatchObject({ urls: [] });
    const broken = new File(['%PDF-1.4\n1 0 obj\n<< >>\nendobj\n%%EOF\n'], 'broken.pdf');
    const damaged = await added(broken);
    expect(await codeOf(await addressOf(`/media/thumbnails/${damaged}/1-320.webp`))).toEqual([404, 'no_thumbnail']);
  });

  it('shows nothing to strangers, and to readers what they may read', async () => {
    const uid = await added(await picture(50, 50));
    const path = `/media/thumbnails/${uid}/1-160.webp`;
    expect(await sign(stranger, path)).toEqual({ urls: [], not_found: [path] });
    const bare = await fetch(platform.baseUrl + path);
    expect(bare.status).toBe(403);
    await platform.database.dataSource.query(
      'INSERT INTO document_shares (document_uid, user_id) SELECT $1, id FROM users WHERE username = $2',
      [uid, reader.username],
    );
    const { urls } = await sign(reader, path);
    expect((await read(urls[0]!.url)).status).toBe(200);
    const other = urls[0]!.url.replace('1-160', '1-320');
    expect(await codeOf(other)).toEqual([403, 'media_signature_invalid']);
  });

  it('is gone with the trash, comes back with it, and leaves no file when purged', async () => {
    const uid = await added(await picture(80, 80));
    const address = await addressOf(`/media/thumbnails/${uid}/1-160.webp`);
    expect((await read(address)).status).toBe(200);
    const before = await files();
    await owner.send('DELETE', `/semantic-search/${uid}/delete/`);
    expect(await codeOf(address)).toEqual([404, 'file_not_found']);
    await owner.send('POST', `/semantic-search/${uid}/restore/`);
    expect((await read(address)).status).toBe(200);
    await owner.send('DELETE', `/semantic-search/${uid}/delete/`);
    await owner.send('DELETE', `/semantic-search/${uid}/permanent-delete/`);
    expect(await codeOf(address)).toEqual([404, 'file_not_found']);
    await until(async () => (await files()) === before - 1);
  });
});
