import { coerceValue } from '../coercion/coerce-value.js';
import type { CoercionHints } from '../coercion/coercion.js';
import { isCurrency } from '../coercion/currencies.js';
import { plainSigns } from '../coercion/plain-signs.js';
import type { CellValue } from '../columns/table-column.js';
import type { AskedField } from './asked-field.js';
import type { DocumentLabels } from './document-labels.js';
import type { Place } from './evidence.js';
import type { LabelHit } from './label-hits.js';
import { alignedRows, below, besides, gapTo, isAligned } from './neighbours.js';
import { readField } from './read-field.js';
import { readWords, WORDS } from './read-words.js';
import type { PageLayout, Segment } from './segment.js';

/** What stands at a label: a value, or why there is none; null where the label stands alone. */
export type LabelValue = { value: CellValue; place: Place; score: number } | { problem: string } | null;

/** Kinds whose values show what they are, so that a label of theirs may stand within a line. */
const PROVEN = new Set(['date', 'identifier', 'iban', 'email', 'phone']);
/** Labels of one word that are words of sentences and headings, too: their value stands in the same line. */
const WEAK = new Set(
  'invoice receipt order bestellung auftrag rechnung facture factura lieferschein tracking reference ref po no delivery fattura'.split(
    ' ',
  ),
);
/** How far a value may stand from its label, in heights of a line. */
const FAR = 80;
const NEAR = 14;
/** What stands closer is one thing, however a reader parted it. */
const CLOSE = 0.8;
const POINT = /^(?:[-*•–▪◦]|\d{1,2}[.)])\s+(?=\S)/u;
const MOST_POINTS = 100;
/** The line of a form that is to be written on. */
const LINE = /^[ \t:]*_{3}/;
const LINE_FROM = 12;
const SCORES = { same: 1, beside: 0.97, below: 0.95 };

/** Reads what a label says of a column. */
export class ValueReader {
  constructor(
    private readonly labels: DocumentLabels,
    private readonly hints: CoercionHints,
  ) {}

  read(asked: AskedField, key: string, layout: PageLayout, hit: LabelHit): LabelValue {
    const { segment } = hit;
    const rest = layout.page.text.slice(hit.start, hit.end);
    if (/[\p{L}\p{N}\p{S}]/u.test(rest)) return this.sameSegment(asked, key, layout, hit, rest);
    if (hit.inner) return null;
    if (asked.kind === 'percent' && /[%٪]/u.test(segment.text)) return null;
    if (WEAK.has(key) && asked.kind === 'identifier' && !hit.colon) return null;
    const listed = asked.column.outputType === 'list' ? this.listUnder(asked, layout, segment) : null;
    if (listed !== null) return listed;
    const beside = this.beside(asked, layout, hit);
    // What stands below a line that nobody filled in is the next thing, or says how to fill it in.
    const isBlank = LINE.test(layout.page.text.slice(segment.end, segment.end + LINE_FROM));
    const under = isBlank || this.labels.headsItems(segment) ? null : this.under(asked, layout, hit);
    return WORDS.has(asked.kind)
      ? this.choose(asked, layout, hit, beside, under)
      : this.first(layout, hit, beside, under);
  }

  /** The points right below a heading, up to what is none. */
  private listUnder(asked: AskedField, layout: PageLayout, heading: Segment): LabelValue {
    if ((layout.rows[heading.row]?.length ?? 0) > 1) return null;
    const parts: { segment: Segment; start: number; end: number }[] = [];
    const points: string[] = [];
    for (const row of layout.rows.slice(heading.row + 1, heading.row + 1 + MOST_POINTS)) {
      const [point, ...others] = row;
      const mark = POINT.exec(point?.text ?? '')?.[0];
      if (point === undefined || mark === undefined || others.length > 0) break;
      points.push(point.text.slice(mark.length).trim());
      // Marks between points are quoted, so that the quote stands in the document word for word.
      parts.push({ segment: point, start: point.start + (parts.length === 0 ? mark.length : 0), end: point.end });
    }
    if (points.length === 0) return null;
    const read = coerceValue(asked.column, points, this.hints);
    if ('problem' in read || read.value === null) return { problem: 'value_unreadable' };
    return { value: read.value, place: { layout, parts }, score: SCORES.below };
  }

  private sameSegment(asked: AskedField, key: string, layout: PageLayout, hit: LabelHit, rest: string): LabelValue {
    // Without a colon nothing says where a label ends and words begin.
    const isNumber = asked.kind === 'text' && / (?:no|id)$/.test(key) && /^\s*\S*\d\S*\s*$/u.test(rest);
    if (!hit.colon && !isNumber && (WORDS.has(asked.kind) || asked.kind === 'code')) return null;
    if (hit.inner && (WEAK.has(key) || !PROVEN.has(asked.kind))) return null;
    if (!hit.colon && WEAK.has(key) && !/^\s*\S*\d\S*\s*$/.test(rest)) return null;
    if (hit.unclear) return this.beforeNextLabel(asked, layout, hit, rest);
    const value = this.untilSeparator(asked, layout, hit, rest);
    // "Total including delivery 12.00" is another label, "Total excl. VAT 100.00" too.
    if ('problem' in value) return hit.colon || value.problem !== 'value_unreadable' ? value : null;
    const wraps = asked.kind === 'text' ? this.goOn(layout, hit, hit.segment, hit.segment.x0, true) : [];
    if (wraps.length > 0) return { problem: 'value_unreadable' };
    return { ...value, score: SCORES.same };
  }

  /** All behind the label, else what of it stands before a sign that parts pairs of labels and values. */
  private untilSeparator(
    asked: AskedField,
    layout: PageLayout,
    hit: LabelHit,
    rest: string,
  ): ReturnType<ValueReader['readAt']> {
    const whole = this.readAt(asked, layout, hit.segment, hit.start, hit.end);
    const separator = /[·•|;¦]| {2,}(?=\S)|\t/u.exec(rest.trimStart());
    if (!('problem' in whole) || separator === null || whole.problem !== 'value_unreadable') return whole;
    const end = hit.start + rest.length - rest.trimStart().length + separator.index;
    return this.readAt(asked, layout, hit.segment, hit.start, end);
  }

  /** "Ref: A1 Other thing: B2": words before the next colon are its label, if only one way of parting them leaves a value. */
  private beforeNextLabel(asked: AskedField, layout: PageLayout, hit: LabelHit, rest: string): LabelValue {
    const doubt = { problem: 'value_unreadable' };
    if (WORDS.has(asked.kind) || asked.kind === 'code') return doubt;
    const words = [...rest.matchAll(/\S+/gu)];
    let best: { value: CellValue; place: Place } | null = null;
    for (let at = 1; at < words.length && at < 12; at += 1) {
      const label = rest.slice(words[at]?.index);
      if (!/^[\p{Lu}\p{Script=Arabic}][^\d]*$/u.test(label) || label.trim().split(/\s+/u).length > 4) continue;
      const read = this.readAt(
        asked,
        layout,
        hit.segment,
        hit.start,
        hit.start + (words[at - 1]?.index ?? 0) + (words[at - 1]?.[0].length ?? 0),
      );
      if ('problem' in read) continue;
      if (best !== null && JSON.stringify(best.value) !== JSON.stringify(read.value)) return doubt;
      best = read;
    }
    return best === null ? doubt : { ...best, score: SCORES.beside };
  }

  /** In the row of the label: the first that is no unit alone. Sums beside each other are several. */
  private beside(asked: AskedField, layout: PageLayout, { segment, colon }: LabelHit): LabelValue {
    const others = besides(layout, segment);
    const values: { value: CellValue; place: Place; from: Segment }[] = [];
    let problem: string | null = null;
    for (const [at, other] of others.entries()) {
      if (gapTo(at === 0 ? segment : (others[at - 1] ?? segment), other) > layout.line * FAR) break;
      if (this.labels.isLabelled(other)) break;
      if (isCurrency(other.text) && at + 1 < others.length && asked.kind !== 'code') continue;
      const read = this.readAt(asked, layout, other, other.start, other.end, segment.rtl || other.rtl);
      // Words end what a label says: they are the next label, known or not.
      if ('problem' in read && !WORDS.has(asked.kind) && isWords(other.text) && !isCurrency(other.text)) {
        if (values.length === 0) problem ??= read.problem;
        break;
      }
      if ('problem' in read) problem ??= read.problem;
      else values.push({ ...read, from: other });
      if (!WORDS.has(asked.kind) && asked.kind !== 'identifier') continue;
      // What goes on right behind it may be the rest of it.
      const next = others[at + 1];
      if (next !== undefined && gapTo(other, next) < layout.line * CLOSE) return { problem: 'value_unreadable' };
      // A row of a table with a column for each of several things: nobody says of which.
      if (others.slice(at + 1).some((cell) => isOfKind(other.text, cell.text))) return { problem: 'several_values' };
      break;
    }
    const [first, ...more] = values;
    if (first === undefined) return problem === null ? null : { problem };
    const [one] = more.length === 0 ? [first] : sums(values);
    if (one === undefined) return { problem: 'several_values' };
    const parts =
      asked.kind === 'text'
        ? [...one.place.parts, ...this.goOn(layout, { colon, segment }, one.from, one.from.x0, false)]
        : one.place.parts;
    if (parts.length === 1) return { value: one.value, place: one.place, score: SCORES.beside };
    return this.joined(asked, layout, parts, SCORES.beside);
  }

  private joined(asked: AskedField, layout: PageLayout, parts: Place['parts'], score: number): LabelValue {
    const text = parts.map(({ start, end }) => layout.page.text.slice(start, end)).join(' ');
    const read = readField(asked, text, this.hints);
    return 'problem' in read ? read : { value: read.value, place: { layout, parts }, score };
  }

  /** Lines below a value that go on with it: in line with it, close, and nothing beside them where the label stands. */
  private goOn(
    layout: PageLayout,
    { segment: label }: Pick<LabelHit, 'segment' | 'colon'>,
    value: Segment,
    x0: number,
    same: boolean,
  ): Place['parts'] {
    if (label.address !== null || layout.scale === null) return [];
    const parts: { segment: Segment; start: number; end: number }[] = [];
    let last = value;
    for (const row of layout.rows.slice(value.row + 1, value.row + 4)) {
      const [next] = row.filter((other) =>
        value.rtl ? isAligned(other.x1, value.x1, layout.line) : isAligned(other.x0, x0, layout.line),
      );
      if (next === undefined || next.y0 - last.y1 > layout.line * 0.45 || this.labels.isLabelled(next)) break;
      if (row.some((other) => other !== next && isAligned(other.x0, label.x0, layout.line))) break;
      // A line that does not reach the end of the one before may be anything.
      if (same || row.length > 1) return same ? [] : parts;
      parts.push({ segment: next, start: next.start, end: next.end });
      last = next;
    }
    return parts;
  }

  private under(asked: AskedField, layout: PageLayout, { segment }: LabelHit): LabelValue {
    const one = below(layout, segment);
    if (one === null || this.labels.isLabelled(one)) return null;
    const read = this.readAt(asked, layout, one, one.start, one.end, segment.rtl || one.rtl);
    if ('problem' in read) return read;
    if (asked.kind === 'party') return { ...read, score: SCORES.below };
    const next = below(layout, one, asked.kind === 'text' ? 0.8 : 1.2);
    if (next !== null && !this.labels.isLabelled(next)) {
      // A column of such values, or a paragraph: the first of them is not the value.
      const isText = asked.kind === 'text';
      if (isText || !('problem' in this.readAt(asked, layout, next, next.start, next.end)))
        return { problem: 'several_values' };
    }
    return { ...read, score: SCORES.below };
  }

  /** Beside the label before below it, unless what is beside belongs to something else as likely. */
  private first(layout: PageLayout, { segment }: LabelHit, beside: LabelValue, under: LabelValue): LabelValue {
    if (beside === null || 'problem' in beside) return under === null || 'problem' in under ? (beside ?? under) : under;
    if (under === null || 'problem' in under) return beside;
    const [part] = beside.place.parts;
    const isFar = part !== undefined && gapTo(segment, part.segment) > layout.line * NEAR;
    return isFar ? { problem: 'several_values' } : beside;
  }

  /** Words say nothing of their kind: only the layout tells whether they are of the label beside or above. */
  private choose(
    asked: AskedField,
    layout: PageLayout,
    hit: LabelHit,
    beside: LabelValue,
    under: LabelValue,
  ): LabelValue {
    const isValue = (one: LabelValue) => one !== null && !('problem' in one);
    // It heads a row, and what stands below it heads the next.
    if (beside !== null && 'problem' in beside && beside.problem === 'several_values') return beside;
    const [part] = beside !== null && 'place' in beside ? beside.place.parts : [];
    const gap = part === undefined ? 0 : gapTo(hit.segment, part.segment) / layout.line;
    if (isValue(beside) && hit.colon && gap <= NEAR * 1.5) return beside;
    if (asked.kind === 'party' && isValue(under) && (!isValue(beside) || gap > 3)) return under;
    if (!isValue(under))
      return isValue(beside) && gap <= NEAR * 2 && this.isPair(layout, hit, part?.segment, under)
        ? beside
        : isValue(beside)
          ? null
          : (beside ?? under);
    if (!isValue(beside)) return under;
    if (part !== undefined && this.isPairTable(layout, hit.segment, part.segment)) return beside;
    return { problem: 'several_values' };
  }

  /** A label and a value, not two headings of a table. */
  private isPair(layout: PageLayout, hit: LabelHit, value: Segment | undefined, under: LabelValue): boolean {
    if (value === undefined) return false;
    if (hit.colon || this.labels.isLabel(hit.keys[0] ?? ''))
      return under === null || this.isPairTable(layout, hit.segment, value);
    return this.isPairTable(layout, hit.segment, value);
  }

  /** Rows of labels and values around: others of the first column are labels, too, and none of the second. */
  private isPairTable(layout: PageLayout, label: Segment, value: Segment): boolean {
    const rows = alignedRows(layout, label, value);
    if (rows.some(([, beside]) => this.labels.isLabelled(beside))) return false;
    return rows.some(([other]) => this.labels.isLabelled(other));
  }

  private readAt(
    asked: AskedField,
    layout: PageLayout,
    segment: Segment,
    from: number,
    to: number,
    rtl = segment.rtl,
  ): ReturnType<typeof readWords> {
    return readWords(asked, layout, { segment, from, to, rtl }, this.hints);
  }
}

/** Of numbers beside each other those that are surely money: with decimals or a currency. */
function sums<T extends { from: Segment }>(values: readonly T[]): [T] | [] {
  const money = values.filter(({ from }) => /[.,٫]\d{2}(?!\d)|\p{Sc}|[A-Z]{3}/u.test(from.text));
  const [one] = money;
  return money.length === 1 && one !== undefined ? [one] : [];
}

/** `2.1 kg` and `3.4 kg`, `IP67` and `IP68`: other figures in the same words. */
function isOfKind(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => text.trim().replace(/\d+(?:[.,]\d+)*/gu, '0'));
  return one.trim() !== other.trim() && left === right && left!.includes('0');
}

const isWords = (text: string) => /\p{L}{2}/u.test(text) && !/\d/.test(plainSigns(text));
