/** Longer sections are cut at a paragraph: no reader and no chunker wants a page of megabytes. */
const MAX_PAGE_CHARACTERS = 100_000;

/** Pieces of at most 100,000 UTF-16 code units, cut at a blank line, else at a line, else between words. */
export function cutLongText(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > MAX_PAGE_CHARACTERS) {
    const window = rest.slice(0, MAX_PAGE_CHARACTERS);
    const breaks = [window.lastIndexOf('\n\n'), window.lastIndexOf('\n'), window.lastIndexOf(' ')];
    const whole = window.isWellFormed() ? MAX_PAGE_CHARACTERS : MAX_PAGE_CHARACTERS - 1;
    const at = breaks.find((position) => position > MAX_PAGE_CHARACTERS / 2) ?? whole;
    pieces.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...pieces, rest];
}
