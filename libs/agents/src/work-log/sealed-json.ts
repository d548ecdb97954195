import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { type SealedPlace, type SealingService, UnsealableError } from '@app/secrets';

const MAX_BYTES = 16 * 1024 * 1024;
const pack = promisify(deflateRaw);
const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

export async function sealJson(sealing: SealingService, value: unknown, place: SealedPlace): Promise<Buffer> {
  return sealing.seal(await pack(JSON.stringify(value), { level: 3 }), place);
}

/** Null where its key is gone: a conversation goes on without. */
export async function openJson(sealing: SealingService, sealed: Buffer, place: SealedPlace): Promise<unknown> {
  try {
    return JSON.parse((await unpack(sealing.open(sealed, place), { maxOutputLength: MAX_BYTES })).toString());
  } catch (error) {
    if (error instanceof UnsealableError) return null;
    throw error;
  }
}
