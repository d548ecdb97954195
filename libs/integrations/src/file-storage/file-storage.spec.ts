import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FileMissingError, InvalidFileKeyError } from './file-key.js';
import type { FileStorage } from './file-storage.port.js';
import { LocalFolderStorage } from './local-folder.storage.js';
import { S3Storage } from './s3.storage.js';
import { givenS3Server, startS3Server, type S3Server } from '../../../../test/support/s3-server.js';
import { inAll } from '../../../../test/support/long.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const of = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

async function countFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

/** What every adapter has to pass. */
function contract(name: string, create: (folder: string) => FileStorage, isLocal = false) {
  describe(name, () => {
    let folder: string;
    let storage: FileStorage;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atrium-storage-'));
      storage = create(join(folder, 'files'));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it('keeps a stream and gives it back, whole and in ranges', async () => {
      expect(await storage.put('documents/a1/x.pdf', of('hello ', 'world'))).toEqual({
        sizeBytes: 11,
        sha256: sha256('hello world'),
      });
      const whole = await storage.open('documents/a1/x.pdf');
      expect([whole.sizeBytes, String(await buffer(whole.stream))]).toEqual([11, 'hello world']);
      const range = await storage.open('documents/a1/x.pdf', { start: 6, end: 8 });
      expect([range.sizeBytes, String(await buffer(range.stream))]).toEqual([11, 'wor']);
      expect(String(await buffer((await storage.open('documents/a1/x.pdf', { start: 9 })).stream))).toBe('ld');
      const long = await storage.open('documents/a1/x.pdf', { start: 9, end: 1000 });
      expect(String(await buffer(long.stream))).toBe('ld');
    });

    it('has no bytes beyond the end, nor in an empty file', async () => {
      await storage.put('k', of('hello'));
      const beyond = await storage.open('k', { start: 5 });
      expect([beyond.sizeBytes, String(await buffer(beyond.stream))]).toEqual([5, '']);
      expect(await storage.put('empty', of())).toEqual({ sizeBytes: 0, sha256: sha256('') });
      for (const range of [undefined, { start: 0, end: -1 }]) {
        const empty = await storage.open('empty', range);
        expect([empty.sizeBytes, String(await buffer(empty.stream))]).toEqual([0, '']);
      }
      await expect(storage.open('gone', { start: 0, end: -1 })).rejects.toThrow(FileMissingError);
    });

    inAll('keeps a file of many parts, and its end', async () => {
      const size = 20 * 1024 * 1024 + 17;
      const bytes = Buffer.alloc(size, 'The kettle is in the kitchen. ');
      await writeFile(join(folder, 'large'), bytes);
      const stored = await storage.put('large', { path: join(folder, 'large') });
      expect(stored).toEqual({ sizeBytes: size, sha256: createHash('sha256').update(bytes).digest('hex') });
      expect(await storage.stat('large')).toMatchObject({ sizeBytes: size });
      const { path, release } = await storage.localPath('large');
      expect((await readFile(path)).equals(bytes)).toBe(true);
      await release();
      const end = await storage.open('large', { start: size - 40 });
      expect((await buffer(end.stream)).equals(bytes.subarray(-40))).toBe(true);
    });

    it('takes a file, and gives a path to it', async () => {
      await writeFile(join(folder, 'source'), 'from a path');
      await storage.put('k', { path: join(folder, 'source') });
      const local = await storage.localPath('k');
      expect(await readFile(local.path, 'utf8')).toBe('from a path');
      await local.release();
    });

    it('leaves a path its bytes until it is released, whatever becomes of the file', async () => {
      await storage.put('k', of('old'));
      const local = await storage.localPath('k');
      await storage.put('k', of('new'));
      await storage.delete('k');
      expect(await readFile(local.path, 'utf8')).toBe('old');
      await local.release();
      await local.release();
      await expect(readFile(local.path)).rejects.toThrow('ENOENT');
      expect(await countFiles(folder)).toBe(0);
    });

    it('keeps the old content when the new one fails or is called off', async () => {
      await storage.put('k', of('old'));
      const broken = new Readable({ read() {} });
      const failing = storage.put('k', broken);
      broken.push('half');
      broken.destroy(new Error('the client went'));
      await expect(failing).rejects.toThrow('the client went');
      const stopped = new AbortController();
      const aborted = storage.put('k', new Readable({ read() {} }), { signal: stopped.signal });
      stopped.abort();
      await expect(aborted).rejects.toThrow();
      expect(String(await buffer((await storage.open('k')).stream))).toBe('old');
      expect(await countFiles(folder)).toBe(isLocal ? 1 : 0);
    });

    inAll('takes back what it has stored of a long stream that breaks', async () => {
      const chunk = Buffer.alloc(1024 * 1024);
      const breaking = Readable.from(
        (async function* () {
          for (let count = 0; count < 12; count += 1) yield chunk;
          throw new Error('the client went');
        })(),
      );
      await expect(storage.put('k', breaking)).rejects.toThrow('the client went');
      expect(await storage.stat('k')).toBeNull();
      expect(await countFiles(folder)).toBe(0);
    });

    it('says what is missing and deletes twice', async () => {
      await storage.put('k', of('x'));
      expect(await storage.stat('k')).toMatchObject({ sizeBytes: 1 });
      await storage.delete('k');
      await storage.delete('k');
      expect(await storage.stat('k')).toBeNull();
      await expect(storage.open('k')).rejects.toThrow(FileMissingError);
      await expect(storage.localPath('k')).rejects.toThrow(FileMissingError);
    });

    it.each(['../x', '/x', 'a//b', 'a/../b', '.hidden', 'a\0b', '', 'a\\b', 'x'.repeat(200), 'a/'.repeat(9)])(
      'refuses the key %j',
      async (key) => {
        await expect(storage.put(key, of('x'))).rejects.toThrow(InvalidFileKeyError);
        await expect(storage.open(key)).rejects.toThrow(InvalidFileKeyError);
      },
    );

    it('is healthy', () => storage.health());
  });
}

contract('LocalFolderStorage', (folder) => new LocalFolderStorage(folder), true);

describe('on a server of the S3 protocol', () => {
  let server: S3Server;
  let tests = 0;
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server.stop());

  contract('S3Storage', (scratchFolder) => {
    tests += 1;
    const { endpoint, bucket, credentials } = server;
    const prefix = `test-${tests}/`;
    return new S3Storage({
      endpoint,
      bucket,
      credentials,
      region: 'us-east-1',
      forcePathStyle: true,
      prefix,
      scratchFolder,
    });
  });
});

const given = givenS3Server();
if (given)
  contract(`S3Storage on ${given.endpoint}`, (scratchFolder) => {
    const prefix = `contract-${randomUUID()}/`;
    return new S3Storage({ ...given, region: 'us-east-1', forcePathStyle: true, prefix, scratchFolder });
  });
