import { PassThrough, type Readable } from 'node:stream';
import type { ErasureRegistry } from '@app/erasure';
import { ZipFile } from 'yazl';
import { freeName, lazily } from './archive-names.js';

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
