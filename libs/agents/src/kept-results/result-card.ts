import { delimit } from '../prompts/delimiters.js';
import { MAX_KEPT_CHARACTERS, type ResultStore } from './result-store.js';
import { describeShape } from './result-shape.js';
import { toResultValue } from './result-value.js';

export const READ_RESULT = 'read_result';

/** Of the beginning that is shown of a kept result. */
const HEAD_SHARE = 0.2;
const MOST_HEAD = 4_000;

/**
 * Keeps a result that is too long, and gives what the model reads in its place: the handle, what it is made of, and its
 * beginning. Null where it cannot be kept.
 * @param isCut the tool had more than it gave
 * @param shown characters that a result may take
 */
export async function keepAsCard(
  {
    place,
    tool,
    text,
    isError,
    isCut = false,
  }: { place: string; tool: string; text: string; isError: boolean; isCut?: boolean },
  store: ResultStore,
  shown: number,
): Promise<string | null> {
  const kept = text.slice(0, MAX_KEPT_CHARACTERS).toWellFormed();
  const handle = await store.keep({ place, tool, text: kept });
  if (handle === null) return null;
  const isShort = text.length > kept.length;
  const lost = isShort ? ` of ${text.length}; the rest was too much to keep` : '';
  const whole = isShort || isCut ? '' : 'whole ';
  const missing = isCut ? ' It is not all that there is: the tool left something out, which no search here finds.' : '';
  const head = kept.slice(0, Math.min(MOST_HEAD, Math.floor(shown * HEAD_SHARE))).toWellFormed();
  const label = `${isError ? 'error' : 'result'} of ${tool}, its beginning`;
  return [
    `This is long and was kept ${whole}as ${handle} (${kept.length} characters${lost}).${missing} Find what you need with ${READ_RESULT}: search words, a path, or an offset.`,
    delimit(`${describeShape(toResultValue(kept))}\n\n${head}\n[…]`, label),
  ].join('\n');
}

/**
 * For results that were shown whole and have to make room: keeps one and gives its handle with its shape alone. Null
 * where it cannot be kept.
 */
export async function keepAsHandle(
  result: { place: string; tool: string; text: string },
  store: ResultStore,
): Promise<string | null> {
  const kept = { ...result, text: result.text.slice(0, MAX_KEPT_CHARACTERS).toWellFormed() };
  const handle = await store.keep(kept);
  if (handle === null) return null;
  const shape = delimit(describeShape(toResultValue(kept.text)), `shape of the result of ${result.tool}`);
  return `Put aside to make room, and kept whole as ${handle} (${kept.text.length} characters); read it with ${READ_RESULT}.\n${shape}`;
}

/** The handle in what stands in place of a result; null for a result that is there whole. */
export function handleIn(output: string): string | null {
  return (
    /^(?:This is long and was|Put aside to make room, and) kept (?:whole )?as (r_[0-9a-f]{8})\b/.exec(output)?.[1] ??
    null
  );
}
