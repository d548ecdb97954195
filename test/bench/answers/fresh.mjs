// Quotes and refusals on documents and questions that were written in one go before any of them was asked, without a
// language model: fourteen kinds of documents in eight languages, questions as people type them.
import { openAnswerCorpus, readAnswerCorpus, says, waysToAsk } from '../support/answer-corpus.mjs';

const percent = (part, whole) => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;

export async function run(bars) {
  const documents = readAnswerCorpus('fresh');
  const corpus = await openAnswerCorpus(documents);
  try {
    for (const of of ['all files', 'one file']) {
      const results = [];
      for (const asked of waysToAsk(documents).filter((each) => each.of === of)) results.push(await ask(corpus, asked));
      report(bars, of, results);
    }
  } finally {
    await corpus.close();
  }
}

async function ask(corpus, asked) {
  const { answer, quotes } = await corpus.ask(asked.text, asked.of === 'one file' ? asked.filename : undefined);
  const facts = [asked, ...asked.further].map(({ answers }) => answers);
  const result = {
    ...asked,
    refused: quotes.length === 0,
    first: facts.some((answers) => says(quotes[0] ?? '', answers)),
    all: facts.every((answers) => says(quotes.join('\n'), answers)),
    /** Whether it goes on after its quotes: with what the documents do not answer. */
    noted: quotes.length > 0 && !answer.split('\n\n').at(-1).startsWith('> '),
  };
  if (process.env.SHOW_MISSES === 'true') show(result, quotes);
  return result;
}

function wrongOf({ answers, isHalf, refused, first, all, noted }) {
  if (answers.length === 0) return refused ? null : 'answered';
  if (refused) return 'lost';
  if (!first) return all ? 'later' : 'never';
  return isHalf === noted ? null : 'note';
}

function show(result, quotes) {
  const wrong = wrongOf(result);
  if (wrong) console.log(`${wrong}  ${result.kind}, ${result.of}: ${result.text}  ${JSON.stringify(quotes)}`);
}

const count = (from, which) => from.filter((each) => each[which]).length;

function report(bars, of, results) {
  const figure = (name, part, whole, holds) => bars.check(`${of}: ${name}`, percent(part, whole), holds(part / whole));
  const answerable = results.filter(({ answers, isHalf }) => answers.length > 0 && !isHalf);
  const unanswerable = results.filter(({ answers }) => answers.length === 0);
  const halves = results.filter(({ isHalf }) => isHalf);
  figure('fact in the first quote >= 90 %', count(answerable, 'first'), answerable.length, (share) => share >= 0.9);
  figure('facts in the answer >= 95 %', count(answerable, 'all'), answerable.length, (share) => share >= 0.95);
  figure('answerable lost <= 5 %', count(answerable, 'refused'), answerable.length, (share) => share <= 0.05);
  figure('unanswerable refused >= 80 %', count(unanswerable, 'refused'), unanswerable.length, (share) => share >= 0.8);
  const kinds = Object.entries(Object.groupBy(unanswerable, ({ kind }) => kind));
  const each = kinds.map(([kind, from]) => `${kind} ${percent(count(from, 'refused'), from.length)}`);
  console.log(`        ${of}: refused by kind: ${each.join(', ')}`);
  if (halves.length > 0) {
    const facts = percent(count(halves, 'all'), halves.length);
    const told = percent(count(halves, 'noted'), halves.length);
    console.log(`        ${of}: half answered: fact ${facts}, says what is not answered ${told}`);
  }
  console.log(
    `        ${of}: says so of answered ones: ${percent(count(answerable, 'noted'), count(answerable, 'all'))}`,
  );
}
