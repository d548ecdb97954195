import { isUuid } from '@app/common';
import type { FileKind } from '../files/index.js';

/** Pixels. Heights follow from the page, up to twice the width. */
export const THUMBNAIL_WIDTHS = [160, 320, 640, 1280] as const;
/** No page beyond this is drawn, as none beyond it is read. */
const MAX_PAGE = 5_000;

const PATH = /^(?:\/?media\/)?thumbnails\/([0-9a-fA-F-]{36})\/([1-9]\d{0,3})-(\d{3,4})\.webp$/;
const DRAWABLE: readonly string[] = ['pdf', 'png', 'jpeg', 'gif', 'webp', 'tiff', 'bmp'] satisfies FileKind[];

export interface ThumbnailName {
  uid: string;
  /** From 1. */
  page: number;
  width: number;
}

/** Whether pages of this kind can be drawn at all. */
export function isDrawable(kind: string): boolean {
  return DRAWABLE.includes(kind);
}

/** `/media/thumbnails/<uid>/<page>-<width>.webp`. */
export function thumbnailMediaPath({ uid, page, width }: ThumbnailName): string {
  return `/media/thumbnails/${uid}/${page}-${width}.webp`;
}

/** Which thumbnail a media path names, with or without `/media/`; null when it names none that is ever made. */
export function findThumbnailInPath(path: string): ThumbnailName | null {
  const [, uid, page, width] = PATH.exec(path) ?? [];
  const name = { uid: uid?.toLowerCase() ?? '', page: Number(page), width: Number(width) };
  const known = isUuid(name.uid) && name.page <= MAX_PAGE && THUMBNAIL_WIDTHS.some((each) => each === name.width);
  return known ? name : null;
}
