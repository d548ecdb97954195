/** As people type who leave accents out; a text and what is looked for in it are both read so. */
export function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '').normalize('NFC');
}

/**
 * Any of these words (or phrases of a regular expression), one to a line, where no letter goes on. Looks into texts
 * `withoutAccents`.
 */
export const either = (words: string) =>
  new RegExp(
    `(?<![\\p{L}\\p{M}])(?:${withoutAccents(words)
      .trim()
      .replace(/\s*\n\s*/g, '|')})(?![\\p{L}\\p{M}])`,
    'iu',
  );
