import { parseKeepingNumbers } from '@app/common';
/** For endpoints that cannot be held to a schema. */
export function schemaInstruction(schema: Record<string, unknown>): string {
  return `Answer with nothing but one JSON value of this JSON Schema, without a code block:\n${JSON.stringify(schema)}`;
}

/** What a model wrote where JSON was asked for, also in a code block or between words; undefined when there is none. */
export function readJsonAnswer(text: string): unknown {
  const trimmed = text.trim();
  const block = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(trimmed)?.[1];
  const begin = trimmed.indexOf('{');
  const between = begin === -1 ? undefined : trimmed.slice(begin, trimmed.lastIndexOf('}') + 1);
  for (const candidate of [trimmed, block, between]) {
    if (!candidate) continue;
    try {
      return parseKeepingNumbers(candidate);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}
