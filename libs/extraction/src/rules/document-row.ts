import type { ExtractedValue } from '../cells/cell-evidence.js';
import type { CoercionHints } from '../coercion/coercion.js';
import type { CellValue } from '../columns/table-column.js';
import type { SourcePage } from '../source/source-page.js';
import type { AskedField } from './asked-field.js';
import { dateInSentence } from './dates-in-sentences.js';
import type { DocumentLabels } from './document-labels.js';
import { found, missing } from './evidence.js';
import { keysOfName, labelKey, wordsOfName } from './label-key.js';
import { readField } from './read-field.js';
import { ValueReader, type LabelValue } from './read-value.js';
import { typedAnywhere } from './typed-values.js';

/** Of a label that stands in more places no value is to be trusted, and none is worth the time. */
const MOST_PLACES = 100;

/** Reads the values that a document has once. */
export class DocumentRow {
  private readonly values: ValueReader;

  constructor(
    private readonly labels: DocumentLabels,
    private readonly pages: readonly SourcePage[],
    private readonly hints: CoercionHints,
  ) {
    this.values = new ValueReader(labels, hints);
  }

  read(asked: AskedField): ExtractedValue {
    if (asked.understanding) return missing('model_not_configured');
    let reason = 'label_not_found';
    for (const [depth, tier] of asked.tiers.entries()) {
      // The plain date of an invoice is no order's.
      if (asked.field === 'order_date' && depth > 0 && this.isInvoice()) break;
      const field = this.ofFormField(asked, tier);
      if (field !== null) return field;
      const read = this.ofTier(asked, tier);
      const values = read.filter((one) => one !== null && 'place' in one);
      const [first] = values;
      if (first === undefined) {
        const problem = read.find((one) => one !== null && 'problem' in one);
        if (problem === undefined || problem === null || !('problem' in problem)) continue;
        // The label is there, and what it says is not what another label says.
        return (problem.problem === 'value_unreadable' ? this.inSentence(asked) : null) ?? missing(problem.problem);
      }
      if (new Set(values.map((one) => JSON.stringify(one.value))).size > 1) return missing('several_values');
      if (read.some((one) => one !== null && 'problem' in one && one.problem === 'several_values'))
        reason = 'several_values';
      return found(first.value, first.place, first.score);
    }
    return typedAnywhere(asked, this.labels.layouts) ?? this.inSentence(asked) ?? missing(reason);
  }

  private inSentence(asked: AskedField): ExtractedValue | null {
    return dateInSentence(asked, this.labels.layouts, this.hints, (key) => this.labels.isLabel(key));
  }

  private isInvoice(): boolean {
    return this.pages.some(({ text }) =>
      /invoice|rechnung|facture|factura|fattura|فاتورة/iu.test(text.slice(0, 20_000)),
    );
  }

  private ofTier(asked: AskedField, tier: ReadonlySet<string>): LabelValue[] {
    const read: LabelValue[] = [];
    const ofEnvelopes: LabelValue[] = [];
    const names = keysOfName(asked.column.name);
    for (const key of tier) {
      const places = this.labels.of(key);
      if (places.length > MOST_PLACES) return [{ problem: 'several_values' }];
      for (const { layout, hit } of places) {
        const isAside = this.labels.isOfEnvelope(hit.segment) && !names.includes(key);
        (isAside ? ofEnvelopes : read).push(this.values.read(asked, key, layout, hit));
      }
    }
    // Whoever sent the invoice is its supplier only where it names none.
    return read.some((one) => one !== null && 'place' in one) ? read : [...read, ...ofEnvelopes];
  }

  private ofFormField(asked: AskedField, tier: ReadonlySet<string>): ExtractedValue | null {
    const values: { value: CellValue; result: ExtractedValue }[] = [];
    for (const page of this.pages) {
      const isShown = page.isUnshown !== true;
      for (const { name, value, rect } of page.fields ?? []) {
        if (!tier.has(labelKey(wordsOfName(name)))) continue;
        const read = readField(asked, value, this.hints);
        if ('problem' in read) continue;
        const result = missing('');
        Object.assign(result.evidence, {
          status: 'anchored',
          quote: value,
          spans: isShown ? [{ page: page.number, rect }] : [],
          pageWidth: (isShown ? page.width : null) ?? null,
          pageHeight: (isShown ? page.height : null) ?? null,
          score: 1,
          anchor: 'exact',
          reason: null,
        });
        values.push({ value: read.value, result: { ...result, value: read.value } });
      }
    }
    const [first] = values;
    if (first === undefined) return null;
    return new Set(values.map((one) => JSON.stringify(one.value))).size > 1 ? missing('several_values') : first.result;
  }
}
