import type { ModelMessage } from '@app/integrations';
import { analyse } from '../analysis/analyse.js';

/** Questions shorter than this may lean on what was said before ("and in 2024?"). */
const STANDS_ALONE_FROM_TERMS = 3;
/** Words that point back: what they mean stands in an earlier question. */
const POINTS_BACK =
  /(?<![\p{L}\p{M}])(?:it|its|they|them|their|theirs|this|that|these|those|he|him|his|she|her|hers|there|one|ones|former|latter|same|above|هو|هي|هم|هن|هذا|هذه|هؤلاء|ذلك|تلك|أولئك|هناك|نفسه|نفسها|السابق|المذكور)(?![\p{L}\p{M}])/iu;
/** Of the question before, or a pasted page would drown the one that is asked now. */
const BEFORE_LENGTH = 500;

/** What to look for, so that a question that leans on the one before it finds what both are about. */
export function searchQuery(question: string, history: readonly ModelMessage[]): string {
  const standsAlone = new Set(analyse(question)).size >= STANDS_ALONE_FROM_TERMS && !POINTS_BACK.test(question);
  if (standsAlone) return question;
  const before = history.findLast((message) => message.role === 'user');
  return before ? `${before.content.slice(0, BEFORE_LENGTH)}\n${question}` : question;
}
