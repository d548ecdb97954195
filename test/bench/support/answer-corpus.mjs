import './typescript.mjs';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { createDataSource, runMigrations } from '@app/entities';
import { NoEmbeddings, NoReranker } from '@app/integrations';
import { QueryModels } from '@app/models';
import {
  AnswerService,
  DocumentTerms,
  KeywordSearch,
  NameSearch,
  Neighbours,
  QueryPlanner,
  Retriever,
  VectorSearch,
} from '@app/retrieval';
import { Client } from 'pg';

const { addIndexedDocument } = await import('../../support/retrieval.ts');

const FOLDER = path.join(import.meta.dirname, '../corpora');
const QUESTION = /^([+*-])(~?) (.+?) :: (.+)$/;
const ANSWER = /^(.+) @(\d+)$/;

/**
 * The documents of a folder of test/bench/corpora with their questions. `half` is `tune` or `held`
 * (constants of answers were chosen on `tune` at first, by now on both) or `fresh` (never). `answers` are the wordings of the fact, none where the documents do not have it;
 * `inFile` questions name nothing that tells their document from others, so they are asked of that document alone.
 * `further` are the facts of further questions that are asked in the same breath; a `*` before one says that the
 * documents do not answer the last of them (`isHalf`).
 */
export function readAnswerCorpus(name = 'answers') {
  const folder = path.join(FOLDER, name);
  const files = fs.readdirSync(folder).filter((file) => file.endsWith('.md'));
  return files.toSorted().flatMap((file) => {
    const text = fs.readFileSync(path.join(folder, file), 'utf8');
    return text.split(/^=== /m).slice(1).map(toDocument);
  });
}

function toDocument(part) {
  const end = part.indexOf('\n');
  const [filename, half] = part.slice(0, end).split(' | ');
  const [body, list] = part.slice(end + 1).split(/^--- questions\n/m);
  const questions = list
    .trim()
    .split('\n')
    .map((line) => {
      const [, sign, single, head, text] = QUESTION.exec(line) ?? [];
      if (!sign) throw new Error(`${filename}: no question: ${line}`);
      const asked = { text, inFile: single === '~', isHalf: sign === '*', further: [], filename, half };
      if (sign === '-') return { ...asked, kind: head, answers: [] };
      const [{ answers, page }, ...further] = head.split(' && ').map((fact) => {
        const [, wordings, number] = ANSWER.exec(fact);
        return { answers: wordings.split(' || '), page: Number(number) };
      });
      return { ...asked, kind: 'fact', answers, page, further };
    });
  return { filename, half, pages: body.split(/^--- page\n/m).map((page) => page.trim()), questions };
}

export async function createDatabase() {
  const { TEST_DATABASE_URL } = process.env;
  const name = `atrium_bench_${randomBytes(4).toString('hex')}`;
  const admin = async (statement) => {
    const client = new Client(TEST_DATABASE_URL);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await admin(`CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(TEST_DATABASE_URL), { pathname: `/${name}` }).toString();
  const options = { url, poolSize: 4, connectTimeoutMs: 5000, statementTimeoutMs: 30_000 };
  const dataSource = await createDataSource(options, 'atrium-bench').initialize();
  await runMigrations(dataSource);
  return {
    dataSource,
    async drop() {
      await dataSource.destroy();
      await admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Who answers everybody. */
const chosen = (model) => ({ available: model.available, choose: async () => model });

/** The documents in a database of their own, and a service without a language model that answers from them. */
export async function openAnswerCorpus(documents) {
  const database = await createDatabase();
  const [{ id: userId }] = await database.dataSource.query(
    `INSERT INTO users (username, email) VALUES ('reader', 'reader@example.com') RETURNING id`,
  );
  const uids = new Map();
  for (const { filename, pages } of documents)
    uids.set(filename, await addIndexedDocument(database.dataSource, { ownerId: userId, pages, filename }));
  const { dataSource } = database;
  const search = [KeywordSearch, VectorSearch, NameSearch].map((each) => new each(dataSource));
  const retriever = new Retriever(dataSource, new NoEmbeddings(), new NoReranker(), ...search);
  const known = new DocumentTerms(dataSource);
  const noModels = { findByName: () => null };
  const noModel = { available: false, descriptor: { value: 'quoting' } };
  const planner = new QueryPlanner(
    new QueryModels({ rewriting: false, splitting: false, timeoutSeconds: 4 }, noModels),
  );
  const service = new AnswerService(retriever, chosen(noModel), new Neighbours(dataSource), known, planner);
  return {
    uids,
    retriever,
    /** The same documents, answered by a model. @param models who turns questions into queries */
    serviceOf: (model, models) =>
      new AnswerService(retriever, chosen(model), new Neighbours(dataSource), known, new QueryPlanner(models)),
    viewer: { userId },
    documents: known,
    /** @param filename asks that document alone */
    async ask(question, filename) {
      const scope = filename ? { uids: [uids.get(filename)] } : {};
      const { sources, stream } = await service.answer({ viewer: { userId }, question, scope });
      let answer = '';
      for await (const piece of stream) answer += piece;
      return { answer, sources, quotes: quotesOf(answer) };
    },
    close: () => database.drop(),
  };
}

/** The quotes of an answer without their sources. */
export function quotesOf(answer) {
  return answer
    .split('\n\n')
    .filter((block) => block.startsWith('> '))
    .map((block) =>
      block
        .split('\n')
        .filter((line) => !line.startsWith('> — '))
        .map((line) => line.replace(/^> /, ''))
        .join('\n'),
    );
}

const plain = (text) => text.replace(/\s+/g, ' ').toLowerCase();

/** Whether one of the wordings stands in the text. */
export const says = (text, wordings) => wordings.some((wording) => plain(text).includes(plain(wording)));

/** Every question with the ways in which it is asked: of all documents where it can be, and of its own. */
export function waysToAsk(documents, half) {
  return documents
    .flatMap(({ questions }) => questions)
    .filter((question) => half === undefined || question.half === half)
    .flatMap((question) => [
      ...(question.inFile ? [] : [{ ...question, of: 'all files' }]),
      { ...question, of: 'one file' },
    ]);
}
