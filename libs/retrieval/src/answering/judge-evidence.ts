import { FEATURES, type Features } from './evidence.js';

type Weights = Record<(typeof FEATURES)[number], number>;

/**
 * Which statement is the fact: fitted by `test/bench/support/fit-quotes.mjs` on the tuning half of
 * test/bench/corpora/answers, so that statements with the known fact rank above all others of their question.
 */
const RANK: Weights = {
  own: 3.68,
  covered: 6.53,
  missing: -2.58,
  heaviestMissing: -0.83,
  names: 0.1,
  years: 0.42,
  kind: 2.08,
  unkind: -2.08,
  together: -0.36,
  terms: 0,
  rank: -1.19,
  brief: 0.8,
  elsewhere: 0,
  focus: 1.54,
  focusOwn: 0.43,
  beside: 1.45,
  unnamed: -3.31,
  pair: -1.34,
};

/** Whether the best statement answers at all: a logistic regression on the same half, questions without an answer included. */
const SUPPORT: Weights = {
  own: 2.06,
  covered: 1.09,
  missing: -1.1,
  heaviestMissing: 0.05,
  names: 0.61,
  years: 2.72,
  kind: 0.56,
  unkind: -0.19,
  together: -0.27,
  terms: 0.57,
  rank: 0.15,
  brief: 0.56,
  elsewhere: -0.39,
  focus: -0.67,
  focusOwn: -0.14,
  beside: 0.2,
  unnamed: -2.43,
  pair: 0.77,
};
const SUPPORT_OF_RANK = 2.68 / 10;
/** Of the questions that have an answer, some 4 in 100 lie below it on either half. */
const SUPPORTED_FROM = 5.07;
/** Below this, the document has another year, and an answer about it is an answer to another question. */
const YEAR_KNOWN = 0.35;

const sum = (weights: Weights, features: Features) =>
  FEATURES.reduce((total, feature, at) => total + weights[feature] * features[at]!, 0);

/** By it statements of one question are ordered, best highest. */
export function rankOf(features: Features): number {
  return sum(RANK, features);
}

/** Whether what speaks for the best statement is enough to quote it. */
export function isSupported(features: Features, rank: number): boolean {
  if (features[FEATURES.indexOf('years')]! < YEAR_KNOWN) return false;
  return sum(SUPPORT, features) + SUPPORT_OF_RANK * rank >= SUPPORTED_FROM;
}
