import type { ExtractedValue } from '../cells/cell-evidence.js';
import type { CoercionHints } from '../coercion/coercion.js';
import type { CellValue } from '../columns/table-column.js';
import type { SourcePage } from '../source/source-page.js';
import type { AskedField } from './asked-field.js';
import type { DocumentLabels } from './document-labels.js';
import { found, missing } from './evidence.js';
import { labelKey, wordsOfName } from './label-key.js';
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
    for (const tier of asked.tiers) {
      const field = this.ofFormField(asked, tier);
      if (field !== null) return field;
      const read = this.ofTier(asked, tier);
      const values = read.filter((one) => one !== null && 'place' in one);
      const [first] = values;
      if (first === undefined) {
        const problem = read.find((one) => one !== null && 'problem' in one);
        if (problem === undefined || problem === null || !('problem' in problem)) continue;
        // The label is there, and what it says is not what another label says.
        return missing(problem.problem);
      }
      if (new Set(values.map((one) => JSON.stringify(one.value))).size > 1) return missing('several_values');
      if (read.some((one) => one !== null && 'problem' in one && one.problem === 'several_values'))
        reason = 'several_values';
      return found(first.value, first.place, first.score);
    }
    return typedAnywhere(asked, this.labels.layouts) ?? missing(reason);
  }

  private ofTier(asked: AskedField, tier: ReadonlySet<string>): LabelValue[] {
    const read: LabelValue[] = [];
    for (const key of tier) {
      const places = this.labels.of(key);
      if (places.length > MOST_PLACES) return [{ problem: 'several_values' }];
      for (const { layout, hit } of places) read.push(this.values.read(asked, key, layout, hit));
    }
    return read;
  }

  private ofFormField(asked: AskedField, tier: ReadonlySet<string>): ExtractedValue | null {
    const values: { value: CellValue; result: ExtractedValue }[] = [];
    for (const page of this.pages)
      for (const { name, value, rect } of page.fields ?? []) {
        if (!tier.has(labelKey(wordsOfName(name)))) continue;
        const read = readField(asked, value, this.hints);
        if ('problem' in read) continue;
        const result = missing('');
        Object.assign(result.evidence, {
          status: 'anchored',
          quote: value,
          spans: [{ page: page.number, rect }],
          pageWidth: page.width ?? null,
          pageHeight: page.height ?? null,
          score: 1,
          anchor: 'exact',
          reason: null,
        });
        values.push({ value: read.value, result: { ...result, value: read.value } });
      }
    const [first] = values;
    if (first === undefined) return null;
    return new Set(values.map((one) => JSON.stringify(one.value))).size > 1 ? missing('several_values') : first.result;
  }
}
