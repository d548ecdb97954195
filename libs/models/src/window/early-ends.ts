import type { StepEnd } from '@app/integrations';

/** What the user reads below an answer that goes on no further. */
export const CUT_NOTE = '\n\n_The answer was cut off here: it is longer than the model can write. Ask to go on._';
export const FILTERED_NOTE = '\n\n_The model broke off: its provider refused to go on._';

/** Whether the model stopped because it may write no more; some endpoints call that an end like any other. */
export function isCutShort(end: Pick<StepEnd, 'reason' | 'usage'> | null, maxOutputTokens: number | null): boolean {
  if (end === null) return false;
  if (end.reason === 'length') return true;
  const written = end.usage?.completionTokens ?? 0;
  return end.reason !== 'content_filter' && maxOutputTokens !== null && written >= maxOutputTokens;
}
