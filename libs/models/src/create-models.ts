import { type ConfiguredModels, isAnswering } from '@app/config';
import { type ImageGeneration, NoImageGeneration, NoLanguageModel } from '@app/integrations';
import { CallBudgets } from './budget/call-budgets.js';
import { Endpoint } from './calls/endpoint.js';
import { LanguageModels, type ListedModel, type ModelSet } from './language-models.js';
import type { UsageLedger } from './metering/usage-ledger.js';
import { ServedModel } from './served-model.js';
import { ServedPictures } from './served-pictures.js';

const QUOTING = 'Answers with the best passages of your own documents, word for word, each with its citation.';

export function createLanguageModels(
  { list, defaultId }: ConfiguredModels,
  ledger: UsageLedger,
  budgets = new CallBudgets(),
): LanguageModels {
  const configured = list.map((definition) => new Endpoint(definition, ledger.prices));
  const ids = new Set(list.map(({ id }) => id));
  return new LanguageModels((registered) => {
    // An id of the settings is what profiles and workflows of today mean.
    const added = registered.filter(({ endpoint }) => !ids.has(endpoint.definition.id));
    if (configured.length + added.length === 0) return quotingAlone();
    const endpoints = [...configured, ...added.map(({ endpoint }) => endpoint)];
    const answering = endpoints
      .filter(({ definition }) => isAnswering(definition))
      .map((endpoint) => new ServedModel([endpoint, ...standInsOf(endpoint, endpoints)], ledger, budgets));
    const wanted = added.find(({ isDefault }) => isDefault)?.endpoint.definition.id ?? defaultId;
    return {
      preset: answering.find(({ descriptor }) => descriptor.id === wanted) ?? answering[0]!,
      answering,
      listed: [
        ...configured.map((endpoint) => toListed(endpoint, 'settings', null)),
        ...added.map(({ endpoint, createdAt }) => toListed(endpoint, 'platform', createdAt)),
      ],
    };
  });
}

function quotingAlone(): ModelSet {
  const quoting = new NoLanguageModel();
  const listed = {
    ...quoting.descriptor,
    description: QUOTING,
    details: [],
    source: 'settings',
    createdAt: null,
  } as const;
  return { preset: quoting, answering: [quoting], listed: [listed] };
}

export function toListed(
  { definition: { description, details }, descriptor }: Endpoint,
  source: ListedModel['source'],
  createdAt: Date | null,
): ListedModel {
  return { ...descriptor, description, details, source, createdAt };
}

/** Who answers while it cannot, in order; nobody outside for one of the house, whatever the settings say. */
function standInsOf(endpoint: Endpoint, all: readonly Endpoint[], before: readonly Endpoint[] = []): Endpoint[] {
  const { definition, descriptor } = endpoint;
  const next = all.find((other) => other.definition.id === definition.fallback);
  const line = [...before, endpoint];
  // Those that were registered may lead in a circle, once somebody changes another.
  if (!next || line.includes(next) || (descriptor.onPremises && !next.descriptor.onPremises)) return [];
  return [next, ...standInsOf(next, all, line)];
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
