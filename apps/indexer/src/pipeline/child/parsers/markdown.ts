import type { Parser } from '../parser.js';
import { emitText, readText } from './text.js';

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;
/** `|---|:--:|`: at least one column, nothing but dashes, colons and bars. */
const DELIMITERS = /^[\s|:-]*-[\s|:-]*$/;

/** `[//]: # (a remark)`, as people write what no page shows. */
const REMARK = /^ {0,3}\[(?:\/\/|comment)\]:\s*(?:#|<>)/i;
/** Code of a line, which shows what it holds, or the beginning of an element that pages made of it do not show. */
const UNSEEN =
  /(`+)[^`]+\1(?!`)|<(?:(?<always>script|style|template)\b(?:[^<>"']|"[^"<>]{0,500}"|'[^'<>]{0,500}'){0,1000}|(?<hidden>[a-z][a-z\d]*)(?:[^<>"']|"[^"<>]{0,500}"|'[^'<>]{0,500}'){0,1000}?\s(?:hidden(?=[\s=/>])|style\s*=\s*["'][^"'<>]{0,500}display\s*:\s*none)[^<>]{0,1000})>/gi;

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
    if (prose.length > 0) kept.push(withoutUnseen(prose.join('\n')));
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

/** Without the elements that no reader sees, to their ends; one that is never closed stays. */
function withoutUnseen(text: string): string {
  const unclosed = new Set<string>();
  let kept = '';
  let at = 0;
  UNSEEN.lastIndex = 0;
  for (let found = UNSEEN.exec(text); found; found = UNSEEN.exec(text)) {
    const name = (found.groups?.['always'] ?? found.groups?.['hidden'])?.toLowerCase();
    if (name === undefined || unclosed.has(name)) continue;
    const closing = new RegExp(`</${name}\\s*>`, 'gi');
    closing.lastIndex = UNSEEN.lastIndex;
    if (closing.test(text)) {
      kept += text.slice(at, found.index);
      at = closing.lastIndex;
      UNSEEN.lastIndex = at;
    } else unclosed.add(name);
  }
  return kept + text.slice(at);
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
