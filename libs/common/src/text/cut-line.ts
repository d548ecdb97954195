import { cutText } from './cut-text.js';

/** At most `limit` characters in one line. None is cut in two. */
export function cutLine(text: string, limit: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > limit ? `${cutText(line, limit - 1)}…` : line;
}
