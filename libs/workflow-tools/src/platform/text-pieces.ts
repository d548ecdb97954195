/**
 * The text in pieces of at most `size` characters, parted between paragraphs, else lines, else sentences, else words.
 * Joined, they are the text.
 */
export function textPieces(text: string, size: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > size) {
    const end = cutBefore(rest, size);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  if (rest !== '' || pieces.length === 0) pieces.push(rest);
  return pieces;
}

function cutBefore(text: string, size: number): number {
  const head = text.slice(0, size);
  for (const mark of ['\n\n', '\n', '. ', ' ']) {
    const at = head.lastIndexOf(mark);
    // Not so early that there would be many tiny pieces.
    if (at > size / 2) return at + mark.length;
  }
  // Not within a character of two code units.
  return /[\ud800-\udbff]/.test(head.at(-1)!) ? size - 1 : size;
}
