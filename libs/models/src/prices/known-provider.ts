import { isPrivateAddress, type ModelDefinition } from '@app/config';

/** Hosts of those whose prices the library has, by its names for them. A dot before a host stands for all below it. */
const HOSTS: Readonly<Record<string, string>> = {
  'api.openai.com': 'openai',
  '.api.openai.com': 'openai',
  'api.anthropic.com': 'anthropic',
  '.googleapis.com': 'google',
  '.openai.azure.com': 'azure',
  '.cognitiveservices.azure.com': 'azure',
  '.services.ai.azure.com': 'azure',
  'api.mistral.ai': 'mistral',
  'api.groq.com': 'groq',
  'openrouter.ai': 'openrouter',
  'api.deepseek.com': 'deepseek',
  'api.x.ai': 'x-ai',
  'api.cohere.com': 'cohere',
  'api.cohere.ai': 'cohere',
  'api.together.xyz': 'together',
  'api.fireworks.ai': 'fireworks',
  'api.perplexity.ai': 'perplexity',
  'api.cerebras.ai': 'cerebras',
};
const BEDROCK = /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com$/;
const NAMES = new Set([...Object.values(HOSTS), 'aws']);

/**
 * Whose list prices hold for the model: whoever its address belongs to, or, behind an address that nobody knows, whom its
 * `provider` names. Never by the name of the model: what runs in the house is called as it is elsewhere.
 */
export function knownProviderOf({
  baseUrl,
  provider,
  onPremises,
}: Pick<ModelDefinition, 'baseUrl' | 'provider' | 'onPremises'>): string | null {
  const host = URL.parse(baseUrl)?.hostname.toLowerCase();
  if (host === undefined || onPremises === true) return null;
  if (BEDROCK.test(host)) return 'aws';
  const found = Object.keys(HOSTS).find((known) => (known.startsWith('.') ? host.endsWith(known) : host === known));
  if (found !== undefined) return HOSTS[found]!;
  if (isPrivateAddress(host)) return null;
  const named = provider.toLowerCase();
  return NAMES.has(named) ? named : null;
}
