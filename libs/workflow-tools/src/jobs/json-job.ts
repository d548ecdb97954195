import { parseKeepingNumbers } from '@app/common';
import { measureJson } from '@app/workflow-definition/kit';
import { weightOf } from './held-values.js';
import { SandboxError } from './sandbox-error.js';

const MAX_WEIGHT = 160 * 1024 * 1024;
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** A JSON text as it would be written here. @throws SandboxError `invalid_json`, `memory_limit` */
export function readJson({ text }: { text: string }): { text: string } {
  if (weightOf(text) > MAX_WEIGHT) throw new SandboxError('memory_limit', 'The JSON takes too much memory.');
  let value: unknown;
  try {
    value = parseKeepingNumbers(text);
  } catch (cause) {
    throw new SandboxError('invalid_json', 'The text is not valid JSON.', { cause });
  }
  if (!measureJson(value, NO_LIMIT)) throw new SandboxError('invalid_json', 'The JSON is nested too deeply.');
  return { text: JSON.stringify(value) };
}
