import { derivedId } from '@app/common';

/** Namespace of the ids by which a repetition is known. */
const RESULTS = '0f3c3c0e-5b1f-4c55-9a57-7d7c1e2b9a41';

export function resultId(workId: string, place: string): string {
  return derivedId(RESULTS, `${workId}:${place}`);
}

/** Short, so that a model writes it without a mistake; unique enough within a conversation, and it opens nothing by itself. */
export function handleOf(id: string): string {
  return `r_${id.slice(0, 8)}`;
}
