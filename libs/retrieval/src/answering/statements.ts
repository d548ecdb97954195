import { fold } from '@app/common';
import { placeSentences, type Piece, type PlacedSentence } from './placed-sentences.js';
import { isLogLine, isRowLine } from '../text/blocks.js';
import { isHeading } from '../text/sentences.js';

/** What is quoted: a sentence with what makes a statement of it, such as a label with its value or a row with its header. */
export interface Statement {
  /** In the order of the text, apart from each other. */
  pieces: Piece[];
  /** The words that state it. */
  says: string;
  /** Headings above it, a question or introduction that it answers: not quoted. */
  under: string;
  /** The sentences before and after it. */
  beside: string;
  /** Lines and no running text: rows, or a label with its values. */
  isList: boolean;
  /** Too long to be quoted whole. */
  isCut: boolean;
  /** Whether it is a sentence that goes on from the statement before it, in the same paragraph. */
  goesOn: boolean;
}

/** No quote is longer. */
export const MAX_QUOTE = 600;
/** What a label, a heading or an introduction may bring. */
const MAX_VALUE = 320;
const MAX_VALUE_LINES = 8;
const MAX_FIELDS = 4;
/** Two sentences that answer together. */
const MAX_PAIR = 420;

const LABEL = /[:：]\**$|(?:\.\s?){4,}$|…{2,}\.*$|_{4,}$/;
/** What its author set apart at the head of a paragraph, as Markdown writes it: `**It does not start.** Try …`. */
const RUN_IN = /^\*\*[^*]+\*\*$/;
/** Of a message: each line says something of its own. */
const MAIL_HEAD =
  /^(?:from|to|cc|bcc|date|sent|subject|von|an|datum|gesendet|betreff|de|à|envoyé|objet|para|fecha|enviado|asunto|من|إلى|التاريخ|الموضوع):\s/iu;
const SUBJECT = /^(?:subject|betreff|objet|asunto|الموضوع):\s/iu;
const isRecord = (text: string) => !text.includes(' | ') && !text.startsWith('|');
const ASKS = /[?؟]["')\]»”]*$/;
/** Begins with a word that means something said before. */
const POINTS_BACK =
  /^(?:it|its|they|them|their|he|she|his|her|this|these|those|that|er|sie|es|dies|diese|dieser|dieses|il|elle|ils|elles|cela|ce|el|ella|ellos|ellas|esto|este|esta|وهو|وهي|هو|هي|هذا|هذه|كما|ويشمل)(?![\p{L}\p{M}])/u;

/** Dots that lead to a number, as in a table of contents, and in a balance sheet. */
const LEADS = /(?:\.\s?){5,}\s*(\d{1,4})(?![\d.,%])/;
const EVERY_LEAD = new RegExp(LEADS, 'g');
const FEWEST_ENTRIES = 4;

/** Whether a text has a table of contents: its numbers of pages rise, which figures of a balance sheet do not. */
function isContents(text: string): boolean {
  const pages = [...text.matchAll(EVERY_LEAD)].map(([, page]) => Number(page));
  return pages.length >= FEWEST_ENTRIES && pages.every((page, at) => at === 0 || page >= pages[at - 1]!);
}

interface Line extends PlacedSentence {
  kind: 'heading' | 'label' | 'question' | 'row' | 'field' | 'item' | 'prose';
}

/** Words with a figure behind them, and no colon: `Invoice number 88213`, `Total 4,310.00 EUR`, `Due date 2026-12-14`. */
const FIELD = /^\p{L}[^:;|]{1,60}\s[#№]?(?:\p{Lu}{1,4}[-/]?)?\d[\d.,'’/-]*(?:\s?(?:[%€$£]|\p{Lu}{3}))?$/u;
/** Nobody counts chapters or years with as many digits. */
const CODE = /\d{5,}(?:\s?(?:[%€$£]|\p{Lu}{3}))?$/u;

/** Of a column, as `2025` or `Q1 2025`. */
const ONLY_YEAR = /^\s*(?:\p{L}{1,12}\.? ?\d? ?)?(?:19|20)\d\d\s*$/u;

/** A line that could be a heading, and says something: its figure is a number of its own, or it stands among such lines. */
function isField(lines: readonly Line[], at: number): boolean {
  const { kind, text } = lines[at]!;
  if (kind !== 'heading' || !FIELD.test(text)) return false;
  const [previous, next] = [lines[at - 1], lines[at + 1]];
  const isAmong =
    (previous !== undefined && !lines[at]!.opens && FIELD.test(previous.text)) ||
    (next !== undefined && !next.opens && FIELD.test(next.text));
  return isAmong || CODE.test(text);
}

function isRunIn(lines: readonly Line[], at: number): boolean {
  const { kind, text } = lines[at]!;
  const next = lines[at + 1];
  return (kind === 'prose' || kind === 'heading') && RUN_IN.test(text) && next?.kind === 'prose' && !next.opens;
}

/** It repeats the words of a question about the message, and says nothing; it is the document's title anyway. */
function isSubject(lines: readonly Line[], at: number): boolean {
  const isHead = (line: Line | undefined) => line !== undefined && MAIL_HEAD.test(line.text);
  return SUBJECT.test(lines[at]!.text) && (isHead(lines[at - 1]) || isHead(lines[at + 1]));
}

/** `MSc in Chemistry, Leeds, 2015`, `German (native), English (C1)`: several things, with figures or brackets. */
const SAYS = /[,;] .*[\d(]|[\d(].*[,;] /u;
/** A year is no number of a section: `2016 – 2021 Design engineer, Malmö`. */
const NUMBERED = /^(?:§|\p{L}+ (?:\d+|[IVXLC]+)(?![\p{L}\p{N}])|(?!\d{4})\d+(?:[.)]\d+)*[.)]? )/u;

/** Looks like a heading, as lines of CVs, data sheets and slides do, and is a statement by itself. */
const saysSomething = (text: string) => SAYS.test(text) && !NUMBERED.test(text);

function kindOf(text: string): Line['kind'] {
  if (isRowLine(text)) return 'row';
  if (ASKS.test(text)) return 'question';
  if (isLogLine(text)) return 'item';
  if (LABEL.test(text)) return 'label';
  if (/^(?:[-*•–]|\d{1,2}[.)])\s/.test(text)) return /^\d/.test(text) && isHeading(text) ? 'heading' : 'item';
  return isHeading(text) && !/^[^:]{1,60}:\s+\S/.test(text) ? 'heading' : 'prose';
}

/**
 * Whatever a passage states, in its order.
 * @param header of the table that a passage begins within, which stands on an earlier one; '' elsewhere
 */
export function statementsOf(text: string, header = ''): Statement[] {
  const isEntry = isContents(text) ? (line: string) => LEADS.test(line) : () => false;
  const lines = placeSentences(text)
    .map((placed): Line => ({ ...placed, kind: kindOf(placed.text) }))
    .filter((line) => !isEntry(line.text))
    .map((line, at, all): Line => (isField(all, at) ? { ...line, kind: 'field' } : line))
    .map((line, at, all): Line => (isRunIn(all, at) ? { ...line, kind: 'label' } : line))
    .filter((_, at, all) => !isSubject(all, at));
  let [above, isBelow, intro, top]: [string[], boolean, string, number] = [[], false, '', -1];
  const hasHeader = header !== '' && lines[0]?.kind === 'row';
  return lines.flatMap((line, at): Statement[] => {
    const [previous, next] = [lines[at - 1], lines[at + 1]];
    if (line.kind === 'row') top = previous?.kind === 'row' && !line.opens ? top : at === 0 && hasHeader ? -1 : at;
    if (line.opens && line.kind !== 'item' && previous?.kind !== 'label' && previous?.kind !== 'question') intro = '';
    // The first of several pairs says what all of them are of: `Invoice number: | 4711` above `Due date: | 13 June`.
    const heads =
      line.kind !== 'row' ? '' : top < 0 ? header : top < at && isPair(lines[top]!.text) ? lines[top]!.text : '';
    const under = [...above, intro, heads].join('\n');
    const isOwn = line.kind === 'heading' && saysSomething(line.text) && next?.kind === 'heading';
    if ((line.kind === 'heading' && !isOwn) || line.kind === 'question') {
      above = isBelow ? [line.text] : [...above.slice(-3), line.text];
      isBelow = false;
    } else isBelow = true;
    if (line.kind === 'label') intro = line.text;
    const parts = partsOf(lines, at, top);
    if (parts === null) return [];
    const pieces = joinPieces(text, parts);
    const beside = [previous, next].filter((each) => each && !parts.includes(each) && each.kind !== 'heading');
    // A heading repeats a question's words and says nothing.
    const isNamed = line.kind === 'heading' && parts.length > 1;
    const says = parts.filter((part) => !isNamed || part !== line).map((part) => part.text);
    return [
      {
        pieces,
        says: says.join('\n'),
        under: isNamed ? `${under}\n${line.text}` : under,
        beside: beside.map((each) => each!.text).join('\n'),
        isList: line.kind !== 'prose' && line.kind !== 'item',
        isCut: pieces.at(-1)!.end < parts.at(-1)!.end,
        goesOn: line.kind === 'prose' && previous?.kind === 'prose' && !line.opens && !MAIL_HEAD.test(line.text),
      },
    ];
  });
}

/** `Due date: | 13 June`, `VAT 20% | £892.05`: a label with its value, which heads no other row. */
function isPair(row: string): boolean {
  const cells = row.split(' | ');
  if (cells.length !== 2 || row.startsWith('|')) return false;
  const [label, value] = cells;
  return /[:：]\s*$/u.test(label!) || (/\d/.test(value!) && !ONLY_YEAR.test(value!));
}

/** The lines that are quoted for one; null for one that says nothing by itself, as the header of a table. */
/** @param top index of the first row of the table, which is its header; -1 where that is elsewhere */
function partsOf(lines: readonly Line[], at: number, top: number): Line[] | null {
  const line = lines[at]!;
  switch (line.kind) {
    case 'row':
      if (top < 0 || isRecord(line.text) || isPair(lines[top]!.text)) return [line];
      if (top !== at) return [lines[top]!, line];
      return lines[at + 1]?.kind === 'row' && !lines[at + 1]!.opens ? null : [line];
    case 'question':
    case 'label':
      return withValue(lines, at);
    case 'heading':
      // What stands first is a title.
      return at === 0 ? null : (withValue(lines, at) ?? (saysSomething(line.text) ? [line] : null));
    case 'field':
      return fieldsAt(lines, at);
    case 'item':
    case 'prose': {
      const previous = lines[at - 1];
      const leans = POINTS_BACK.test(fold(line.text)) && previous?.kind === 'prose' && !line.opens;
      return leans && previous.text.length + line.text.length < MAX_VALUE ? [previous, line] : [line];
    }
  }
}

/** A few fields below each other are of one thing: what asks for one of them names it by another. Null for all but the first. */
function fieldsAt(lines: readonly Line[], at: number): Line[] | null {
  const goesOn = (n: number) => lines[n]?.kind === 'field' && !lines[n].opens;
  let [first, end] = [at, at + 1];
  while (first > 0 && goesOn(first) && lines[first - 1]!.kind === 'field') first -= 1;
  while (goesOn(end)) end += 1;
  if (end - first > MAX_FIELDS) return [lines[at]!];
  return first === at ? lines.slice(first, end) : null;
}

/** A label, heading or question with what stands below it; null when nothing does. */
function withValue(lines: readonly Line[], at: number): Line[] | null {
  const line = lines[at]!;
  const parts = [line];
  let length = line.text.length;
  for (let below = at + 1; below < lines.length && parts.length <= MAX_VALUE_LINES; below++) {
    const next = lines[below]!;
    length += next.text.length;
    const isFirst = parts.length === 1;
    if (next.kind === 'question' || next.kind === 'label') break;
    // A question within a chat is answered by the next message, if at all.
    if (!isFirst && isLogLine(line.text)) break;
    // Sentences below a heading speak for themselves; a short line is its value, as a name below a post.
    if (line.kind === 'heading' && (next.opens || !isFirst || next.kind !== 'heading')) break;
    if (next.kind === 'heading' && line.kind === 'question' && !isFirst) break;
    if (!isFirst && next.opens && next.kind !== 'item' && next.kind !== 'row') break;
    if (!isFirst && (length > MAX_VALUE || (line.kind === 'label' && isEnough(line, parts)))) break;
    if (isFirst && length > MAX_QUOTE) break;
    parts.push(next);
  }
  return parts.length > 1 ? parts : null;
}

/** Dotted leaders lead to one value; what stands after it is the next row. */
function isEnough(label: Line, parts: readonly Line[]): boolean {
  return !/[:：]\**$/.test(label.text) && parts.length > 1;
}

/** Two statements of which the second goes on from the first, as one. */
export function joinStatements(text: string, first: Statement, second: Statement): Statement | null {
  const pieces = joinPieces(text, [
    ...first.pieces,
    ...second.pieces.filter(({ start }) => start >= first.pieces.at(-1)!.end),
  ]);
  const length = pieces.reduce((sum, { start, end }) => sum + end - start, 0);
  if (length > MAX_PAIR) return null;
  return { ...first, pieces, says: `${first.says}\n${second.says}`, goesOn: false };
}

/** Lines that follow one another are one piece; what is too long ends at a space. */
function joinPieces(text: string, parts: readonly Piece[]): Piece[] {
  const pieces: Piece[] = [];
  let left = MAX_QUOTE;
  for (const { start, end } of parts) {
    const last = pieces.at(-1);
    // What parts them when they are shown.
    if (last) left -= 1;
    if (last && /^\s*$/.test(text.slice(last.end, start)) && end - start <= left) last.end = end;
    else if (left > 0) pieces.push({ start, end: end - start <= left ? end : cutAt(text, start, start + left) });
    left -= end - start;
  }
  return pieces;
}

function cutAt(text: string, start: number, end: number): number {
  const space = text.slice(start, end).search(/\s\S*$/);
  return space > 0 ? start + space : end;
}
