import { constants, type BigIntStats } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { cappedBody } from '../../guarded-fetch/capped-body.js';
import { SourceConnector, type SourceItem, type SourcePage } from '../source-connector.port.js';
import { SourceError } from '../source-error.js';

const PAGE = 500;
const MAX_DEPTH = 40;

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/**
 * Files below a folder of this machine that the deployment allows. No symbolic link is followed, at any depth, and
 * names that begin with a dot are passed over.
 */
export class FolderConnector extends SourceConnector {
  constructor(
    private readonly folder: string,
    private readonly allowed: readonly string[],
  ) {
    super();
  }

  async test(): Promise<void> {
    await this.root();
  }

  async list(cursor: string | null, signal?: AbortSignal): Promise<SourcePage> {
    const root = await this.root();
    const items: SourceItem[] = [];
    for await (const item of walk(root, [], cursor === null ? null : cursor.split('/'))) {
      signal?.throwIfAborted();
      if (items.length === PAGE) return { items, removedIds: [], cursor: items.at(-1)!.id, isLast: false };
      items.push(item);
    }
    return { items, removedIds: [], cursor: null, isLast: true };
  }

  async open(item: SourceItem): Promise<Readable> {
    const root = await this.root();
    const path = join(root, ...item.id.split('/'));
    if (!isInside(path, root)) throw notThere();
    const handle = await openPlainFile(path);
    try {
      // The path is looked at again behind the open file: a folder may have become a link in between.
      const [opened, named, real] = await Promise.all([
        handle.stat({ bigint: true }),
        stat(path, { bigint: true }),
        realpath(path),
      ]);
      if (!opened.isFile() || real !== path || !isSame(opened, named)) throw notThere();
      return cappedBody(handle.createReadStream(), Number.MAX_SAFE_INTEGER, unreadable);
    } catch (error) {
      await handle.close();
      throw codeOf(error) === 'ENOENT' ? notThere(error) : error;
    }
  }

  async close(): Promise<void> {}

  /** The folder without links in its path. @throws SourceError when it is outside of what is allowed */
  private async root(): Promise<string> {
    const real = await realpath(resolve(this.folder)).catch(() => null);
    const allowed = await Promise.all(this.allowed.map((path) => realpath(resolve(path)).catch(() => null)));
    if (real === null || !allowed.some((path) => path !== null && isInside(real, path)))
      // One answer for both, so that nobody learns what else the server has.
      throw new SourceError('auth', 'The folder does not exist, or this deployment does not allow it.');
    if (!(await stat(real)).isDirectory()) throw new SourceError('not_found', 'This is no folder.');
    return real;
  }
}

function isInside(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between === '' || (between !== '..' && !between.startsWith(`..${sep}`));
}

/** In the order of names, folders and files together. `after`: the segments of the last file that is known already. */
async function* walk(root: string, segments: string[], after: string[] | null): AsyncGenerator<SourceItem> {
  const entries = await readdir(join(root, ...segments), { withFileTypes: true }).catch((error: unknown) => {
    // It may have gone since its parent was read; the root itself was there a moment ago.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw new SourceError('unavailable', 'A folder cannot be read.', { cause: error });
  });
  const [first, ...rest] = after ?? [];
  const names = entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isFile() || entry.isDirectory()))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of names) {
    if (first !== undefined && entry.name < first) continue;
    const isKnownPath = entry.name === first;
    const path = [...segments, entry.name];
    if (entry.isDirectory()) {
      if (path.length < MAX_DEPTH) yield* walk(root, path, isKnownPath ? rest : null);
    } else if (!isKnownPath) {
      const item = await toItem(root, path);
      if (item) yield item;
    }
  }
}

async function toItem(root: string, segments: string[]): Promise<SourceItem | null> {
  const found = await stat(join(root, ...segments), { bigint: true }).catch(() => null);
  if (!found) return null;
  return {
    id: segments.join('/'),
    name: segments.at(-1)!,
    path: segments.slice(0, -1).join('/'),
    size: Number(found.size),
    modifiedAt: found.mtime,
    etag: `${found.mtimeNs}-${found.size}-${found.ino}`,
  };
}

/** Not through a link at its end, and without waiting for the other side of a pipe. */
async function openPlainFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EACCES' || code === 'EPERM')
      throw new SourceError('refused', 'The server may not read this file.', { cause: error });
    throw notThere(error);
  }
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

function unreadable(cause: unknown): SourceError {
  return new SourceError('unavailable', 'The file cannot be read.', { cause });
}

function notThere(cause?: unknown): SourceError {
  return new SourceError('not_found', 'The file does not exist any more.', { cause });
}
