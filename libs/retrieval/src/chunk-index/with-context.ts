/**
 * The terms that a passage is found by: those of its text as often as they occur, and of its context once each that the
 * text lacks, so that title and headings, which all passages of a document share, never outweigh what one says.
 */
export function withContext(text: readonly string[], context: readonly string[]): string[] {
  const known = new Set(text);
  return [...text, ...new Set(context.filter((term) => !known.has(term)))];
}
