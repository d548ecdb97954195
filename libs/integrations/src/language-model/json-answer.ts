import { parseKeepingNumbers } from '@app/common';

/** For endpoints that cannot be held to a schema. */
export function schemaInstruction(schema: Record<string, unknown>): string {
  return `Answer with nothing but one JSON value of this JSON Schema, without a code block:\n${JSON.stringify(schema)}`;
}

/**
 * What a model wrote where JSON was asked for, also in a code block or between words; undefined when there is none.
 * @param parse keeps long numbers as texts unless said otherwise
 */
export function readJsonAnswer(text: string, parse: (json: string) => unknown = parseKeepingNumbers): unknown {
  const trimmed = text.trim();
  const block = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(trimmed)?.[1];
  const object = between(trimmed, '{', '}');
  const list = between(trimmed, '[', ']');
  // What stands in brackets before an object may be a number of a source; objects in them are a list.
  const isListOfObjects = /^\[\s*\{/.test(list) && trimmed.indexOf('[') < trimmed.indexOf('{');
  for (const candidate of [trimmed, block, ...(isListOfObjects ? [list, object] : [object, list])]) {
    if (!candidate) continue;
    try {
      return parse(candidate);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

function between(text: string, opening: string, closing: string): string {
  const begin = text.indexOf(opening);
  return begin === -1 ? '' : text.slice(begin, text.lastIndexOf(closing) + 1);
}
