import { setTimeout as pause } from 'node:timers/promises';
import { visibleDocument } from '@app/access';
import { NotFoundError, UnavailableError } from '@app/common';
import type { MediaFile } from '@app/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findThumbnailInPath, isDrawable, thumbnailMediaPath, type ThumbnailName } from './thumbnail-path.js';
import { Thumbnails } from './thumbnails.js';

/** A browser waits for a picture as long as it takes to draw a few. */
const WAIT_MS = 8_000;
const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 500;

interface PictureSource {
  uid: string;
  kind: string;
  /** Null until the document is read. */
  pages: number | null;
}

/** `/media/thumbnails/<uid>/<page>-<width>.webp`: drawn when they are first signed or asked for. */
@Injectable()
export class ThumbnailFiles {
  constructor(
    private readonly dataSource: DataSource,
    private readonly thumbnails: Thumbnails,
  ) {}

  static covers(path: string): boolean {
    return findThumbnailInPath(path) !== null;
  }

  /** Canonical paths of what the viewer may see, by the path asked for. They are being drawn from now on. */
  async findReadable(viewerId: number, paths: string[]): Promise<[string, string][]> {
    const wanted = paths.flatMap((path) => {
      const name = findThumbnailInPath(path);
      return name ? [{ path, name }] : [];
    });
    if (wanted.length === 0) return [];
    const rows = await this.dataSource.query<PictureSource[]>(
      `SELECT d.uid, d.kind, CASE WHEN d.processing_state = 'completed' THEN d.page_number END AS pages
       FROM documents d WHERE d.uid = ANY($2::uuid[]) AND ${visibleDocument('d', '$1')}`,
      [viewerId, wanted.map(({ name }) => name.uid)],
    );
    const sources = new Map(rows.map((row) => [row.uid, row]));
    const drawable = wanted.filter(({ name }) => canBeDrawn(name, sources.get(name.uid)));
    await this.thumbnails.demand(drawable.map(({ name }) => name));
    return drawable.map(({ path, name }) => [path, thumbnailMediaPath(name)]);
  }

  /**
   * Waits a while for one that is being drawn. Null when the document is gone or in the trash.
   * @throws NotFoundError `no_thumbnail`; UnavailableError `thumbnail_pending`
   */
  async findSigned(path: string): Promise<MediaFile | null> {
    const name = findThumbnailInPath(path);
    if (!name || !(await this.isThere(name.uid))) return null;
    const until = performance.now() + WAIT_MS;
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(LAST_LOOK_MS, wait * 2)) {
      const found = await this.thumbnails.find(name);
      if (found?.state === 'ready')
        return { ...found, filename: `${name.page}-${name.width}.webp`, mimeType: 'image/webp' };
      if (found?.state === 'none') throw noThumbnail();
      await this.thumbnails.demand([name]);
      if (performance.now() + wait > until)
        throw new UnavailableError('The picture is being drawn. Ask again in a moment.', { code: 'thumbnail_pending' });
      await pause(wait);
    }
  }

  private async isThere(uid: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ kind: string }[]>(
      'SELECT kind FROM documents WHERE uid = $1 AND deleted_at IS NULL',
      [uid],
    );
    if (row && !isDrawable(row.kind)) throw noThumbnail();
    return row !== undefined;
  }
}

function canBeDrawn({ page }: ThumbnailName, source: PictureSource | undefined): boolean {
  if (!source || !isDrawable(source.kind)) return false;
  const hasPages = source.kind === 'pdf' || source.kind === 'tiff';
  return hasPages ? page <= (source.pages ?? Infinity) : page === 1;
}

const noThumbnail = () => new NotFoundError('There is no picture of this page.', { code: 'no_thumbnail' });
