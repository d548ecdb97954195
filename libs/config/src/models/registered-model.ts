import { z } from 'zod';
import { isAnswering } from './model-references.js';
import { type ModelDefinition, modelHeaders, type WrittenModel, writtenModel } from './model-definition.js';
import { endpointOf } from './protocol-of.js';
import { defineModel, type ModelPatience } from './read-models.js';

/** What somebody may say of a model that is registered while the platform runs: a member of LLM_MODELS without its secrets. */
const registered = writtenModel.omit({
  id: true,
  api_key: true,
  api_key_env: true,
  headers: true,
  headers_env: true,
  default: true,
});

export type RegisteredModel = z.infer<typeof registered>;

/** Of one field, by its dotted name. */
export interface FieldProblem {
  field: string;
  problem: string;
}

export type ReadModel = { model: RegisteredModel; problems: [] } | { model: null; problems: FieldProblem[] };

/** @param written in the words of LLM_MODELS */
export function readRegisteredModel(written: Readonly<Record<string, unknown>>): ReadModel {
  const { success, data, error } = registered.safeParse(written);
  if (!success) return { model: null, problems: problemsOf(error, '') };
  const problems = mistakesOf(data);
  return problems.length > 0 ? { model: null, problems } : { model: data, problems: [] };
}

/** What is wrong with further headers of each request; their values are never told. */
export function mistakesOfHeaders(headers: unknown): FieldProblem[] {
  const { success, data, error } = modelHeaders.safeParse(headers);
  if (!success) return problemsOf(error, 'headers');
  if (Object.keys(data).length <= MAX_HEADERS) return [];
  return [{ field: 'headers', problem: `There may be at most ${MAX_HEADERS} headers.` }];
}

const MAX_HEADERS = 20;

/** How it is asked. @param secrets which are kept apart */
export function defineRegistered(
  id: number,
  model: RegisteredModel,
  secrets: { apiKey: string | null; headers: Readonly<Record<string, string>> },
  patience: ModelPatience,
): ModelDefinition {
  const written: WrittenModel = { ...model, id, headers: { ...secrets.headers }, headers_env: {}, default: false };
  return { ...defineModel(written, patience, () => undefined), apiKey: secrets.apiKey };
}

/** Where it is asked, as it is written or as its protocol says; '' where neither does. */
export function addressOfRegistered({ protocol, provider, base_url }: Partial<RegisteredModel>): string {
  return endpointOf({ protocol, provider, base_url }, undefined).baseUrl;
}

function mistakesOf(model: RegisteredModel): FieldProblem[] {
  const { protocol, baseUrl } = endpointOf(model, undefined);
  const mistakes: FieldProblem[] = [];
  const say = (field: string, problem: string) => mistakes.push({ field, problem });
  if (baseUrl === '') say('base_url', 'Say where the model is: this protocol has no address of its own.');
  if (!isAnswering(model)) say('capability', 'Models that make pictures or vectors are named in LLM_MODELS alone.');
  if (protocol === 'bedrock' && Object.keys(model.extra_body).length > 0)
    say('extra_body', 'Requests of Bedrock are signed as they are, so that nothing can be added.');
  if (protocol !== 'bedrock' && model.access_key_id !== undefined)
    say('access_key_id', 'This is for the protocol bedrock alone.');
  return mistakes;
}

function problemsOf({ issues }: z.ZodError, prefix: string): FieldProblem[] {
  return issues.map(({ path, message }) => {
    const field = [prefix, ...path.map(String)].filter((part) => part !== '').join('.');
    if (message.endsWith('received undefined')) return { field, problem: 'This field is required.' };
    const sentence = message.replace(/[.]+$/, '');
    return { field: field || 'non_field_errors', problem: `${sentence[0]?.toUpperCase() ?? ''}${sentence.slice(1)}.` };
  });
}
