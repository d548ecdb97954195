/** At most the first `limit` UTF-16 code units, and none of a character that would be cut in two. */
export function cutText(text: string, limit: number): string {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
}
