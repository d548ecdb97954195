import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Json = Record<string, unknown>;

/** What the model does in one step of a turn. */
export interface Step {
  thought: string;
  text: string;
  /** The number of the step that is looked at; null: this is the answer. */
  look: number | null;
}

export interface Refused {
  status: number;
  body: unknown;
}

/** An error whose words no test should find anywhere. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

export const STEPS = 20;

/** The same question, the same answer: the step is told by the request alone, so any worker may send it. */
export function stepAt(done: number): Step {
  if (done >= STEPS) return { thought: 'That is all.', text: `Done after ${STEPS} looks.`, look: null };
  return { thought: `I have to look at ${done}.`, text: done % 6 === 0 ? `Look ${done}. ` : '', look: done };
}

/** Nobody else can sign so. */
export function signed(vendor: string, thought: string): string {
  return createHash('sha256').update(`${vendor} ${thought}`).digest('base64');
}

/**
 * A server of a vendor's protocol that refuses what the vendor refuses, by the bytes of each request. Its model takes
 * twenty steps and answers; without tools it says what it is told to.
 */
export abstract class VendorDouble {
  /** All requests. */
  requests = 0;
  /** Of these, why some were refused; those that fail on purpose are not among them. */
  readonly refusals: string[] = [];
  /** Bodies that were taken. */
  readonly taken: Json[] = [];
  /** What is answered without tools. */
  says = 'Fine.';
  /** Which requests fail, as if it were overloaded. */
  fails: (request: number) => boolean = () => false;
  /** Which answers break off in the middle. */
  cuts: (request: number) => boolean = () => false;
  private readonly server: Server;

  constructor(readonly name: string) {
    this.server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      request.on('end', () => {
        this.requests += 1;
        if (this.fails(this.requests)) {
          response.writeHead(503, { 'retry-after-ms': '0' }).end('{}');
          return;
        }
        try {
          const body = JSON.parse(text) as Json;
          const reply = this.answer(body, request.headers, request.url ?? '');
          this.taken.push(body);
          response.writeHead(200, { 'content-type': reply.type });
          if (!this.cuts(this.requests)) response.end(reply.body);
          else response.write(reply.body.slice(0, reply.body.length * 0.6), () => response.destroy());
        } catch (error) {
          this.refusals.push(String(error));
          const status = error instanceof Refusal ? error.status : 400;
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(this.errorOf(error)));
        }
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Of the settings. */
  abstract definition(): Json;

  /** @throws Refusal, or anything else for what is not of the protocol */
  protected abstract answer(
    body: Json,
    headers: IncomingHttpHeaders,
    url: string,
  ): { type: string; body: string | Buffer };

  protected abstract errorOf(error: unknown): unknown;
}

export function events(list: readonly (Json | string)[], named = false): { type: string; body: string } {
  const body = list
    .map((one) => {
      const data = typeof one === 'string' ? one : JSON.stringify(one);
      const name = named && typeof one !== 'string' ? `event: ${String(one.type)}\n` : '';
      return `${name}data: ${data}\n\n`;
    })
    .join('');
  return { type: 'text/event-stream', body };
}

export function json(value: unknown): { type: string; body: string } {
  return { type: 'application/json', body: JSON.stringify(value) };
}

export function must(condition: unknown, message: string, status = 400): asserts condition {
  if (!condition) throw new Refusal(message, status);
}
