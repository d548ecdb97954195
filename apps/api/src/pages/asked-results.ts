import type { AskedResult } from '@app/artifacts';
import { InvalidRequestError, isDictionary } from '@app/common';

/** Queries of one call: those of a page that is rendered come together. */
const MOST_QUERIES = 50;
const LONGEST_NAME = 100;

/**
 * `{name, params}`, or `{queries: [{name, params}]}` for many at once.
 * @throws InvalidRequestError
 */
export function readAskedResults(body: unknown): { asked: AskedResult[]; isBatch: boolean } {
  if (!isDictionary(body)) throw invalid('The body is no object.');
  const { queries } = body;
  if (queries === undefined) return { asked: [readAsked(body)], isBatch: false };
  if (!Array.isArray(queries) || queries.length === 0 || queries.length > MOST_QUERIES)
    throw invalid(`“queries” holds 1 to ${MOST_QUERIES} queries.`);
  return { asked: queries.map(readAsked), isBatch: true };
}

function readAsked(given: unknown): AskedResult {
  if (!isDictionary(given)) throw invalid('A query is an object with a name.');
  const { name, params } = given;
  if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME)
    throw invalid('A query is asked by its name.');
  if (params === undefined || params === null) return { name, params: {} };
  if (!isDictionary(params)) throw invalid('“params” is an object.');
  return { name, params };
}

const invalid = (message: string) => new InvalidRequestError(message, { code: 'invalid_query' });
