import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import yauzl, { type Entry, type ZipFile } from 'yauzl';

/** More of one file is not read. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Some parts of a zip-based office file as text, by their names, in the order of the file; as far as they hold 16 MB
 * together. What the archive declares was checked at the upload.
 * @throws what the archive's reader throws when it is damaged
 */
export async function readArchiveParts(archive: Buffer, wanted: RegExp): Promise<Map<string, string>> {
  const zip = await promised<ZipFile>((done) => yauzl.fromBuffer(archive, { lazyEntries: true }, done));
  const entries: Entry[] = [];
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      if (wanted.test(entry.fileName)) entries.push(entry);
      zip.readEntry();
    });
    zip.once('end', resolve).once('error', reject);
    zip.readEntry();
  });
  const parts = new Map<string, string>();
  let left = MAX_BYTES;
  for (const entry of entries) {
    if (entry.uncompressedSize > left) continue;
    left -= entry.uncompressedSize;
    const stream = await promised<Readable>((done) => zip.openReadStream(entry, done));
    parts.set(entry.fileName, (await buffer(stream)).toString('utf8'));
  }
  return parts;
}

function promised<T>(start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))));
}
