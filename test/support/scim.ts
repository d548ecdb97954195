import { hashToken, newToken } from '../../libs/common/src/token.js';
import type { TestApi } from './api.js';

export interface ScimAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export interface DirectoryOptions {
  domain?: string | null;
  domainVerified?: boolean;
  seats?: number | null;
}

let made = 0;

/** The directory of an organisation of its own, with a token. */
export class Directory {
  private constructor(
    readonly api: Pick<TestApi, 'baseUrl' | 'database'>,
    readonly organizationId: number,
    readonly domain: string,
    readonly token: string,
  ) {}

  static async open(
    api: Pick<TestApi, 'baseUrl' | 'database'>,
    { domain = `org${(made += 1)}.example`, domainVerified = false, seats = null }: DirectoryOptions = {},
  ): Promise<Directory> {
    const { dataSource } = api.database;
    const [organization] = await dataSource.query<{ id: number }[]>(
      `INSERT INTO organizations (name, domain, domain_verified, seat_limit) VALUES ($1, $1, $2, $3) RETURNING id`,
      [domain, domainVerified, seats],
    );
    const directory = new Directory(api, organization!.id, domain ?? '', newToken());
    await dataSource.query(
      `INSERT INTO scim_tokens (id, organization_id, token_hash, name) VALUES (gen_random_uuid(), $1, $2, 'test')`,
      [organization!.id, hashToken(directory.token)],
    );
    return directory;
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ScimAnswer> {
    const response = await fetch(`${this.api.baseUrl}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  }

  /** What is said of a person called so, as Okta and Entra ID say it. */
  person(name: string, more: object = {}): Record<string, unknown> {
    return {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: name,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: `${name}@${this.domain}`, type: 'work', primary: true }],
      active: true,
      ...more,
    };
  }

  /** @returns the number of the new account */
  async provision(name: string, more: object = {}): Promise<number> {
    const answer = await this.call('POST', '/Users', this.person(name, more));
    if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return Number(answer.body['id']);
  }

  patch(path: string, ...operations: object[]): Promise<ScimAnswer> {
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
    return this.call('PATCH', path, { schemas, Operations: operations });
  }

  async names(filter: string, kind = 'Users'): Promise<unknown[]> {
    const { status, body } = await this.call('GET', `/${kind}?filter=${encodeURIComponent(filter)}`);
    if (status !== 200) return [body['scimType'] ?? status];
    return (body['Resources'] as Record<string, unknown>[]).map((found) => found['userName'] ?? found['displayName']);
  }
}
