import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ErasureRegistry } from '@app/erasure';
import { FileMissingError } from '@app/integrations';
import { ZipFile } from 'yazl';
import { freeName } from './archive-names.js';

/** Names what could not be put in. */
const MISSING = 'missing-files.txt';

/**
 * Everything that the account owns as one zip, made while it is read: a part is asked for when the one before it is
 * written, so that nothing is held in memory but the names. Unusable names are replaced, equal ones numbered. Of a file
 * that is gone, since its owner deleted it meanwhile, only the name is told; one that cannot be read ends the stream with
 * its error.
 */
export function streamArchive(registry: ErasureRegistry, userId: number): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  const fail = (error: Error) => output.destroy(error);
  zip.on('error', fail);
  zip.outputStream.on('error', fail);
  zip.outputStream.pipe(output);
  addAll(registry, userId, { zip, output }).then(() => zip.end(), fail);
  return output;
}

interface Archive {
  zip: ZipFile;
  output: PassThrough;
}

async function addAll(registry: ErasureRegistry, userId: number, archive: Archive): Promise<void> {
  const taken = new Map<string, number>();
  const missing: string[] = [];
  for (const data of registry.list())
    for await (const { path, content } of data.exportFor?.(userId) ?? []) {
      const stream = await opened(content);
      if (stream) await add(archive, freeName(path, taken), stream);
      else missing.push(path);
    }
  if (missing.length > 0) await add(archive, freeName(MISSING, taken), Readable.from([`${missing.join('\n')}\n`]));
}

async function opened(content: string | (() => Promise<Readable>)): Promise<Readable | null> {
  if (typeof content === 'string') return Readable.from([content]);
  try {
    return await content();
  } catch (error) {
    if (error instanceof FileMissingError) return null;
    throw error;
  }
}

/** Until it is written. @throws Error when it cannot be read, or nobody reads the archive any longer */
async function add({ zip, output }: Archive, name: string, stream: Readable): Promise<void> {
  const stop = () => stream.destroy(new Error('The archive is no longer read.'));
  if (output.destroyed) stop();
  output.once('close', stop);
  try {
    const written = finished(stream, { writable: false });
    zip.addReadStream(stream, name);
    await written;
  } finally {
    output.off('close', stop);
  }
}
