import { cutText } from '@app/common';
import jsonata from 'jsonata';
import { SandboxError } from './sandbox-error.js';

export const MAX_EXPRESSION_LENGTH = 10_000;
export const MAX_EXPRESSION_MS = 1_000;
const MAX_STACK = 200;
const MAX_SEQUENCE = 100_000;
const MAX_TEXT = 1_000_000;

export interface ExpressionInput {
  expression: string;
  input: unknown;
}

/**
 * Evaluates a JSONata expression over untrusted text and input. Time, depth, list length and text length are limited
 * step by step; what blocks inside a single step, like a bad regular expression, is for the thread's own limit.
 * @throws SandboxError `invalid_expression`, `expression_too_expensive` or `expression_failed`.
 */
export async function evaluateExpression({ expression: text, input }: ExpressionInput): Promise<unknown> {
  const expression = compile(text);
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
  try {
    const result: unknown = await expression.evaluate(input);
    if (isFunction(result)) {
      throw new SandboxError('expression_failed', 'The result is a function. Call it, as in $sum(items.price).');
    }
    // Its lists carry extra properties and may hold functions: only JSON leaves.
    const json = JSON.stringify(result ?? null, (_key, value: unknown) => (isFunction(value) ? undefined : value));
    return JSON.parse(json ?? 'null') as unknown;
  } catch (error) {
    throw toSandboxError(error);
  }
}

/** Those of JSONata are objects with all that they can see, which leads back to themselves. */
function isFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && ('_jsonata_lambda' in value || '_jsonata_function' in value);
}

/** What is wrong with the text of an expression; null for one that can be evaluated. */
export function expressionProblem(text: string): string | null {
  try {
    jsonata(text);
    return null;
  } catch (error) {
    return describe(error);
  }
}

function compile(text: string): jsonata.Expression {
  let expression: jsonata.Expression;
  try {
    expression = jsonata(text, { timeout: MAX_EXPRESSION_MS, stack: MAX_STACK, sequence: MAX_SEQUENCE });
  } catch (error) {
    throw new SandboxError('invalid_expression', describe(error), { cause: error });
  }
  expression.registerFunction('eval', () => {
    throw new SandboxError('invalid_expression', '$eval is not available here.');
  });
  expression.registerFunction('base64encode', base64encode, '<s-:s>');
  expression.registerFunction('pad', pad, '<s-ns?:s>');
  return expression;
}

/** As in JSONata, where the width may be as large as memory. */
function pad(text: string | undefined, width: number, filler = ' '): string | undefined {
  if (Math.abs(width) > MAX_TEXT) throw tooExpensive('A value in the expression grows too large.');
  if (text === undefined) return undefined;
  // Counted as $length does: a sign beyond 16 bits is one.
  const signs = Array.from(filler || ' ');
  const missing = Math.max(Math.trunc(Math.abs(width)) - Array.from(text).length, 0);
  const added = Array.from({ length: missing }, (_, index) => signs[index % signs.length]).join('');
  return width < 0 ? added + text : text + added;
}

/** As in JSONata, where each character is a byte; what is none would be cut to one without a word. */
function base64encode(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.toString('latin1') !== text) {
    throw new SandboxError(
      'expression_failed',
      '$base64encode takes characters up to U+00FF; the node kind crypto encodes any text as UTF-8.',
    );
  }
  return bytes.toString('base64');
}

function tooExpensive(message: string): SandboxError {
  return new SandboxError('expression_too_expensive', message);
}

function toSandboxError(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (['D1011', 'D1012', 'D2014', 'D2015', 'U1001'].includes(String(code)) || error instanceof RangeError) {
    return new SandboxError('expression_too_expensive', describe(error), { cause: error });
  }
  return new SandboxError('expression_failed', describe(error), { cause: error });
}

/** JSONata throws plain objects with a message. */
function describe(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : null;
  return typeof message === 'string' ? cutText(message, 300) : 'The expression failed.';
}
