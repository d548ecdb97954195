import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ModelCall {
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** Resolves when the connection is gone or the answer is out. */
  closed: Promise<void>;
}

/** How the server meets one call. */
export type Behaviour = (response: ServerResponse, call: ModelCall) => void | Promise<void>;

/** A server that speaks the OpenAI protocol, as badly as it is told to. Without a script it answers well. */
export class HostileModel {
  readonly calls: ModelCall[] = [];
  private readonly server: Server;
  private script: Behaviour[] = [];
  private otherwise: Behaviour = answers('Fine.');
  /** Calls at work now, and the most there ever were. */
  readonly load = { now: 0, most: 0 };

  constructor() {
    this.server = createServer((request, response) => void this.meet(request, response));
  }

  async start(): Promise<this> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  /** Ends in /v1. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** @param behaviours of the next calls, in order; well again after that */
  next(...behaviours: Behaviour[]): void {
    this.calls.length = 0;
    this.script = behaviours;
    this.otherwise = answers('Fine.');
  }

  always(behaviour: Behaviour): void {
    this.next();
    this.otherwise = behaviour;
  }

  private async meet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.load.now += 1;
    this.load.most = Math.max(this.load.most, this.load.now);
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    void closed.then(() => (this.load.now -= 1));
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
    const call = { headers: request.headers, body: JSON.parse(text) as Record<string, unknown>, closed };
    this.calls.push(call);
    await (this.script.shift() ?? this.otherwise)(response, call);
  }
}

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const USAGE = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
export const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
export const piece = (delta: Record<string, unknown>, finish: string | null = null) =>
  event({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
export const usageEvent = (usage: Record<string, unknown> = USAGE) => event({ ...head, choices: [], usage });

export function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

function isStreamed({ body }: ModelCall): boolean {
  return body.stream === true;
}

interface AnswerOptions {
  usage?: Record<string, unknown> | null;
  finish?: string;
  delayMs?: number;
  done?: boolean;
}

/** A whole answer, streamed or not, as it was asked for. */
export function answers(text: string, options: AnswerOptions = {}): Behaviour {
  const { usage = USAGE, finish = 'stop', delayMs = 0, done = true } = options;
  return async (response, call) => {
    if (!isStreamed(call)) {
      await pause(delayMs);
      const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }];
      return json(200, { ...head, object: 'chat.completion', choices, ...(usage && { usage }) })(response, call);
    }
    begin(response);
    for (const word of text.match(/\S+\s*/g) ?? []) {
      if (delayMs > 0) await pause(delayMs);
      response.write(piece({ content: word }));
    }
    response.write(piece({}, finish));
    if (usage) response.write(usageEvent(usage));
    response.end(done ? event('[DONE]') : '');
  };
}

/** Bytes of a stream as they are, one write each. */
export function writes(...parts: string[]): Behaviour {
  return (response) => {
    begin(response);
    for (const part of parts) response.write(part);
    response.end();
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** An error as endpoints word it, with the key and the prompt in it. */
export function refuses(status: number, code: string | null = null, headers: Record<string, string> = {}): Behaviour {
  return (response, call) => {
    const message = `Refused: ${JSON.stringify(call.headers)} ${JSON.stringify(call.body)}`;
    return json(status, { error: { message, type: 'some_error', param: null, code } }, headers)(response, call);
  };
}

export const stallsBeforeFirstByte: Behaviour = () => undefined;

export const stallsAfterHeaders: Behaviour = begin;

/** Says so much, then nothing more. */
export function stallsAfter(text: string): Behaviour {
  return (response) => {
    begin(response);
    response.write(piece({ content: text }));
  };
}

/** Says so much, then the connection is gone. */
export function cutsAfter(text: string): Behaviour {
  return async (response) => {
    begin(response);
    if (text !== '') response.write(piece({ content: text }));
    await pause(20);
    response.destroy();
  };
}

/** A piece at a time, as long as somebody listens. */
export function drips(intervalMs: number, chunk = piece({ content: 'drip ' })): Behaviour {
  return async (response) => {
    begin(response);
    while (!response.destroyed) {
      response.write(chunk);
      await pause(intervalMs);
    }
  };
}

/** As much as the reader takes, without an end. */
export function floods(chunk: string): Behaviour {
  return async (response) => {
    begin(response);
    while (!response.destroyed) {
      if (!response.write(chunk))
        await Promise.race([pause(1000), new Promise((drain) => response.once('drain', drain))]);
    }
  };
}

export function page(type = 'text/html'): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': type });
    response.write('<html>Please sign in');
  };
}

/** The events of tool calls, then `tool_calls`. */
export function calls(...deltas: Record<string, unknown>[]): Behaviour {
  return writes(
    ...deltas.map((delta) => piece({ tool_calls: [delta] })),
    piece({}, 'tool_calls'),
    usageEvent(),
    event('[DONE]'),
  );
}
