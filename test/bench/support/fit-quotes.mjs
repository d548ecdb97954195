// Fits the weights of libs/retrieval/src/answering/judge-evidence.ts on the tuning half of the corpus and prints them.
//   (with TEST_DATABASE_URL) node test/bench/support/fit-quotes.mjs
import { gatherEvidence } from '../../../libs/retrieval/dist/answering/evidence.js';
import { FEATURES } from '../../../libs/retrieval/dist/answering/features.js';
import { toQuotedPassages } from '../../../libs/retrieval/dist/answering/quoted-passages.js';
import { openAnswerCorpus, readAnswerCorpus, says, waysToAsk } from './answer-corpus.mjs';

/** Holds weights near 0 that little speaks for. */
const RIDGE = 0.0005;
const sum = (weights, features) => features.reduce((total, feature, at) => total + weights[at] * feature, 0);

/** Between the two nearest. @param sorted ascending */
function quantile(sorted, share) {
  const at = sorted.length * share - 0.5;
  const [low, high] = [Math.floor(at), Math.ceil(at)].map((index) => sorted[Math.max(0, index)]);
  return low + (high - low) * (at - Math.floor(at));
}

const documents = readAnswerCorpus();
const corpus = await openAnswerCorpus(documents);
const asked = [];
for (const question of waysToAsk(documents, 'tune')) {
  const { sources } = await corpus.ask(question.text, question.of === 'one file' ? question.filename : undefined);
  const cited = sources.map((hit, at) => ({ number: at + 1, hit }));
  const passages = await toQuotedPassages(question.text, cited, corpus.viewer, corpus.documents);
  const candidates = gatherEvidence(question.text, passages).candidates.map(({ passage, statement, features }) => {
    const quote = statement.pieces.map(({ start, end }) => passages[passage].text.slice(start, end)).join('\n');
    return { features, isFact: sources[passage].filename === question.filename && says(quote, question.answers) };
  });
  if (candidates.length > 0) asked.push({ question, candidates });
}
await corpus.close();

/** Gradient ascent on the likelihood that a statement with the fact is the one that a soft ranking takes. */
function fitRank(steps = 3000, rate = 5) {
  const lists = asked.map(({ candidates }) => candidates).filter((list) => list.some(({ isFact }) => isFact));
  let weights = FEATURES.map(() => 0);
  for (let step = 0; step < steps; step++) {
    const slope = weights.map((weight) => -2 * RIDGE * weight);
    for (const list of lists) {
      const odds = list.map(({ features }) => Math.exp(sum(weights, features)));
      const all = odds.reduce((total, each) => total + each, 0);
      const facts = list.reduce((total, { isFact }, at) => total + (isFact ? odds[at] : 0), 0);
      for (const [at, { features, isFact }] of list.entries()) {
        const pull = ((isFact ? odds[at] / facts : 0) - odds[at] / all) / lists.length;
        for (const [feature, value] of features.entries()) slope[feature] += pull * value;
      }
    }
    weights = weights.map((weight, at) => weight + rate * slope[at]);
  }
  return weights;
}

/** Logistic regression on the best statement of each question: constant, features, a tenth of its rank. */
function fitSupport(rank, steps = 3000) {
  const rows = asked.map(({ question, candidates }) => {
    const ranked = candidates.map(({ features }) => ({ features, score: sum(rank, features) }));
    const { features, score } = ranked.reduce((best, each) => (each.score > best.score ? each : best));
    return { of: question.of, input: [1, ...features, score / 10], has: question.answers.length > 0 ? 1 : 0 };
  });
  let weights = rows[0].input.map(() => 0);
  for (let step = 0; step < steps; step++) {
    const slope = weights.map((weight, at) => (at === 0 ? 0 : -2 * RIDGE * weight));
    for (const { input, has } of rows) {
      const pull = (has - 1 / (1 + Math.exp(-sum(weights, input)))) / rows.length;
      for (const [at, value] of input.entries()) slope[at] += pull * value;
    }
    weights = weights.map((weight, at) => weight + slope[at]);
  }
  for (const of of ['one file', 'all files']) {
    const scores = rows
      .filter((row) => row.has === 1 && row.of === of)
      .map(({ input }) => sum(weights, input) - weights[0])
      .toSorted((a, b) => a - b);
    const below = [0.02, 0.025, 0.03].map(
      (share) => `${share * 100} in 100 lie below ${quantile(scores, share).toFixed(2)}`,
    );
    console.log(`${of}: ${below.join(', ')}`);
  }
  return weights;
}

const rank = fitRank();
const [, ...support] = fitSupport(rank);
const named = (weights) => Object.fromEntries(FEATURES.map((name, at) => [name, Number(weights[at].toFixed(2))]));
console.log('RANK', named(rank), 'SUPPORT', named(support), 'SUPPORT_OF_RANK', (support.at(-1) / 10).toFixed(3));
