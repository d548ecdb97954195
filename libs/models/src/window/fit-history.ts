import { cutMiddle } from '@app/common';
import type { ModelMessage } from '@app/integrations';
import { estimateMessageTokens, estimateMessagesTokens } from '../calls/token-estimate.js';
import { cutToTokens } from './fit-question.js';

/** Less of an exchange than this says nothing any more. */
const LEAST_TOKENS = 120;

/**
 * The end of a conversation, as much as `tokens` hold: whole exchanges, and of the newest that does not fit whole the
 * beginning and the end of what was said, so that a question that leans on it still knows what it was about.
 * @param history oldest first; begins with a question
 */
export function latestHistory(history: readonly ModelMessage[], tokens: number): ModelMessage[] {
  const exchanges = exchangesOf(history);
  const kept: ModelMessage[] = [];
  let left = tokens;
  for (const exchange of exchanges.toReversed()) {
    const size = estimateMessagesTokens(exchange);
    if (size > left) {
      if (left >= LEAST_TOKENS) kept.unshift(...shortened(exchange, left));
      break;
    }
    kept.unshift(...exchange);
    left -= size;
  }
  return kept;
}

/** A question and what followed it belong together: endpoints refuse results without their calls. */
function exchangesOf(history: readonly ModelMessage[]): ModelMessage[][] {
  const exchanges: ModelMessage[][] = [];
  for (const message of history) {
    if (message.role === 'user') exchanges.push([message]);
    else exchanges.at(-1)?.push(message);
  }
  return exchanges;
}

/** Each message gets a fair part, and what a short one leaves goes to the others. */
function shortened(exchange: readonly ModelMessage[], tokens: number): ModelMessage[] {
  if (exchange.some(({ role }) => role === 'tool')) return [];
  const byLength = exchange.toSorted((a, b) => estimateMessageTokens(a) - estimateMessageTokens(b));
  const cut = new Map<ModelMessage, ModelMessage>();
  let left = tokens;
  for (const [at, message] of byLength.entries()) {
    const short = shortenedMessage(message, left / (byLength.length - at));
    cut.set(message, short);
    left -= estimateMessageTokens(short);
  }
  return left < 0 ? [] : exchange.map((message) => cut.get(message)!);
}

function shortenedMessage(message: ModelMessage, tokens: number): ModelMessage {
  if (message.role === 'tool' || estimateMessageTokens(message) <= tokens) return message;
  const content = cutToTokens(message.content, tokens - 8, cutMiddle);
  return message.role === 'user' ? { role: 'user', content } : { ...message, content };
}
