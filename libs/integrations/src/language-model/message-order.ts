import type { ModelMessage } from './language-model.port.js';

type UserMessage = Extract<ModelMessage, { role: 'user' }>;

export function hasUsersInARow(messages: readonly ModelMessage[]): boolean {
  return messages.some(({ role }, at) => role === 'user' && messages[at - 1]?.role === 'user');
}

/** For templates that want user and assistant in turns. */
export function withUsersMerged(messages: readonly ModelMessage[]): ModelMessage[] {
  const merged: ModelMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === 'user' && last?.role === 'user') merged[merged.length - 1] = joined(last, message);
    else merged.push(message);
  }
  return merged;
}

/** For templates that know no system role. */
export function withSystemInside(system: string, messages: readonly ModelMessage[]): ModelMessage[] {
  const [first, ...rest] = messages;
  const told: UserMessage = { role: 'user', content: system };
  return first?.role === 'user' ? [joined(told, first), ...rest] : [told, ...messages];
}

function joined(first: UserMessage, second: UserMessage): UserMessage {
  const images = [...(first.images ?? []), ...(second.images ?? [])];
  const content = `${first.content}\n\n${second.content}`;
  return { role: 'user', content, ...(images.length > 0 && { images }) };
}
