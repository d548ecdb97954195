import { type ConfiguredModels, isAnswering, type ModelDefinition } from '@app/config';
import { NoLanguageModel, OpenAiLanguageModel } from '@app/integrations';
import { LanguageModels, type ListedModel } from './language-models.js';

const QUOTING = 'Answers with the best passages of your own documents, word for word, each with its citation.';

export function createLanguageModels({ list, defaultId }: ConfiguredModels): LanguageModels {
  if (list.length === 0) {
    const quoting = new NoLanguageModel();
    return new LanguageModels(quoting, [quoting], [{ ...quoting.descriptor, description: QUOTING, details: [] }]);
  }
  const endpoints = list.map((definition) => ({ definition, model: createModel(definition) }));
  const answering = endpoints.filter(({ definition }) => isAnswering(definition)).map(({ model }) => model);
  const listed = endpoints.map(({ definition: { description, details }, model }): ListedModel => ({
    ...model.descriptor,
    description,
    details,
  }));
  return new LanguageModels(
    answering.find(({ descriptor }) => descriptor.id === defaultId)!,
    answering,
    listed,
  );
}

function createModel(definition: ModelDefinition): OpenAiLanguageModel {
  const { id, name, value, provider, capability, onPremises, baseUrl, apiKey, timeouts, maxRetries } = definition;
  const { contextWindow, maxOutputTokens, supports } = definition;
  return new OpenAiLanguageModel({
    baseUrl,
    model: value,
    timeoutSeconds: timeouts.totalSeconds,
    maxRetries,
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
  });
}
