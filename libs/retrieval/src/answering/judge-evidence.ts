import { FEATURES, type Features } from './features.js';

type Weights = Record<(typeof FEATURES)[number], number>;

/**
 * Which statement is the fact: fitted by `test/bench/support/fit-quotes.mjs` on test/bench/corpora/answers, so that
 * statements with the known fact rank above all others of their question.
 */
const RANK: Weights = {
  own: 3.28,
  covered: 3.73,
  missing: -1.02,
  heaviestMissing: -0.16,
  names: 1.86,
  years: 0.1,
  kind: 1.62,
  unkind: -1.62,
  together: 0.06,
  terms: 0,
  rank: -2.15,
  brief: 0,
  elsewhere: 0,
  focus: -0.06,
  focusOwn: 0.59,
  beside: 0.89,
  unnamed: -1.85,
  pair: -1.57,
  astray: -1.29,
  uncounted: 1.74,
  attribute: 0.99,
  attributeOwn: 0.38,
  absent: 0,
  inList: -0.51,
  topic: 1.62,
  topicOwn: 0.32,
  topicAbsent: 0,
  bare: -1.57,
  astrayShown: 0.03,
  countless: -1.41,
  unmeasured: -0.28,
};

/** Whether the best statement answers at all: a logistic regression on the same, questions without an answer included. */
const SUPPORT: Weights = {
  own: 2.46,
  covered: 1.07,
  missing: -0.72,
  heaviestMissing: -0.04,
  names: 1.05,
  years: -0.08,
  kind: 0.36,
  unkind: -2.32,
  together: 0.56,
  terms: -1.01,
  rank: -0.99,
  brief: 0.68,
  elsewhere: 0.24,
  focus: -0.3,
  focusOwn: -0.79,
  beside: 0.05,
  unnamed: -1.13,
  pair: 0.87,
  astray: -0.11,
  uncounted: 0.21,
  attribute: 1.69,
  attributeOwn: 0.28,
  absent: -0.61,
  inList: -0.88,
  topic: -0.17,
  topicOwn: -0.09,
  topicAbsent: 1.04,
  bare: 0.16,
  astrayShown: -0.62,
  countless: -1.94,
  unmeasured: -0.3,
};
const SUPPORT_OF_RANK = 0.266;
/**
 * Where between 4 and 5 in 100 of the answerable questions lie below when their documents are left out of the fit; a
 * little higher where several documents are at hand: among many statements one has more of the words by chance.
 */
const SUPPORTED_FROM = { one: 3.3, several: 3.85 };
/** Below this, the document has another year, and an answer about it is an answer to another question. */
const YEAR_KNOWN = 0.35;

const sum = (weights: Weights, features: Features) =>
  FEATURES.reduce((total, feature, at) => total + weights[feature] * features[at]!, 0);

/** By it statements of one question are ordered, best highest. */
export function rankOf(features: Features): number {
  return sum(RANK, features);
}

/** Whether what speaks for the best statement is enough to quote it. @param several whether passages are of several documents */
export function isSupported(features: Features, rank: number, several: boolean): boolean {
  if (features[FEATURES.indexOf('years')]! < YEAR_KNOWN) return false;
  return sum(SUPPORT, features) + SUPPORT_OF_RANK * rank >= SUPPORTED_FROM[several ? 'several' : 'one'];
}
