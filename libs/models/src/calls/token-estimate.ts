import type { ModelImage, ModelMessage, ModelRequest, ModelTool, ProviderData } from '@app/integrations';

/** Of a message: its role and its marks. */
const PER_MESSAGE = 4;
/** What endpoints count for a picture, roughly. */
const PER_IMAGE = 1_000;
/** Of a PDF file, whose pages are read as text and as pictures. */
const PER_PAGE = 2_000;
const BYTES_PER_PAGE = 60_000;
/** Longer runs without a break are no words: Base64, hashes, encoded text. */
const LONGEST_WORD = 20;

/** Tokens per character, measured with the vocabulary o200k over prose, code and JSON of several languages. */
const LETTER = 0.23;
/** In a run with digits, such as an identifier. */
const MIXED = 0.55;
const DIGIT = 0.45;
const MARK = 0.5;
const SPACE = 0.06;
const UNBROKEN = 0.65;
const IDEOGRAPH = 0.75;
const OTHER = 0.36;

const counted = new WeakMap<object, number>();

/**
 * Tokens of a text, about. What is needed is a size, for a model whose vocabulary nobody knows: to count with one that
 * is known takes 70 MB, a second to load, and a millisecond for each page.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let run = 0;
  let hasDigit = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    const isDigit = code >= 48 && code <= 57;
    run = isLetter || isDigit || code === 43 || code === 47 || code === 61 ? run + 1 : 0;
    hasDigit = isDigit || (hasDigit && run > 0);
    if (run > LONGEST_WORD) tokens += UNBROKEN;
    else if (isLetter) tokens += hasDigit ? MIXED : LETTER;
    else if (isDigit) tokens += DIGIT;
    else if (code === 32 || code === 10) tokens += SPACE;
    else if (code < 128) tokens += MARK;
    else tokens += code >= 0x2e80 ? IDEOGRAPH : OTHER;
  }
  return Math.ceil(tokens);
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

/** Of all that is sent: instructions, messages, tools. */
export function estimatePromptTokens(request: ModelRequest & { tools?: readonly ModelTool[] }): number {
  const { system = '', messages, tools = [] } = request;
  return estimateTokens(system) + estimateMessagesTokens(messages) + estimateToolTokens(tools);
}

export function estimateMessagesTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}

function countMessage(message: ModelMessage): number {
  if (message.role === 'tool')
    return message.outcomes.reduce((sum, { output }) => sum + PER_MESSAGE + estimateTokens(output), 0);
  const text = estimateTokens(message.content);
  if (message.role === 'user') return (message.images ?? []).reduce((sum, image) => sum + imageTokens(image), text);
  return (message.toolCalls ?? []).reduce(
    (sum, { name, input }) => sum + PER_MESSAGE + estimateTokens(`${name} ${JSON.stringify(input)}`),
    text + thoughtTokens(message.providerData),
  );
}

function imageTokens({ mediaType, data }: ModelImage): number {
  return mediaType === 'application/pdf' ? Math.ceil(data.length / BYTES_PER_PAGE) * PER_PAGE : PER_IMAGE;
}

/** What goes back to the provider is a part of the prompt; what is encrypted stands for about as much. */
function thoughtTokens(given: ProviderData | undefined): number {
  return given === undefined ? 0 : Math.ceil(JSON.stringify(given.data).length * LETTER);
}
