// Questions to tables, answered by rules: no wrong number. Each question of test/bench/corpora/tables has its right answer
// as SQL written by hand. Every second question of a table is held out: the rules were tuned without looking at them.
import path from 'node:path';
import { QueryRunner } from '@app/tabular';
import { AskedCorpus, readCorpora, same } from '../../support/table-corpus.ts';

const share = (part, whole) => `${part} of ${whole} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`;

export async function run(bars) {
  const begun = performance.now();
  const corpora = await readCorpora(path.join(import.meta.dirname, '..', 'corpora', 'tables'));
  const outcomes = [];
  let differing = 0;
  for (const corpus of corpora) {
    const asked = await AskedCorpus.open(corpus);
    const own = [];
    for (const [at, question] of corpus.questions.entries())
      own.push({ ...(await asked.judge(question)), heldOut: at % 2 === 1, answerable: question.expected !== null });
    const expected = await Promise.all(own.map(({ sql }) => (sql === null ? null : asked.query(sql))));
    differing += await runForReal(asked, own, expected);
    await asked.close();
    outcomes.push(...own);
    const count = (outcome) => own.filter((one) => one.outcome === outcome).length;
    console.log(
      `${corpus.name.padEnd(10)} ${own.length} questions: ${count('right')} right, ${count('wrong')} wrong, ${count('asked back')} asked back, ${count('refused')} refused`,
    );
  }
  for (const { corpus, question, answer, sql } of outcomes.filter(({ outcome }) => outcome === 'wrong'))
    console.log(`WRONG  ${corpus}: ${question}\n       ${sql}\n       ${answer.split('\n')[0]}`);
  if (process.env.ATRIUM_SHOW_LEFT)
    for (const { corpus, question, answer, outcome, heldOut } of outcomes.filter(
      (one) => one.answerable && one.outcome !== 'right',
    ))
      if (!heldOut || process.env.ATRIUM_SHOW_LEFT === 'all')
        console.log(`${outcome}  ${corpus}: ${question}  [${answer.split('\n')[0].slice(-160)}]`);
  const tables = [
    ['tuned on', outcomes.filter(({ heldOut }) => !heldOut)],
    ['held out', outcomes.filter(({ heldOut }) => heldOut)],
  ];
  for (const [name, part] of tables) {
    const wrong = part.filter(({ outcome }) => outcome === 'wrong').length;
    const right = part.filter(({ outcome }) => outcome === 'right').length;
    bars.check(`${name}: wrong numbers`, share(wrong, part.length), wrong === 0);
    bars.check(`${name}: answered by rules`, share(right, part.length), right / part.length >= 0.6);
  }
  bars.check('statements that the real process answers otherwise', differing, differing === 0);
  console.log(
    `${outcomes.length} questions over ${corpora.length} tables in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
  );
}

/** All statements of a corpus in the process that runs those of people. */
async function runForReal(asked, own, expected) {
  const runner = new QueryRunner();
  const statements = own.flatMap(({ sql }) => sql ?? []);
  const { name } = asked.corpus.table;
  await asked.checkpoint();
  try {
    const results = await runner.run({ files: [{ path: asked.copy, tables: [{ name, alias: name }] }], statements });
    const right = expected.filter((rows) => rows !== null);
    return results.filter(({ rows }, at) => !same(rows, right[at])).length;
  } finally {
    runner.onModuleDestroy();
  }
}
