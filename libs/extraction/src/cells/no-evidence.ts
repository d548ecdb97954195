import type { CellEvidence } from './cell-evidence.js';

/** Of a cell of which the document says nothing, or nothing that could be kept. @param reason a code */
export const noEvidence = (
  method: CellEvidence['method'],
  reason: string,
  model: string | null = null,
): CellEvidence => ({
  status: 'no_evidence',
  quote: '',
  spans: [],
  pageWidth: null,
  pageHeight: null,
  place: null,
  score: 0,
  ambiguous: false,
  method,
  anchor: 'none',
  reason,
  model,
});
