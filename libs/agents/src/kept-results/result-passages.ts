import { csvHeader } from './result-shape.js';
import { pointerStep, type ResultValue } from './result-value.js';

/** A part of a result that can be found: a few lines, a row, a record. */
export interface ResultPassage {
  /** As `read_result` takes it: `line 17`, `/items/3`. */
  place: string;
  text: string;
}

const PASSAGE = 500;
const OVERLAP = 80;
const RECORD = 1_200;
const MAX_PASSAGES = 200_000;

/** Cuts a result into what a search compares with its words. */
export function passagesOf(value: ResultValue): ResultPassage[] {
  const passages = value.kind === 'text' ? textPassages(value.text, '') : jsonPassages(value.value, '');
  return [...passages].slice(0, MAX_PASSAGES);
}

function* textPassages(text: string, path: string): Generator<ResultPassage> {
  const isTable = csvHeader(text) !== null;
  let pending: string[] = [];
  let pendingLength = 0;
  let first = 0;
  const prefix = path === '' ? '' : `${path} `;
  const placed = (from: number, to: number) =>
    `${prefix}${to > from ? `lines ${from + 1}-${to + 1}` : `line ${from + 1}`}`;
  for (const [number, line] of text.split('\n').entries()) {
    const isFull = isTable || pendingLength + line.length > PASSAGE;
    if (isFull && pending.length > 0) {
      yield { place: placed(first, number - 1), text: pending.join('\n') };
      [pending, pendingLength] = [[], 0];
    }
    if (line.length > RECORD) yield* longLine(line, placed(number, number));
    else {
      if (pending.length === 0) first = number;
      pending.push(line);
      pendingLength += line.length + 1;
    }
  }
  if (pending.length > 0) yield { place: placed(first, first + pending.length - 1), text: pending.join('\n') };
}

function* longLine(line: string, place: string): Generator<ResultPassage> {
  for (let at = 0; at < line.length; at += PASSAGE - OVERLAP)
    yield { place: `${place}, from its character ${at}`, text: line.slice(at, at + PASSAGE) };
}

function* jsonPassages(value: unknown, path: string): Generator<ResultPassage> {
  if (typeof value === 'string' && value.length > RECORD) {
    yield* textPassages(value, path || '/');
    return;
  }
  const isLeaf = typeof value !== 'object' || value === null;
  const text = isLeaf ? JSON.stringify(value) : smallJson(value);
  if (text !== null) yield { place: path || '/', text };
  else
    for (const [key, one] of Object.entries(value as object)) {
      if (typeof one === 'object' || (typeof one === 'string' && one.length > RECORD))
        yield* jsonPassages(one, path + pointerStep(key));
      else yield { place: path + pointerStep(key), text: `${key}: ${JSON.stringify(one)}` };
    }
}

/** Null where it is too large to be one record: such an array is looked at item by item. */
function smallJson(value: object): string | null {
  if (Array.isArray(value) && value.length > 20) return null;
  const text = JSON.stringify(value);
  return text.length > RECORD ? null : text;
}
