import { keepNumber } from '@app/common';

const BULLET = /^\s*(?:[-*•·◦▪–—‣]|\d{1,3}[.)])\s+/u;
const MAX_JSON = 1_000_000;

/** JSON as it was meant; undefined for what is none. Numbers that JavaScript cannot hold come as texts. */
export function readJson(text: string): unknown {
  if (text.length > MAX_JSON) return undefined;
  try {
    return JSON.parse(text, keepNumber);
  } catch {
    return undefined;
  }
}

/**
 * The elements of a list as people write it: JSON, lines with or without bullets, parted by semicolons, else by commas with a
 * blank behind.
 */
export function readList(text: string): unknown[] {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) {
    const parsed = readJson(trimmed);
    if (Array.isArray(parsed)) return parsed as unknown[];
  }
  const plain = trimmed.startsWith('[') && trimmed.endsWith(']') ? trimmed.slice(1, -1) : trimmed;
  const lines = plain.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  if (lines.length > 1) return elements(lines.map((line) => line.replace(BULLET, '')));
  const line = plain.replace(BULLET, '');
  if (/[;؛]/u.test(line)) return elements(line.split(/[;؛]/u));
  if (/ • | · | \| /u.test(line)) return elements(line.split(/ [•·|] /u));
  return elements(line.split(/,\s+|،\s*/u));
}

const elements = (parts: readonly string[]) => parts.map((part) => part.trim()).filter((part) => part !== '');
