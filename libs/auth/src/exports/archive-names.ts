import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A name for an entry of a zip: unusable characters are replaced, equal names numbered. `taken` grows by it. */
export function freeName(path: string, taken: Set<string>): string {
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

/** A stream now of a file that is opened only when it is read. */
export function lazily(open: () => Promise<Readable>, fail: (error: Error) => void): Readable {
  const stream = new PassThrough();
  open()
    .then((file) => pipeline(file, stream), fail)
    .catch(fail);
  return stream;
}
