import { cutText } from '@app/common';
import { countLines, csvHeader, describeShape } from './result-shape.js';
import { type ResultValue, toResultValue, valueAt } from './result-value.js';
import { searchResult } from './search-result.js';

export interface ResultReading {
  path?: string;
  search?: string;
  offset?: number;
  limit?: number;
  unit?: 'lines' | 'characters';
}

const HITS = 5;
const HIT_CHARACTERS = 700;
const AROUND_SHARE = 0.4;

/** What is asked of a result, within so many characters; what it leaves out is said with where it goes on. */
export async function readResult(
  text: string,
  asked: ResultReading,
  characters: number,
  signal?: AbortSignal,
): Promise<string> {
  const whole = toResultValue(text);
  const found = selected(whole, asked.path ?? '');
  if (found === null)
    return `There is nothing at the path ${JSON.stringify(asked.path)}. What there is:\n${describeShape(whole)}`;
  if (asked.search !== undefined && asked.search.trim() !== '') return search(found, asked, characters, signal);
  if (found.kind === 'text') return readText(found.text, asked, characters);
  return Array.isArray(found.value)
    ? readItems(found.value, asked, characters)
    : readText(JSON.stringify(found.value, null, 1), asked, characters);
}

/** Null where there is nothing. */
function selected(whole: ResultValue, path: string): ResultValue | null {
  if (path.trim() === '') return whole;
  if (whole.kind === 'text') return ['/', '$'].includes(path.trim()) ? whole : null;
  const value = valueAt(whole.value, path);
  if (value === undefined) return null;
  return typeof value === 'string' ? toResultValue(value) : { kind: 'json', value };
}

async function search(
  value: ResultValue,
  { search: query = '', offset = 0 }: ResultReading,
  characters: number,
  signal?: AbortSignal,
): Promise<string> {
  const hits = await searchResult(value, query, signal);
  if (hits.length === 0)
    return `No part of it has any of these words. Use other words, or read on with offset. What there is:\n${describeShape(value)}`;
  const header = value.kind === 'text' ? csvHeader(value.text) : null;
  const shown: string[] = [];
  let room = characters - 300 - (header?.line.length ?? 0);
  for (const { place, text } of hits.slice(offset, offset + HITS)) {
    const line = `[${place}] ${excerpt(text, query, Math.min(HIT_CHARACTERS, room))}`;
    if (shown.length > 0 && line.length > room) break;
    shown.push(line);
    room -= line.length + 1;
  }
  const next = offset + shown.length;
  const more = next < hits.length ? ` Further ones: the same search with offset ${next}.` : '';
  const about = `${hits.length} parts have words of the search; here are ${offset + 1} to ${next}, the best first.${more}`;
  return [about, ...(header ? [`Columns: ${cutText(header.line, HIT_CHARACTERS)}`] : []), ...shown].join('\n');
}

/** Around the first of the words, where it is too long. */
function excerpt(text: string, query: string, characters: number): string {
  if (text.length <= characters) return text;
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2);
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const first = places.length > 0 ? Math.min(...places) : 0;
  const from = Math.max(0, Math.min(first - Math.floor(characters * AROUND_SHARE), text.length - characters));
  const piece = text.slice(from, from + characters).toWellFormed();
  return `${from > 0 ? '…' : ''}${piece}${from + characters < text.length ? '…' : ''}`;
}

function readText(text: string, { offset = 0, limit, unit = 'lines' }: ResultReading, characters: number): string {
  if (unit === 'characters') return readCharacters(text, offset, Math.min(limit ?? characters, characters));
  const lines = countLines(text);
  const starts = lineStarts(text, offset, limit ?? lines);
  const [from] = starts;
  if (from === undefined) return `There are ${lines} lines; nothing stands at offset ${offset}.`;
  const shown: string[] = [];
  let room = characters - 200;
  for (const start of starts) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? undefined : end);
    if (line.length > room) {
      if (shown.length > 0) break;
      const rest = `The line goes on: unit characters, offset ${start + room}.`;
      return `Line ${offset + 1} of ${lines}, its first ${room} of ${line.length} characters. ${rest}\n${line.slice(0, room).toWellFormed()}`;
    }
    shown.push(line);
    room -= line.length + 1;
  }
  const next = offset + shown.length;
  const more = next < lines ? ` It goes on at offset ${next}.` : '';
  return `Lines ${offset + 1} to ${next} of ${lines}.${more}\n${shown.join('\n')}`;
}

function lineStarts(text: string, offset: number, limit: number): number[] {
  const starts: number[] = [];
  let [start, line] = [0, 0];
  while (starts.length < Math.min(limit, 10_000)) {
    if (line >= offset) starts.push(start);
    const end = text.indexOf('\n', start);
    if (end === -1) break;
    [start, line] = [end + 1, line + 1];
  }
  return starts;
}

function readCharacters(text: string, offset: number, limit: number): string {
  if (offset >= text.length) return `There are ${text.length} characters; nothing stands at offset ${offset}.`;
  const end = Math.min(text.length, offset + limit);
  const more = end < text.length ? ` It goes on at offset ${end}.` : '';
  return `Characters ${offset} to ${end} of ${text.length}.${more}\n${text.slice(offset, end).toWellFormed()}`;
}

function readItems(items: readonly unknown[], { offset = 0, limit }: ResultReading, characters: number): string {
  if (offset >= items.length) return `There are ${items.length} items; nothing stands at offset ${offset}.`;
  const shown: string[] = [];
  let room = characters - 200;
  for (const [index, item] of items.slice(offset, offset + (limit ?? items.length)).entries()) {
    const line = JSON.stringify(item) ?? 'null';
    if (line.length > room) {
      if (shown.length > 0) break;
      const place = `/${offset + index}`;
      return `Item ${offset + index} of ${items.length} (path ends in ${place}), its first ${room} of ${line.length} characters; read it by its path.\n${line.slice(0, room).toWellFormed()}`;
    }
    shown.push(line);
    room -= line.length + 1;
  }
  const next = offset + shown.length;
  const more = next < items.length ? ` It goes on at offset ${next}.` : '';
  return `Items ${offset} to ${next - 1} of ${items.length}, counted from 0.${more}\n${shown.join('\n')}`;
}
