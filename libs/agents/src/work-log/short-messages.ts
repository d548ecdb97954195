import { cutMiddle } from '@app/common';
import type { ModelMessage, ToolOutcome } from '@app/integrations';
import { shortenDelimited } from '../prompts/delimiters.js';

/** Of all results of a turn, and of one of them. */
const ALL_RESULTS = 48_000;
const ONE_RESULT = 20_000;
const LEAST_RESULT = 300;
const LONG_ARGUMENT = 1_000;
const SHORT_ARGUMENT = 600;
const ONE_TEXT = 8_000;
const MAX_DEPTH = 6;
/** What belongs to a provider beside it. */
const MAX_MESSAGE = 80_000;

/** The messages of a turn as later ones read them: what is short stays as it was, byte by byte. */
export function shortMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const lengths = messages.flatMap((one) =>
    one.role === 'tool' ? one.outcomes.map(({ output }) => output.length) : [],
  );
  const limit = limitFor(lengths);
  return messages.map((message) => bounded(shortMessage(message, limit)));
}

function shortMessage(message: ModelMessage, limit: number): ModelMessage {
  switch (message.role) {
    case 'user':
      return { ...message, content: cutMiddle(message.content, ONE_TEXT) };
    case 'assistant': {
      const { toolCalls, content } = message;
      const calls = toolCalls?.map((call) => ({ ...call, input: shortValue(call.input, 0) as typeof call.input }));
      return { ...message, content: cutMiddle(content, ONE_TEXT), ...(calls && { toolCalls: calls }) };
    }
    case 'tool':
      return { ...message, outcomes: message.outcomes.map((outcome) => shortOutcome(outcome, limit)) };
  }
}

export function shortOutcome(outcome: ToolOutcome, limit: number): ToolOutcome {
  if (outcome.output.length <= limit) return outcome;
  return { ...outcome, output: shortenDelimited(outcome.output, (text) => cutMiddle(text, limit)) };
}

/** So long that all of them fit together: the long ones share what the short ones leave. */
function limitFor(lengths: readonly number[]): number {
  let left = ALL_RESULTS;
  const rising = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of rising.entries()) {
    const share = left / (rising.length - index);
    if (length > share) return Math.min(ONE_RESULT, Math.max(LEAST_RESULT, Math.floor(share)));
    left -= length;
  }
  return ONE_RESULT;
}

function shortValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > LONG_ARGUMENT ? cutMiddle(value, SHORT_ARGUMENT) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH || (Array.isArray(value) && JSON.stringify(value).length > LONG_ARGUMENT * 4))
    return cutMiddle(JSON.stringify(value), SHORT_ARGUMENT);
  if (Array.isArray(value)) return value.map((one) => shortValue(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortValue(one, depth + 1)]));
}

/** Without what a provider wanted back, where that would be most of it: it is needed within a turn only. */
function bounded(message: ModelMessage): ModelMessage {
  if (JSON.stringify(message).length <= MAX_MESSAGE) return message;
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.content };
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      const calls = toolCalls.map(({ id, name, input }) => ({ id, name, input }));
      return { role: 'assistant', content, ...(calls.length > 0 && { toolCalls: calls }) };
    }
    case 'tool':
      return {
        role: 'tool',
        outcomes: message.outcomes.map(({ callId, name, output, isError }) => ({ callId, name, output, isError })),
      };
  }
}
