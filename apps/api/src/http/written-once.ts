/** The JSON of answers that are given again and again. */
const texts = new WeakMap<object, string>();

/**
 * Writes the JSON of an answer that many calls will get, once for all of them.
 * @param body whole: what changes of it later is not sent
 * @returns the same body
 */
export function writtenOnce<T extends object>(body: T): Readonly<T> {
  texts.set(body, JSON.stringify(body));
  return body;
}

/** The JSON of this very object, where `writtenOnce` was called for it. */
export function writtenAlready(body: object): string | undefined {
  return texts.get(body);
}
