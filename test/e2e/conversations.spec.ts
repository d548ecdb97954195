import { newId } from '@app/common';
import { filesOf, scriptedConversations } from '../evals/conversations/scripted-conversations.js';
import { ConversationPlayer, type PlayedConversation, sharedPrefixes } from '../support/conversation-player.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { inAll, rounds } from '../support/long.js';
import { ScriptedLlm } from '../support/scripted-llm.js';
import { until } from '../support/until.js';

interface Reply {
  status: string;
  answer: string;
  turn_id: string;
  sources: { citation: number; filename: string }[];
}

const CHAT = '/microservices/agent/chat/';
const VARIANTS = rounds(8, 1);

const ask = (from: HttpClient, conversation_id: string, message: string, more: object = {}) =>
  from.post<Reply>(CHAT, { conversation_id, message, ...more });
const upload = async (from: HttpClient, name: string, text: string) => {
  const file = new File([text], name, { type: 'text/plain' });
  const { uid } = await from.upload<{ uid: string }>('/semantic-search/upload/', 'path', file);
  return uid;
};

/** Searches, and cites the passage that has the word. */
const cites = (word: string) => (asked: { results: string[] }) => {
  const [result] = asked.results;
  if (result === undefined)
    return { calls: [{ name: 'semantic_search', arguments: { query: `plan ${word} begins` } }] };
  const before = result.slice(0, result.indexOf(word));
  return { text: `So [${[...before.matchAll(/"citation":(\d+)/g)].at(-1)![1]}].` };
};

describe('conversations that continue', () => {
  const llm = new ScriptedLlm();
  let platform: HostedPlatform;
  let user: HttpClient;
  const uids = new Map<string, string>();

  const sql = <T>(text: string, values: unknown[] = []) => platform.database.dataSource.query<T>(text, values);
  const indexed = (some: readonly string[]) =>
    until(async () => {
      const rows = await sql<{ state: string }[]>(
        'SELECT processing_state AS state FROM documents WHERE uid = ANY($1::uuid[])',
        [some],
      );
      return rows.every(({ state }) => state === 'completed');
    });

  beforeAll(async () => {
    await llm.start();
    platform = await hostPlatform(['api', 'indexer', 'workflow-runner'], llm.env);
    user = await HttpClient.signUp(platform.baseUrl);
    for (let variant = 0; variant < VARIANTS; variant += 1)
      for (const { name, text } of filesOf(variant)) uids.set(name, await upload(user, name, text));
    await indexed([...uids.values()]);
  });
  afterAll(async () => {
    await platform?.stop();
    await llm.stop();
  });

  it('have what they need in the prompt, cite what they mean, and begin as the prompt before', async () => {
    let plainCalls = 0;
    llm.answersPlain(() => {
      plainCalls += 1;
      return '{}';
    });
    const player = new ConversationPlayer(llm, user, uids);
    const all: PlayedConversation[] = [];
    for (const conversation of scriptedConversations(VARIANTS)) all.push(await player.play(conversation));
    expect(all.flatMap(({ wrongCitations }) => wrongCitations)).toEqual([]);
    const needed = all.flatMap((one) => one.needed);
    const missing = needed.filter(({ isThere }) => !isThere).map(({ text }) => text);
    expect({ missing, share: 1 - missing.length / needed.length >= 0.95 }).toEqual({ missing, share: true });
    const shares = all.map(({ name, prompts }) => ({ name, ...sharedPrefixes(prompts) }));
    const worst = (kind: 'within' | 'between') => Math.min(...shares.flatMap((one) => one[kind]));
    expect(worst('within')).toBeGreaterThanOrEqual(0.95);
    expect(worst('between')).toBeGreaterThanOrEqual(0.8);
    if (VARIANTS > 1)
      process.stderr.write(
        `${all.length} conversations: ${needed.length - missing.length} of ${needed.length} facts, within ${worst('within').toFixed(3)}, between ${worst('between').toFixed(3)}, other calls ${plainCalls}\n`,
      );
  });

  inAll('quote nothing of a document whose share ended, and number its citation for nobody else', async () => {
    const [owner, reader] = await Promise.all([0, 1].map(() => HttpClient.signUp(platform.baseUrl)));
    const uid = await upload(owner!, 'secret-plan.txt', 'The plan kestrel begins on the ninth of May.');
    const own = await upload(reader!, 'own-plan.txt', 'The plan osprey begins on the first of June.');
    await indexed([uid, own]);
    await sql(
      `INSERT INTO document_shares (document_uid, user_id) SELECT $1, id FROM users WHERE username = $2
       ON CONFLICT DO NOTHING`,
      [uid, reader!.username],
    );
    const conversation = newId();
    llm.answers(cites('kestrel'));
    const first = await ask(reader!, conversation, 'When does plan kestrel begin?');
    expect(first.sources).toMatchObject([{ filename: 'secret-plan.txt' }]);
    llm.answers(() => ({ text: 'As said.' }));
    await ask(reader!, conversation, 'Again, please.');
    expect(JSON.stringify(llm.asked[0]!.request.messages)).toContain('ninth of May');
    await sql('DELETE FROM document_shares WHERE document_uid = $1', [uid]);
    llm.answers(() => ({ text: `As said ${/\[\d+\]/.exec(first.answer)![0]}.` }));
    const after = await ask(reader!, conversation, 'And again.');
    expect(JSON.stringify(llm.asked[0]!.request.messages)).not.toContain('ninth of May');
    expect(after.sources).toEqual([]);
    llm.answers(cites('osprey'));
    const other = await ask(reader!, conversation, 'When does plan osprey begin?');
    expect(other.sources.map(({ citation }) => citation)).not.toContain(first.sources[0]!.citation);
    expect(other.sources).toMatchObject([{ filename: 'own-plan.txt' }]);
  });

  inAll('know what a turn did that was stopped, or broke off', async () => {
    const conversation = newId();
    llm.answers(({ results }) =>
      results.length === 0
        ? { calls: [{ name: 'code', arguments: { code: "return 'the word is merlin';" } }] }
        : { calls: [{ name: 'ask_user', arguments: { question: 'Shall I go on?' } }] },
    );
    const asked = await ask(user, conversation, 'Find the word.');
    expect(asked.status).toBe('clarification');
    await user.post(`${CHAT}stop/`, { conversation_id: conversation });
    llm.answers(() => ({ text: 'It was merlin.' }));
    await ask(user, conversation, 'Which word was it?');
    const messages = llm.asked[0]!.request.messages;
    expect(JSON.stringify(messages)).toContain('the word is merlin');
    // Each call has its outcome, which endpoints insist on.
    const calls = messages.flatMap((one) => (one.tool_calls ?? []).map(({ id }) => id));
    expect(messages.flatMap((one) => one.tool_call_id ?? [])).toEqual(calls);
    expect(await sql('SELECT FROM chat_turn_steps')).toEqual([]);
  });

  inAll(
    'read as much after 200 turns as after a few, ask no model for that before the first word, and have notes made after it',
    async () => {
      const conversation = newId();
      llm.answers(() => ({ text: 'Good.' }));
      llm.answersPlain(({ request }) => (isSummary(request) ? 'The user collects stamps of herons.' : '{}'));
      await ask(user, conversation, 'Begin.');
      await sql(
        `INSERT INTO chat_turns (id, session_id, status, question, answer, model, handler, finished_at)
       SELECT gen_random_uuid(), s.id, 'completed', 'Question ' || n || repeat(' about stamps', 80),
         'Answer ' || n || repeat(' on stamps', 100), 'm', 'agent', now()
       FROM chat_sessions s, generate_series(1, 200) n WHERE s.conversation_id = $1 ORDER BY n`,
        [conversation],
      );
      const order: string[] = [];
      llm.answers(() => {
        order.push('step');
        return { text: 'Good.' };
      });
      llm.answersPlain(({ request }) => {
        if (isSummary(request)) order.push('summary');
        return isSummary(request) ? 'The user collects stamps of herons.' : '{}';
      });
      await ask(user, conversation, 'And now?');
      expect(order[0]).toBe('step');
      const long = llm.asked[0]!.request.messages;
      expect(JSON.stringify(long)).toContain('Question 200 about');
      expect(JSON.stringify(long).length).toBeLessThan(160_000);
      const summary = async () =>
        sql<{ seq: string }[]>(
          `SELECT m.through_seq AS seq FROM chat_session_summaries m JOIN chat_sessions s ON s.id = m.session_id
         WHERE s.conversation_id = $1 AND m.through_seq >= (SELECT seq FROM chat_turns WHERE session_id = s.id AND question LIKE 'Question 190 %')`,
          [conversation],
        );
      // Notes are made in several rounds: as far as they go.
      await until(async () => (await summary()).length === 1);
      llm.answers(() => ({ text: 'Good.' }));
      await ask(user, conversation, 'What do I collect?');
      const short = llm.asked[0]!.request.messages;
      expect(JSON.stringify(short)).toContain('The user collects stamps of herons.');
      expect(JSON.stringify(short)).toContain('Question 200 about');
      expect(JSON.stringify(short)).not.toContain('Question 100 about');
      expect(JSON.stringify(short).length).toBeLessThan(30_000);
      const [row] = await sql<{ sealed: Buffer }[]>('SELECT summary_sealed AS sealed FROM chat_session_summaries');
      expect(row!.sealed.toString('latin1')).not.toContain('herons');
    },
  );
});

function isSummary({ messages }: { messages: { content?: unknown }[] }): boolean {
  return String(messages[0]?.content).startsWith('You write down what a conversation');
}
