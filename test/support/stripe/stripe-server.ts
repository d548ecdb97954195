import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { STRIPE_API_VERSION } from '@app/integrations/stripe';
import { Stripe } from 'stripe';
import { until } from '../until.js';
import { answerOf } from './expand.js';
import { type Form, listAt, readForm } from './form.js';
import { type SentEvent, StripeAccount } from './stripe-account.js';
import { Refusal, STRIPE_ROUTES } from './stripe-routes.js';

export interface StripeCall {
  method: string;
  path: string;
  form: Form;
  headers: IncomingMessage['headers'];
  status: number;
}

/**
 * What becomes of the next call: an error, nothing at all, or an answer that is lost on its way after all was done. An
 * error that is kept went wrong while it was done: it is answered again to the same key.
 */
export type StripeFault =
  | { status: number; code?: string; message?: string; kept?: true }
  | 'hangs'
  | 'breaks'
  | 'answer lost';

interface Kept {
  fingerprint: string;
  answer: Promise<{ status: number; body: object }>;
}

/** A server that speaks what this project uses of Stripe's API, and is as strict with it as Stripe. */
export class StripeServer {
  readonly account: StripeAccount;
  readonly calls: StripeCall[] = [];
  readonly secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  readonly webhookSecret = `whsec_${randomBytes(16).toString('hex')}`;
  private readonly faults: { on: RegExp; fault: StripeFault }[] = [];
  private readonly keys = new Map<string, Kept>();
  /** Held answers: what two calls at once meet. */
  delayMs = 0;

  private constructor(private readonly server: Server) {
    this.account = new StripeAccount(() => this.url, STRIPE_API_VERSION);
    server.on('request', (request, response) => void this.handle(request, response));
  }

  static async start(): Promise<StripeServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new StripeServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get settings() {
    return { secretKey: this.secretKey, webhookSecret: this.webhookSecret, baseUrl: this.url };
  }

  /** For the next calls, one each. */
  fail(...faults: StripeFault[]): void {
    this.failAt(/./, ...faults);
  }

  /** For the next calls of these, such as `POST /v1/refunds`. */
  failAt(on: RegExp, ...faults: StripeFault[]): void {
    this.faults.push(...faults.map((fault) => ({ on, fault })));
  }

  /** Forgets what was to go wrong. */
  recover(): void {
    this.faults.length = 0;
  }

  /** Waits until so many things were asked for, answered or not. */
  async called(gets: number): Promise<void> {
    await until(() => this.calls.filter(({ method }) => method === 'GET').length >= gets);
  }

  /** The value of the header for an event. */
  sign({ body }: Pick<SentEvent, 'body'>, { at = Date.now(), secret = this.webhookSecret } = {}): string {
    const timestamp = Math.floor(at / 1000);
    return Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', headers } = request;
    const url = new URL(request.url ?? '/', this.url);
    const form = readForm(Buffer.concat(chunks).toString('utf8') || url.search.slice(1));
    const place = this.faults.findIndex(({ on }) => on.test(`${method} ${url.pathname}`));
    const fault = place < 0 ? undefined : this.faults.splice(place, 1)[0]!.fault;
    if (fault === 'hangs') return;
    if (fault === 'breaks') return void request.socket.destroy();
    const { status, body, again } = await this.once(method, url.pathname, form, headers, fault);
    this.calls.push({ method, path: url.pathname, form, headers, status });
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    if (fault === 'answer lost') return void request.socket.destroy();
    response
      .writeHead(status, {
        'content-type': 'application/json',
        'request-id': `req_${randomBytes(7).toString('hex')}`,
        ...(again && { 'idempotent-replayed': 'true' }),
        ...((again || (typeof fault === 'object' && fault.kept)) && { 'stripe-should-retry': 'false' }),
      })
      .end(JSON.stringify(body));
  }

  /** Twice with the same key: done once, answered twice. With other contents: refused. */
  private async once(
    method: string,
    path: string,
    form: Form,
    headers: IncomingMessage['headers'],
    fault: StripeFault | undefined,
  ): Promise<{ status: number; body: object; again?: boolean }> {
    const key = headers['idempotency-key'] as string | undefined;
    if (typeof fault === 'object' && !fault.kept) return faultAnswer(fault);
    const answer = async () =>
      typeof fault === 'object' ? faultAnswer(fault) : this.answer(method, path, form, headers);
    if (method !== 'POST' || key === undefined) return answer();
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([path, form]))
      .digest('hex');
    const kept = this.keys.get(key);
    if (kept && kept.fingerprint !== fingerprint)
      return errorAnswer(
        new Refusal(400, {
          type: 'idempotency_error',
          message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
        }),
      );
    if (kept) return { ...(await kept.answer), again: true };
    const given = answer();
    this.keys.set(key, { fingerprint, answer: given });
    // What was refused before anything was done is not kept.
    if ((await given).status === 400 || (await given).status === 404) this.keys.delete(key);
    return given;
  }

  private async answer(method: string, path: string, form: Form, headers: IncomingMessage['headers']) {
    try {
      this.check(headers);
      for (const route of STRIPE_ROUTES) {
        const found = route.method === method ? route.path.exec(path) : null;
        if (!found) continue;
        const unknown = Object.keys(form).find((name) => !route.takes.includes(name));
        if (unknown !== undefined)
          throw new Refusal(400, {
            type: 'invalid_request_error',
            code: 'parameter_unknown',
            param: unknown,
            message: `Received unknown parameter: ${unknown}`,
          });
        const id = decodeURIComponent(found[1] ?? '');
        const object = route.answer({ form, id, account: this.account, url: this.url });
        const expand = listAt(form, 'expand').filter((one) => typeof one === 'string');
        return { status: 200, body: answerOf(object, expand, this.account) };
      }
      throw new Refusal(404, { type: 'invalid_request_error', message: `Unrecognized request URL (${path}).` });
    } catch (error) {
      if (error instanceof Refusal) return errorAnswer(error);
      throw error;
    }
  }

  private check(headers: IncomingMessage['headers']): void {
    if (headers.authorization !== `Bearer ${this.secretKey}`)
      throw new Refusal(401, {
        type: 'invalid_request_error',
        message: `Invalid API Key provided: ${headers.authorization}`,
      });
    if (headers['stripe-version'] !== STRIPE_API_VERSION)
      throw new Refusal(400, {
        type: 'invalid_request_error',
        message: `Invalid Stripe API version: ${headers['stripe-version'] as string}`,
      });
  }
}

const errorAnswer = ({ status, error }: Refusal) => ({ status, body: { error } });

function faultAnswer({ status, code, message = 'Something went wrong.' }: Exclude<StripeFault, string>) {
  const type = status >= 500 ? 'api_error' : status === 429 ? 'rate_limit_error' : 'invalid_request_error';
  return errorAnswer(new Refusal(status, { type, message, ...(code && { code }) }));
}
