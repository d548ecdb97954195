import { createHash } from 'node:crypto';
import type { ModelMessage, ProviderData } from './language-model.port.js';

/** Of one message or call, as JSON: more than any step thinks; what is larger is not kept. */
const MAX_CHARACTERS = 512_000;

/** Who makes data that only they can read: one model at one address. It stands in durable states, so it tells neither. */
export function makerMark(protocol: string, baseUrl: string, model: string): string {
  return createHash('sha256').update(`${protocol}\n${baseUrl}\n${model}`).digest('base64url').slice(0, 16);
}

/** Null where there is nothing, or too much of it. */
export function toProviderData(madeBy: string, data: Record<string, unknown>): ProviderData | null {
  if (Object.keys(data).length === 0 || JSON.stringify(data).length > MAX_CHARACTERS) return null;
  return { madeBy, data };
}

/** What this maker gave itself; null for none, and for that of others. */
export function ownData(kept: ProviderData | undefined, madeBy: string): Record<string, unknown> | null {
  return kept?.madeBy === madeBy ? kept.data : null;
}

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;

/** Whether every step with calls was taken by this maker, and with its data. */
export function hasOnlyOwnSteps(messages: readonly ModelMessage[], madeBy: string): boolean {
  return messages
    .filter((one): one is AssistantMessage => one.role === 'assistant' && (one.toolCalls?.length ?? 0) > 0)
    .every((one) => ownData(one.providerData, madeBy) !== null);
}
