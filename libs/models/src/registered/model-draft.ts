import { ValidationError } from '@app/common';
import {
  addressOfRegistered,
  type FieldProblem,
  mistakesOfHeaders,
  type RegisteredModel,
  readRegisteredModel,
} from '@app/config';
import { EgressError, type EgressGuard } from '@app/integrations';
import type { RegisteredRecord } from './registered-row.js';

/** What somebody wants a model to be; what is absent stays as it is, or is as in LLM_MODELS unless told. */
export interface ModelDraft {
  /** In the words of LLM_MODELS; null takes a member away. */
  written: Readonly<Record<string, unknown>>;
  /** '' or null: none. */
  apiKey?: string | null | undefined;
  headers?: unknown;
  enabled?: boolean | undefined;
  isDefault?: boolean | undefined;
  position?: number | undefined;
}

/** What is wrong where the platform's own limits are. */
interface DraftRules {
  /** Whether it is for everybody. */
  isPlatform: boolean;
  /** Of all prices. */
  currency: string;
  /** Whether a stand-in of that id would answer. */
  answers(id: number): boolean;
}

const MAX_KEY = 8000;
const MAX_URL = 2000;
const RESOLVE_MS = 2000;

/**
 * The model that a draft makes, of a new one or of one that there is.
 * @throws ValidationError with each field that is wrong; no value of a secret is in it
 */
export function readDraft(draft: ModelDraft, known: RegisteredRecord | null, rules: DraftRules): RegisteredModel {
  const before = known ? { ...known.definition, name: known.name, value: known.value } : {};
  const merged = Object.fromEntries(
    Object.entries({ ...before, ...draft.written }).filter(([, value]) => value !== null && value !== undefined),
  );
  const { model, problems } = readRegisteredModel(withCurrency(merged, rules.currency));
  const wrong: FieldProblem[] = [...problems, ...mistakesOfHeaders(draft.headers ?? {})];
  if (model) wrong.push(...mistakesOf(model, draft, rules));
  if (!isKey(draft.apiKey))
    wrong.push({ field: 'api_key', problem: 'A key has one line of letters, digits and signs, without accents.' });
  if (wrong.length > 0) throw asValidationError(wrong);
  return model!;
}

/** Null: none. */
export function keyOf(given: string | null): string | null {
  return (given ?? '').trim() || null;
}

/**
 * Refuses an address that may plainly not be called; what counts is the check of each connection.
 * @throws ValidationError
 */
export async function requireCallable(model: Partial<RegisteredModel>, guard: EgressGuard): Promise<void> {
  try {
    const url = guard.checkUrl(addressOfRegistered(model));
    await resolveSoon(url, guard);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (error.failure === 'blocked') throw new ValidationError({ base_url: [error.message] });
  }
}

/** A name that is not known yet, or slow to be found, is no reason to refuse it. */
async function resolveSoon(url: URL, guard: EgressGuard): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => (timer = setTimeout(done, RESOLVE_MS)));
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  await Promise.race([guard.resolve(url.hostname, port), late]).finally(() => clearTimeout(timer));
}

function withCurrency(written: Record<string, unknown>, currency: string): Record<string, unknown> {
  const { price } = written;
  return typeof price === 'object' && price !== null ? { ...written, price: { currency, ...price } } : written;
}

function isKey(given: string | null | undefined): boolean {
  const key = keyOf(given ?? null);
  return key === null || (key.length <= MAX_KEY && /^[\x21-\x7e]+$/.test(key));
}

function mistakesOf(model: RegisteredModel, { isDefault }: ModelDraft, rules: DraftRules): FieldProblem[] {
  const { isPlatform, currency } = rules;
  const wrong: FieldProblem[] = [];
  const say = (field: string, problem: string) => wrong.push({ field, problem });
  if (model.price && model.price.currency !== currency)
    say('price.currency', `Prices of this deployment are in ${currency}.`);
  if ((model.base_url?.length ?? 0) > MAX_URL) say('base_url', `An address has at most ${MAX_URL} characters.`);
  if (isPlatform) {
    if (model.fallback !== undefined && !rules.answers(model.fallback))
      say('fallback', 'There is no such model that answers questions.');
    return wrong;
  }
  if (model.fallback !== undefined) say('fallback', 'Nobody else answers in place of a model of your own.');
  if (model.on_premises !== undefined) say('on_premises', 'The address says it.');
  if (isDefault) say('default', 'Choose it in the profile.');
  return wrong;
}

function asValidationError(problems: readonly FieldProblem[]): ValidationError {
  const fields: Record<string, string[]> = {};
  for (const { field, problem } of problems) (fields[field] ??= []).push(problem);
  return new ValidationError(fields);
}
