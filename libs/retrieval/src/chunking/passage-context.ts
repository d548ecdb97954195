import { shortened } from '../text/shortened.js';

/** Characters of a context; with the longest passage it still fits what encoders read. */
export const CONTEXT_LENGTH = 300;
const BETWEEN = ' · ';
const HEADINGS = 120;

export interface ContextParts {
  title: string;
  date: string;
  /** From the outermost to the innermost. */
  headings: readonly string[];
  /** First row of the table that goes on in the passage; '' elsewhere. */
  tableHeader: string;
}

/** `title · date · headings · header of the table`: by it a passage is also found, and models read it. */
export function contextOf({ title, date, headings, tableHeader }: ContextParts): string {
  const path = headings.filter((heading) => heading !== '' && !title.includes(heading));
  const before = [title, title.includes(date) ? '' : date, shortened(path.join(' › '), HEADINGS)].filter(Boolean);
  const context = before.join(BETWEEN);
  const room = CONTEXT_LENGTH - context.length - BETWEEN.length;
  if (tableHeader === '' || room < 20) return shortened(context, CONTEXT_LENGTH);
  return [...before, shortened(tableHeader, room)].join(BETWEEN);
}

/** What an encoder is given of a passage. */
export function textToEncode({ context, text }: { context: string; text: string }): string {
  return context === '' ? text : `${context}\n\n${text}`;
}
