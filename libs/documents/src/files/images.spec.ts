import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTiff } from '../../../../test/fixtures/documents/make-tiff.js';
import { inspectUpload } from './inspect-upload.js';

const page = (width: number, height: number) => ({ pixels: Buffer.alloc(width * height, 255), width, height });

const bmp = (width: number, height: number) => {
  const bytes = Buffer.alloc(54 + 16);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  return bytes;
};

describe('images that are uploaded', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'images-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function inspect(filename: string, bytes: Buffer) {
    const path = join(folder, filename);
    await writeFile(path, bytes);
    return inspectUpload({ path, filename, sizeBytes: bytes.length });
  }

  it('takes a TIFF whose directory stands at the end of a large file', async () => {
    const bytes = makeTiff([page(900, 700), page(800, 600)]);
    expect(bytes.length).toBeGreaterThan(1_000_000);
    await expect(inspect('scan.tiff', bytes)).resolves.toMatchObject({ kind: 'tiff' });
  });

  it('looks at every page of a TIFF, and is not led in circles', async () => {
    const huge = { ...page(10, 10), width: 100_000, height: 100_000 };
    await expect(inspect('huge.tiff', makeTiff([page(9, 9), huge]))).rejects.toMatchObject({
      reasons: [expect.stringContaining('too large: 100000 x 100000')],
    });
    const bytes = makeTiff([page(9, 9), page(9, 9)]);
    const first = bytes.readUInt32LE(4);
    await expect(inspect('loop.tiff', makeTiff([page(9, 9), page(9, 9)], first))).rejects.toMatchObject({
      reasons: [expect.stringContaining('damaged')],
    });
    await expect(inspect('far.tiff', makeTiff([page(9, 9)], 4_000_000_000))).rejects.toThrow(/damaged/);
    await expect(inspect('text.tiff', Buffer.from('Dear Sir or Madam, this is a letter.'))).rejects.toThrow(
      /not a TIFF/,
    );
  });

  it('takes a BMP, and none with more pixels than can be held', async () => {
    await expect(inspect('fax.bmp', bmp(2, -2))).resolves.toEqual({ kind: 'bmp', mimeType: 'image/bmp' });
    await expect(inspect('huge.bmp', bmp(90_000, -90_000))).rejects.toThrow(/too large/);
  });
});
