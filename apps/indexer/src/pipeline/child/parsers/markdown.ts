import type { Parser } from '../parser.js';
import { emitText, readText } from './text.js';

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;
/** `|---|:--:|`: at least one column, nothing but dashes, colons and bars. */
const DELIMITERS = /^[\s|:-]*-[\s|:-]*$/;

/** `[//]: # (a remark)`, as people write what no page shows. */
const REMARK = /^ {0,3}\[(?:\/\/|comment)\]:\s*(?:#|<>)/i;
/** Elements that pages made of it do not show, with what they hold. */
const UNSEEN =
  /<(script|style|template)\b[^<>]{0,1000}>[^]{0,20000}?<\/\1\s*>|<([a-z]+)\b[^<>]{0,1000}?\s(?:hidden\b|style\s*=\s*["'][^"'<>]{0,500}display\s*:\s*none)[^<>]{0,1000}>[^]{0,20000}?<\/\2\s*>/gi;

/**
 * Markdown as it is written, but without what its readers do not see, and with tables as everywhere: a row on each line,
 * ` | ` between its cells, no line of dashes.
 */
export const parseMarkdown: Parser = async (request, sink) =>
  emitText(plainTables(withoutRemarks(await readText(request.path))), sink);

/** Comments and hidden elements are left out, except where they are code. */
export function withoutRemarks(text: string): string {
  const kept: string[] = [];
  let prose: string[] = [];
  const endProse = () => {
    if (prose.length > 0) kept.push(prose.join('\n').replace(UNSEEN, ''));
    prose = [];
  };
  let fence: string | null = null;
  let isRemark = false;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [mark] = isRemark ? [] : (FENCE.exec(line)?.map((found) => found.trim()) ?? []);
    if (fence !== null) {
      kept.push(line);
      if (mark?.startsWith(fence)) fence = null;
    } else if (mark !== undefined) {
      endProse();
      kept.push(line);
      fence = mark;
    } else if (isRemark || !REMARK.test(line)) {
      const left = withoutComments(line, isRemark);
      // A line of nothing but a comment parts no paragraphs.
      if (left.text.trim() !== '' || line.trim() === '') prose.push(left.text);
      isRemark = left.isOpen;
    }
  }
  endProse();
  return kept.join('\n');
}

/** @param isOpen whether a comment of an earlier line goes on */
function withoutComments(line: string, isOpen: boolean): { text: string; isOpen: boolean } {
  let text = '';
  let at = 0;
  while (at < line.length) {
    if (isOpen) {
      const end = line.indexOf('-->', at);
      if (end < 0) return { text, isOpen };
      at = end + 3;
      isOpen = false;
      continue;
    }
    const [code] = /^(`+)[^`]+\1(?!`)/.exec(line.slice(at)) ?? [];
    if (code === undefined && line.startsWith('<!--', at)) {
      isOpen = true;
      at += 4;
    } else {
      const piece = code ?? /^(?:[^`<]+|`+|<)/.exec(line.slice(at))![0];
      text += piece;
      at += piece.length;
    }
  }
  return { text, isOpen };
}

export function plainTables(text: string): string {
  const lines = text.split(/\r\n|\n|\r/);
  const written: string[] = [];
  let fenced = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (FENCE.test(line)) fenced = !fenced;
    const next = lines[at + 1] ?? '';
    const columns = cellsOf(line).length;
    if (fenced || !line.includes('|') || !DELIMITERS.test(next) || cellsOf(next).length !== columns || columns < 2) {
      written.push(line);
      continue;
    }
    if (written.length > 0 && written.at(-1)?.trim() !== '') written.push('');
    written.push(cellsOf(line).join(' | '));
    for (at += 2; (lines[at] ?? '').includes('|'); at += 1) written.push(cellsOf(lines[at] ?? '').join(' | '));
    at -= 1;
    written.push('');
  }
  return written.join('\n');
}

/** Bars at the ends of a row part nothing; an escaped one is a letter. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
}
