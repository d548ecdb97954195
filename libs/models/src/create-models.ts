import { type ConfiguredModels, isAnswering } from '@app/config';
import { type ImageGeneration, NoImageGeneration, NoLanguageModel } from '@app/integrations';
import { CallBudgets } from './budget/call-budgets.js';
import { Endpoint } from './calls/endpoint.js';
import { LanguageModels, type ListedModel } from './language-models.js';
import type { UsageLedger } from './metering/usage-ledger.js';
import { ServedModel } from './served-model.js';
import { ServedPictures } from './served-pictures.js';

const QUOTING = 'Answers with the best passages of your own documents, word for word, each with its citation.';

export function createLanguageModels(
  { list, defaultId }: ConfiguredModels,
  ledger: UsageLedger,
  budgets = new CallBudgets(),
): LanguageModels {
  if (list.length === 0) {
    const quoting = new NoLanguageModel();
    return new LanguageModels(quoting, [quoting], [{ ...quoting.descriptor, description: QUOTING, details: [] }]);
  }
  const endpoints = list.map((definition) => new Endpoint(definition, ledger.prices));
  const answering = endpoints
    .filter(({ definition }) => isAnswering(definition))
    .map((endpoint) => new ServedModel([endpoint, ...standInsOf(endpoint, endpoints)], ledger, budgets));
  const listed = endpoints.map(({ definition: { description, details }, descriptor }): ListedModel => ({
    ...descriptor,
    description,
    details,
  }));
  return new LanguageModels(
    answering.find(({ descriptor }) => descriptor.id === defaultId)!,
    answering,
    listed,
  );
}

/** Who answers while it cannot, in order; nobody outside for one of the house, whatever the settings say. */
function standInsOf(endpoint: Endpoint, all: readonly Endpoint[]): Endpoint[] {
  const { definition, descriptor } = endpoint;
  const next = all.find((other) => other.definition.id === definition.fallback);
  if (!next || (descriptor.onPremises && !next.descriptor.onPremises)) return [];
  return [next, ...standInsOf(next, all)];
}

/** The first model of the list that makes pictures. */
export function createImageGeneration(
  { list }: Pick<ConfiguredModels, 'list'>,
  ledger: UsageLedger,
  budgets = new CallBudgets(),
): ImageGeneration {
  const definition = list.find(({ capability }) => capability === 'image_gen');
  return definition ? new ServedPictures(definition, ledger, budgets) : new NoImageGeneration();
}
