import { PictureFilter } from '@app/common';

/**
 * The filter for what is told after `told`: it knows what fences are open there, and which labels are shown.
 * @see PictureFilter
 */
export function filterAfter(told: string): PictureFilter {
  const filter = new PictureFilter();
  filter.push(told);
  filter.end();
  return filter;
}

/** Pieces that follow `told`, without what a client would load from foreign hosts by itself. */
export async function* withoutPictures(told: string, pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  const filter = filterAfter(told);
  for await (const piece of pieces) {
    const shown = filter.push(piece);
    if (shown !== '') yield shown;
  }
  const rest = filter.end();
  if (rest !== '') yield rest;
}
