import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Entry {
  id: string;
  parentId: string | null;
  name: string;
  content: Buffer | null;
  version: number;
  /** When it last changed, on the drive's own count. */
  sequence: number;
  deleted: boolean;
  permissions: Map<string, { email: string; roles: string[] }>;
}

export interface GraphServer {
  graphUrl: string;
  loginUrl: string;
  /** For SOURCE_HOSTS. */
  hosts: string[];
  tenant: string;
  client: string;
  secret: string;
  drive: string;
  /** Items per page of a list. */
  pageSize: number;
  /** So many calls get 429, with this `Retry-After`. */
  throttle: { times: number; retryAfter: string };
  /** Calls to Graph, as `METHOD path`, without queries. */
  calls: string[];
  tokensGiven: number;
  /** Headers with which the other origin was asked for contents. */
  downloads: IncomingMessage['headers'][];
  /** Contents break off in the middle. */
  breakDownloads: boolean;
  /** Called before contents are given. */
  onDownload: (name: string) => Promise<void>;
  /** Makes or changes a file, and the folders on its path. @returns its id */
  put(path: string, content: string | Buffer): string;
  rename(id: string, name: string): void;
  /** A file, or a folder with what is in it; the changes name the folder alone, as Graph does for some drives. */
  remove(id: string): void;
  idOf(path: string): string;
  permissionsOf(id: string): { email: string; roles: string[] }[];
  /** As somebody at Microsoft does it. */
  grant(id: string, email: string, roles: string[]): void;
  /** Tokens given so far are refused from now on. */
  expireTokens(): void;
  /** Lists of changes begun so far cannot be gone on with: 410. */
  forgetCursors(): void;
  stop(): Promise<void>;
}

/** One drive of Microsoft Graph, as far as importing and sharing go, over real HTTP. */
export async function startGraph(): Promise<GraphServer> {
  const drive = new FakeDrive();
  await drive.start();
  return drive;
}

class FakeDrive implements GraphServer {
  graphUrl = '';
  loginUrl = '';
  hosts: string[] = [];
  readonly tenant = 'contoso.example';
  readonly client = randomUUID();
  readonly secret = `graph~${randomUUID()}`;
  readonly drive = 'b!drive-1';
  pageSize = 3;
  throttle = { times: 0, retryAfter: '1' };
  calls: string[] = [];
  tokensGiven = 0;
  downloads: IncomingMessage['headers'][] = [];
  breakDownloads = false;
  onDownload = async (_name: string): Promise<void> => {};
  private readonly entries = new Map<string, Entry>();
  private readonly root = this.make(null, 'root', null);
  private tokens = new Set<string>();
  private epoch = 1;
  private sequence = 0;
  private servers: Server[] = [];
  private contentUrl = '';

  async start(): Promise<void> {
    const api = await this.listen((request, response) => this.answer(request, response));
    const content = await this.listen((request, response) => this.give(request, response));
    this.graphUrl = `http://127.0.0.1:${api}/v1.0`;
    this.loginUrl = `http://127.0.0.1:${api}`;
    this.contentUrl = `http://127.0.0.1:${content}`;
    this.hosts = [`127.0.0.1:${api}`, `127.0.0.1:${content}`];
  }

  put(path: string, content: string | Buffer): string {
    const names = path.split('/');
    const name = names.pop()!;
    let parent = this.root;
    for (const folder of names) parent = this.child(parent, folder) ?? this.make(parent.id, folder, null);
    const known = this.child(parent, name);
    if (!known) return this.make(parent.id, name, Buffer.from(content)).id;
    known.content = Buffer.from(content);
    known.version += 1;
    known.sequence = ++this.sequence;
    return known.id;
  }

  rename(id: string, name: string): void {
    const entry = this.entries.get(id)!;
    entry.name = name;
    entry.sequence = ++this.sequence;
  }

  remove(id: string): void {
    const entry = this.entries.get(id)!;
    entry.deleted = true;
    entry.sequence = ++this.sequence;
    for (const inside of this.entries.values()) if (inside.parentId === id) this.vanish(inside);
  }

  idOf(path: string): string {
    return path.split('/').reduce((at, name) => this.child(at, name)!, this.root).id;
  }

  permissionsOf(id: string): { email: string; roles: string[] }[] {
    return [...this.entries.get(id)!.permissions.values()];
  }

  grant(id: string, email: string, roles: string[]): void {
    this.entries.get(id)!.permissions.set(randomUUID(), { email, roles });
  }

  expireTokens(): void {
    this.tokens = new Set();
  }

  forgetCursors(): void {
    this.epoch += 1;
  }

  async stop(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  }

  private vanish(entry: Entry): void {
    entry.deleted = true;
    entry.sequence = 0;
    for (const inside of this.entries.values()) if (inside.parentId === entry.id) this.vanish(inside);
  }

  private child(parent: Entry, name: string): Entry | undefined {
    return [...this.entries.values()].find(
      (entry) => entry.parentId === parent.id && entry.name === name && !entry.deleted,
    );
  }

  private make(parentId: string | null, name: string, content: Buffer | null): Entry {
    const id = `01${randomUUID().replaceAll('-', '').toUpperCase()}`;
    this.sequence = (this.sequence ?? 0) + 1;
    const entry = {
      id,
      parentId,
      name,
      content,
      version: 1,
      sequence: this.sequence,
      deleted: false,
      permissions: new Map(),
    };
    this.entries.set(id, entry);
    return entry;
  }

  private async listen(
    handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): Promise<number> {
    const server = createServer((request, response) => void handler(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    this.servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.loginUrl);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const send = (status: number, answer: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(answer));
    if (url.pathname === `/${this.tenant}/oauth2/v2.0/token`)
      return void this.giveToken(new URLSearchParams(body), send);
    this.calls.push(`${request.method} ${url.pathname.replace('/v1.0', '')}`);
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (!this.tokens.has(bearer)) return void send(401, { error: { code: 'InvalidAuthenticationToken' } });
    if (this.throttle.times > 0) {
      this.throttle.times -= 1;
      return void send(429, { error: { code: 'tooManyRequests' } }, { 'retry-after': this.throttle.retryAfter });
    }
    const base = `/v1.0/drives/${encodeURIComponent(this.drive)}`;
    if (!url.pathname.startsWith(base)) return void send(404, { error: { code: 'itemNotFound' } });
    this.route(request.method!, url.pathname.slice(base.length), url, body, send);
  }

  private giveToken(form: URLSearchParams, send: (status: number, answer: unknown) => void): void {
    const isKnown = form.get('client_id') === this.client && form.get('client_secret') === this.secret;
    const scope = form.get('scope') === `${this.loginUrl}/.default`;
    if (!isKnown || !scope || form.get('grant_type') !== 'client_credentials')
      return send(401, { error: 'invalid_client', error_description: `AADSTS7000215 ${form.get('client_secret')}` });
    const token = `graph-token-${randomUUID()}`;
    this.tokens.add(token);
    this.tokensGiven += 1;
    send(200, { token_type: 'Bearer', expires_in: 3599, access_token: token });
  }

  private route(
    method: string,
    path: string,
    url: URL,
    body: string,
    send: (status: number, answer: unknown, headers?: Record<string, string>) => void,
  ): void {
    if (path === '/root') return send(200, this.toItem(this.root));
    if (path === '/root/delta') return this.delta(url, send);
    const [, , id, action, permissionId] = path.split('/');
    const entry = this.entries.get(id ?? '');
    if (!entry || entry.deleted) return send(404, { error: { code: 'itemNotFound' } });
    if (action === undefined) return send(200, this.toItem(entry));
    if (action === 'content') return send(302, {}, { location: `${this.contentUrl}/${entry.id}?sig=1` });
    if (action === 'invite') {
      const { recipients, roles } = JSON.parse(body) as { recipients: { email: string }[]; roles: string[] };
      const made = recipients.map(({ email }) => {
        const known = [...entry.permissions].find(([, permission]) => permission.email === email);
        const key = known?.[0] ?? randomUUID();
        entry.permissions.set(key, { email, roles });
        return { id: key, roles, grantedToV2: { user: { email } } };
      });
      return send(200, { value: made });
    }
    if (action === 'permissions' && method === 'GET') {
      const value = [...entry.permissions].map(([key, { email, roles }]) => ({
        id: key,
        roles,
        grantedToV2: { user: { email } },
      }));
      const above = { id: 'above', roles: ['read'], inheritedFrom: { id: entry.parentId } };
      return send(200, { value: [{ ...above, grantedToV2: { user: { email: 'above@mail.example' } } }, ...value] });
    }
    if (action === 'permissions' && method === 'DELETE')
      return entry.permissions.delete(permissionId!) ? send(200, {}) : send(404, { error: { code: 'itemNotFound' } });
    send(404, { error: { code: 'itemNotFound' } });
  }

  /** Tokens are `epoch.since.offset.until`: changes after `since`, as they were when the list was begun. */
  private delta(url: URL, send: (status: number, answer: unknown) => void): void {
    const token = url.searchParams.get('token');
    const [epoch, since, offset, until] = (token ?? `${this.epoch}.0.0.${this.sequence}`).split('.').map(Number) as [
      number,
      number,
      number,
      number,
    ];
    if (epoch !== this.epoch) return send(410, { error: { code: 'resyncRequired' } });
    const limit = until === 0 ? this.sequence : until;
    const changed = [...this.entries.values()]
      .filter((entry) => entry.sequence > since && entry.sequence <= limit && !(since === 0 && entry.deleted))
      .toSorted((a, b) => a.sequence - b.sequence || (a.parentId === null ? -1 : 1));
    const page = changed.slice(offset, offset + this.pageSize);
    const isLast = offset + this.pageSize >= changed.length;
    const link = (next: string) => `${this.graphUrl}/drives/${encodeURIComponent(this.drive)}/root/delta?token=${next}`;
    send(200, {
      value: page.map((entry) => this.toItem(entry)),
      ...(isLast
        ? { '@odata.deltaLink': link(`${this.epoch}.${limit}.0.0`) }
        : { '@odata.nextLink': link(`${this.epoch}.${since}.${offset + this.pageSize}.${limit}`) }),
    });
  }

  private toItem(entry: Entry): Record<string, unknown> {
    const { id, name, parentId, content, version, deleted } = entry;
    const parentReference = parentId === null ? {} : { driveId: this.drive, id: parentId };
    if (deleted) return { id, parentReference, deleted: { state: 'deleted' } };
    const kind = parentId === null ? { root: {}, folder: {} } : content ? { file: {} } : { folder: { childCount: 1 } };
    return {
      id,
      name,
      parentReference,
      size: content?.length ?? 0,
      eTag: `"${id},${version}.${name}"`,
      cTag: `"c:${id},${version}"`,
      lastModifiedDateTime: '2026-01-01T00:00:00Z',
      ...kind,
    };
  }

  private async give(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.downloads.push(request.headers);
    const entry = this.entries.get(new URL(request.url!, 'http://x').pathname.slice(1));
    if (!entry?.content || entry.deleted) return void response.writeHead(404).end();
    await this.onDownload(entry.name);
    response.writeHead(200, { 'content-length': entry.content.length });
    if (!this.breakDownloads) return void response.end(entry.content);
    response.write(entry.content.subarray(0, entry.content.length / 2), () => response.destroy());
  }
}
