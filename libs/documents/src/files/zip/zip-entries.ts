import type { Entry, ZipFile } from 'yauzl';

type Opened = (error: Error | null, zip: ZipFile) => void;

export function opened(open: (callback: Opened) => void): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open((error, zip) => (error ? reject(error) : resolve(zip)));
  });
}

/** The entries of an archive that was opened with `lazyEntries`, read as they are asked for. */
export async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | null>((resolve, reject) => {
      const settle = (act: () => void) => () => {
        zip.removeAllListeners('entry').removeAllListeners('end').removeAllListeners('error');
        act();
      };
      zip.once('entry', (next: Entry) => settle(() => resolve(next))());
      zip.once(
        'end',
        settle(() => resolve(null)),
      );
      zip.once('error', (error: Error) => settle(() => reject(error))());
      zip.readEntry();
    });
    if (entry === null) return;
    yield entry;
  }
}

const FILE_TYPE_MASK = 0o170000;
const REGULAR = 0o100000;
const SYMLINK = 0o120000;

/** What an entry is by its Unix mode; archives of Windows have none. */
export function typeOf({ externalFileAttributes }: Entry): 'file' | 'link' | 'other' {
  const type = (externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type === SYMLINK) return 'link';
  return type === 0 || type === REGULAR ? 'file' : 'other';
}
