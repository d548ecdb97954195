import { FUNCTION_WORDS } from './function-words.js';

/** Offsets (UTF-16 code units) into a text; `end` is behind the last one. */
export interface TextRange {
  start: number;
  end: number;
}

/** A paragraph, heading, item of a list or row of a table, without the white space around it. */
export interface Block extends TextRange {
  /** One line that belongs together whatever is in it. */
  isRow: boolean;
  /** A blank line stands before it, or nothing does. */
  afterBlank: boolean;
}

/** Ends as sentences and headings do, not in the middle of a printed line. */
const LINE_END = /[.!?:;؟۔…。！？：；]["'”’»)\]]{0,5}$/;
/** A printed line shorter than this ends because its paragraph does. */
const FULL_LINE = 45;
/** The same in a script whose signs are words. */
const FULL_LINE_OF_SIGNS = 18;
const SIGN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;
/** Items, headings of Markdown and rows stand alone. */
const STANDS_ALONE = /^[-*•▪‣◦|#]/;
/** `Header: value; Header: value`: a row of a spreadsheet. */
const NAMED_CELLS = /^[^:;]{1,80}: [^;]{0,200}; [^:;]{1,80}: /;
/** As much of a line as tells what it is. */
const LOOK = 400;

/** `2026-05-12 01:32`, `12.05.26, 14:33`, `12/May/2026:01:32`, `May 12 01:32:27`: a day and a time of it. */
const MOMENT =
  /(?:\d{4}[-/]\d\d[-/]\d\d[T ,]{1,2}\d\d:\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}:\d\d|\d\d\/\p{L}{3}\/\d{4}:\d\d:\d\d|\p{Lu}\p{Ll}{2} {1,2}\d{1,2} \d\d:\d\d:\d\d)/u
    .source;
/** Begins with one, or has it in brackets behind what asked, as web servers write. */
const LOGGED = new RegExp(`^(?:\\[?${MOMENT}|\\S{1,60} \\S{1,60} \\S{1,60} \\[${MOMENT})`, 'u');

/** Whether a line is an entry of a log or a message of an exported chat: it begins with its moment, and stands alone. */
export function isLogLine(line: string): boolean {
  return LOGGED.test(line.slice(0, LOOK));
}

/** Whether a line is a row of a table: cells parted by ` | `, or named ones. */
export function isRowLine(line: string): boolean {
  return line.startsWith('|') || line.includes(' | ') || NAMED_CELLS.test(line.slice(0, LOOK));
}

/** No sentence or heading ends with `on the` or with a comma. */
function isBroken(tail: string): boolean {
  return /[,،、，]$/.test(tail) || FUNCTION_WORDS.has(tail.slice(tail.lastIndexOf(' ') + 1).toLowerCase());
}

function runsOn(text: string, open: Block, last: TextRange, line: string): boolean {
  if (open.isRow || STANDS_ALONE.test(line)) return false;
  const tail = text.slice(Math.max(last.start, last.end - 30), last.end);
  if (LINE_END.test(tail)) return false;
  const length = open.end - open.start;
  return (
    length >= FULL_LINE || /^\p{Ll}/u.test(line) || isBroken(tail) || (SIGN.test(tail) && length >= FULL_LINE_OF_SIGNS)
  );
}

/** The blocks of a text, in order; all that is not white space is in one. Printed lines run on into the next one. */
export function* blocksOf(text: string): Generator<Block> {
  let open: Block | null = null;
  let last: TextRange = { start: 0, end: 0 };
  let afterBlank = true;
  for (let from = 0; from <= text.length;) {
    const feed = text.indexOf('\n', from);
    const to = feed === -1 ? text.length : feed;
    const raw = text.slice(from, to);
    const line = raw.trim();
    if (line === '') {
      if (open) yield open;
      open = null;
      afterBlank = true;
    } else {
      const start = from + (raw.length - raw.trimStart().length);
      const isRow = isRowLine(line) || isLogLine(line);
      if (open && !isRow && runsOn(text, open, last, line.slice(0, LOOK))) {
        open.end = start + line.length;
      } else {
        if (open) yield open;
        open = { start, end: start + line.length, isRow, afterBlank };
      }
      last = { start, end: start + line.length };
      afterBlank = false;
    }
    from = to + 1;
  }
  if (open) yield open;
}
