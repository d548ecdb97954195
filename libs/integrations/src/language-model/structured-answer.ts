import { createHash } from 'node:crypto';
import { FormFault } from './endpoint-fault.js';
import { readJsonAnswer } from './json-answer.js';
import type { ModelMessage, StepEnd, TokenUsage } from './language-model.port.js';
import { findProblem } from '../json-schema/find-problem.js';
import { withoutFillers } from './strict-schema.js';

export interface WholeAnswer {
  text: string;
  reason: StepEnd['reason'];
  usage: TokenUsage | null;
}

interface StructuredAnswer extends WholeAnswer {
  object: unknown;
  /** What of the schema the object breaks; null for nothing. */
  misfit: string | null;
}

/**
 * An answer of a schema, and one call more to put it right where it is none: endpoints that are not held to a schema, or
 * do not keep to it, get it right the second time mostly.
 * @returns the object of the answer; one that still breaks the schema, if it is JSON at all
 */
export async function structuredAnswer(
  schema: Record<string, unknown>,
  signal: AbortSignal,
  ask: (further: readonly ModelMessage[]) => Promise<WholeAnswer>,
): Promise<StructuredAnswer> {
  const first = await ask([]);
  const read = check(first.text, schema);
  if (read.problem === null) return { ...first, object: read.object, misfit: null };
  const isWorthIt = first.reason === 'stop' || first.reason === 'other';
  if (!isWorthIt) return given(first, read, first.usage);
  const second = await tried(signal, () =>
    ask([
      { role: 'assistant', content: first.text === '' ? '(nothing)' : first.text },
      {
        role: 'user',
        content: `This is not what was asked for: ${read.problem}. Answer again with nothing but one JSON value of this JSON Schema, without a code block:\n${JSON.stringify(schema)}`,
      },
    ]),
  );
  if (second === null) return given(first, read, first.usage);
  const again = check(second.text, schema);
  const usage = sumOf(first.usage, second.usage);
  return again.object === undefined ? given(first, read, usage) : given(second, again, usage);
}

/** Null where it failed: what was answered first is what there is. */
async function tried<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}

function given(answer: WholeAnswer, { object, problem }: Checked, usage: TokenUsage | null): StructuredAnswer {
  if (object !== undefined) return { ...answer, usage, object, misfit: problem };
  const known = usage && { usage };
  throw new FormFault('The model did not answer with JSON.', { isOfEndpoint: false, ...known });
}

interface Checked {
  object: unknown;
  problem: string | null;
}

function check(text: string, schema: Record<string, unknown>): Checked {
  const written = readJsonAnswer(text);
  if (written === undefined) return { object: undefined, problem: 'it is not JSON' };
  const object = withoutFillers(written, schema);
  // A long number is kept as a text, which fits no schema of numbers.
  const measured = withoutFillers(readJsonAnswer(text, JSON.parse), schema);
  return { object, problem: findProblem(hashOf(schema), schema, measured) };
}

function sumOf(first: TokenUsage | null, second: TokenUsage | null): TokenUsage | null {
  if (!first || !second) return first ?? second;
  const cachedTokens = (first.cachedTokens ?? 0) + (second.cachedTokens ?? 0);
  const cacheWriteTokens = (first.cacheWriteTokens ?? 0) + (second.cacheWriteTokens ?? 0);
  return {
    promptTokens: first.promptTokens + second.promptTokens,
    completionTokens: first.completionTokens + second.completionTokens,
    ...(cachedTokens > 0 && { cachedTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  };
}

function hashOf(schema: Record<string, unknown>): string {
  return createHash('sha256').update(JSON.stringify(schema)).digest('base64url');
}
