/** Numbers and names of the question are none of its answer. */
export function withoutAsked(text: string, numbers: ReadonlySet<string>, names: ReadonlySet<string>): string {
  const rest = text.replace(/\d+(?:[.,]\d+)*/g, (number) => (numbers.has(number) ? '' : number));
  if (names.size === 0) return rest;
  return rest.replace(/[\p{L}\p{N}\p{M}]+/gu, (word) => (names.has(word.toLowerCase()) ? word.toLowerCase() : word));
}
