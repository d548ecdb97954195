import { randomBytes } from 'node:crypto';

/** A signed-in client of a running api, for tests that go through processes. */
export class HttpClient {
  private constructor(
    readonly baseUrl: string,
    readonly token: string,
    readonly username: string,
  ) {}

  /** Registers an account of its own and signs in. */
  static async signUp(baseUrl: string): Promise<HttpClient> {
    const username = `u${randomBytes(6).toString('hex')}`;
    const password = `pw-${randomBytes(9).toString('base64url')}`;
    const anonymous = new HttpClient(baseUrl, '', username);
    await anonymous.post('/api/v1/users/', { username, email: `${username}@test.example`, password });
    const session = await anonymous.post<{ auth_token: string }>('/api/v1/token/login/', { username, password });
    return new HttpClient(baseUrl, session.auth_token, username);
  }

  static async signIn(baseUrl: string, username: string, password: string): Promise<HttpClient> {
    const anonymous = new HttpClient(baseUrl, '', username);
    const session = await anonymous.post<{ auth_token: string }>('/api/v1/token/login/', { username, password });
    return new HttpClient(baseUrl, session.auth_token, username);
  }

  get<T>(path: string): Promise<T> {
    return this.json<T>('GET', path);
  }

  post<T = unknown>(path: string, body: unknown): Promise<T> {
    return this.json<T>('POST', path, body);
  }

  async upload<T>(path: string, field: string, file: File, fields: Record<string, string> = {}): Promise<T> {
    const form = new FormData();
    form.append(field, file, file.name);
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    return this.read<T>(await fetch(this.baseUrl + path, { method: 'POST', headers: this.headers(), body: form }));
  }

  /** The raw body of a streamed reply, whole. */
  async text(path: string, body: unknown): Promise<string> {
    const response = await this.send('POST', path, body);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.text();
  }

  send(method: string, path: string, body?: unknown): Promise<Response> {
    const headers = { ...this.headers(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    return fetch(this.baseUrl + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  private async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.read<T>(await this.send(method, path, body));
  }

  private async read<T>(response: Response): Promise<T> {
    const text = await response.text();
    if (!response.ok) throw new Error(`${new URL(response.url).pathname}: ${response.status} ${text}`);
    return (text === '' ? null : JSON.parse(text)) as T;
  }

  private headers(): Record<string, string> {
    return this.token === '' ? {} : { authorization: `Token ${this.token}` };
  }
}
