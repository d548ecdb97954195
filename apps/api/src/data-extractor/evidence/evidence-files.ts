import { DocumentMedia, ThumbnailFiles, thumbnailMediaPath } from '@app/documents';
import type { CellRecord } from '@app/extraction';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { MediaLinks } from '../../media/media-links.js';

/** An address is good for so long. */
const SECONDS = 900;
/** Pixels: wide enough to read the page, and the widest that is drawn. */
const PICTURE_WIDTH = 1280;

/** Where a value stands, to be looked at; null: it stands nowhere, or the viewer may not read the document. */
export interface EvidenceFile {
  filePath: string | null;
  fileUrl: string | null;
  pageUrl: string | null;
}

/** The documents behind values. Whoever sees a table sees its values; the documents are their owners' to show. */
@Injectable()
export class EvidenceFiles {
  constructor(
    private readonly documents: DocumentMedia,
    private readonly pictures: ThumbnailFiles,
    private readonly links: MediaLinks,
  ) {}

  /** @param request for the addresses */
  async findDocument(request: Request, viewerId: number, uid: string | null): Promise<EvidenceFile> {
    const paths = await this.documents.findPaths(viewerId, uid === null ? [] : [uid]);
    return this.toFile(request, viewerId, paths.get(uid ?? ''), undefined);
  }

  /** With a picture of the page on which each stands, which is drawn from now on. In the order of the cells. */
  async findPages(request: Request, viewerId: number, cells: readonly CellRecord[]): Promise<EvidenceFile[]> {
    const uids = [...new Set(cells.flatMap(({ documentUid }) => documentUid ?? []))];
    const paths = await this.documents.findPaths(viewerId, uids);
    const pictures = cells.flatMap((cell) => pictureOf(cell) ?? []);
    const drawn = new Map(await this.pictures.findReadable(viewerId, [...new Set(pictures)]));
    return cells.map((cell) =>
      this.toFile(request, viewerId, paths.get(cell.documentUid ?? ''), drawn.get(pictureOf(cell) ?? '')),
    );
  }

  private toFile(
    request: Request,
    viewerId: number,
    path: string | undefined,
    picture: string | undefined,
  ): EvidenceFile {
    const sign = (of: string | undefined) =>
      of === undefined ? null : this.links.sign(request, of, SECONDS, 'inline', viewerId).url;
    return { filePath: path ?? null, fileUrl: sign(path), pageUrl: sign(picture) };
  }
}

function pictureOf({ documentUid, spans }: CellRecord): string | null {
  const page = spans[0]?.page;
  if (documentUid === null || page === undefined) return null;
  return thumbnailMediaPath({ uid: documentUid, page, width: PICTURE_WIDTH });
}
