export const DELIMITERS = [',', ';', '\t', '|'] as const;

const SAMPLE_RECORDS = 100;

/** The cells of the first records of a text; the last is left out when the sample may end within it. */
export function sampleRecords(text: string, delimiter: string, cutOff: boolean): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  const endRecord = () => {
    cells.push(cell);
    if (cells.length > 1 || cell !== '') records.push(cells);
    cells = [];
    cell = '';
  };
  for (let at = 0; at < text.length && records.length < SAMPLE_RECORDS; at += 1) {
    const character = text[at]!;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') cell += text[(at += 1)];
      else quoted = false;
    } else if (character === '"' && cell === '') quoted = true;
    else if (character === delimiter) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n' || character === '\r') endRecord();
    else cell += character;
  }
  if (!cutOff && records.length < SAMPLE_RECORDS) endRecord();
  return records;
}

/**
 * How well a delimiter parts the sample: the records that have the commonest number of cells, times that number.
 * 0 when it parts most of them not at all.
 */
export function delimiterScore(text: string, delimiter: string, cutOff: boolean): number {
  const records = sampleRecords(text, delimiter, cutOff);
  const counts = new Map<number, number>();
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [width, count] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [1, 0];
  return width === 1 ? 0 : (count / records.length) * (1 + Math.log2(width));
}

export function detectDelimiter(text: string, cutOff: boolean): string {
  const scored = DELIMITERS.map((delimiter) => ({ delimiter, score: delimiterScore(text, delimiter, cutOff) }));
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).delimiter;
}
