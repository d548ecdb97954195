import type { CoercionHints } from '../coercion/coercion.js';
import { readDate } from '../coercion/read-date.js';
import type { ExtractedValue } from '../cells/cell-evidence.js';
import type { AskedField } from './asked-field.js';
import { found, missing, placeOf, type Place } from './evidence.js';
import { labelKey } from './label-key.js';
import { readField } from './read-field.js';
import type { PageLayout, Segment } from './segment.js';

const SCORE = 0.9;
/** Longer than any date with its weekday, in words. */
const MOST_WORDS = 6;
const MOST_LENGTH = 400;
/** What says within a sentence by when something has to be paid. */
const DUE =
  /(?<![\p{L}\p{N}])(?:(?:payment|payable|pay|(?:to|must|should) be (?:paid|settled|remitted)|settle|remit|due(?: for payment)?)(?: is| be)?(?: due)? (?:by|before|until|on or before|no later than|latest by)|(?:payment|amount|balance|invoice)(?: is)? due(?: on| by)?|(?:zahlbar|zu zahlen|fällig|zahlung|überweis\p{L}+)(?: spätestens)? (?:bis(?: zum| spätestens(?: zum)?)?|am|zum)|(?:überweisen|zahlen|bezahlen|begleichen)(?: \p{L}+){0,7} bis(?: spätestens)?(?: zum)?|(?:pay|settle|remit)(?: \p{L}+){1,5} (?:by|before|until)|(?:payer|régler|regler)(?: \p{L}+){1,5} avant(?: le)?|spätestens (?:bis zum|bis|am|zum)|(?:à|a) (?:payer|régler|regler) (?:avant|au plus tard|pour)(?: le)?|payable (?:avant|au plus tard)(?: le)?|échéance (?:le|au)|(?:pagadero|pagar|a pagar) (?:antes del?|hasta el)|vence el|(?:يستحق|مستحق|تستحق)(?: السداد| الدفع)?(?: في| بتاريخ| قبل)|(?:يرجى )?(?:السداد|الدفع) (?:قبل|بحلول))(?: dem| den)?[:\s]+/giu;
/** Before it in its sentence: what is due of something else, was due, or is only if. */
const OTHER =
  /(?<![\p{L}\p{N}])(?:if|unless|when|was|were|previous|last|overdue|deposit|instal+ments?|first|second|wenn|falls|sofern|vorherige\p{L}*|letzte\p{L}*|anzahlung|rate|raten|si|acompte|dernière?|précédente?|anticipo|última|إذا|السابقة?|دفعة)(?![\p{L}\p{N}])/iu;
/** Behind a date: a rate off for those who pay until then, or another date. */
const CONDITION =
  /%|٪|skonto|discount|rabatt|escompte|descuento|خصم|(?<![\p{L}\d] ?)20\d{2}(?! ?\d)|(?<![\d./-])\d{1,2}[./-]\d{1,2}(?:\.|[./-]\d{2,4})(?![\d/])/iu;
/** "Stuttgart, den 7. März 2026", "Fait à Lyon, le 3 mars 2026", "الرياض، 3 مارس 2026". */
const DATELINE =
  /^(?:fait à |en |dated )?(\p{L}[\p{L}\p{M}.'’ -]{1,40}?)(?:[,،]\s*(?:den |dem |le |the |il |a |el |في )?|\s(?:den |le )|\s+في\s+)(?=\P{L}*\d|\p{L}+\s)(.+)$/iu;
const ARTICLE = /[,،\s]\s*(?:den|le|في)\s+\P{L}*\d|^fait à/iu;
const WEEKDAYS = new Set(
  (
    'monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so ' +
    'lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miercoles jueves viernes sabado domingo الاحد احد الاثنين اثنين الثلاثاء ثلاثاء الاربعاء اربعاء الخميس خميس الجمعه جمعه السبت سبت'
  ).split(' '),
);
/** A letter's own date is an invoice's where the letter is one. */
const INVOICE = /invoice|rechnung|facture|factura|fattura|فاتورة/iu;

interface DateAt {
  start: number;
  length: number;
}

/** The longest date that a text begins with, and what follows it. */
export function leadingDate(text: string, hints: CoercionHints): DateAt | null {
  const lead = text.length - text.trimStart().length;
  const ends = [...text.matchAll(/\S+/gu)].slice(0, MOST_WORDS).map((word) => word.index + word[0].length);
  for (const end of ends.toReversed()) {
    const words = text.slice(lead, end).replace(/[,;.)]+$/u, '');
    const read = readDate(words, hints);
    if (('day' in read && read.rest === '') || ('problem' in read && read.problem === 'ambiguous_date'))
      return { start: lead, length: words.length };
  }
  return null;
}

/** A due date, or the date of a letter, where no label stands beside it; null where there is none to be read. */
export function dateInSentence(
  asked: AskedField,
  layouts: readonly PageLayout[],
  hints: CoercionHints,
  isLabel: (key: string) => boolean,
): ExtractedValue | null {
  if (asked.kind !== 'date') return null;
  const all = layouts.map(({ page }) => page.text.slice(0, 20_000)).join('\n');
  const find =
    asked.field === 'due_date'
      ? dueIn
      : asked.field === 'date' || (asked.field === 'invoice_date' && INVOICE.test(all))
        ? (text: string) => datelineIn(text, isLabel, all)
        : null;
  if (find === null) return null;
  const values = new Map<string, ExtractedValue>();
  for (const layout of layouts)
    for (const segment of layout.rows.flat()) {
      const place = placeIn(find(segment.text.slice(0, MOST_LENGTH), hints), layout, segment);
      if (place === null) continue;
      if (place === 'doubt') return missing('several_values');
      const [part] = place.parts;
      const read = readField(asked, layout.page.text.slice(part?.start, part?.end), hints);
      if ('problem' in read) return missing(read.problem);
      values.set(JSON.stringify(read.value), found(read.value, place, SCORE));
    }
  const [only] = values.values();
  return values.size > 1 ? missing('several_values') : (only ?? null);
}

function placeIn(at: DateAt | 'doubt' | null, layout: PageLayout, segment: Segment): Place | 'doubt' | null {
  if (at === null || at === 'doubt') return at;
  const start = segment.start + at.start;
  return placeOf(layout, segment, start, start + at.length);
}

function dueIn(text: string, hints: CoercionHints): DateAt | 'doubt' | null {
  for (const match of text.matchAll(DUE)) {
    const from = match.index + match[0].length;
    const date = leadingDate(text.slice(from), hints);
    const sentence =
      text
        .slice(0, match.index)
        .split(/[.!?؟](?=\s)/u)
        .at(-1) ?? '';
    if (date === null || OTHER.test(sentence) || OTHER.test(match[0])) continue;
    return CONDITION.test(text.slice(from + date.start + date.length))
      ? 'doubt'
      : { start: from + date.start, length: date.length };
  }
  return null;
}

/** @param all the document: a place that no article follows stands in somebody's address, too */
function datelineIn(text: string, isLabel: (key: string) => boolean, all: string): DateAt | null {
  const match = DATELINE.exec(text.trim());
  const [, place = '', rest = ''] = match ?? [];
  const key = labelKey(place);
  if (match === null || key === '' || isLabel(key) || place.trim().split(/\s+/).length > 4) return null;
  if (WEEKDAYS.has(key) || !/^[\p{Lu}\p{Script=Arabic}]/u.test(place)) return null;
  const isLetter = ARTICLE.test(text) || all.split(place.trim()).length > 2;
  const date = isLetter ? leadingDate(rest, { dayFirst: true }) : null;
  if (date === null || /[\p{L}\p{N}]/u.test(rest.slice(date.start + date.length))) return null;
  const start = text.indexOf(rest, text.indexOf(place)) + date.start;
  return { start, length: date.length };
}
