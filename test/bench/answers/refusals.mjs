// Whether "the documents do not contain an answer" is said when they do not, and only then: questions over all documents
// of the corpus and over one, without a language model. Constants were chosen on them: `fresh` has those that were not.
import { openAnswerCorpus, readAnswerCorpus, waysToAsk } from '../support/answer-corpus.mjs';

const HALVES = ['held', 'tune'];
const percent = (part, whole) => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;

export async function run(bars) {
  const documents = readAnswerCorpus();
  const corpus = await openAnswerCorpus(documents);
  const verbose = process.env.SHOW_MISSES === 'true';
  try {
    for (const half of HALVES) {
      const results = [];
      for (const asked of waysToAsk(documents, half)) {
        const { quotes } = await corpus.ask(asked.text, asked.of === 'one file' ? asked.filename : undefined);
        const refused = quotes.length === 0;
        results.push({ ...asked, refused });
        if (verbose && refused === asked.answers.length > 0)
          console.log(
            `${refused ? 'lost' : 'answered'}  ${asked.kind}, ${asked.of}: ${asked.text}  ${JSON.stringify(quotes)}`,
          );
      }
      for (const of of ['all files', 'one file'])
        report(
          bars,
          half,
          of,
          results.filter((each) => each.of === of),
        );
      const kinds = Object.groupBy(
        results.filter(({ answers }) => answers.length === 0),
        ({ kind }) => kind,
      );
      const each = Object.entries(kinds).map(([kind, of]) => `${kind} ${percent(count(of), of.length)}`);
      console.log(`        ${half}: refused by kind: ${each.join(', ')}`);
    }
  } finally {
    await corpus.close();
  }
}

const count = (results) => results.filter(({ refused }) => refused).length;

function report(bars, half, of, results) {
  const [answerable, unanswerable] = [true, false].map((has) =>
    results.filter(({ answers }) => answers.length > 0 === has),
  );
  const [lost, refused] = [count(answerable), count(unanswerable)];
  const figures = [
    ['unanswerable refused >= 80 %', percent(refused, unanswerable.length), refused >= 0.8 * unanswerable.length],
    ['answerable lost <= 5 %', percent(lost, answerable.length), lost <= 0.05 * answerable.length],
  ];
  for (const [name, figure, holds] of figures) {
    if (half === 'held') bars.check(`${of}: ${name}`, figure, holds);
    else console.log(`        (tuning half) ${of}: ${name}: ${figure}`);
  }
}
