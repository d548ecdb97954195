import type { ExtractedValues } from '@app/extraction/kit';
import type { RulesRequest } from '../child-messages.js';
import { ExtractionError } from '../extraction-error.js';

/** Stands in until the rules are there: the merge makes this file `export { extractByRules } from '@app/extraction/kit';`. */
export function extractByRules(_request: RulesRequest): ExtractedValues[] {
  throw new ExtractionError('unsupported', 'This deployment has no rules for extraction yet.');
}
