import type { TextLine } from '../../extracted-page.js';

interface Size {
  width: number;
  height: number;
}

/**
 * Where a box of the picture that was read stands on the page as it is shown.
 * @param box x0, y0, x1, y1 in pixels of the turned picture
 * @param shown the page before it was turned
 * @param turn whole quarters, clockwise, by which it was turned first
 * @param skew degrees, clockwise, by which it was turned then, growing to hold its corners
 * @returns fractions of the page
 */
export function rectOnPage(
  box: readonly [number, number, number, number],
  read: Size,
  { shown, turn, skew }: { shown: Size; turn: number; skew: number },
): TextLine['rect'] {
  const upright = turn % 180 === 0 ? shown : { width: shown.height, height: shown.width };
  const [x0, y0, x1, y1] = box;
  // A line is long and flat: the ends of its middle, and half its height, make a closer box than its turned corners.
  const middle = (y0 + y1) / 2;
  const half = (y1 - y0) / 2;
  const ends = [x0, x1].map((x) => turnedBack(x, middle, skew, read, upright));
  const xs = ends.map(([x]) => x);
  const ys = ends.map(([, y]) => y);
  const corners = [
    [Math.min(...xs), Math.min(...ys) - half],
    [Math.max(...xs), Math.max(...ys) + half],
  ].map(([x = 0, y = 0]) => quarterBack(x / upright.width, y / upright.height, turn));
  const [[ax, ay] = [0, 0], [bx, by] = [1, 1]] = corners;
  return [clamp(Math.min(ax, bx)), clamp(Math.min(ay, by)), clamp(Math.max(ax, bx)), clamp(Math.max(ay, by))];
}

function turnedBack(x: number, y: number, degrees: number, from: Size, to: Size): [number, number] {
  const radians = (-degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  const [dx, dy] = [x - from.width / 2, y - from.height / 2];
  return [dx * cos - dy * sin + to.width / 2, dx * sin + dy * cos + to.height / 2];
}

/** In fractions: the point of the page that came to `x`, `y` when it was turned clockwise. */
function quarterBack(x: number, y: number, turn: number): [number, number] {
  if (turn === 90) return [y, 1 - x];
  if (turn === 180) return [1 - x, 1 - y];
  if (turn === 270) return [1 - y, x];
  return [x, y];
}

const clamp = (fraction: number) => Math.min(1, Math.max(0, fraction));
