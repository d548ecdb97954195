import { cutText } from '@app/common';
import { SandboxError } from './sandbox-error.js';

export const REGEX_OPERATIONS = ['test', 'match', 'match_all', 'replace', 'split'] as const;

export interface RegexInput {
  operation: (typeof REGEX_OPERATIONS)[number];
  text: string;
  pattern: string;
  flags: string;
  replacement: string;
  limit: number;
}

export interface RegexMatch {
  text: string;
  /** Where it begins, counted in UTF-16 units. */
  index: number;
  groups: (string | null)[];
  named: Record<string, string | null>;
}

export interface RegexOutput {
  matched: boolean;
  count: number;
  matches: RegexMatch[];
  text: string;
  items: string[];
}

/** JavaScript's regular expressions, with all that backtracking can do: only for threads that can be killed. */
export function runRegex({ operation, text, pattern, flags, replacement, limit }: RegexInput): RegexOutput {
  const regex = compile(pattern, operation === 'replace' || operation === 'match_all' ? `${flags}g` : flags);
  const nothing: RegexOutput = { matched: false, count: 0, matches: [], text, items: [] };
  switch (operation) {
    case 'test':
      return { ...nothing, matched: regex.test(text) };
    case 'match': {
      const match = regex.exec(text);
      return match ? { ...nothing, matched: true, count: 1, matches: [toMatch(match)] } : nothing;
    }
    case 'match_all': {
      const matches: RegexMatch[] = [];
      for (const match of text.matchAll(regex)) if (matches.push(toMatch(match)) >= limit) break;
      return { ...nothing, matched: matches.length > 0, count: matches.length, matches };
    }
    case 'replace': {
      const count = [...text.matchAll(regex)].length;
      return { ...nothing, matched: count > 0, count, text: text.replace(regex, replacement) };
    }
    case 'split': {
      const items = text.split(regex, limit).map((part: string | undefined) => part ?? '');
      return { ...nothing, matched: items.length > 1, count: items.length, items };
    }
  }
}

function compile(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (cause) {
    throw new SandboxError('invalid_pattern', cutText((cause as Error).message, 300), { cause });
  }
}

function toMatch(match: RegExpExecArray): RegexMatch {
  const named = Object.entries(match.groups ?? {}).map(([name, value]): [string, string | null] => [
    name,
    value ?? null,
  ]);
  return {
    text: match[0],
    index: match.index,
    groups: match.slice(1).map((group: string | undefined) => group ?? null),
    named: Object.fromEntries(named),
  };
}
