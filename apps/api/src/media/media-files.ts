import { ReadyExports } from '@app/auth';
import { isUuid } from '@app/common';
import type { MediaFile } from '@app/contracts';
import { DocumentMedia, ThumbnailFiles } from '@app/documents';
import { TabularMedia } from '@app/tabular';
import { WorkflowMedia } from '@app/workflows';
import { Injectable } from '@nestjs/common';

/** Where copies of one's data are served: `/media/exports/<id>/atrium-export.zip`. */
export const EXPORTED = '/media/exports/';

/** Which files stand behind media paths. */
@Injectable()
export class MediaFiles {
  constructor(
    private readonly documents: DocumentMedia,
    private readonly thumbnails: ThumbnailFiles,
    private readonly tables: TabularMedia,
    private readonly workflows: WorkflowMedia,
    private readonly exports: ReadyExports,
  ) {}

  /**
   * The canonical paths of those that the viewer may read, by the path as it was asked for: with or without
   * `/media/`, percent-encoded or not, but always of that document and with its own file name.
   */
  async findReadable(viewerId: number, paths: string[]): Promise<Map<string, string>> {
    const readable = new Map(await this.documents.findReadable(viewerId, paths));
    const others = paths.filter((path) => !readable.has(path));
    if (others.length > 0) {
      for (const [asked, path] of await this.thumbnails.findReadable(viewerId, others)) readable.set(asked, path);
      for (const [asked, path] of await this.tables.findReadable(viewerId, others)) readable.set(asked, path);
      for (const [asked, path] of await this.workflows.findReadable(viewerId, others)) readable.set(asked, path);
    }
    return readable;
  }

  /**
   * The file behind a path that was signed, or has a link: that stands for the access. A document that was renamed since
   * is found by its old path. Null when it is gone or trashed.
   */
  async findSigned(path: string): Promise<MediaFile | null> {
    if (TabularMedia.covers(path)) return this.tables.findSigned(path);
    if (ThumbnailFiles.covers(path)) return this.thumbnails.findSigned(path);
    if (WorkflowMedia.covers(path)) return this.workflows.findSigned(path);
    if (DocumentMedia.covers(path)) return this.documents.findSigned(path);
    return path.startsWith(EXPORTED) ? this.findSignedExport(path) : null;
  }

  /**
   * Whether somebody who could read the file when its path was signed still can; a document may be shared with them no
   * longer. What belongs to them alone is theirs as long as it is there.
   */
  async isStillShown(viewerId: number, path: string): Promise<boolean> {
    return (WorkflowMedia.covers(path) ? this.workflows : this.documents).isStillShown(viewerId, path);
  }

  /** The canonical path of one's own file, of which one may make a public address; null when it is not one's own. */
  async findOwned(ownerId: number, path: string): Promise<{ path: string; name: string } | null> {
    const canonical = (await this.findReadable(ownerId, [path])).get(path);
    if (canonical === undefined) return null;
    const owner = DocumentMedia.covers(canonical) ? this.documents : this.workflows;
    if (!(await owner.isOwned(ownerId, canonical))) return null;
    return { path: canonical, name: decodeURIComponent(canonical.split('/').at(-1)!) };
  }

  private async findSignedExport(path: string): Promise<MediaFile | null> {
    const [id, filename = ''] = path.slice(EXPORTED.length).split('/');
    const found = isUuid(id) ? await this.exports.find(id) : null;
    return found && { ...found, filename, mimeType: 'application/zip' };
  }
}
