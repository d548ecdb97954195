type Cell = string | number | boolean | Date | null | undefined;

function text(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace('T', ' ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(' ');
  return String((value as Cell) ?? '-');
}

/** Rows as an aligned table, or as JSON for programs. */
export function printed(rows: object | readonly object[], asJson: boolean): string {
  if (asJson) return `${JSON.stringify(rows, null, 2)}\n`;
  const list = (Array.isArray(rows) ? rows : [rows]) as Record<string, unknown>[];
  const [first] = list;
  if (!first) return 'None.\n';
  const heads = Object.keys(first);
  const lines = [heads, ...list.map((row) => heads.map((head) => text(row[head])))];
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
