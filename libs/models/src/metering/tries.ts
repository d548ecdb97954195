import { newTimeOrderedId } from '@app/common';
import type { Attempt } from './observed-call.js';

/** Numbers the tries of one call. @param asked who is to answer, as its endpoint knows it */
export function numberTries(asked: string): () => Attempt {
  const callId = newTimeOrderedId();
  let attempt = 0;
  return () => ({ callId, attempt: ++attempt, asked });
}
