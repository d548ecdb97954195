import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ChatMessage {
  role: string;
  content: string | { type: string; text?: string }[] | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

export interface ModelCall {
  messages: ChatMessage[];
  tools?: { function: { name: string } }[];
  response_format?: unknown;
  stream?: boolean;
}

/** What the model writes, word by word, and what it asks for at the end. */
export interface Written {
  words: string[];
  toolCalls?: { id: string; name: string; input: Record<string, unknown> }[];
}

/** A language model behind the OpenAI protocol that writes at an even pace what a script says to the messages. */
export class PacingModel {
  readonly calls: ModelCall[] = [];
  url = '';
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => void this.answer(JSON.parse(body) as ModelCall, response));
  });

  /** @param gapMs between two words. */
  private constructor(
    private readonly script: (call: ModelCall) => Written,
    private readonly gapMs: number,
  ) {}

  static async start(script: (call: ModelCall) => Written, gapMs: number): Promise<PacingModel> {
    const model = new PacingModel(script, gapMs);
    await new Promise<void>((ready) => model.server.listen(0, '127.0.0.1', ready));
    model.url = `http://127.0.0.1:${(model.server.address() as AddressInfo).port}/v1`;
    return model;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((stopped) => this.server.close(stopped));
  }

  private async answer(call: ModelCall, response: ServerResponse): Promise<void> {
    this.calls.push(call);
    const { words, toolCalls = [] } = this.script(call);
    const asked = toolCalls.map(({ id, name, input }, index) => ({
      index,
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }));
    const finish = asked.length > 0 ? 'tool_calls' : 'stop';
    const usage = { prompt_tokens: 10, completion_tokens: words.length, total_tokens: 10 + words.length };
    const base = { id: 'c', created: 1, model: 'm' };
    if (!call.stream) {
      const message = { role: 'assistant', content: words.join(''), ...(asked.length > 0 && { tool_calls: asked }) };
      const choices = [{ index: 0, message, finish_reason: finish }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...base, object: 'chat.completion', choices, usage }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (data: object) =>
      response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...data })}\n\n`);
    const delta = (value: object, reason: string | null = null) =>
      send({ choices: [{ index: 0, delta: value, finish_reason: reason }] });
    for (const word of words) {
      if (response.destroyed) return;
      delta({ role: 'assistant', content: word });
      await sleep(this.gapMs);
    }
    if (asked.length > 0) delta({ tool_calls: asked });
    delta({}, finish);
    send({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  }
}
