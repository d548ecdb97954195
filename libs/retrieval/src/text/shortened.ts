/** At most `length` code units of a text in one line, cut behind a word where there is one, with a mark when cut. */
export function shortened(text: string, length: number): string {
  // As much as could matter: what is shortened may be megabytes.
  const line = text
    .slice(0, 4 * length)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= length) return line;
  const cut = line.slice(0, length - 1);
  const space = cut.lastIndexOf(' ');
  const kept = space > length / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, '');
  return `${kept.trimEnd()}…`;
}
