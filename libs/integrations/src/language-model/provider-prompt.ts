import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import type { ModelMessage, ModelTool } from './language-model.port.js';
import { toToolSchema } from './tool-schema.js';

/** As the AI SDK's providers take it, one level below `streamText`. */
export type ProviderCall = LanguageModelV4CallOptions;
export type ProviderMessage = LanguageModelV4Message;
export type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;
export type ProviderAssistant = Extract<ProviderMessage, { role: 'assistant' }>;
type ProviderOptions = NonNullable<ProviderAssistant['providerOptions']>;

/** What protocols differ in. */
export interface PromptStyle {
  callId(id: string): string;
  /** What the endpoint gave with its message, or wants with every one. */
  ofMessage(message: AssistantMessage): ProviderOptions | null;
  ofCall(call: NonNullable<AssistantMessage['toolCalls']>[number], index: number): ProviderOptions | null;
  /** Instead of text and calls in this order; null: these. */
  contentOf?(message: AssistantMessage): ProviderAssistant['content'] | null;
}

export function toProviderPrompt(
  system: string | undefined,
  messages: readonly ModelMessage[],
  style: PromptStyle,
): ProviderMessage[] {
  const instructions = system === undefined ? [] : [{ role: 'system' as const, content: system }];
  return [...instructions, ...messages.map((message) => toProviderMessage(message, style))];
}

export function toProviderTools(tools: readonly ModelTool[]): NonNullable<ProviderCall['tools']> {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: toToolSchema(inputSchema).schema,
  }));
}

function toProviderMessage(message: ModelMessage, style: PromptStyle): ProviderMessage {
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
      const providerOptions = style.ofMessage(message);
      const content = style.contentOf?.(message) ?? textAndCalls(message, style);
      return { role: 'assistant', content, ...(providerOptions && { providerOptions }) };
    }
    case 'tool':
      return {
        role: 'tool',
        content: message.outcomes.map(({ callId, name, output, isError }) => ({
          type: 'tool-result',
          toolCallId: style.callId(callId),
          toolName: toolName(name),
          output: { type: isError ? 'error-text' : 'text', value: output },
        })),
      };
  }
}

function textAndCalls(message: AssistantMessage, style: PromptStyle): ProviderAssistant['content'] {
  const { content, toolCalls = [] } = message;
  const calls = toolCalls.map((call, index) => toProviderCall(call, index, style));
  const text = content === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text: content }];
  return [...text, ...calls];
}

export function toProviderCall(
  call: NonNullable<AssistantMessage['toolCalls']>[number],
  index: number,
  style: PromptStyle,
): Extract<ProviderAssistant['content'][number], { type: 'tool-call' }> {
  const { id, name, input } = call;
  const providerOptions = style.ofCall(call, index);
  return {
    type: 'tool-call',
    toolCallId: style.callId(id),
    toolName: toolName(name),
    input,
    ...(providerOptions && { providerOptions }),
  };
}

/** Models call tools that there are not by names that endpoints refuse, in every step from then on. */
function toolName(name: string): string {
  return /^[\w-]{1,64}$/.test(name) ? name : name.replaceAll(/[^\w-]+/g, '_').slice(0, 64) || '_';
}
