import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

/** The names in an archive with their contents. */
export async function filesIn(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await promisify<Buffer, { lazyEntries: boolean }, ZipFile>(fromBuffer)(bytes, { lazyEntries: true });
  const open = promisify<Entry, Readable>(zip.openReadStream.bind(zip));
  const files = new Map<string, string>();
  for (let left = zip.entryCount; left > 0; left -= 1) {
    const next = once(zip, 'entry') as Promise<[Entry]>;
    zip.readEntry();
    const [entry] = await next;
    files.set(entry.fileName, (await buffer(await open(entry))).toString());
  }
  return files;
}
