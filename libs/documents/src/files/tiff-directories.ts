import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { ImageSize } from './image-size.js';

/** More pages than any document may have. */
const MAX_PAGES = 5_000;
/** The standard knows some seventy. */
const MAX_ENTRIES = 4_096;
const WIDTH = 256;
const HEIGHT = 257;
const SHORT = 3;

/**
 * The sizes of all pages of a TIFF, read from its directories wherever in the file they stand; null when they lead out
 * of the file or in circles. BigTIFF too. Reads some kilobytes for each page.
 */
export async function readTiffSizes(path: string): Promise<ImageSize[] | null> {
  const file = await open(path, 'r');
  try {
    return await readDirectories(file);
  } finally {
    await file.close();
  }
}

async function readDirectories(file: FileHandle): Promise<ImageSize[] | null> {
  const head = await read(file, 0, 16);
  if (head === null) return null;
  const form = formOf(head);
  if (form === null) return null;
  const sizes: ImageSize[] = [];
  const seen = new Set<number>();
  for (let at = form.offset(head, form.isBig ? 8 : 4); at !== 0;) {
    if (seen.has(at) || seen.size >= MAX_PAGES) return null;
    seen.add(at);
    const directory = await readDirectory(file, at, form);
    if (directory === null) return null;
    sizes.push(directory.size);
    at = directory.next;
  }
  return sizes.length > 0 ? sizes : null;
}

interface TiffForm {
  isBig: boolean;
  short(bytes: Buffer, at: number): number;
  long(bytes: Buffer, at: number): number;
  offset(bytes: Buffer, at: number): number;
}

function formOf(head: Buffer): TiffForm | null {
  const order = head.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return null;
  const little = order === 'II';
  const short = (bytes: Buffer, at: number) => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (bytes: Buffer, at: number) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const big = (bytes: Buffer, at: number) => Number(little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
  const version = short(head, 2);
  if (version !== 42 && version !== 43) return null;
  const isBig = version === 43;
  return { isBig, short, long, offset: isBig ? big : long };
}

async function readDirectory(
  file: FileHandle,
  at: number,
  { isBig, short, long, offset }: TiffForm,
): Promise<{ size: ImageSize; next: number } | null> {
  const [countBytes, entryBytes, nextBytes] = isBig ? [8, 20, 8] : [2, 12, 4];
  const counted = await read(file, at, countBytes);
  if (counted === null) return null;
  const count = isBig ? offset(counted, 0) : short(counted, 0);
  if (count === 0 || count > MAX_ENTRIES) return null;
  const entries = await read(file, at + countBytes, count * entryBytes + nextBytes);
  if (entries === null) return null;
  const size = { width: 0, height: 0 };
  for (let entry = 0; entry < count * entryBytes; entry += entryBytes) {
    const tag = short(entries, entry);
    if (tag !== WIDTH && tag !== HEIGHT) continue;
    const value = entry + (isBig ? 12 : 8);
    size[tag === WIDTH ? 'width' : 'height'] =
      short(entries, entry + 2) === SHORT ? short(entries, value) : long(entries, value);
  }
  return { size, next: offset(entries, count * entryBytes) };
}

async function read(file: FileHandle, at: number, length: number): Promise<Buffer | null> {
  if (!Number.isSafeInteger(at)) return null;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return bytesRead === length ? buffer : null;
}
