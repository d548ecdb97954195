import { ExtractionError } from '../../extraction-error.js';
import type { Parser } from '../parser.js';
import { emitText, readText } from './text.js';

/** A tree costs ten times its text. */
const MAX_CHARACTERS = 20_000_000;
/** Nobody writes deeper, and the walk below needs no more stack for it; a hostile file is refused before it is parsed. */
const MAX_DEPTH = 200;
/** A value costs fifty bytes and more, be it a digit in the file. */
const MAX_VALUES = 2_000_000;
const SHORT = 60;
/** Literals that may be more than a number of JavaScript holds. */
const DOUBTFUL = /\d{16}|\d\.\d{15}|\d[eE][+-]?\d{2}/;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/**
 * JSON: every value on a line with its path (`orders[2].customer.name: Ada`); a list of plain values on one line; records
 * of a list apart from each other. A file that holds a value on each line (NDJSON) is read line by line.
 */
export const parseJson: Parser = async (request, sink) => {
  const text = (await readText(request.path)).replace(/^\ufeff/, '');
  if (text.length > MAX_CHARACTERS)
    throw new ExtractionError('too_large', 'JSON files of more than 20 million characters cannot be read. Split it.');
  const { depth, values } = measure(text);
  if (depth > MAX_DEPTH)
    throw new ExtractionError('too_large', `The file is nested more than ${MAX_DEPTH} levels deep.`);
  if (values > MAX_VALUES)
    throw new ExtractionError('too_large', 'JSON files of more than 2 million values cannot be read. Split it.');
  await emitText(valuesOf(text).map(describeRecord).join('\n\n'), sink);
};

function valuesOf(text: string): Json[] {
  try {
    const value = parse(text);
    return Array.isArray(value) && value.some((each) => each !== null && typeof each === 'object') ? value : [value];
  } catch (error) {
    const lines = text.split(/\r\n|\n/);
    if (lines.filter((line) => line.trim() !== '').length < 2) throw notJson(error);
    return lines.flatMap((line, n) => {
      if (line.trim() === '') return [];
      try {
        return [parse(line)];
      } catch (lineError) {
        // Of a file that is one value, the error over the whole says where.
        throw n === 0 ? notJson(error) : notJson(lineError, n + 1);
      }
    });
  }
}

/** Numbers that JavaScript holds in part only are those that the file writes: their last digits would be others. */
function parse(text: string): Json {
  if (!DOUBTFUL.test(text)) return JSON.parse(text) as Json;
  return JSON.parse(text, (_name: string, value: Json, context?: { source?: string }): Json => {
    const written = typeof value === 'number' ? context?.source : undefined;
    return written !== undefined && DOUBTFUL.test(written) ? written : value;
  }) as Json;
}

function notJson(error: unknown, line?: number): ExtractionError {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  const where = line === undefined ? (position === undefined ? '' : ` at character ${position}`) : ` in line ${line}`;
  return new ExtractionError('damaged', `The file is not valid JSON${where}.`, { cause: error });
}

/** The deepest nesting and about how many values there are, counted without a tree: strings are passed over. */
function measure(text: string): { depth: number; values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) quoted = !quoted;
    else if (quoted) at += code === 0x5c ? 1 : 0;
    else if (code === 0x2c) values += 1;
    else if (code === 0x5b || code === 0x7b) {
      values += 1;
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return { depth: deepest, values };
}

function describeRecord(value: Json): string {
  const lines: string[] = [];
  describe(value, '', lines);
  return lines.join('\n');
}

function describe(value: Json, path: string, lines: string[]): void {
  if (value === null || typeof value !== 'object') lines.push(line(path, String(value)));
  else if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isShort)) lines.push(line(path, value.map(String).join(', ')));
    else value.forEach((each, n) => describe(each, `${path}[${n}]`, lines));
  } else {
    for (const [name, each] of Object.entries(value)) describe(each, path === '' ? name : `${path}.${name}`, lines);
  }
}

function isShort(value: Json): boolean {
  return value === null || (typeof value !== 'object' && String(value).length <= SHORT);
}

function line(path: string, value: string): string {
  return path === '' ? value : `${path}: ${value}`;
}
