import { z } from 'zod';
import { defineKind, param, ToolError } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

const MAX_TEXT_LENGTH = 1_000_000;

const operations = {
  upper: 'UPPER CASE',
  lower: 'lower case',
  capitalize: 'First letter upper',
  title: 'Every Word Upper',
  trim: 'Remove spaces at both ends',
  squeeze: 'Make runs of spaces one space',
  replace: 'Replace a text',
  between: 'Take what stands between two texts',
  truncate: 'Shorten',
  pad_start: 'Fill up at the start',
  pad_end: 'Fill up at the end',
  slug: 'For addresses (a-slug)',
  escape_html: 'Escape for HTML',
  length: 'Only count',
} as const;
type Operation = keyof typeof operations;

export const textTool = defineKind({
  kind: 'text',
  version: '1.0.0',
  title: 'Edit text',
  description: 'Changes case, trims, replaces, shortens or fills up a text, and counts its characters and words.',
  category: categories.data,
  icon: 'case-sensitive',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    text: param(z.string().max(MAX_TEXT_LENGTH), { label: 'Text', description: 'The text to work on.', type: 'text' }),
    operation: param(z.enum(Object.keys(operations) as [Operation, ...Operation[]]).default('trim'), {
      label: 'What to do',
      description: 'Each operation uses some of the other params.',
      options: Object.entries(operations).map(([value, label]) => ({ value, label })),
    }),
    find: param(z.string().max(10_000).default(''), {
      label: 'Find',
      description: 'The text to replace, or the one before what is taken.',
      visibleWhen: { operation: ['replace', 'between'] },
    }),
    replacement: param(z.string().max(100_000).default(''), {
      label: 'Replacement',
      description: 'What stands there instead.',
      visibleWhen: { operation: ['replace'] },
    }),
    until: param(z.string().max(10_000).default(''), {
      label: 'Until',
      description: 'The text after what is taken; the end when empty.',
      visibleWhen: { operation: ['between'] },
    }),
    length: param(z.coerce.number().int().min(1).max(100_000).default(100), {
      label: 'Length',
      description: 'In characters.',
      type: 'integer',
      visibleWhen: { operation: ['truncate', 'pad_start', 'pad_end'] },
    }),
    filler: param(z.string().min(1).max(100).default(' '), {
      label: 'Filler',
      description: 'What the text is filled up with.',
      visibleWhen: { operation: ['pad_start', 'pad_end'] },
    }),
    locale: param(z.string().max(35).default('en'), {
      label: 'Language',
      description: 'Decides what upper and lower case are, like tr.',
    }),
  }),
  output: z.object({ text: z.string(), length: z.int(), words: z.int() }),
  examples: [{ text: '  Quarterly Report ', operation: 'slug' }],
  run: (params) => {
    const text = edit(params);
    if (text.length > MAX_TEXT_LENGTH) throw new ToolError('text_too_long', 'The text grows too long.', false);
    return { output: { text, length: countCharacters(text), words: countWords(text) } };
  },
});

interface Edit {
  text: string;
  operation: Operation;
  find: string;
  replacement: string;
  until: string;
  length: number;
  filler: string;
  locale: string;
}

function edit({ text, operation, find, replacement, until, length, filler, locale }: Edit): string {
  switch (operation) {
    case 'upper':
      return inLocale(() => text.toLocaleUpperCase(locale));
    case 'lower':
      return inLocale(() => text.toLocaleLowerCase(locale));
    case 'capitalize':
      return inLocale(() => text.replace(/\p{L}/u, (letter) => letter.toLocaleUpperCase(locale)));
    case 'title':
      return inLocale(() => text.replace(/(?<![\p{L}\p{N}’'])\p{L}/gu, (letter) => letter.toLocaleUpperCase(locale)));
    case 'trim':
      return text.trim();
    case 'squeeze':
      return text.replace(/\s+/g, ' ').trim();
    case 'replace':
      return find === '' ? text : text.split(find).join(replacement);
    case 'between':
      return between(text, find, until);
    case 'truncate':
      return shorten(text, length);
    case 'pad_start':
      return fill(text, length, filler) + text;
    case 'pad_end':
      return text + fill(text, length, filler);
    case 'slug':
      return slug(text);
    case 'escape_html':
      return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
    case 'length':
      return text;
  }
}

function inLocale(change: () => string): string {
  try {
    return change();
  } catch (cause) {
    throw new ToolError('invalid_locale', 'There is no such language tag.', false, { cause });
  }
}

function between(text: string, find: string, until: string): string {
  const start = text.indexOf(find);
  if (start < 0) return '';
  const rest = text.slice(start + find.length);
  const end = until === '' ? -1 : rest.indexOf(until);
  return end < 0 ? rest : rest.slice(0, end);
}

function slug(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return words.join('-');
}

function shorten(text: string, length: number): string {
  if (text.length <= length || countCharacters(text) <= length) return text;
  // A character takes two places at most.
  const head = Array.from(text.slice(0, length * 2))
    .slice(0, length - 1)
    .join('');
  return `${head.slice(0, beforeSign(text, head.length))}…`;
}

const signs = new Intl.Segmenter();
/** Longer than what people see as one sign, such as a family of four with their colours. */
const LONGEST_SIGN = 100;

/** Where the sign begins that would be cut in two at `end`: a flag, a letter with its accents, an emoji of several. */
function beforeSign(text: string, end: number): number {
  const from = Math.max(0, end - LONGEST_SIGN);
  const at = signs.segment(text.slice(from, end + LONGEST_SIGN)).containing(end - from)?.index;
  return at === undefined || at === 0 ? end : from + at;
}

/** What is missing of the length, in whole characters. */
function fill(text: string, length: number, filler: string): string {
  const missing = length - countCharacters(text);
  if (missing <= 0) return '';
  const characters = Array.from(filler);
  return Array.from({ length: missing }, (_, index) => characters[index % characters.length]).join('');
}

/** Pairs of surrogates count once. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) if (isLeadingHalf(text.charCodeAt(at))) count -= 1;
  return count;
}

function isLeadingHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function countWords(text: string): number {
  let count = 0;
  for (const words = /\S+/g; words.test(text);) count += 1;
  return count;
}
