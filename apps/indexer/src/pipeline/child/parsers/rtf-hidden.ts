const TOKENS = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'[\da-f]{2}|\\[^a-z]|[{}]|[^\\{}]+|\\/gi;

/** RTF without the text that its author has hidden (`\v`), which is neither seen nor printed. */
export function seenRtf(rtf: string): string {
  if (!/\\v(?![a-z0])/.test(rtf)) return rtf;
  const outer: boolean[] = [];
  let hidden = false;
  return rtf.replace(TOKENS, (token: string, word: string | undefined, value: string | undefined) => {
    if (token === '{') outer.push(hidden);
    else if (token === '}') hidden = outer.pop() ?? false;
    else if (word === 'v') hidden = value !== '0';
    else if (word === 'plain') hidden = false;
    else if (hidden && (word === undefined || word === 'u')) return '';
    return token;
  });
}
