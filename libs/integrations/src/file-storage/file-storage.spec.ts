import { createHash } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FileMissingError, InvalidFileKeyError } from './file-key.js';
import type { FileStorage } from './file-storage.port.js';
import { LocalFolderStorage } from './local-folder.storage.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const of = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

/** What every adapter has to pass. */
function contract(name: string, create: (folder: string) => FileStorage) {
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
    });

    it('takes a file, and gives a path to it', async () => {
      await writeFile(join(folder, 'source'), 'from a path');
      await storage.put('k', { path: join(folder, 'source') });
      const local = await storage.localPath('k');
      expect(await readFile(local.path, 'utf8')).toBe('from a path');
      await local.release();
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
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      expect(files.filter((entry) => entry.isFile())).toHaveLength(1);
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

contract('LocalFolderStorage', (folder) => new LocalFolderStorage(folder));
