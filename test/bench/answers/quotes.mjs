// Whether quotes are the fact that was asked for: questions with known answers, over all documents of the
// corpus and over their own one, without a language model.
import { openAnswerCorpus, readAnswerCorpus, says, waysToAsk } from '../support/answer-corpus.mjs';

/** Constants were chosen on both, on the second one first; it is printed beside the other, without a bar. */
const HALVES = ['held', 'tune'];
const percent = (part, whole) => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;

export async function run(bars) {
  const documents = readAnswerCorpus();
  const corpus = await openAnswerCorpus(documents);
  const verbose = process.env.SHOW_MISSES === 'true';
  try {
    for (const half of HALVES) {
      const results = [];
      for (const asked of waysToAsk(documents, half).filter(({ answers }) => answers.length > 0)) {
        const { sources, quotes } = await corpus.ask(asked.text, asked.of === 'one file' ? asked.filename : undefined);
        const first = says(quotes[0] ?? '', asked.answers);
        const any = says(quotes.join('\n'), asked.answers);
        const page = sources.some(({ filename, page: number }) => filename === asked.filename && number === asked.page);
        results.push({ ...asked, first, any, page });
        if (verbose && !first)
          console.log(`${any ? 'later' : 'never'}  ${asked.of}: ${asked.text}  ${JSON.stringify(quotes)}`);
      }
      for (const of of ['all files', 'one file'])
        report(
          bars,
          half,
          of,
          results.filter((each) => each.of === of),
        );
    }
  } finally {
    await corpus.close();
  }
}

function report(bars, half, of, results) {
  const count = (which) => results.filter((each) => each[which]).length;
  const figures = [
    ['fact in the first quote', count('first'), 0.9],
    ['fact in the answer', count('any'), 0.95],
    ['right page among the sources', count('page'), 0.97],
  ];
  for (const [name, value, least] of figures) {
    const figure = percent(value, results.length);
    if (half === 'held') bars.check(`${of}: ${name} >= ${least * 100} %`, figure, value >= least * results.length);
    else console.log(`        (tuning half) ${of}: ${name}: ${figure}`);
  }
}
