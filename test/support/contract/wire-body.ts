/** A body as its schema sees it: JSON, the fields of a form, a text where a file is. Undefined for other bytes. */
export function readBody(body: Buffer, contentType: string): unknown {
  const [type = ''] = contentType.split(';');
  if (type.trim().endsWith('json')) return JSON.parse(body.toString()) as unknown;
  if (type.trim() === 'application/x-www-form-urlencoded') return collected([...new URLSearchParams(body.toString())]);
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1];
  if (boundary === undefined) return undefined;
  const parts = body.toString('latin1').split(`--${boundary}`).slice(1, -1);
  return collected(
    parts.map((part) => {
      const at = part.indexOf('\r\n\r\n');
      const name = /name="([^"]*)"/.exec(part.slice(0, at))?.[1] ?? '';
      const text = Buffer.from(part.slice(at + 4, -2), 'latin1').toString();
      return [name, text] as const;
    }),
  );
}

/** A name that comes more than once is a list. */
function collected(fields: readonly (readonly [string, string])[]): Record<string, string | string[]> {
  const byName = Map.groupBy(fields, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, all]) => [name, all.length > 1 ? all.map(([, text]) => text) : all[0]![1]]),
  );
}
