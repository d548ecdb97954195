/** In the order of `FEATURES`. */
export type Features = readonly number[];

/** What speaks for a statement, each 0 to 1; the order is that of the fitted weights. */
export const FEATURES = [
  'own', // of the question's weight in the quote itself
  'covered', // with headings, neighbours and document at a discount
  'missing', // of the weight, what the passage lacks altogether
  'heaviestMissing', // the heaviest of these
  'names', // how near the least near of the names is
  'years',
  'kind', // whether it has what was asked for, as a number; a half where nothing certain was
  'unkind', // it lacks what was asked for
  'together', // how close the words stand that it has
  'terms', // one over the number of the question's words: little can be missing of few
  'rank', // of the passage
  'brief', // says nearly nothing
  'elsewhere', // of the weight, what no passage has
  'focus', // how near what is asked about first is
  'focusOwn', // whether the quote itself has it
  'beside', // whether a number stands beside it, where one is asked for
  'unnamed', // its document does not know one of the names
  'pair', // two sentences
  'astray', // what is asked about first is not near, nor is shown what kind of answer is wanted
  'uncounted', // it does not have what is to be counted
  'attribute', // of the weight of what is asked, names and light words apart: what is near
  'attributeOwn', // the same in the quote itself
  'absent', // of these words, what no passage at hand has
  'inList', // a row or a label with its value, and these words are neither in it nor above it
  'topic', // the same as attribute without words that say only what kind of answer is wanted
  'topicOwn',
  'topicAbsent', // of these words, what no passage at hand has
  'bare', // nothing certain is asked for, and as much of these words is not near
  'astrayShown', // it has what kind of answer is wanted, and as much of these words is not near
  'countless', // no number stands beside what is to be counted
  'unmeasured', // a unit is wanted that it does not have
] as const;
