import type { ModelMessage } from '@app/integrations';
import { isLong, pointsBack, saysItsTopic } from './leaning.js';

/** Of each question before, or a pasted page would drown the one that is asked now. */
const BEFORE_LENGTH = 500;

/**
 * What to look for by words alone: a question that leans on what was said before is looked for with the question before
 * it, and where that one does not say what the talk is about either, also with the last one that did.
 * @param history oldest first
 * @returns the last line of each is the question, the ones above what it may lean on; the last query has most of them
 */
export function wordQueries(question: string, history: readonly ModelMessage[]): [string, ...string[]] {
  if (isLong(question) || !pointsBack(question)) return [question];
  const asked = history.flatMap((message) => (message.role === 'user' ? [message.content] : []));
  const before = asked.pop();
  if (before === undefined) return [question];
  const near = `${before.slice(0, BEFORE_LENGTH)}\n${question}`;
  const topic = isLong(before) || saysItsTopic(before) ? undefined : (asked.findLast(saysItsTopic) ?? asked[0]);
  return topic === undefined ? [near] : [near, `${topic.slice(0, BEFORE_LENGTH)}\n${near}`];
}
