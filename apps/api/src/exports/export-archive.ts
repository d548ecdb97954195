import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ErasureRegistry } from '@app/erasure';
import { ZipFile } from 'yazl';

/**
 * Everything that the account owns as one zip, made while it is read: nothing is held in memory but the list of names.
 * Unusable names are replaced, equal ones numbered. A file that cannot be read ends the stream with its error.
 */
export function streamArchive(registry: ErasureRegistry, userId: number): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  const taken = new Set<string>();
  const fail = (error: Error) => output.destroy(error);
  zip.outputStream.on('error', fail);
  zip.outputStream.pipe(output);
  void (async () => {
    for (const data of registry.list())
      for await (const { path, content } of data.exportFor?.(userId) ?? []) {
        const name = freeName(path, taken);
        if (typeof content === 'string') zip.addBuffer(Buffer.from(content), name);
        else zip.addReadStreamLazy(name, (done) => done(null, lazily(content, fail)));
      }
    zip.end();
  })().catch(fail);
  return output;
}

/** A stream now of a file that is opened only when it is read. */
function lazily(open: () => Promise<Readable>, fail: (error: Error) => void): Readable {
  const stream = new PassThrough();
  open()
    .then((file) => pipeline(file, stream), fail)
    .catch(fail);
  return stream;
}

function freeName(path: string, taken: Set<string>): string {
  const safe = path
    .split('/')
    .map((part) => part.replaceAll(/[\p{Cc}\\:*?"<>|]/gu, '_').slice(0, 200))
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
  const dot = safe.lastIndexOf('.') > safe.lastIndexOf('/') ? safe.lastIndexOf('.') : safe.length;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? safe : `${safe.slice(0, dot)} (${number})${safe.slice(dot)}`;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}
