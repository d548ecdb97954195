import { FEATURES, type Features } from './evidence.js';

type Weights = Record<(typeof FEATURES)[number], number>;

/**
 * Which statement is the fact: fitted by `test/bench/support/fit-quotes.mjs` on the tuning half of
 * test/bench/corpora/answers, so that statements with the known fact rank above all others of their question.
 */
const RANK: Weights = {
  own: 4.29,
  covered: 6.27,
  missing: -2.31,
  heaviestMissing: -0.64,
  names: 0.52,
  years: 0.38,
  kind: 2.37,
  unkind: -2.37,
  together: -0.07,
  terms: 0,
  rank: -0.94,
  brief: 0.01,
  elsewhere: 0,
  focus: 0.64,
  focusOwn: 0.61,
  beside: 1.46,
  unnamed: -2.41,
  pair: -1.45,
};

/** Whether the best statement answers at all: a logistic regression on the same half, questions without an answer included. */
const SUPPORT: Weights = {
  own: 1.75,
  covered: 1.63,
  missing: -1.4,
  heaviestMissing: -0.03,
  names: 0.47,
  years: 2.6,
  kind: 0.18,
  unkind: -0.46,
  together: -0.35,
  terms: 0.64,
  rank: 0,
  brief: 1.07,
  elsewhere: 0.04,
  focus: -0.57,
  focusOwn: -0.18,
  beside: 0.19,
  unnamed: -2.48,
  pair: 0.58,
};
const SUPPORT_OF_RANK = 2.87 / 10;
/**
 * Of the questions of the tuning half that have an answer, some 3 in 100 lie below: more is asked where several
 * documents are at hand, since among many statements one has more of the words by chance.
 */
const SUPPORTED_FROM = { one: 4.7, several: 5.4 };
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
