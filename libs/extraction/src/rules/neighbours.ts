import type { PageLayout, Segment } from './segment.js';

/** How near two edges count as one line of type, in heights of a line. */
const ALIGNED = 0.7;
/** From a label to what stands below it. */
const BELOW = 1.6;

export const isAligned = (a: number, b: number, line: number): boolean => Math.abs(a - b) <= line * ALIGNED;

/** What follows a label in its row: to its right, or to its left where it is read from there. */
export function besides(layout: PageLayout, segment: Segment): Segment[] {
  const row = layout.rows[segment.row] ?? [];
  return segment.rtl ? row.slice(0, segment.at).toReversed() : row.slice(segment.at + 1);
}

export const gapTo = (a: Segment, b: Segment): number => Math.max(b.x0 - a.x1, a.x0 - b.x1);

/** What stands right below a segment, in line with it. */
export function below(layout: PageLayout, segment: Segment, reach = BELOW): Segment | null {
  for (const row of layout.rows.slice(segment.row + 1, segment.row + 5)) {
    const [first] = row;
    if (first === undefined || first.y0 - segment.y1 > layout.line * reach) return null;
    const one = row.find((other) => other.y0 >= segment.y0 + layout.line * 0.5 && inLine(layout, segment, other));
    if (one) return one;
    // Something else stands between, across the segment's width.
    if (row.some((other) => other.x0 < segment.x1 && other.x1 > segment.x0)) return null;
  }
  return null;
}

function inLine({ line }: PageLayout, a: Segment, b: Segment): boolean {
  if (Math.min(a.x1, b.x1) <= Math.max(a.x0, b.x0)) return false;
  const middle = Math.abs((a.x0 + a.x1) / 2 - (b.x0 + b.x1) / 2);
  return isAligned(a.x0, b.x0, line) || isAligned(a.x1, b.x1, line) || middle <= line * ALIGNED;
}

/** Of rows around a label's: what stands above or below the label, with what stands above or below its value. */
export function alignedRows(layout: PageLayout, label: Segment, value: Segment): [Segment, Segment][] {
  const found: [Segment, Segment][] = [];
  for (const step of [-1, 1])
    for (let index = label.row + step, y = label; Math.abs(index - label.row) <= 6; index += step) {
      const row = layout.rows[index];
      const one = row?.find((other) => edge(other, label, layout.line));
      if (!row || !one || Math.abs(one.y0 - y.y0) > layout.line * 3) break;
      const beside = besides(layout, one).find((other) => edge(other, value, layout.line));
      if (!beside) break;
      found.push([one, beside]);
      y = one;
    }
  return found;
}

const edge = (a: Segment, b: Segment, line: number) => isAligned(a.x0, b.x0, line) || isAligned(a.x1, b.x1, line);
