// Arabic presentation forms and Latin ligatures stand for plain letters: nobody searches for the glyphs.
const PRESENTATION_FORMS = /[\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc]+/g;
// Postgres refuses NUL; soft hyphens, direction marks (Tesseract writes many) and byte order marks hide inside words;
// lone surrogates are no text.
const INVISIBLE =
  /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\p{Cs}\ufffe\uffff]|(?![\t\n])\p{Cc}/gu;
const BLANKS = /[^\S\n]+/g;

/** One line of text in NFC, without control characters, with single blanks and none at its ends. */
export function normaliseLine(line: string): string {
  return line
    .replace(PRESENTATION_FORMS, (forms) => forms.normalize('NFKC'))
    .normalize('NFC')
    .replace(INVISIBLE, '')
    .replace(BLANKS, ' ')
    .trim();
}

/** Several lines: each normalised, at most one blank line in a row, none at the ends. */
export function normaliseText(text: string): string {
  const lines: string[] = [];
  for (const line of text.split(/\r\n|[\n\r\v\u0085\u2028\u2029]/)) {
    const clean = normaliseLine(line);
    if (clean !== '' || (lines.length > 0 && lines.at(-1) !== '')) lines.push(clean);
  }
  return lines.join('\n').trim();
}

/** Like `normaliseText`, but blanks at the beginning of lines stay: they mean something in Markdown and code. */
export function normaliseKeepingIndent(text: string): string {
  const lines: string[] = [];
  for (const line of text.split(/\r\n|[\n\r\v\u0085\u2028\u2029]/)) {
    const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
    const clean = normaliseLine(line);
    if (clean !== '') lines.push(indent + clean);
    else if (lines.length > 0 && lines.at(-1) !== '') lines.push('');
  }
  return lines.join('\n').trimEnd();
}
