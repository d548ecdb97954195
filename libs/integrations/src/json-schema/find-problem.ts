import { createContext, Script } from 'node:vm';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';

const OPTIONS = {
  strict: false,
  // Whatever a schema says of itself: no meta-schema is loaded, and an unknown keyword or format is no error.
  validateSchema: false,
  meta: false,
  validateFormats: false,
  addUsedSchema: false,
  inlineRefs: false,
  allErrors: false,
  logger: false,
} as const;

const COMPILE_MS = 500;
const CHECK_MS = 100;
const CACHED = 500;

const context = createContext({ run: () => undefined });
const script = new Script('run()');

/**
 * Runs `work` for so long at most. Schemas come from strangers: their patterns may backtrack and their references
 * branch for ever, and both block the process that tries them.
 * @throws whatever `work` throws; ERR_SCRIPT_EXECUTION_TIMEOUT
 */
function within<T>(limitMs: number, work: () => T): T {
  context['run'] = work;
  return script.runInContext(context, { timeout: limitMs }) as T;
}

/** Null: it cannot be checked against. */
const checks = new LRUCache<string, { validate: ValidateFunction | null }>({ max: CACHED });

function compile(schema: Record<string, unknown>): ValidateFunction | null {
  const { $schema, $id: _, ...rest } = schema;
  const isOld = typeof $schema === 'string' && /draft-0[3-7]/.test($schema);
  try {
    return within(COMPILE_MS, () => (isOld ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS)).compile(rest));
  } catch {
    // The server checks its input itself; a schema that we do not understand must not make its tool useless.
    return null;
  }
}

/**
 * Whether a value is what a JSON Schema asks for. A schema that is broken, or too expensive, lets everything through.
 * @param hash of the definition that the schema belongs to
 * @returns what is wrong, in words; null when nothing is
 */
export function findProblem(hash: string, schema: Record<string, unknown>, value: unknown): string | null {
  let check = checks.get(hash);
  if (!check) {
    check = { validate: compile(schema) };
    checks.set(hash, check);
  }
  const { validate } = check;
  if (!validate) return null;
  try {
    if (within(CHECK_MS, () => validate(value))) return null;
  } catch {
    checks.set(hash, { validate: null });
    return null;
  }
  const [problem] = validate.errors ?? [];
  const place = problem?.instancePath ? `"${problem.instancePath.slice(1).replaceAll('/', '.')}" ` : '';
  const allowed =
    problem?.keyword === 'enum' ? `: ${JSON.stringify(problem.params['allowedValues']).slice(0, 300)}` : '';
  const extra = problem?.keyword === 'additionalProperties' ? `: ${String(problem.params['additionalProperty'])}` : '';
  return `${place}${problem?.message ?? 'is not valid'}${allowed}${extra}`.slice(0, 500);
}
