import { isValidIBAN } from 'ibantools';
import { parseEmail } from '@app/common';
import type { ExtractedValue } from '../cells/cell-evidence.js';
import type { AskedField } from './asked-field.js';
import { found, placeOf } from './evidence.js';
import type { PageLayout } from './segment.js';

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,190}\.\p{L}{2,24}/gu;
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]){11,30}\b/g;
/** They prove themselves by how they are written, so that the only one of a document needs no label. */
const SCORE = 0.85;
const MOST = 50;

/** The only e-mail address or account of a document, for a column that asks for nothing more special; null: there is none, or several. */
export function typedAnywhere(
  { kind, field, column }: AskedField,
  layouts: readonly PageLayout[],
): ExtractedValue | null {
  if (kind !== 'email' && kind !== 'iban') return null;
  // "E-mail of the customer" is not answered by any address.
  if (field !== kind) return null;
  const pattern = kind === 'email' ? EMAIL : IBAN;
  const values = new Map<string, ExtractedValue>();
  for (const layout of layouts)
    for (const segment of layout.rows.flat())
      for (const match of segment.text.matchAll(pattern)) {
        const text = kind === 'iban' ? longestIban(match[0]) : match[0];
        if (text === null || (kind === 'email' && typeof parseEmail(text) !== 'string')) continue;
        const start = segment.start + match.index;
        const value = kind === 'iban' && column.format === 'iban' ? text.replaceAll(' ', '') : text;
        if (!values.has(value.toLowerCase()))
          values.set(value.toLowerCase(), found(value, placeOf(layout, segment, start, start + text.length), SCORE));
        if (values.size > MOST) return null;
      }
  const [only] = values.values();
  return values.size === 1 ? (only ?? null) : null;
}

/** What stands behind an account may look like more of it: the checksum tells. */
function longestIban(text: string): string | null {
  for (let end = text.length; end >= 15; end -= 1) {
    const part = text.slice(0, end);
    if (!part.endsWith(' ') && isValidIBAN(part.replaceAll(' ', ''))) return part;
  }
  return null;
}
