import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { interactionPolicy, Provider } from 'oidc-provider';

/** What an issuer knows of somebody, by the name that they type. */
export interface Person {
  sub: string;
  email?: string | undefined;
  email_verified?: boolean;
  given_name?: string;
  family_name?: string;
}

export interface IssuerClient {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  auth?: 'client_secret_post' | 'client_secret_basic';
}

export interface Issuer {
  url: string;
  people: Map<string, Person>;
  stop(): Promise<void>;
}

/** Who sits at the browser: the login page of the test's issuers believes this header. */
const PERSON = 'x-person';

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}

function newSigningKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' };
}

function accountOf(people: Map<string, Person>, accountId: string) {
  const person = [...people.values()].find(({ sub }) => sub === accountId);
  return person && { accountId, claims: () => person };
}

/** A certified OpenID Connect provider on a port of its own. Whom it knows may change while it runs. */
export async function startIssuer(clients: IssuerClient[], people: Record<string, Person> = {}): Promise<Issuer> {
  const known = new Map(Object.entries(people));
  const server = createServer();
  const url = await listen(server);
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
  // It warns of its memory, which is what a test wants.
  const quiet = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  const provider = new Provider(url, {
    clients: clients.map(({ clientId, clientSecret, redirectUri, auth = 'client_secret_post' }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: auth,
      id_token_signed_response_alg: 'ES256',
    })),
    clientAuthMethods: [...new Set(clients.map(({ auth = 'client_secret_post' }) => auth))],
    jwks: { keys: [newSigningKey()] },
    cookies: { keys: ['for tests'] },
    claims: { email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_ctx: unknown, { uid }: { uid: string }) => `/login/${uid}` },
    findAccount: (_ctx: unknown, accountId: string) => accountOf(known, accountId),
    // Nobody is asked for consent.
    loadExistingGrant: async (ctx: { oidc: { session: { accountId: string }; client: { clientId: string } } }) => {
      const { session, client } = ctx.oidc;
      const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  });
  quiet.mockRestore();
  const handle = provider.callback();
  const logIn = async (request: IncomingMessage, response: ServerResponse) => {
    const person = known.get(String(request.headers[PERSON]));
    const result = person
      ? { login: { accountId: person.sub }, select_account: {} }
      : { error: 'access_denied', error_description: 'unknown person' };
    await provider.interactionFinished(request, response, result);
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const work = request.url?.startsWith('/login/') ? logIn(request, response) : handle(request, response);
    work.catch(() => response.destroy());
  });
  return { url, people: known, stop: () => close(server) };
}
