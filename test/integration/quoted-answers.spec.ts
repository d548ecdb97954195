import { NoEmbeddings, NoLanguageModel, NoReranker } from '@app/integrations';
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
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { addIndexedDocument } from '../support/retrieval.js';

const LEASE =
  'Hausordnung\n\nDie Mieterin streicht Wände und Decken alle acht Jahre. Von 22 bis 7 Uhr ist Ruhe zu halten.';

describe('answers without a language model', () => {
  let database: TestDatabase;
  let service: AnswerService;
  let owner: number;
  let stranger: number;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    const [keywords, vectors, names] = [
      new KeywordSearch(dataSource),
      new VectorSearch(dataSource),
      new NameSearch(dataSource),
    ];
    const retriever = new Retriever(dataSource, new NoEmbeddings(), new NoReranker(), keywords, vectors, names);
    const known = new DocumentTerms(dataSource);
    const noQueries = new QueryModels(
      { rewriting: false, splitting: false, timeoutSeconds: 1 },
      { findByName: () => null },
    );
    const planner = new QueryPlanner(noQueries);
    const quoting = { available: false, choose: async () => new NoLanguageModel() };
    service = new AnswerService(retriever, quoting, new Neighbours(dataSource), known, planner);
    owner = await createUserRow(database);
    stranger = await createUserRow(database);
    await addIndexedDocument(dataSource, { ownerId: owner, pages: [LEASE], filename: 'vertrag.pdf' });
  });
  afterAll(() => database.drop());

  const ask = async (question: string, userId = owner) => {
    const { stream } = await service.answer({ viewer: { userId }, question, scope: {} });
    let answer = '';
    for await (const piece of stream) answer += piece;
    return answer;
  };

  it.each([
    ['Wie oft muss gestrichen werden?', 'alle acht Jahre'],
    ['Wann sind die Ruhezeiten?', '22 bis 7 Uhr'],
  ])('finds by other words what %s does not find by its own', async (question, fact) => {
    expect(await ask(question)).toContain(fact);
    expect(await ask(question, stranger)).toBe('Die Dokumente enthalten keine Antwort auf diese Frage.');
  });

  it('says in the language of the question which part has no answer', async () => {
    const answer = await ask('Wie oft streicht die Mieterin die Decken, und wie viele Aufzüge wurden eingebaut?');
    expect(answer).toContain('alle acht Jahre');
    expect(answer).toMatch(/\n\nDiesen Teil beantworten die Dokumente nicht: “wie viele Aufzüge wurden eingebaut\?”$/);
  });

  it('finds and quotes in scripts without spaces, and refuses what is not there', async () => {
    const reader = await createUserRow(database);
    const pages = {
      'zulin.pdf': '租赁合同\n\n办公室的月租金为5000元，每月5日前支付。解约通知期为三个月。',
      'chintai.pdf': '賃貸契約書\n\nサーバーの保守料金は月額8千円です。契約は2025年4月1日に開始します。',
      'imdae.pdf': '임대차 계약서\n\n사무실의 월세는 50만원이다. 임대인은 김민수이다.',
    };
    for (const [filename, text] of Object.entries(pages))
      await addIndexedDocument(database.dataSource, { ownerId: reader, pages: [text], filename });
    expect(await ask('办公室的月租金是多少？', reader)).toContain('5000元');
    expect(await ask('サーバーの保守料金はいくらですか？', reader)).toContain('8千円');
    expect(await ask('사무실 월세가 얼마인가요?', reader)).toContain('50만원');
    const refusal = 'The documents do not contain an answer to this question.';
    for (const question of ['仓库的月租金是多少？', '契約はいつ終了しますか？', '창고 월세가 얼마인가요?'])
      expect([question, await ask(question, reader)]).toEqual([question, refusal]);
  });
});
