import { DomainError } from '@app/common';
import type { ModelDefinition } from '@app/config';
import { type EgressGuard, faultOf, OpenAiEmbeddings } from '@app/integrations';
import { endpointModel } from '../calls/endpoint-model.js';

/** How a model answered when it was last asked for a word. */
export interface ModelProbe {
  id: number;
  name: string;
  /** `unknown`: not asked yet, or of a kind that is not asked, such as makers of images. */
  status: 'ok' | 'failed' | 'unknown';
  /** As clients see it when they ask the model; null unless it failed. */
  code: string | null;
  /** For operators: without key, prompt and answer. */
  reason: string | null;
  checkedAt: Date | null;
}

/** A cold model of one's own machine may have to be loaded first; that is no fault. */
const PATIENCE_SECONDS = 20;
const AT_ONCE = 4;
/** Enough for models that reason before they answer, of which some refuse less. */
const MAX_OUTPUT_TOKENS = 16;

/** Asks the configured models for a word each, so that a wrong key, name or address is known before a person waits. */
export class ModelProbes {
  private readonly known: Map<number, ModelProbe>;

  constructor(private readonly definitions: readonly ModelDefinition[]) {
    this.known = new Map(definitions.map((definition) => [definition.id, unknown(definition)]));
  }

  /** The last results, in the order of the configuration; empty where no model is configured. */
  get results(): readonly ModelProbe[] {
    return [...this.known.values()];
  }

  find(id: number): ModelProbe | null {
    return this.known.get(id) ?? null;
  }

  /** Never rejects: what went wrong is the result. @param among asks only those whose last result this holds for */
  async run(signal?: AbortSignal, among: (probe: ModelProbe) => boolean = () => true): Promise<readonly ModelProbe[]> {
    const waiting = this.definitions.filter(({ id }) => among(this.known.get(id)!)).values();
    const lane = async () => {
      for (const definition of waiting) this.known.set(definition.id, await probe(definition, signal));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return this.results;
  }
}

function unknown({ id, name }: ModelDefinition): ModelProbe {
  return { id, name, status: 'unknown', code: null, reason: null, checkedAt: null };
}

/** Never rejects: what went wrong is the result. @param guard where a person chose the address */
export async function probe(
  definition: ModelDefinition,
  signal: AbortSignal | undefined,
  guard?: EgressGuard,
): Promise<ModelProbe> {
  const { id, name } = definition;
  if (definition.capability === 'image_gen') return unknown(definition);
  try {
    await ask(definition, signal, guard);
    return { id, name, status: 'ok', code: null, reason: null, checkedAt: new Date() };
  } catch (error) {
    if (signal?.aborted) return unknown(definition);
    const code = error instanceof DomainError ? error.code : 'model_error';
    const reason = faultOf(error)?.message ?? 'The model could not be asked.';
    return { id, name, status: 'failed', code, reason, checkedAt: new Date() };
  }
}

async function ask(
  definition: ModelDefinition,
  signal: AbortSignal | undefined,
  guard: EgressGuard | undefined,
): Promise<void> {
  const { baseUrl, value: model, apiKey } = definition;
  if (definition.capability === 'embed') {
    const endpoint = { baseUrl, model, ...(apiKey !== null && { apiKey }) };
    await new OpenAiEmbeddings({ ...endpoint, timeoutSeconds: PATIENCE_SECONDS, maxRetries: 0 }).embed(['ok'], signal);
    return;
  }
  const timeouts = { totalSeconds: PATIENCE_SECONDS };
  await endpointModel(definition, { timeouts, ...(guard && { guard }) }).generate({
    messages: [{ role: 'user', content: 'Answer with the word ok.' }],
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    ...(signal && { signal }),
  });
}
