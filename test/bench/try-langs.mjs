import path from 'node:path';
import { AskedCorpus, readCorpora, same } from '/work/wt/tables-langs/test/support/table-corpus.ts';
const [which, show='tuned'] = process.argv.slice(2);
for (const corpus of (await readCorpora('/work/wt/tables-langs/test/bench/corpora/tables')).filter(({name})=>which==='all'||which.split(',').includes(name))) {
  const asked = await AskedCorpus.open(corpus);
  const n = {};
  for (const [at, q] of corpus.questions.entries()) {
    const held = at % 2 === 1; 
    const one = await asked.judge(q);
    const key = (held?'held ':'tuned ')+(q.expected===null?'[none] ':'')+one.outcome; n[key]=(n[key]??0)+1;
    if (one.outcome==='wrong' || (q.expected!==null && one.outcome !== 'right' && (show==='all' || (show==='tuned'&&!held)))) console.log(one.outcome, '|', one.question, '|', one.answer.replace(/\n+/g,' ').slice(-230), one.sql ?? '');
    if (show==='text' && !held) console.log(one.question,'\n   ', one.answer.replace(/\n+/g,'\n    '));
  }
  console.log(corpus.name, n);
  await asked.close();
}
