/** RFC 4180; null is an empty cell. */
export function toCsvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => (cell !== null && /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : (cell ?? ''))).join(',')}\r\n`;
}
