import { readDate } from '../coercion/read-date.js';
import type { AskedField } from './asked-field.js';
import { innerHits, labelHits, type LabelHit } from './label-hits.js';
import { ITEM_FIELDS, ITEM_LABELS, TOTALS } from './item-lexicon.js';
import { KNOWN_LABELS } from './lexicon.js';
import type { PageLayout, Segment } from './segment.js';

/** The labels of a document's pages, found once for all columns. */
export class DocumentLabels {
  private readonly own: ReadonlySet<string>;
  private readonly hits = new Map<string, { layout: PageLayout; hit: LabelHit }[]>();
  private readonly headers = new Set<Segment>();
  private readonly envelopes = new Set<Segment>();

  constructor(
    readonly layouts: readonly PageLayout[],
    asked: readonly AskedField[],
  ) {
    this.own = new Set(asked.flatMap(({ tiers }) => tiers.flatMap((tier) => [...tier])));
    for (const layout of layouts) {
      for (const row of layout.rows) this.readRow(layout, row);
      for (const segment of envelopesOf(layout)) this.envelopes.add(segment);
    }
  }

  private readRow(layout: PageLayout, row: readonly Segment[]): void {
    const isHeader = isItemHeader(row);
    for (const segment of row) {
      if (isHeader) this.headers.add(segment);
      const isLabel = (key: string) => this.isLabel(key);
      for (const hit of [...labelHits(segment, isLabel), ...innerHits(segment, isLabel)])
        for (const key of new Set(hit.keys)) {
          const places = this.hits.get(key);
          if (places) places.push({ layout, hit });
          else this.hits.set(key, [{ layout, hit }]);
        }
    }
  }

  of(key: string): readonly { layout: PageLayout; hit: LabelHit }[] {
    return this.hits.get(key) ?? [];
  }

  isLabel(key: string): boolean {
    return KNOWN_LABELS.has(key) || this.own.has(key);
  }

  /** Heads a column of line items: what stands below is of one item, not of the document. */
  headsItems(segment: Segment): boolean {
    return this.headers.has(segment);
  }

  /** Says who sent a message to whom and when, not what the message and its attachments say. */
  isOfEnvelope(segment: Segment): boolean {
    return this.envelopes.has(segment);
  }

  /** Whether a segment is a label itself, or begins with one. */
  isLabelled(segment: Segment): boolean {
    const hits = labelHits(segment, (key) => this.isLabel(key));
    return hits.some(({ colon, start, end, keys }) => {
      if (colon) return /\p{L}/u.test(segment.text.slice(0, start - segment.start));
      if (!keys.some((key) => this.isLabel(key))) return false;
      return start === end || isFigure(segment.text.slice(start - segment.start));
    });
  }
}

const ENVELOPE = /^(from|to|cc|date|sent|subject):/i;

/** Lines of the headers of messages, as mails begin with them, and as what is forwarded does. */
function envelopesOf({ rows }: PageLayout): Segment[] {
  const found: Segment[] = [];
  let run = new Map<string, Segment>();
  const close = () => {
    const isSent = run.has('subject') || run.has('sent') || /@/.test(run.get('from')?.text ?? '');
    if (run.has('from') && run.size > 1 && isSent) found.push(...run.values());
    run = new Map();
  };
  for (const [first] of rows) {
    const name = ENVELOPE.exec(first?.text ?? '')?.[1]?.toLowerCase();
    // Each stands once: a second one is of the text, or of the next message.
    if (name === undefined || run.has(name)) close();
    if (first !== undefined && name !== undefined) run.set(name, first);
  }
  close();
  return found;
}

/** "Net 30 days" and "Due on receipt" are what somebody says; "Net 30.00" and "Due on 3 March 2026" are labels with values. */
const isFigure = (text: string) =>
  /^[^\p{L}]*\d[^\p{L}]*(?:[A-Z]{3}[^\p{L}]*)?$/u.test(text) || 'day' in readDate(text, { dayFirst: true });

const ITEM_ONLY = new Set(
  ['description', 'quantity', 'unit_price', 'position', 'code'].flatMap(
    (name) => ITEM_FIELDS.get(name)?.tiers.flatMap((tier) => [...tier]) ?? [],
  ),
);

/** Three headings, two of them such as only tables of items have. */
export function isItemHeader(row: readonly Segment[]): boolean {
  if (row.length < 2) return false;
  const keys = row.map((segment) => labelHits(segment, () => false)[0]?.keys ?? []);
  const known = keys.filter((one) => one.some((key) => ITEM_LABELS.has(key))).length;
  const only = keys.filter((one) => one.some((key) => ITEM_ONLY.has(key))).length;
  return (
    (known >= 3 && only >= 2) ||
    (known === row.length && only >= 2) ||
    (known >= 2 &&
      only >= 1 &&
      row.length >= 3 &&
      known * 2 >= row.length &&
      keys.some((one) => one.some((key) => TOTALS.has(key))))
  );
}
