import { type Answer, call, postJson } from './api.js';

export interface Returned {
  code: string;
  state: string;
  iss?: string;
}

/** Keeps cookies per origin, as far as the tests need a browser to. */
export class Browser {
  private readonly jar = new Map<string, Map<string, string>>();

  constructor(
    private readonly apiUrl: string,
    /** Sent to the api when somebody is signed in. */
    public accessToken: string | null = null,
  ) {}

  async get(path: string): Promise<Answer> {
    return this.keep(await call(this.apiUrl + path, { headers: this.headers(this.apiUrl) }));
  }

  async post(path: string, body: unknown): Promise<Answer> {
    return this.keep(await postJson(this.apiUrl + path, body, this.headers(this.apiUrl)));
  }

  cookie(name: string): string | undefined {
    return this.jar.get(new URL(this.apiUrl).origin)?.get(name);
  }

  /** Where `authorize/` sends the browser. */
  async begin(path: string): Promise<{ authUrl: string; state: string; nonce: string }> {
    const answer = await this.get(path);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    const { auth_url: authUrl, state } = answer.body as { auth_url: string; state: string };
    return { authUrl, state, nonce: new URL(authUrl).searchParams.get('nonce') ?? '' };
  }

  /** Follows the provider's pages as the person, up to the redirect to the web app. */
  async signInAt(authUrl: string, person: string): Promise<Returned> {
    let url = new URL(authUrl);
    const { origin } = url;
    for (let hops = 0; url.origin === origin && hops < 10; hops++) {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { ...this.headers(origin), 'x-person': person },
      });
      this.remember(origin, response.headers);
      const location = response.headers.get('location');
      if (!location) throw new Error(`${url.pathname}: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
      url = new URL(location, url);
    }
    return Object.fromEntries(url.searchParams) as unknown as Returned;
  }

  /** From `authorize/` to the way back. */
  async goAndReturn(authorizePath: string, person: string): Promise<Returned> {
    const { authUrl } = await this.begin(authorizePath);
    return this.signInAt(authUrl, person);
  }

  private keep(answer: Answer): Answer {
    this.remember(new URL(this.apiUrl).origin, answer.headers);
    return answer;
  }

  private remember(origin: string, headers: Headers): void {
    const cookies = this.jar.get(origin) ?? new Map<string, string>();
    this.jar.set(origin, cookies);
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
  }

  private headers(origin: string): Record<string, string> {
    const cookies = [...(this.jar.get(new URL(origin).origin) ?? [])].map(([name, value]) => `${name}=${value}`);
    const mine = new URL(this.apiUrl).origin === new URL(origin).origin;
    return {
      ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}),
      ...(mine && this.accessToken ? { authorization: `Token ${this.accessToken}` } : {}),
    };
  }
}
