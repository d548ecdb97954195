import type { ModelMessage, ProviderData } from '@app/integrations';

/** Of a turn, as JSON: what providers gave is in its durable state. */
const MAX_CHARACTERS = 2_000_000;

/** Without what providers gave with the oldest steps, once it is too much: they then take these as the steps of another model. */
export function withinBounds(messages: readonly ModelMessage[], most = MAX_CHARACTERS): ModelMessage[] {
  let room = most;
  return messages
    .toReversed()
    .map((message) => {
      if (message.role !== 'assistant') return message;
      room -= sizeOf(message);
      return room >= 0 ? message : bare(message);
    })
    .toReversed();
}

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;

const sizes = new WeakMap<ProviderData, number>();

function sizeOf({ providerData, toolCalls = [] }: AssistantMessage): number {
  return [providerData, ...toolCalls.map((call) => call.providerData)].reduce((sum, data) => {
    if (!data) return sum;
    const size = sizes.get(data) ?? JSON.stringify(data).length;
    sizes.set(data, size);
    return sum + size;
  }, 0);
}

/** Without what its provider wants back. */
export function bare({ role, content, toolCalls }: AssistantMessage): AssistantMessage {
  const calls = toolCalls?.map(({ id, name, input, problem }) => ({
    id,
    name,
    input,
    ...(problem !== undefined && { problem }),
  }));
  return { role, content, ...(calls && { toolCalls: calls }) };
}
