import { ARTIFACT_LIMITS } from '@app/artifacts';
import { ValidationError } from '@app/common';

const MOST_ROWS = 200;
const MOST_BYTES = 256 * 1024;

export interface PageContext {
  state: Record<string, unknown>;
  rows: unknown[];
}

/** What the user sees of a page, as a client told it: data, and no more of it than fits. @throws ValidationError */
export function pageContextOf(given: Record<string, unknown> | null | undefined): PageContext | null {
  if (!given) return null;
  const { state = {}, rows = [] } = given;
  if (state !== null && (typeof state !== 'object' || Array.isArray(state)))
    throw refused('state', 'Expected a dictionary.');
  if (Buffer.byteLength(JSON.stringify(state)) > ARTIFACT_LIMITS.stateBytes)
    throw refused('state', `Ensure this field has no more than ${ARTIFACT_LIMITS.stateBytes} bytes of JSON.`);
  if (rows !== null && !Array.isArray(rows)) throw refused('rows', 'Expected a list.');
  const shown = (rows ?? []) as unknown[];
  if (shown.length > MOST_ROWS) throw refused('rows', `Ensure this field has no more than ${MOST_ROWS} elements.`);
  if (Buffer.byteLength(JSON.stringify(shown)) > MOST_BYTES)
    throw refused('rows', `Ensure this field has no more than ${MOST_BYTES} bytes of JSON.`);
  return { state: (state ?? {}) as Record<string, unknown>, rows: shown };
}

const refused = (field: string, why: string): ValidationError =>
  new ValidationError({ [`page_context.${field}`]: [why] });
