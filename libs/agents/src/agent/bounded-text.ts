/** Of what is too long the beginning stays, and less of the end. */
const HEAD_SHARE = 0.75;

/** At most `limit` characters and a line that says what was left out. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * HEAD_SHARE);
  const tail = limit - head;
  return `${text.slice(0, head)}\n[… ${text.length - limit} characters left out …]\n${text.slice(text.length - tail)}`;
}

/** At most `limit` characters in one line. */
export function cutLine(text: string, limit: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** A value as a model reads it: text as it is, everything else as JSON. */
export function toReadableText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}
