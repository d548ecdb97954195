import type { GreyPicture } from './grey-picture.js';

const MOST_DEGREES = 8;
const COARSE = 0.5;
const FINE = 0.1;
/** More points make the sum slower, not truer. */
const MOST_POINTS = 60_000;
/** How much sharper the rows have to get by turning before we believe that the page is not straight. */
const GAIN = 1.08;

/**
 * Degrees by which a page has to be turned clockwise so that its lines lie level; 0 when that makes nothing clearer.
 * Seen from the side, level lines are high peaks with gaps between: the angle with the highest peaks wins.
 * @param picture upright, small (1,000 pixels a side are plenty)
 */
export function findSkew(picture: GreyPicture): number {
  const points = inkOf(picture);
  if (points.length < 400) return 0;
  const size = picture.width + picture.height;
  const straight = sharpness(points, 0, size);
  let best = { angle: 0, score: straight };
  const tryAngle = (angle: number) => {
    const score = sharpness(points, angle, size);
    if (score > best.score) best = { angle, score };
  };
  for (let angle = -MOST_DEGREES; angle <= MOST_DEGREES; angle += COARSE) tryAngle(angle);
  const around = best.angle;
  for (let angle = around - COARSE + FINE; angle < around + COARSE; angle += FINE) tryAngle(angle);
  return best.score > straight * GAIN ? Math.round(best.angle * 10) / 10 : 0;
}

/** The pixels of letters as x, y, x, y: what is darker than halfway between the page's extremes, if that is the less. */
function inkOf({ pixels, width, height }: GreyPicture): Int32Array {
  let [dark, light] = [255, 0];
  for (const value of pixels) {
    if (value < dark) dark = value;
    if (value > light) light = value;
  }
  const border = (dark + light) / 2;
  let ink = 0;
  for (const value of pixels) if (value < border) ink += 1;
  // White letters on black.
  const isInverted = ink > pixels.length / 2;
  const count = isInverted ? pixels.length - ink : ink;
  const step = Math.max(1, Math.ceil(count / MOST_POINTS));
  const points = new Int32Array(2 * Math.floor(count / step));
  let [seen, kept] = [0, 0];
  for (let at = 0; at < width * height && kept < points.length; at += 1) {
    if ((pixels[at] ?? 255) < border === isInverted) continue;
    seen += 1;
    if (seen % step !== 0) continue;
    points[kept] = at % width;
    points[kept + 1] = Math.floor(at / width);
    kept += 2;
  }
  return points.subarray(0, kept);
}

/** Sum of the squares of what lies in each row once the page is turned by `degrees`. */
function sharpness(points: Int32Array, degrees: number, size: number): number {
  const radians = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  const rows = new Float64Array(2 * size);
  for (let at = 0; at < points.length; at += 2) {
    const row = Math.round((points[at] ?? 0) * sin + (points[at + 1] ?? 0) * cos) + size;
    rows[row] = (rows[row] ?? 0) + 1;
  }
  let sum = 0;
  for (const row of rows) sum += row * row;
  return sum;
}
