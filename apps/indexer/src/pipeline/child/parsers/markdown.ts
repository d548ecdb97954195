import type { Parser } from '../parser.js';
import { emitText, readText } from './text.js';

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;
/** `|---|:--:|`: at least one column, nothing but dashes, colons and bars. */
const DELIMITERS = /^[\s|:-]*-[\s|:-]*$/;

/** Markdown as it is written, but tables as everywhere: a row on each line, ` | ` between its cells, no line of dashes. */
export const parseMarkdown: Parser = async (request, sink) => emitText(plainTables(await readText(request.path)), sink);

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
