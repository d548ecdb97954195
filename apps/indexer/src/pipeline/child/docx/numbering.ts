import { childOf, childrenOf, type MarkupElement } from '../markup/element.js';

interface Level {
  format: string;
  /** `%1.%2`: what each number of the list is put into. */
  pattern: string;
  start: number;
}

const ROMAN: readonly [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];
const MAX_LEVELS = 9;

/** The numbers of Word's lists and headings, which stand in no text: they are counted as the document is read. */
export class Numbering {
  private readonly abstracts = new Map<string, Map<number, Level>>();
  private readonly lists = new Map<string, string>();
  private readonly ofStyles = new Map<string, { list: string; level: number }>();
  private readonly counters = new Map<string, number[]>();

  constructor(numbering: MarkupElement | null, styles: MarkupElement | null) {
    for (const each of childrenOf(numbering ?? undefined, 'w:abstractNum')) {
      const levels = childrenOf(each, 'w:lvl').map((level): [number, Level] => [
        Number(level.attributes['w:ilvl'] ?? 0),
        {
          format: value(level, 'w:numFmt') ?? 'decimal',
          pattern: value(level, 'w:lvlText') ?? '',
          start: Number(value(level, 'w:start') ?? 1),
        },
      ]);
      this.abstracts.set(each.attributes['w:abstractNumId'] ?? '', new Map(levels));
    }
    for (const each of childrenOf(numbering ?? undefined, 'w:num'))
      this.lists.set(each.attributes['w:numId'] ?? '', value(each, 'w:abstractNumId') ?? '');
    for (const style of childrenOf(styles ?? undefined, 'w:style')) {
      const properties = childOf(childOf(style, 'w:pPr'), 'w:numPr');
      const list = value(properties, 'w:numId');
      const level = Number(value(properties, 'w:ilvl') ?? 0);
      if (list !== undefined) this.ofStyles.set(style.attributes['w:styleId'] ?? '', { list, level });
    }
  }

  /** Counts a paragraph. @returns `2.1 `, `- `, or '' for one that is no point of any list; and its level from 0 */
  mark(properties: MarkupElement | undefined): { mark: string; level: number } {
    const own = childOf(properties, 'w:numPr');
    const styled = this.ofStyles.get(value(properties, 'w:pStyle') ?? '');
    const list = value(own, 'w:numId') ?? styled?.list ?? '0';
    const level = Math.min(Math.max(Number(value(own, 'w:ilvl') ?? styled?.level ?? 0) || 0, 0), MAX_LEVELS - 1);
    const abstract = this.lists.get(list) ?? '';
    const levels = this.abstracts.get(abstract);
    if (list === '0') return { mark: '', level };
    const declared = levels?.get(level);
    if (declared === undefined || declared.format === 'bullet') return { mark: '- ', level };
    const counters = this.count(abstract, level, levels);
    const written = declared.pattern.replace(/%([1-9])/g, (_, n: string) =>
      inFormat(counters[Number(n) - 1] ?? 1, levels?.get(Number(n) - 1)?.format ?? 'decimal'),
    );
    return { mark: written.trim() === '' ? '' : `${written.trim()} `, level };
  }

  private count(abstract: string, level: number, levels: Map<number, Level> | undefined): number[] {
    const counters = this.counters.get(abstract) ?? [];
    this.counters.set(abstract, counters);
    for (let n = 0; n < level; n += 1) counters[n] ??= levels?.get(n)?.start ?? 1;
    counters[level] = (counters[level] ?? (levels?.get(level)?.start ?? 1) - 1) + 1;
    counters.length = level + 1;
    return counters;
  }
}

function value(parent: MarkupElement | undefined, name: string): string | undefined {
  return childOf(parent, name)?.attributes['w:val'];
}

function inFormat(count: number, format: string): string {
  if (/none/i.test(format)) return '';
  if (format.endsWith('Roman') && count < 4000) return cased(roman(count), format);
  if (format.endsWith('Letter'))
    return cased(String.fromCodePoint(97 + ((count - 1) % 26)).repeat(Math.min(Math.ceil(count / 26), 9)), format);
  return format === 'decimalZero' ? String(count).padStart(2, '0') : String(count);
}

function cased(text: string, format: string): string {
  return format.startsWith('upper') ? text.toUpperCase() : text;
}

function roman(count: number): string {
  let left = count;
  return ROMAN.map(([size, letters]) => {
    const times = Math.floor(left / size);
    left -= times * size;
    return letters.repeat(times);
  }).join('');
}
