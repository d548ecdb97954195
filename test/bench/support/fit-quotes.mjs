// Fits the weights of libs/retrieval/src/answering/judge-evidence.ts on test/bench/corpora/answers and prints them, with
// what they are worth on documents that were left out of the fit.
//   npm run bench -- support/fit-quotes
import { gatherEvidence } from '../../../libs/retrieval/dist/answering/evidence.js';
import { FEATURES } from '../../../libs/retrieval/dist/answering/features.js';
import { toQuotedPassages } from '../../../libs/retrieval/dist/answering/quoted-passages.js';
import { questionsIn } from '../../../libs/retrieval/dist/questions/several-questions.js';
import { openAnswerCorpus, readAnswerCorpus, says, waysToAsk } from './answer-corpus.mjs';

/** Holds weights near 0 that little speaks for. */
const RIDGE = 0.0005;
const [RATE, MOMENTUM] = [0.5, 0.9];
/** Documents are left out a fifth at a time. */
const PARTS = 5;
/** A longer statement of the same is no better one. */
const UNRANKED = new Set(['brief']);
const YEAR_KNOWN = 0.35;
const sum = (weights, features) => features.reduce((total, feature, at) => total + weights[at] * feature, 0);

async function gather() {
  const documents = readAnswerCorpus();
  const corpus = await openAnswerCorpus(documents);
  const asked = [];
  for (const question of waysToAsk(documents).filter(({ text }) => questionsIn(text).length === 1)) {
    const { sources } = await corpus.ask(question.text, question.of === 'one file' ? question.filename : undefined);
    const cited = sources.map((hit, at) => ({ number: at + 1, hit }));
    const passages = await toQuotedPassages(question.text, cited, corpus.viewer, corpus.documents);
    const { candidates, unknown } = gatherEvidence(question.text, passages);
    const judged = candidates.map(({ passage, statement, features }) => {
      const quote = statement.pieces.map(({ start, end }) => passages[passage].text.slice(start, end)).join('\n');
      return { features, isFact: sources[passage].filename === question.filename && says(quote, question.answers) };
    });
    if (judged.length > 0) asked.push({ question, candidates: judged, isUnknown: unknown.length > 0 });
  }
  await corpus.close();
  return asked;
}

/** @param slope of what is to become largest, at weights */
function climb(count, steps, slope) {
  let [weights, speed] = [Array(count).fill(0), Array(count).fill(0)];
  for (let step = 0; step < steps; step++) {
    const pull = slope(weights);
    speed = speed.map((each, at) => MOMENTUM * each + pull[at]);
    weights = weights.map((weight, at) => weight + RATE * speed[at]);
  }
  return weights;
}

/** The likelihood that a statement with the fact is the one that a soft ranking takes. */
function fitRank(asked) {
  const lists = asked.map(({ candidates }) => candidates).filter((list) => list.some(({ isFact }) => isFact));
  return climb(FEATURES.length, 600, (weights) => {
    const slope = weights.map((weight) => -2 * RIDGE * weight);
    for (const list of lists) {
      const odds = list.map(({ features }) => Math.exp(sum(weights, features)));
      const all = odds.reduce((total, each) => total + each, 0);
      const facts = list.reduce((total, { isFact }, at) => total + (isFact ? odds[at] : 0), 0);
      for (const [at, { features, isFact }] of list.entries()) {
        const pull = ((isFact ? odds[at] / facts : 0) - odds[at] / all) / lists.length;
        for (let feature = 0; feature < slope.length; feature++) slope[feature] += pull * features[feature];
      }
    }
    return slope.map((each, at) => (UNRANKED.has(FEATURES[at]) ? 0 : each));
  });
}

/** What is judged: the best statement, with a constant before it and a tenth of its rank behind. */
function toRow(rank, { question, candidates, isUnknown }) {
  const ranked = candidates.map(({ features, isFact }) => ({ features, isFact, score: sum(rank, features) }));
  const { features, isFact, score } = ranked.reduce((best, each) => (each.score > best.score ? each : best));
  const isRefused = isUnknown || features[FEATURES.indexOf('years')] < YEAR_KNOWN;
  return { question, isFact, isRefused, input: [1, ...features, score / 10], has: question.answers.length > 0 };
}

/** Logistic regression. */
function fitSupport(rows) {
  return climb(FEATURES.length + 2, 2000, (weights) => {
    const slope = weights.map((weight, at) => (at === 0 ? 0 : -2 * RIDGE * weight));
    for (const { input, has } of rows) {
      const pull = ((has ? 1 : 0) - 1 / (1 + Math.exp(-sum(weights, input)))) / rows.length;
      for (const [at, value] of input.entries()) slope[at] += pull * value;
    }
    return slope;
  });
}

function fit(asked) {
  const rank = fitRank(asked);
  const rows = asked.map((each) => toRow(rank, each));
  return { rank, support: fitSupport(rows.filter(({ isRefused }) => !isRefused)) };
}

/** Of the ways to ask: how much is refused where so many answerable ones are lost, and from where on that is. */
function report(name, judged) {
  for (const of of ['one file', 'all files']) {
    const rows = judged.filter(({ question }) => question.of === of);
    const [answerable, unanswerable] = [true, false].map((has) => rows.filter((row) => row.has === has));
    const sorted = answerable.map(({ score }) => score).toSorted((a, b) => a - b);
    const figures = [0.02, 0.03, 0.04, 0.05].map((lost) => {
      const from = sorted[Math.floor(lost * sorted.length)];
      const refused = unanswerable.filter(({ score }) => score < from).length / unanswerable.length;
      return `${100 * lost} % lost: ${(100 * refused).toFixed(1)} % refused (from ${from.toFixed(2)})`;
    });
    const first = answerable.filter(({ isFact }) => isFact).length / answerable.length;
    console.log(`${name}, ${of}: fact first ${(100 * first).toFixed(1)} %; ${figures.join(', ')}`);
  }
}

/** Scores less the constant are what `SUPPORTED_FROM` is compared with; the constant of all documents is added for parts. */
const judge = ({ rank, support }, asked, constant) =>
  asked
    .map((each) => toRow(rank, each))
    .map((row) => ({ ...row, score: row.isRefused ? -99 : sum(support, row.input) - constant }));

const asked = await gather();
const all = fit(asked);
const names = [...new Set(asked.map(({ question }) => question.filename))];
const leftOut = Array.from({ length: PARTS }, (_, part) => {
  const out = new Set(names.filter((_name, at) => at % PARTS === part));
  const [rest, theirs] = [false, true].map((is) => asked.filter(({ question }) => out.has(question.filename) === is));
  return judge(fit(rest), theirs, all.support[0]);
});
report('left out of the fit', leftOut.flat());
report('fitted', judge(all, asked, all.support[0]));
const named = (weights) => Object.fromEntries(FEATURES.map((name, at) => [name, Number(weights[at].toFixed(2))]));
const [, ...support] = all.support;
console.log(JSON.stringify({ rank: named(all.rank), support: named(support), ofRank: support.at(-1) / 10 }));
