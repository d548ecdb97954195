import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { ModelMessage, ModelTool } from '@app/integrations';

/** The time that counting takes grows faster than a piece without a break, such as Base64. */
const PIECE = 2_000;
/** Of a message: its role and its marks. */
const PER_MESSAGE = 4;
/** What endpoints count for a picture, roughly. */
const PER_IMAGE = 1_000;
/** Longer texts are counted by their first pieces; what is needed is a size, not a number. */
const COUNTED = 40_000;

const counted = new WeakMap<object, number>();

/** Tokens of a text, about: other models than the one whose vocabulary this is count otherwise. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  const end = Math.min(text.length, COUNTED);
  for (let at = 0; at < end; at += PIECE) tokens += countTokens(text.slice(at, Math.min(at + PIECE, end)));
  return text.length > COUNTED ? Math.ceil((tokens * text.length) / COUNTED) : tokens;
}

/** Each message is counted once: they are never changed, only replaced. */
export function estimateMessageTokens(message: ModelMessage): number {
  const known = counted.get(message);
  if (known !== undefined) return known;
  const tokens = PER_MESSAGE + countMessage(message);
  counted.set(message, tokens);
  return tokens;
}

export function estimateToolTokens(tools: readonly ModelTool[]): number {
  let tokens = 0;
  for (const tool of tools) {
    const known = counted.get(tool.inputSchema);
    const own = known ?? estimateTokens(`${tool.name} ${tool.description} ${JSON.stringify(tool.inputSchema)}`);
    counted.set(tool.inputSchema, own);
    tokens += own;
  }
  return tokens;
}

function countMessage(message: ModelMessage): number {
  if (message.role === 'tool')
    return message.outcomes.reduce((sum, { output }) => sum + PER_MESSAGE + estimateTokens(output), 0);
  const text = estimateTokens(message.content);
  if (message.role === 'user') return text + (message.images?.length ?? 0) * PER_IMAGE;
  return (message.toolCalls ?? []).reduce(
    (sum, { name, input }) => sum + PER_MESSAGE + estimateTokens(`${name} ${JSON.stringify(input)}`),
    text,
  );
}
