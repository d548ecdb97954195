import { type Answer, postJson, call, type TestApi } from './api.js';
import { Browser, type Returned } from './browser.js';
import type { HttpClient } from './http-client.js';

export interface ServerBody {
  id: number;
  status: string;
  last_error: string;
  granted_scopes: string;
  token_expires_at: string | null;
  oauth_provider: string | null;
  tool_names: string[];
}

export interface ProbeBody {
  ok: boolean;
  error: string;
  needs_reauth: boolean;
  tool_names: string[];
  server: ServerBody;
}

/** One user of tool servers, at one api. */
export class McpUser {
  private constructor(
    readonly baseUrl: string,
    readonly client: HttpClient,
  ) {}

  static async signUp(api: TestApi): Promise<McpUser> {
    return new McpUser(api.baseUrl, await api.signUp());
  }

  static of(baseUrl: string, client: HttpClient): McpUser {
    return new McpUser(baseUrl, client);
  }

  /** The same user at another api. */
  at({ baseUrl }: Pick<TestApi, 'baseUrl'>): McpUser {
    return new McpUser(baseUrl, this.client);
  }

  post(path: string, body: unknown = {}): Promise<Answer> {
    return postJson(`${this.baseUrl}/mcp-servers/${path}`, body, this.headers());
  }

  send(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
    const headers = { ...this.headers(), 'content-type': 'application/json' };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    return call(`${this.baseUrl}/mcp-servers/${path}`, { method, headers, ...content });
  }

  /** A server with auth_type oauth. @returns its id */
  async addServer(url: string): Promise<number> {
    const { status, body } = await this.post('servers/', { label: 'Protected', url, auth_type: 'oauth' });
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return (body as { id: number }).id;
  }

  async start(id: number, scopes?: string[]): Promise<{ auth_url: string; state: string; scopes: string[] }> {
    const { status, body } = await this.post(`servers/${id}/oauth/start/`, scopes ? { scopes } : {});
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body as { auth_url: string; state: string; scopes: string[] };
  }

  /** From the start to what the provider's redirect carries. */
  async goAndReturn(id: number, scopes?: string[]): Promise<Returned> {
    const { auth_url: authUrl } = await this.start(id, scopes);
    return new Browser(this.baseUrl).signInAt(authUrl, 'ada');
  }

  async signIn(id: number, scopes?: string[]): Promise<ProbeBody> {
    const { status, body } = await this.post('oauth/callback/', await this.goAndReturn(id, scopes));
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body as ProbeBody;
  }

  async test(id: number): Promise<ProbeBody> {
    return (await this.post(`servers/${id}/test/`)).body as ProbeBody;
  }

  async server(id: number): Promise<ServerBody> {
    return (await this.send('GET', `servers/${id}/`)).body as ServerBody;
  }

  private headers(): Record<string, string> {
    return { authorization: `Token ${this.client.token}` };
  }
}
