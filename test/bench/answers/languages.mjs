// Whether questions in six languages find their passage among those of all of them: the right one among the first three.
import { analyse } from '@app/retrieval';
import { languages } from '../corpora/languages.mjs';
import { startDeployment } from '../support/deployment.mjs';

const BATCH = 50;
const FIRST = 3;

/** BM25 over the analysis of English alone, which every language had before: what the languages are worth. */
function byEnglishAlone(passages) {
  const indexed = passages.map(({ id, text }) => ({ id, terms: analyse(text) }));
  const mean = indexed.reduce((sum, { terms }) => sum + terms.length, 0) / indexed.length;
  return (question) => {
    const scores = indexed.map(({ id, terms }) => {
      let score = 0;
      for (const term of new Set(analyse(question))) {
        const found = indexed.filter((other) => other.terms.includes(term)).length;
        const count = terms.filter((other) => other === term).length;
        const norm = 1.2 * (0.25 + (0.75 * terms.length) / mean);
        score += Math.log(1 + (indexed.length - found + 0.5) / (found + 0.5)) * ((2.2 * count) / (count + norm));
      }
      return { id, score };
    });
    const hits = scores.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
    return hits.slice(0, FIRST).map(({ id }) => id);
  };
}

export async function run(bars) {
  const passages = Object.entries(languages).flatMap(([language, pairs]) =>
    pairs.map(([text, question], at) => ({ id: `${language}-${at}.txt`, language, text, question })),
  );
  const before = byEnglishAlone(passages);
  const deployment = await startDeployment({});
  try {
    const client = await deployment.signUp();
    const ids = new Map();
    for (let at = 0; at < passages.length; at += BATCH) {
      const batch = passages.slice(at, at + BATCH);
      const results = await client.uploadBatch(batch.map(({ id, text }) => new File([text], id)));
      for (const [place, { uid }] of results.entries()) ids.set(uid, batch[place].id);
    }
    await client.settled([...ids.keys()]);
    let [found, foundBefore] = [0, 0];
    for (const language of Object.keys(languages)) {
      const own = passages.filter((passage) => passage.language === language);
      const missed = [];
      for (const { id, question } of own) {
        const { results } = await client.search({ query: question, mode: 'keyword', limit: FIRST });
        if (!results.some(({ uid }) => ids.get(uid) === id)) missed.push(question);
      }
      const known = own.filter(({ id, question }) => before(question).includes(id)).length;
      console.log(`${language}: ${own.length - missed.length} of ${own.length} (${known} by English alone)`);
      for (const question of missed) console.log(`  missed: ${question}`);
      found += own.length - missed.length;
      foundBefore += known;
    }
    const shown = `${found} of ${passages.length} (${foundBefore} by English alone)`;
    bars.check(
      'questions in six languages that find their passage among the first 3: 90 %',
      shown,
      found >= 0.9 * passages.length,
    );
  } finally {
    await deployment.stop();
  }
}
