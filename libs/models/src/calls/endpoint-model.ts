import type { ModelDefinition } from '@app/config';
import {
  type LanguageModel,
  NativeLanguageModel,
  OpenAiLanguageModel,
  type OpenAiModelOptions,
} from '@app/integrations';

/** The model of an endpoint, in the protocol that its definition names. @param more what is different for this use of it */
export function endpointModel(definition: ModelDefinition, more: Partial<OpenAiModelOptions> = {}): LanguageModel {
  const { id, name, provider, capability, onPremises, contextWindow, maxOutputTokens, supports } = definition;
  const { protocol, baseUrl, apiKey, accessKeyId, headers, extraBody, timeouts, takesTemperature, value } = definition;
  const options: OpenAiModelOptions = {
    baseUrl,
    model: value,
    timeouts,
    takesTemperature,
    headers,
    extraBody,
    ...(apiKey !== null && { apiKey }),
    descriptor: {
      id,
      name,
      provider,
      capability,
      contextWindow,
      maxOutputTokens,
      supports,
      ...(onPremises !== null && { onPremises }),
    },
    ...more,
  };
  if (protocol === 'openai') return new OpenAiLanguageModel(options);
  return new NativeLanguageModel({
    ...options,
    protocol: protocol === 'azure' ? 'openai-responses' : protocol,
    ...(accessKeyId !== null && { accessKeyId }),
  });
}
