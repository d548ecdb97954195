/**
 * What a client does with a raw answer (docs/contract/conventions.md#streams): the leading array of sources, found by
 * matching brackets
 * outside strings, and the rest.
 */
export function splitAnswer<T>(body: string): { sources: T[]; answer: string } {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < body.length; at++) {
    const char = body[at];
    if (quoted && char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && char === '[') depth++;
    else if (!quoted && char === ']' && --depth === 0)
      return { sources: JSON.parse(body.slice(0, at + 1)) as T[], answer: body.slice(at + 1) };
  }
  throw new Error(`No list of sources: ${body}`);
}
