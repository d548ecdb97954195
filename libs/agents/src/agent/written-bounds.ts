import type { ModelMessage, ToolCall } from '@app/integrations';
import { cutMiddle } from './bounded-text.js';
import { bare } from './provider-bounds.js';
import { estimateTokens } from './tokens.js';

type Written = Extract<ModelMessage, { role: 'assistant' }>;

/** The problem of a call whose arguments leave no room for anything else. */
export const LONG_ARGUMENTS =
  'The arguments are longer than all that you can read at once: nothing was done. Write it in parts that are much shorter: a file with file_writer and if_exists "append", one part after the other.';
/** Of each text that a model wrote. */
const LEAST_WRITTEN = 400;
const ABOUT_CHARACTERS_PER_TOKEN = 4;

/** Calls that the model could not be given back; they are kept in short, and told to it. */
export function withoutLongArguments(calls: readonly ToolCall[], contextTokens: number): ToolCall[] {
  return calls.map((call) => {
    const written = JSON.stringify(call.input);
    // Most are short: what is shorter in characters is in tokens, too.
    if (written.length <= contextTokens || estimateTokens(written) <= contextTokens) return call;
    const input = inputWithin(call.input, written, (contextTokens * ABOUT_CHARACTERS_PER_TOKEN) / 16);
    return { ...call, input, problem: LONG_ARGUMENTS };
  });
}

/** The longest text or arguments among what the model wrote. */
export function longestWritten(messages: readonly ModelMessage[]): number {
  return Math.max(
    0,
    ...messages.flatMap((one) =>
      one.role === 'assistant'
        ? [one.content.length, ...(one.toolCalls ?? []).map(({ input }) => JSON.stringify(input).length)]
        : [],
    ),
  );
}

/** What the model wrote, each text and each call in `limit` characters at most: what was to be done with it was done. */
export function writtenWithin(message: ModelMessage, limit: number): ModelMessage {
  if (message.role !== 'assistant') return message;
  const toolCalls = message.toolCalls?.map((call) => {
    const written = JSON.stringify(call.input);
    return written.length <= limit ? call : { ...call, input: inputWithin(call.input, written, limit) };
  });
  const kept: Written = { ...message, ...(toolCalls && { toolCalls }) };
  // What its provider wants back is of the text as it was.
  return message.content.length <= limit
    ? kept
    : { ...bare(kept), content: cutMiddle(message.content, Math.max(LEAST_WRITTEN, limit) - 100) };
}

/** Longer texts with less in their middle; what is long without them is left out. */
function inputWithin(input: Record<string, unknown>, written: string, limit: number): Record<string, unknown> {
  const entries = Object.entries(input);
  const share = Math.max(LEAST_WRITTEN / 4, Math.floor(limit / (2 * Math.max(1, entries.length))));
  const short = Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? cutMiddle(value, share) : value]),
  );
  if (JSON.stringify(short).length <= Math.max(LEAST_WRITTEN, limit)) return short;
  return { left_out: `[… ${written.length} characters of arguments left out …]` };
}
