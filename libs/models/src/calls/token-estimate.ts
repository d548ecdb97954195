import type { ModelMessage, ModelRequest, ModelTool } from '@app/integrations';

/** Of English, Arabic and code alike, within a third of what tokenizers count. */
const BYTES_PER_TOKEN = 4;
/** What a picture of common size costs. */
const TOKENS_PER_IMAGE = 1_000;
const TOKENS_PER_MESSAGE = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Of all that is sent: instructions, messages, tools. */
export function estimatePromptTokens(request: ModelRequest & { tools?: readonly ModelTool[] }): number {
  const { system = '', messages, tools = [] } = request;
  const ofTools = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + ofMessage(message), estimateTokens(system) + ofTools);
}

function ofMessage(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      return TOKENS_PER_MESSAGE + estimateTokens(message.content) + TOKENS_PER_IMAGE * (message.images?.length ?? 0);
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      return (
        TOKENS_PER_MESSAGE + estimateTokens(content) + (toolCalls.length && estimateTokens(JSON.stringify(toolCalls)))
      );
    }
    case 'tool':
      return message.outcomes.reduce((sum, { output }) => sum + TOKENS_PER_MESSAGE + estimateTokens(output), 0);
  }
}
