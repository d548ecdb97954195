import { shortened } from '../text/shortened.js';

/** Deeper than any numbering. */
const PLAIN = 8;
/** As many of the innermost headings are named. */
const NAMED = 3;
const LENGTH = 80;

const MARKDOWN = /^(#{1,6})\s+/;
const NUMBERED = /^(\d{1,3}(?:\.\d{1,3}){0,5})[.)]?\s+[^\s\d]/;
const PART =
  /^(?:chapter|part|section|article|annex|appendix|kapitel|teil|abschnitt|artikel|anlage|anhang|chapitre|partie|annexe|capítulo|artículo|capitolo|articolo|allegato|hoofdstuk|bijlage|§|الفصل|الباب|المادة|القسم)\s/iu;

/** 1 is the outermost. Null for a short line that names nothing: a date, an address, a field with its value. */
export function levelOf(heading: string): number | null {
  const marks = MARKDOWN.exec(heading)?.[1];
  if (marks) return marks.length;
  const number = NUMBERED.exec(heading)?.[1];
  if (number) return number.split('.').length;
  if (PART.test(heading)) return 1;
  const letters = heading.match(/\p{L}/gu)?.length ?? 0;
  const names = letters >= 3 && letters * 2 >= heading.length && !/^\p{Ll}|: |\t| {3}/u.test(heading);
  return names && heading.split(/\s+/).length <= 12 ? PLAIN : null;
}

/** What a heading says, without the marks of Markdown. */
export function wordsOf(heading: string): string {
  return heading
    .replace(MARKDOWN, '')
    .replace(/^[*_]+|[*_#]+$/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The headings that hold where a document is read, from the outermost to the innermost. */
export class HeadingPath {
  private open: { level: number; text: string }[] = [];

  enter(heading: string, level: number): void {
    this.open = this.open.filter((outer) => outer.level < level);
    this.open.push({ level, text: shortened(wordsOf(heading), LENGTH) });
  }

  /** Begins anew under the label of a slide or sheet. */
  reset(label: string): void {
    this.open = [{ level: 0, text: shortened(label, LENGTH) }];
  }

  names(): string[] {
    return this.open.slice(-NAMED).map(({ text }) => text);
  }
}
