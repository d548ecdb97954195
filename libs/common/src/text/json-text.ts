/**
 * JSON text for a jsonb parameter. Postgres takes neither NUL nor lone surrogates, and what a tool brought home from
 * outside may hold both: they become the replacement character.
 */
export function toJsonText(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(
    /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g,
    (_, backslashes: string) => `${backslashes}\ufffd`,
  );
}
