import type { ModelCapability, ModelDefinition, WrittenModel } from './model-definition.js';
import { isPrivateAddress } from './private-address.js';

/** Whether it answers questions at all. */
export function isAnswering({ capability }: { capability: ModelCapability }): boolean {
  return capability === 'chat' || capability === 'vision';
}

/** The chat or vision model of that value, or else name, or else id; null where there is none. */
export function findAnswering<M extends Pick<WrittenModel, 'id' | 'name' | 'value' | 'capability'>>(
  models: readonly M[],
  name: string,
): M | null {
  return named(models.filter(isAnswering), name);
}

/** The same of the models that make vectors. */
export function findEncoder<M extends Pick<WrittenModel, 'id' | 'name' | 'value' | 'capability'>>(
  models: readonly M[],
  name: string,
): M | null {
  return named(
    models.filter(({ capability }) => capability === 'embed'),
    name,
  );
}

function named<M extends Pick<WrittenModel, 'id' | 'name' | 'value'>>(models: readonly M[], name: string): M | null {
  return (
    models.find(({ value }) => value === name) ??
    models.find((model) => model.name === name) ??
    models.find(({ id }) => String(id) === name) ??
    null
  );
}

/** What is wrong with a list of models that are right one by one. */
export function mistakesBetweenModels(models: readonly WrittenModel[]): string[] {
  if (models.length === 0) return [];
  const mistakes: string[] = [];
  const ids = models.map(({ id }) => id);
  for (const id of new Set(ids.filter((one, at) => ids.indexOf(one) !== at)))
    mistakes.push(`the id ${id} is used more than once`);
  const answering = models.filter(isAnswering);
  if (answering.length === 0) mistakes.push('one model at least must have the capability chat or vision');
  const defaults = models.filter((model) => model.default);
  if (defaults.length > 1) mistakes.push(`only one model can be the default, not ${listOf(defaults)}`);
  for (const model of defaults)
    if (!answering.includes(model)) mistakes.push(`model ${model.id} cannot be the default: it answers nothing`);
  const currencies = new Set(models.flatMap(({ price }) => (price ? [price.currency] : [])));
  if (currencies.size > 1)
    mistakes.push(`all prices must be in one currency, not in ${[...currencies].toSorted().join(' and ')}`);
  return [...mistakes, ...mistakesOfFallbacks(models, answering)];
}

function mistakesOfFallbacks(models: readonly WrittenModel[], answering: readonly WrittenModel[]): string[] {
  return models.flatMap((model) => {
    const { id, fallback } = model;
    if (fallback === undefined) return [];
    if (!answering.includes(model)) return [`model ${id} answers nothing, so it can have no fallback`];
    if (!answering.some((other) => other.id === fallback))
      return [`the fallback of model ${id} is ${fallback}, which is no chat or vision model of the list`];
    return comesBack(model, models) ? [`the fallbacks of model ${id} lead back to it`] : [];
  });
}

type PlacedModel = Pick<ModelDefinition, 'id' | 'onPremises' | 'baseUrl' | 'fallback'>;

/** Whether what it reads stays in the house: as somebody said, else as the address says. */
export function isOnPremises({ onPremises, baseUrl }: Pick<ModelDefinition, 'onPremises' | 'baseUrl'>): boolean {
  return onPremises ?? isPrivateAddress(URL.parse(baseUrl)?.hostname ?? '');
}

/** What was meant for a model of one's own must not leave the house because that model is away. */
export function mistakesOfPremises(models: readonly PlacedModel[]): string[] {
  return models.flatMap((model) => {
    const other = models.find(({ id }) => id === model.fallback);
    if (!other || !isOnPremises(model) || isOnPremises(other)) return [];
    return [
      `the fallback of model ${model.id}, which is on_premises, is ${other.id}, which is not: leave the fallback out, or say "on_premises": false of model ${model.id} where its contents may leave`,
    ];
  });
}

function comesBack(start: WrittenModel, models: readonly WrittenModel[]): boolean {
  const seen = new Set<number>();
  let next = start.fallback;
  while (next !== undefined && !seen.has(next)) {
    if (next === start.id) return true;
    seen.add(next);
    next = models.find(({ id }) => id === next)?.fallback;
  }
  return false;
}

function listOf(models: readonly WrittenModel[]): string {
  return models.map(({ id }) => id).join(', ');
}
