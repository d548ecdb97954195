/** Of what is too long the beginning stays, and less of the end. */
const HEAD_SHARE = 0.75;

/** At most `limit` characters and a line that says what was left out. No character is cut in two. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * HEAD_SHARE);
  const tail = limit - head;
  const left = text.length - limit;
  return `${text.slice(0, head)}\n[… ${left} characters left out …]\n${text.slice(text.length - tail)}`.toWellFormed();
}
