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
});
