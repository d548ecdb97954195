/** Any of these words (or phrases of a regular expression), one to a line, where no letter goes on. */
export const either = (words: string) =>
  new RegExp(`(?<![\\p{L}\\p{M}])(?:${words.trim().replace(/\s*\n\s*/g, '|')})(?![\\p{L}\\p{M}])`, 'iu');
