// 10,000 searches of two people with the same texts, while documents are shared, taken back, trashed, restored and moved:
// no passage of a document that the searcher cannot see, and each change shows in the very next query.
//   npm run bench -- isolation [--searches 10000] [--documents 200]
import './support/typescript.mjs';
import { parseArgs } from 'node:util';
import { startDeployment } from './support/deployment.mjs';
import { Bars, seededRandom } from './support/figures.mjs';

const { searchSideBySide, twinText } = await import('../support/isolation.ts');
const { values: options } = parseArgs({
  options: { searches: { type: 'string', default: '10000' }, documents: { type: 'string', default: '200' } },
});
const BATCH = 50;

const deployment = await startDeployment();
const bars = new Bars();
try {
  const clients = [await deployment.signUp(), await deployment.signUp()];
  const people = clients.map((client) => ({
    email: `${client.username}@mail.example`,
    call: (method, path, body) => client.json(method, path, body),
  }));
  const documents = [];
  for (const [owner, client] of clients.entries()) {
    const texts = Array.from({ length: Number(options.documents) }, (_, number) => twinText(number));
    for (let at = 0; at < texts.length; at += BATCH) {
      const batch = texts.slice(at, at + BATCH);
      const results = await client.uploadBatch(batch.map(({ word, text }) => new File([text], `${word}.txt`)));
      documents.push(...results.map(({ uid }, index) => ({ uid, owner, word: batch[index].word })));
    }
    await client.settled(documents.filter((one) => one.owner === owner).map(({ uid }) => uid));
  }
  const indexed = async (uid) => {
    const { owner } = documents.find((one) => one.uid === uid);
    await clients[owner].settled([uid], { everyMs: 20 });
  };
  const started = performance.now();
  const report = await searchSideBySide(people, documents, {
    searches: Number(options.searches),
    random: seededRandom(9),
    indexed,
  });
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `${report.searches} searches with ${report.hits} hits in ${seconds.toFixed(0)} s; changes: ${JSON.stringify(report.changes)}`,
  );
  bars.check(
    'foreign passages',
    `${report.foreign.length} ${report.foreign.slice(0, 3).join('; ')}`,
    report.foreign.length === 0,
  );
  bars.check(
    'changes that the next query did not show',
    `${report.late.length} ${report.late.slice(0, 3).join('; ')}`,
    report.late.length === 0,
  );
} finally {
  await deployment.stop();
}
bars.finish();
