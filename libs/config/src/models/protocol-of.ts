import { MODEL_PROTOCOLS, type ModelProtocol, type WrittenModel } from './model-definition.js';

/** Where a vendor is, if nobody says otherwise. */
const ADDRESSES: Partial<Record<ModelProtocol, string>> = {
  'openai-responses': 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
};

export interface WrittenEndpoint {
  protocol: ModelProtocol;
  /** '' where nobody said. */
  baseUrl: string;
}

/**
 * How a model is spoken to, and where. `provider` is what people read; it says the protocol, too, where there would be no
 * address without it.
 * @param common LLM_BASE_URL, which speaks the protocol of OpenAI
 */
export function endpointOf(
  written: Pick<WrittenModel, 'protocol' | 'provider' | 'base_url'>,
  common: string | undefined,
): WrittenEndpoint {
  const named = MODEL_PROTOCOLS.find((one) => one === written.provider);
  const isAddressed = written.base_url !== undefined || common !== undefined;
  const protocol = written.protocol ?? (isAddressed ? 'openai' : (named ?? 'openai'));
  const shared = protocol === 'openai' ? common : undefined;
  return { protocol, baseUrl: written.base_url ?? shared ?? ADDRESSES[protocol] ?? '' };
}

/** Of the single model that LLM_PROVIDER names. */
export function addressOf(protocol: ModelProtocol, baseUrl: string | undefined): string | null {
  return baseUrl ?? ADDRESSES[protocol] ?? null;
}
