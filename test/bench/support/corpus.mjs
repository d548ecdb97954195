// Reads a test collection in Cranfield's layout (cran.all.1400, cran.qry, cranqrel) or in BEIR's (corpus.jsonl,
// queries.jsonl, qrels/*.tsv).
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * @typedef {{ id: string, text: string }} Passage
 * @typedef {{ documents: Passage[], questions: Passage[], judged: Map<string, Map<string, number>> }} Collection
 *   `judged`: question -> document -> gain, relevant ones only
 */

/** @returns {Promise<Collection>} only questions that have a relevant document */
export async function readCollection(folder, split = 'test') {
  const read = existsSync(join(folder, 'corpus.jsonl')) ? readBeir : readCranfield;
  const { documents, questions, judged } = await read(folder, split);
  return { documents, judged, questions: questions.filter(({ id }) => judged.get(id)?.size > 0) };
}

function judge(judged, question, document, gain) {
  if (!(gain > 0)) return;
  if (!judged.has(question)) judged.set(question, new Map());
  judged.get(question).set(document, gain);
}

function records(path) {
  return readFileSync(path, 'utf8')
    .split(/^\.I /m)
    .slice(1)
    .map((record) => {
      const [, title = '', text = ''] = record.match(/(?:^\.T\n([\s\S]*?)^\.A)?[\s\S]*?^\.W\n([\s\S]*)/m) ?? [];
      return { title: title.trim(), text: text.trim() };
    });
}

const numbered = ({ text, title }, at) => ({ id: String(at + 1), text: text || title });

/** The abstracts repeat their titles. Questions are judged by their position, not by the number they bear. */
async function readCranfield(folder) {
  if (!existsSync(join(folder, 'cran.all.1400')))
    throw new Error(`${folder} is neither Cranfield's nor BEIR's layout.`);
  const judged = new Map();
  for (const line of readFileSync(join(folder, 'cranqrel'), 'utf8').trim().split('\n')) {
    const [question, document, code] = line.trim().split(/\s+/);
    // 1 is a complete answer, 4 of minimal interest, 5 and -1 of none.
    judge(judged, question, document, Number(code) >= 1 && Number(code) <= 4 ? 1 : 0);
  }
  return {
    documents: records(join(folder, 'cran.all.1400')).map(numbered),
    questions: records(join(folder, 'cran.qry')).map(numbered),
    judged,
  };
}

async function* jsonLines(path) {
  for await (const line of createInterface({ input: createReadStream(path) })) if (line.trim()) yield JSON.parse(line);
}

async function readBeir(folder, split) {
  const [documents, questions, judged] = [[], [], new Map()];
  for await (const { _id, title, text } of jsonLines(join(folder, 'corpus.jsonl')))
    documents.push({ id: String(_id), text: [title, text].filter(Boolean).join('\n\n') });
  for await (const { _id, text } of jsonLines(join(folder, 'queries.jsonl'))) questions.push({ id: String(_id), text });
  const files = readdirSync(join(folder, 'qrels')).filter((name) => name.endsWith('.tsv'));
  const file = files.includes(`${split}.tsv`) ? `${split}.tsv` : files[0];
  for (const line of readFileSync(join(folder, 'qrels', file), 'utf8')
    .trim()
    .split('\n')
    .slice(1)) {
    const [question, document, gain] = line.split('\t');
    judge(judged, question, document, Number(gain));
  }
  return { documents, questions, judged };
}

/** nDCG of a ranking of document ids, with the gains as they are (like trec_eval). */
export function ndcg(ranking, gains, depth = 10) {
  const discounted = (list) => list.slice(0, depth).reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0);
  const ideal = discounted([...gains.values()].sort((a, b) => b - a));
  return discounted(ranking.map((id) => gains.get(id) ?? 0)) / ideal;
}
