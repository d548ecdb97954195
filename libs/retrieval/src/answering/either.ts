/** As people type who leave accents out; a text and what is looked for in it are both read so. */
export function withoutAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

/**
 * Any of these words (or phrases of a regular expression), parted by `;` or lines, where no letter goes on. Looks into texts
 * `withoutAccents`.
 */
export const either = (words: string) =>
  new RegExp(
    `(?<![\\p{L}\\p{M}])(?:${withoutAccents(words)
      .trim()
      .split(/\s*[\n;]\s*/)
      .filter(Boolean)
      .join('|')})(?![\\p{L}\\p{M}])`,
    'iu',
  );
