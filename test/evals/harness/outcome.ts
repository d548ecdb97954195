import type { HostedPlatform } from '../../support/hosted-platform.js';
import type { HttpClient } from '../../support/http-client.js';
import { mailsIn, type SentMail } from '../../support/outbox.js';
import { until } from '../../support/until.js';
import type { Tenant } from './tenant.js';

export interface Source {
  citation: number;
  filename: string;
  text: string;
}

export interface Reply {
  status: string;
  answer: string;
  message: string;
  turn_id: string;
  chat_session_id: number;
  sources: Source[];
  generated_files_urls: string[];
  input: { request_id: string; kind: string; tool?: { name: string }; fields: { name: string }[] } | null;
}

export interface MadeCall {
  tool: string;
  arguments: string;
  result: string;
}

interface Text {
  text: string;
}
interface Trace {
  next: string | null;
  totals: { requests: number; prompt_tokens: number; completion_tokens: number };
  results: {
    model_call: {
      prompt_tokens: number;
      completion_tokens: number;
      prompt: { system: Text | null; messages: { content: Text }[] } | null;
    } | null;
    tool_call: { tool: string; arguments: Text; result: Text | null } | null;
  }[];
}

/** What is there after a task: the state of the platform, not the words of a model alone. */
export interface Outcome {
  /** Of the last turn. */
  reply: Reply;
  answers: { language: string; reply: Reply }[];
  /** Tools that the platform asked a person about. */
  asked: string[];
  calls: MadeCall[];
  /** All that models were shown, one text. */
  shown: string;
  tokens: number;
  requests: number;
  /** What the traces say against the ledger; '' where they agree. */
  ledgerDifference: string;
  mails: SentMail[];
  effects: { tool: string; input: Record<string, unknown> }[];
  files: { name: string; content: string }[];
  memories: string[];
}

/** Reads the final state, by the api where it tells and from the database where it does not. */
export class FinalState {
  constructor(
    private readonly platform: HostedPlatform,
    private readonly tenant: Tenant,
  ) {}

  /** What is there before, to be told apart. */
  async mark(): Promise<{ mails: number; effects: number }> {
    await this.settled();
    return { mails: (await this.mails()).length, effects: this.tenant.effects.length };
  }

  async read(
    user: HttpClient,
    turns: { language: string; reply: Reply }[],
    asked: string[],
    before: { mails: number; effects: number },
  ): Promise<Outcome> {
    const traces = await Promise.all(turns.map(({ reply }) => this.traceOf(user, reply.turn_id)));
    await this.settled();
    const entries = traces.flatMap(({ results }) => results);
    const models = entries.flatMap(({ model_call }) => model_call ?? []);
    return {
      reply: turns.at(-1)!.reply,
      answers: turns,
      asked,
      calls: entries.flatMap(({ tool_call: call }) =>
        call ? [{ tool: call.tool, arguments: call.arguments.text, result: call.result?.text ?? '' }] : [],
      ),
      shown: models.map(({ prompt }) => JSON.stringify(prompt)).join('\n'),
      tokens: traces.reduce((sum, { totals }) => sum + totals.prompt_tokens + totals.completion_tokens, 0),
      requests: models.length,
      ledgerDifference: await this.difference(
        turns.map(({ reply }) => reply.turn_id),
        models,
      ),
      mails: (await this.mails()).slice(before.mails),
      effects: this.tenant.effects.slice(before.effects),
      files: await this.filesOf(
        user,
        turns.flatMap(({ reply }) => reply.generated_files_urls),
      ),
      memories: (await user.get<{ results: { text: string }[] }>('/microservices/agent/memories/')).results.map(
        ({ text }) => text,
      ),
    };
  }

  private async traceOf(user: HttpClient, turnId: string): Promise<Trace> {
    const pages: Trace[] = [];
    do
      pages.push(
        await user.get<Trace>(`/microservices/chat-turns/${turnId}/trace/?page=${pages.length + 1}&page_size=100`),
      );
    while (pages.at(-1)!.next !== null);
    return { ...pages[0]!, results: pages.flatMap(({ results }) => results) };
  }

  private async difference(
    turnIds: string[],
    models: { prompt_tokens: number; completion_tokens: number }[],
  ): Promise<string> {
    const [ledger] = await this.platform.database.dataSource.query<[{ tokens: number }]>(
      `SELECT coalesce(sum(prompt_tokens + completion_tokens), 0)::int AS tokens FROM model_usage
       WHERE turn_id = ANY ($1::uuid[]) AND purpose <> 'memory'`,
      [turnIds],
    );
    const traced = models.reduce((sum, { prompt_tokens: read, completion_tokens: written }) => sum + read + written, 0);
    return traced >= ledger.tokens ? '' : `the traces have ${traced} tokens, the ledger ${ledger.tokens}`;
  }

  /** Mails are sent after the answer. */
  private async settled(): Promise<void> {
    await until(async () => {
      const [row] = await this.platform.database.dataSource.query<[{ open: number }]>(
        'SELECT count(*)::int AS open FROM outgoing_messages WHERE finished_at IS NULL',
      );
      return row.open === 0;
    });
  }

  private async mails(): Promise<SentMail[]> {
    return (await mailsIn(this.platform.env.OUTBOX_DIR!)).filter(({ to }) => !to.endsWith('@test.example'));
  }

  private async filesOf(user: HttpClient, urls: string[]): Promise<{ name: string; content: string }[]> {
    return Promise.all(
      urls.map(async (url) => {
        const query = new URLSearchParams({ path: url });
        const signed = await user.get<{ url: string }>(`/media/sign/?${query.toString()}`);
        const response = await fetch(new URL(signed.url, this.platform.baseUrl));
        const name = decodeURIComponent(url.split('?')[0]!.split('/').at(-1)!);
        return { name, content: response.ok ? await response.text() : `status ${response.status}` };
      }),
    );
  }
}
