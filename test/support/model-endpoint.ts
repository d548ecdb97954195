import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answers, type Behaviour, type ModelCall } from './hostile-model.js';

/** What an endpoint was asked, with which key. */
export interface EndpointCall extends ModelCall {
  method: string;
  path: string;
}

/** A real endpoint of the OpenAI protocol that lists its models, and knows who asked. */
export class ModelEndpoint {
  readonly calls: EndpointCall[] = [];
  /** What is met in place of a good answer. */
  behaviour: Behaviour | null = null;
  models: unknown = { data: [{ id: 'alpha' }, { id: 'beta', display_name: 'Beta' }] };
  private readonly server: Server = createServer((request, response) => void this.meet(request, response));

  private constructor(private readonly says: string) {}

  /** @param says to each question */
  static async start(says = 'Fine.'): Promise<ModelEndpoint> {
    const endpoint = new ModelEndpoint(says);
    await new Promise<void>((listening) => endpoint.server.listen(0, '127.0.0.1', listening));
    return endpoint;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get baseUrl(): string {
    return `http://${this.host}/v1`;
  }

  /** Keys with which it was asked. */
  get keys(): string[] {
    return this.calls.map(({ headers }) => headers.authorization?.replace('Bearer ', '') ?? '');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private async meet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
    const { method = '', url: path = '', headers } = request;
    const closed = new Promise<void>((gone) => response.once('close', gone));
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const call = { method, path, headers, body, closed };
    this.calls.push(call);
    if (this.behaviour) return this.behaviour(response, call);
    if (method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(this.models));
      return undefined;
    }
    return answers(this.says)(response, call);
  }
}
