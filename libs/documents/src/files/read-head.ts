import { open } from 'node:fs/promises';

const HEAD_BYTES = 256 * 1024;

/** The first bytes of a file, 256 kB at most. */
export async function readHead(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
