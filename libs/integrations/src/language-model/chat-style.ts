import { createHash } from 'node:crypto';
import type { JSONObject } from '@ai-sdk/provider';
import type { ModelMessage } from './language-model.port.js';
import { ownData } from './provider-data.js';
import type { PromptStyle } from './provider-prompt.js';
import type { RequestTrial } from './request-habits.js';

const THOUGHTS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;
/** Kimi and DeepSeek want thoughts with steps of other models, too, and take an empty text for none. */
const NO_THOUGHT = ' ';
/** Google's word for calls that were made elsewhere: https://ai.google.dev/gemini-api/docs/thought-signatures */
const NO_SIGNATURE = { google: { thought_signature: 'skip_thought_signature_validator' } };

const members = (own: Record<string, unknown>) => ({ openaiCompatible: own as JSONObject });

/** How messages are written for one endpoint of the OpenAI protocol. */
export function chatStyle(madeBy: string, trial: RequestTrial): PromptStyle {
  return {
    callId: (id) => (trial.avoids('call_ids') ? shortId(id) : id),
    ofMessage: ({ providerData }) => {
      const own = { ...ownData(providerData, madeBy) };
      if (trial.avoids('reasoning_given')) for (const name of THOUGHTS) delete own[name];
      else if (trial.avoids('reasoning_back')) own.reasoning_content ??= NO_THOUGHT;
      return members(own);
    },
    ofCall: ({ providerData }, index) => {
      const own = ownData(providerData, madeBy) ?? {};
      const lacksSignature = trial.avoids('signature_back') && index === 0 && own.extra_content === undefined;
      return members(lacksSignature ? { ...own, extra_content: NO_SIGNATURE } : own);
    },
  };
}

export function givesThoughts(messages: readonly ModelMessage[], madeBy: string): boolean {
  return messages.some((one) => {
    const own = one.role === 'assistant' ? ownData(one.providerData, madeBy) : null;
    return own !== null && THOUGHTS.some((name) => own[name] !== undefined);
  });
}

/** Nine letters and digits, the same for the same id. */
function shortId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}
