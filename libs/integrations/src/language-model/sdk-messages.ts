import { jsonSchema, tool, type ModelMessage as SdkMessage, type ToolSet } from 'ai';
import type { ModelMessage, ModelTool } from './language-model.port.js';

/** Our messages as the AI SDK has them. */
export function toSdkMessages(messages: readonly ModelMessage[]): SdkMessage[] {
  return messages.map(toSdkMessage);
}

/** None of them is executed by the SDK. */
export function toSdkTools(tools: readonly ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema<Record<string, unknown>>(inputSchema) }),
    ]),
  );
}

function toSdkMessage(message: ModelMessage): SdkMessage {
  switch (message.role) {
    case 'user': {
      const { content, images = [] } = message;
      if (images.length === 0) return { role: 'user', content };
      const pictures = images.map(({ data, mediaType }) => ({ type: 'image' as const, image: data, mediaType }));
      return { role: 'user', content: [{ type: 'text', text: content }, ...pictures] };
    }
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content };
      const calls = toolCalls.map(({ id, name, input }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input,
      }));
      const text = content === '' ? [] : [{ type: 'text' as const, text: content }];
      return { role: 'assistant', content: [...text, ...calls] };
    }
    case 'tool':
      return {
        role: 'tool',
        content: message.outcomes.map(({ callId, name, output, isError }) => ({
          type: 'tool-result' as const,
          toolCallId: callId,
          toolName: name,
          output: isError ? { type: 'error-text' as const, value: output } : { type: 'text' as const, value: output },
        })),
      };
  }
}
