import { cutLine } from '@app/common';
import { pointerStep, type ResultValue } from './result-value.js';

const MAX_KEYS = 40;
const MAX_DEPTH = 3;
const MAX_SHAPE = 1_500;
const SAMPLED_LINES = 20;
const LONG_TEXT = 300;
const DELIMITERS = [',', ';', '\t', '|'];

/** What a result is made of, in a few lines: kind, number of rows, keys and lines, columns, and where long texts stand. */
export function describeShape(value: ResultValue): string {
  const shape = value.kind === 'text' ? textShape(value.text) : jsonShape(value.value, '', 0).join('\n');
  return shape.length > MAX_SHAPE ? `${shape.slice(0, MAX_SHAPE)} …` : shape;
}

/** The first line, where it names the columns of what follows. */
export function csvHeader(text: string): { line: string; columns: string[] } | null {
  const lines = text
    .slice(0, 50_000)
    .split('\n', SAMPLED_LINES + 1)
    .slice(0, SAMPLED_LINES)
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line !== '');
  if (lines.length < 3) return null;
  const counts = (delimiter: string) => lines.map((line) => line.replaceAll(/"[^"]*"/g, '').split(delimiter).length);
  const delimiter = DELIMITERS.find((one) => {
    const [first, ...others] = counts(one);
    return first! > 1 && others.every((count) => count === first);
  });
  if (delimiter === undefined) return null;
  const line = lines[0]!;
  return { line, columns: line.split(delimiter).map((name) => name.replaceAll(/^"|"$/g, '')) };
}

export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function textShape(text: string): string {
  const lines = countLines(text);
  const header = csvHeader(text);
  if (!header) return `Text: ${lines} lines, ${text.length} characters.`;
  const columns = header.columns.slice(0, MAX_KEYS).map((name) => cutLine(name, 60));
  return `Table as text: ${lines} lines, ${header.columns.length} columns: ${columns.join(', ')}`;
}

function jsonShape(value: unknown, path: string, depth: number): string[] {
  const at = path === '' ? 'JSON' : path;
  if (Array.isArray(value)) {
    const [first] = value as unknown[];
    const items = `${at}: array of ${value.length}${isObject(first) ? ` objects with ${keysOf(first)}` : ''}`;
    return isObject(first) && depth < MAX_DEPTH ? [items, ...longTexts(first, `${path}/0`)] : [items];
  }
  if (isObject(value)) {
    const members = Object.entries(value).slice(0, MAX_KEYS);
    const own = `${at}: object with ${keysOf(value)}`;
    if (depth >= MAX_DEPTH) return [own];
    const below = members
      .filter(([, one]) => typeof one === 'object' && one !== null)
      .flatMap(([key, one]) => jsonShape(one, path + pointerStep(key), depth + 1));
    return [own, ...below, ...longTexts(value, path)];
  }
  return [`${at}: ${typeof value}`];
}

function longTexts(value: object, path: string): string[] {
  return Object.entries(value)
    .slice(0, MAX_KEYS)
    .flatMap(([key, one]) =>
      typeof one === 'string' && one.length > LONG_TEXT
        ? [`${path}${pointerStep(key)}: text of ${one.length} characters, ${countLines(one)} lines`]
        : [],
    );
}

function keysOf(value: object): string {
  const keys = Object.keys(value);
  const more = keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : '';
  return `${keys
    .slice(0, MAX_KEYS)
    .map((key) => cutLine(key, 60))
    .join(', ')}${more}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
