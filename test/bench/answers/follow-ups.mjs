// Whether a question that leans on its conversation, or asks for several things, finds its passages: as it was until the
// third round, by words as now, and with a scripted model that writes the queries.
import { randomBytes } from 'node:crypto';
import { loadConfig } from '@app/config';
import { createLanguageModels, QueryModels, UsageLedger } from '@app/models';
import { analyse } from '@app/retrieval';
import { openAnswerCorpus, readAnswerCorpus } from '../support/answer-corpus.mjs';
import { readTalks } from '../support/talk-corpus.mjs';

const { ScriptedLlm } = await import('../../support/scripted-llm.ts');

/** What rules and constants were chosen on is printed without a bar. */
const HALVES = process.env.HALF ? [process.env.HALF] : ['held', 'tune'];
const KINDS = { F: 'follow-ups', S: 'questions that stand alone', M: 'many-sided questions' };
const WAYS = ['as before', 'without a model', 'with a model', 'as before, as many passages as with a model'];
const PASSAGES = 6;
const placesOf = (hits) => hits.map(({ filename, page }) => `${filename}@${page}`);
const percent = (part, whole) => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;

export async function run(bars) {
  const llm = new ScriptedLlm();
  await llm.start();
  try {
    for (const half of HALVES) await measureHalf(bars, half, llm);
  } finally {
    await llm.stop();
  }
}

/** English and Arabic pointers, and one question before: what chats looked for until then. */
const POINTED =
  /(?<![\p{L}\p{M}])(?:it|its|they|them|their|theirs|this|that|these|those|he|him|his|she|her|hers|there|one|ones|former|latter|same|above)(?![\p{L}\p{M}])/iu;
function queryBefore(question, history) {
  const before = history.findLast(({ role }) => role === 'user');
  const standsAlone = new Set(analyse(question)).size >= 3 && !POINTED.test(question);
  return standsAlone || !before ? question : `${before.content}\n${question}`;
}

/** Models of the scripted endpoint. */
function modelsOf(llm) {
  const servers = { DATABASE_URL: 'postgres://localhost/none', REDIS_URL: 'redis://localhost' };
  const secret = { SECRETS_KEY: randomBytes(32).toString('base64') };
  const { models } = loadConfig({ ...servers, ...secret, ...llm.env });
  return createLanguageModels(models, new UsageLedger(null, 'USD'));
}

async function measureHalf(bars, half, llm) {
  const { documents, questions } = readTalks(half);
  // Other documents stand beside them, as in a library.
  const corpus = await openAnswerCorpus([...documents, ...readAnswerCorpus()]);
  try {
    const scripted = new Map(questions.map(({ asked, queries }) => [asked, queries]));
    let calls = 0;
    llm.answersPlain(({ question }) => {
      calls += 1;
      const asked = JSON.parse(/^Newest question: (.+)$/m.exec(question)[1]);
      return JSON.stringify({ queries: scripted.get(asked) ?? [] });
    });
    const models = modelsOf(llm);
    const settings = { rewriting: true, splitting: true, timeoutSeconds: 30 };
    const none = new QueryModels({ ...settings, rewriting: false, splitting: false }, models);
    const plain = corpus.serviceOf(models.default, none);
    const written = corpus.serviceOf(models.default, new QueryModels(settings, models));
    const { viewer } = corpus;
    const ask = async (service, { asked: question, history }) =>
      placesOf((await service.answer({ viewer, question, scope: {}, history })).sources);
    const askAsBefore = async ({ asked, history }, limit) => {
      const query = queryBefore(asked, history);
      return placesOf((await corpus.retriever.search({ viewer, query, mode: 'hybrid', limit })).hits);
    };
    const results = [];
    for (const question of questions) {
      const found = [await askAsBefore(question, PASSAGES), await ask(plain, question)];
      const before = calls;
      found.push(await ask(written, question));
      const shown = found.at(-1).length;
      found.push(await askAsBefore(question, Math.max(PASSAGES, shown)));
      const wanted = placesOf(question.wanted);
      const hit = found.map((places) => wanted.filter((place) => places.includes(place)).length);
      const first = found.map(([place]) => wanted.includes(place));
      results.push({ ...question, hit, first, called: calls > before });
      if (process.env.SHOW_MISSES === 'true') show(results.at(-1));
    }
    report(bars, half, results);
  } finally {
    await corpus.close();
  }
}

function show({ kind, isWrong, asked, wanted, hit, called }) {
  if (hit.every((count) => count === wanted.length) && (kind === 'S' || called)) return;
  console.log(
    `${kind}${isWrong ? '!' : ' '} ${called ? 'model' : '     '} ${hit.join('/')} of ${wanted.length}  ${asked}`,
  );
}

function report(bars, half, all) {
  for (const [kind, name] of Object.entries(KINDS)) {
    const results = all.filter((each) => each.kind === kind);
    const whole = (way, some = results) => some.filter(({ hit, wanted }) => hit[way] === wanted.length).length;
    console.log(
      `${half === 'held' ? '' : '(tuning half) '}${name}: ${results.length}, every passage among those shown`,
    );
    for (const [way, title] of WAYS.entries()) {
      const first = results.filter((each) => each.first[way]).length;
      console.log(`  ${title}: ${percent(whole(way), results.length)}; a right one is the first of ${first}`);
    }
    console.log(`  the model is asked for ${percent(results.filter(({ called }) => called).length, results.length)}`);
    const wrong = results.filter(({ isWrong }) => isWrong);
    if (wrong.length > 0)
      console.log(
        `  where its queries are wrong: by words ${whole(1, wrong)}, with it ${whole(2, wrong)} of ${wrong.length}`,
      );
    if (half !== 'held') continue;
    const [before, words, model] = WAYS.map((_, way) => whole(way));
    bars.check(
      `${name}: none lost by words, none by a model`,
      `${before} -> ${words} -> ${model}`,
      before <= words && words <= model,
    );
    if (kind === 'F')
      bars.check(`${name} with a model >= 95 %`, percent(model, results.length), model >= 0.95 * results.length);
  }
}
