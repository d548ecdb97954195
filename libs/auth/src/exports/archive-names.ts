import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Names may have 255 bytes in most file systems; the rest is for numbers. */
const MAX_BYTES = 230;
const MAX_EXTENSION_BYTES = 40;
/** What Windows keeps for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
/** Control characters, what turns the direction of writing, and what Windows has no names with. */
const UNUSABLE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\\:*?"<>|]/gu;

/**
 * A name for an entry of a zip, with which every system can unpack it: unusable characters are replaced, long names are cut
 * before their extension, equal ones are numbered, and no file stands where a folder does. `taken` grows by it, and knows
 * from which number a name is looked for: thousands may be called the same.
 */
export function freeName(path: string, taken: Map<string, number>): string {
  const parts = path
    .normalize('NFC')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .map(usable);
  const file = parts.pop() ?? '_';
  let folder = '';
  for (const part of parts) {
    const { name: place } = firstFree(part, 1, (name) => !taken.has(keyOf(folder + name)));
    folder += `${place}/`;
    taken.set(keyOf(folder), 1);
  }
  const isFree = (name: string) => !taken.has(keyOf(folder + name)) && !taken.has(keyOf(`${folder}${name}/`));
  const wanted = keyOf(folder + file);
  const { name, number } = firstFree(file, taken.get(wanted) ?? 1, isFree);
  taken.set(wanted, number + 1);
  if (number > 1) taken.set(keyOf(folder + name), 2);
  return folder + name;
}

function firstFree(given: string, from: number, isFree: (name: string) => boolean): { name: string; number: number } {
  const { stem, extension } = split(given);
  for (let number = from; ; number += 1) {
    const name = number === 1 ? given : `${stem} (${number})${extension}`;
    if (isFree(name)) return { name, number };
  }
}

/** Systems take names for the same that differ in case, or in how their accents are written. */
const keyOf = (name: string) => name.toLowerCase().normalize('NFC');

function usable(part: string): string {
  const plain = part.replace(UNUSABLE, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length));
  const name = DEVICE.test(plain) ? `_${plain}` : plain;
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const { stem, extension } = split(name);
  return startOf(stem, MAX_BYTES - Buffer.byteLength(extension)) + extension;
}

/** Without an extension where what stands behind the last dot is too long to be one. */
function split(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  const at = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MAX_EXTENSION_BYTES ? dot : name.length;
  return { stem: name.slice(0, at), extension: name.slice(at) };
}

/** Whole characters alone. */
function startOf(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}

/** A stream now of a file that is opened only when it is read. */
export function lazily(open: () => Promise<Readable>, fail: (error: Error) => void): Readable {
  const stream = new PassThrough();
  open()
    .then((file) => pipeline(file, stream), fail)
    .catch(fail);
  return stream;
}
