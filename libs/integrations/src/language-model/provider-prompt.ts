import type { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import type { ModelMessage, ModelTool } from './language-model.port.js';

/** As the AI SDK's provider takes it, one level below `streamText`. */
export type ProviderCall = Parameters<OpenAICompatibleChatLanguageModel['doGenerate']>[0];
type ProviderMessage = ProviderCall['prompt'][number];

export function toProviderPrompt(system: string | undefined, messages: readonly ModelMessage[]): ProviderMessage[] {
  const instructions = system === undefined ? [] : [{ role: 'system' as const, content: system }];
  return [...instructions, ...messages.map(toProviderMessage)];
}

export function toProviderTools(tools: readonly ModelTool[]): NonNullable<ProviderCall['tools']> {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema,
  }));
}

function toProviderMessage(message: ModelMessage): ProviderMessage {
  switch (message.role) {
    case 'user': {
      const { content, images = [] } = message;
      const pictures = images.map(({ data, mediaType }) => ({
        type: 'file' as const,
        mediaType,
        data: { type: 'data' as const, data },
      }));
      return { role: 'user', content: [{ type: 'text', text: content }, ...pictures] };
    }
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      const calls = toolCalls.map(({ id, name, input }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input,
      }));
      const text = content === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text: content }];
      return { role: 'assistant', content: [...text, ...calls] };
    }
    case 'tool':
      return {
        role: 'tool',
        content: message.outcomes.map(({ callId, name, output, isError }) => ({
          type: 'tool-result',
          toolCallId: callId,
          toolName: name,
          output: { type: isError ? 'error-text' : 'text', value: output },
        })),
      };
  }
}
