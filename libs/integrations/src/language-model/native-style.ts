import { createHash } from 'node:crypto';
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ProviderData } from './language-model.port.js';
import type { KeptPart } from './native-reading.js';
import { ownData } from './provider-data.js';
import { type AssistantMessage, type PromptStyle, type ProviderAssistant, toProviderCall } from './provider-prompt.js';
import type { RequestTrial } from './request-habits.js';

/** Google's word for calls that were made elsewhere: https://ai.google.dev/gemini-api/docs/thought-signatures */
const NO_SIGNATURE = { google: { thoughtSignature: 'skip_thought_signature_validator' } };
/** Vendors refuse messages without any. */
const NO_TEXT = '…';

/** How messages are written for one of the AI SDK's providers: its own steps part by part, as it made them. */
export function nativeStyle(madeBy: string, trial: RequestTrial): PromptStyle {
  const optionsOf = (kept: ProviderData | undefined) => ownData(kept, madeBy) as SharedV4ProviderOptions | null;
  const style: PromptStyle = {
    callId: toSafeId,
    ofMessage: () => null,
    ofCall: ({ providerData }, index) => {
      const own = optionsOf(providerData);
      return own ?? (trial.avoids('signature_back') && index === 0 ? NO_SIGNATURE : null);
    },
    contentOf: (message) => {
      const own = ownData(message.providerData, madeBy);
      if (own !== null && Array.isArray(own.parts)) return asMade(message, own.parts as KeptPart[], style);
      const isEmpty = message.content === '' && (message.toolCalls?.length ?? 0) === 0;
      return isEmpty ? [{ type: 'text', text: NO_TEXT }] : null;
    },
  };
  return style;
}

/**
 * In the order in which the provider made it. Where the text is another one, since it was begun by a stream that broke
 * off, thoughts come first and the text is one.
 */
function asMade(
  message: AssistantMessage,
  parts: readonly KeptPart[],
  style: PromptStyle,
): ProviderAssistant['content'] {
  const { content: text, toolCalls = [] } = message;
  const length = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.length : 0), 0);
  const calls = toolCalls.map((call, index) => toProviderCall(call, index, style));
  const isSame = length === text.length && parts.filter(({ type }) => type === 'call').length === calls.length;
  const thoughts = parts.flatMap((part) => (part.type === 'reasoning' ? [toThought(part)] : []));
  if (!isSame) return [...thoughts, ...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls];
  let at = 0;
  const rest = calls.values();
  return parts.flatMap((part): ProviderAssistant['content'] => {
    if (part.type === 'reasoning') return [toThought(part)];
    if (part.type === 'call') return [rest.next().value!];
    const own = text.slice(at, (at += part.length));
    return own === '' && part.meta === undefined ? [] : [{ type: 'text', text: own, ...options(part) }];
  });
}

function toThought(part: Extract<KeptPart, { type: 'reasoning' }>): ProviderAssistant['content'][number] {
  return { type: 'reasoning', text: part.text, ...options(part) };
}

function options({ meta }: { meta?: unknown }): { providerOptions?: SharedV4ProviderOptions } {
  return meta === undefined ? {} : { providerOptions: meta as SharedV4ProviderOptions };
}

/** Ids of other endpoints may have any characters. */
function toSafeId(id: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
}
