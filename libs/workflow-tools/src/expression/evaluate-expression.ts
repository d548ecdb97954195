import jsonata from 'jsonata';
import { ToolError } from '@app/workflows';

export const MAX_EXPRESSION_LENGTH = 10_000;
export const MAX_EXPRESSION_MS = 1_000;
const MAX_STACK = 200;
const MAX_SEQUENCE = 100_000;
const MAX_TEXT = 1_000_000;
/** JSONata only ever awaits promises, which would keep every other run waiting: it has to step aside by itself. */
const STEP_ASIDE_MS = 5;

/**
 * Evaluates a JSONata expression over untrusted text and input. Time, depth, list length and text length are limited;
 * regular expressions are refused, because a bad one blocks the process inside a single step. Throws `ToolError`
 * `invalid_expression`, `expression_too_expensive` or `expression_failed`.
 */
export async function evaluateExpression(text: string, input: unknown, signal: AbortSignal): Promise<unknown> {
  const expression = compile(text);
  let steppedAside = performance.now();
  // The library's own hooks have symbols for names, which its types do not know.
  const environment: { assign(name: string | symbol, value: unknown): void } = expression;
  environment.assign(
    Symbol.for('jsonata.__evaluate_exit'),
    (_node: unknown, _input: unknown, _env: unknown, result: unknown) => {
      if (
        (typeof result === 'string' && result.length > MAX_TEXT) ||
        (Array.isArray(result) && result.length > MAX_SEQUENCE)
      ) {
        throw tooExpensive('A value in the expression grows too large.');
      }
    },
  );
  environment.assign(Symbol.for('jsonata.__evaluate_entry'), (): Promise<void> | undefined => {
    if (performance.now() - steppedAside < STEP_ASIDE_MS) return undefined;
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        steppedAside = performance.now();
        if (signal.aborted) reject(new ToolError('aborted', 'The run was stopped.', false));
        else resolve();
      });
    });
  });
  try {
    const result: unknown = await expression.evaluate(input);
    // Its lists carry extra properties and may hold functions: only JSON leaves.
    const json = JSON.stringify(result ?? null, (_key, value: unknown) =>
      typeof value === 'function' ? undefined : value,
    );
    return JSON.parse(json ?? 'null') as unknown;
  } catch (error) {
    throw toToolError(error);
  }
}

function compile(text: string): jsonata.Expression {
  let expression: jsonata.Expression;
  try {
    expression = jsonata(text, { timeout: MAX_EXPRESSION_MS, stack: MAX_STACK, sequence: MAX_SEQUENCE });
  } catch (error) {
    throw new ToolError('invalid_expression', describe(error), false, { cause: error });
  }
  if (holdsRegex(expression.ast())) {
    throw new ToolError('invalid_expression', 'Regular expressions are not available here.', false);
  }
  expression.registerFunction('eval', () => {
    throw new ToolError('invalid_expression', '$eval is not available here.', false);
  });
  expression.registerFunction('pad', pad, '<s-ns?:s>');
  return expression;
}

/** As in JSONata, where the width may be as large as memory. */
function pad(text: string | undefined, width: number, filler = ' '): string | undefined {
  if (Math.abs(width) > MAX_TEXT) throw tooExpensive('A value in the expression grows too large.');
  return width < 0 ? text?.padStart(-width, filler || ' ') : text?.padEnd(width, filler || ' ');
}

function holdsRegex(ast: unknown): boolean {
  const open: unknown[] = [ast];
  const seen = new Set<unknown>();
  for (const node of open) {
    if (typeof node !== 'object' || node === null || seen.has(node)) continue;
    if (node instanceof RegExp || ('type' in node && node.type === 'regex')) return true;
    seen.add(node);
    open.push(...Object.values(node));
  }
  return false;
}

function tooExpensive(message: string): ToolError {
  return new ToolError('expression_too_expensive', message, false);
}

function toToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (['D1011', 'D1012', 'D2014', 'D2015', 'U1001'].includes(String(code)) || error instanceof RangeError) {
    return new ToolError('expression_too_expensive', describe(error), false, { cause: error });
  }
  return new ToolError('expression_failed', describe(error), false, { cause: error });
}

/** JSONata throws plain objects with a message. */
function describe(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : null;
  return typeof message === 'string' ? message.slice(0, 300) : 'The expression failed.';
}
