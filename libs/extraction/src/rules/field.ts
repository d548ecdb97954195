import { labelKey } from './label-key.js';

/** What a value of a field looks like, where its column does not say it. */
export type FieldKind =
  | 'identifier'
  | 'date'
  | 'money'
  | 'percent'
  | 'number'
  | 'party'
  | 'phone'
  | 'email'
  | 'iban'
  | 'code'
  | 'text';

export interface Field {
  kind: FieldKind;
  /** Keys of its labels, in tiers: a later one counts where none of an earlier one stands in the document. */
  tiers: ReadonlySet<string>[];
}

export const keys = (labels: string): string[] => labels.split('|').map(labelKey).filter(Boolean);
export const field = (kind: FieldKind, ...tiers: string[]): Field => ({
  kind,
  tiers: tiers.map((labels) => new Set(keys(labels))),
});
