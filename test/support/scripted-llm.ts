import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';

/** What a model was asked, as a script judges it. */
export interface Asked {
  /** The first message of the user's last turn: what the turn is about. */
  question: string;
  /** What tools have answered since, oldest first. */
  results: string[];
  /** What was told of a step that broke off, and is to be gone on with; '' for a new step. */
  told: string;
  tools: string[];
  request: ChatCompletionRequest;
}

export interface ScriptedAnswer {
  text?: string;
  calls?: { name: string; arguments: Record<string, unknown> }[];
  /** In place of an answer: what the server says instead, with the status 400. */
  error?: string;
  /** What the endpoint says that it took; its own count when absent. */
  usage?: { prompt_tokens: number; completion_tokens: number };
}

/** A real server of the OpenAI protocol whose answers are made by a function: the same question, the same answer. */
export class ScriptedLlm {
  readonly asked: Asked[] = [];
  private readonly mock = new LLMock({ port: 0 });
  private script: (asked: Asked) => ScriptedAnswer = () => ({ text: 'Nobody wrote a script.' });
  /** What calls without tools are answered with, those that ask for JSON; titles, memories and the like. */
  private plain: (asked: Asked) => string = () => '{}';
  /** Milliseconds between pieces. */
  private pause = 0;

  async start(): Promise<void> {
    await this.mock.start();
    // Pauses are a matter of the fixture, so there is one for each kind.
    for (const slow of [true, false])
      this.mock.addFixture({
        match: { predicate: () => this.pause > 0 === slow },
        response: (request) => this.answer(request),
        chunkSize: 8,
        ...(slow && { latency: 25 }),
      });
  }

  get env(): Record<string, string> {
    return {
      LLM_BASE_URL: `${this.mock.url}/v1`,
      LLM_API_KEY: 'k',
      LLM_MODELS: JSON.stringify([{ id: 1, name: 'Scripted', value: 'scripted', capability: 'vision' }]),
      CHAT_TITLES: 'false',
    };
  }

  answers(script: (asked: Asked) => ScriptedAnswer, { slowly = false } = {}): void {
    this.script = script;
    this.pause = slowly ? 25 : 0;
    this.asked.length = 0;
  }

  /** @param script of calls without tools; such as `{"queries": [...]}` for the search of a question */
  answersPlain(script: (asked: Asked) => string): void {
    this.plain = script;
  }

  stop(): Promise<void> {
    return this.mock.stop();
  }

  private answer(request: ChatCompletionRequest) {
    const asked = toAsked(request);
    // Titles, memories and the like are asked for without tools.
    if (asked.tools.length > 0) this.asked.push(asked);
    const answer: ScriptedAnswer = asked.tools.length === 0 ? { text: this.plain(asked) } : this.script(asked);
    const { text = '', calls = [], usage, error } = answer;
    if (error !== undefined) return { error: { message: error, type: 'invalid_request_error' }, status: 400 };
    const counted = usage && { usage };
    if (calls.length === 0) return { content: text, ...counted };
    const toolCalls = calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }));
    return text === '' ? { toolCalls, ...counted } : { content: text, toolCalls, ...counted };
  }
}

/** Pictures of results come in a message of their own behind them. */
const PICTURES = 'Pictures that tools gave with the results above';

function toAsked(request: ChatCompletionRequest): Asked {
  const { messages } = request;
  const last = messages.at(-1);
  const before = messages.at(-2);
  const isContinuing = last?.role === 'user' && before?.role === 'assistant' && !before.tool_calls;
  const told = isContinuing && textOf(last.content).includes('cut off') ? textOf(before.content) : '';
  const own = told === '' ? messages : messages.slice(0, -2);
  const at = own.findLastIndex(({ role, content }) => role === 'user' && !textOf(content).includes(PICTURES));
  return {
    question: withoutNotes(textOf(own[at]?.content ?? '')),
    results: own.slice(at).flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : [])),
    told,
    tools: (request.tools ?? []).map((tool) => tool.function.name),
    request,
  };
}

/** What the platform tells with each message stands before it. */
export function withoutNotes(text: string): string {
  return text.replace(/^\[Notes of the platform\]\n[^]*?\n\[End of the notes\]\n\n/, '');
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
