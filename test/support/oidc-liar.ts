import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { close, listen } from './oidc.js';

export type Endpoint = 'discovery' | 'token' | 'jwks' | 'userinfo';

interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  publicJwk: object;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function newKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, privateKey, publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' } };
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/**
 * A provider that works, until a test makes one of its endpoints or its ID token lie. Every code is good; the nonce of
 * the sign-in at work is the test's to set.
 */
export class LyingProvider {
  url = '';
  nonce = '';
  /** Of the client that is at work. */
  clientId = 'atrium';
  readonly calls: Record<Endpoint, number> = { discovery: 0, token: 0, jwks: 0, userinfo: 0 };
  /** In place of an endpoint's true answer. */
  answers: Partial<Record<Endpoint, (response: ServerResponse) => void>> = {};
  /** Over the true metadata and claims; `undefined` takes one out. */
  metadata: Record<string, unknown> = {};
  claims: Record<string, unknown> = {};
  /** Over the header; `alg: none` leaves the signature out. */
  header: Record<string, unknown> = {};
  /** Signs with a key that `jwks` does not show. */
  forged = false;
  private key = newKey('first');
  private keys = 1;
  private readonly server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://any').pathname;
    const endpoint: Endpoint = path.startsWith('/.well-known') ? 'discovery' : (path.slice(1) as Endpoint);
    this.calls[endpoint] += 1;
    request.resume();
    request.on('end', () => (this.answers[endpoint] ?? ((to) => this.truth(endpoint, to)))(response));
  });

  static async start(): Promise<LyingProvider> {
    const provider = new LyingProvider();
    provider.url = await listen(provider.server);
    return provider;
  }

  stop(): Promise<void> {
    return close(this.server);
  }

  /** From now on only the new key is shown. */
  rotateKey(): void {
    this.key = newKey(`key-${(this.keys += 1)}`);
  }

  beHonest(): void {
    Object.assign(this, { answers: {}, metadata: {}, claims: {}, header: {}, forged: false, clientId: 'atrium' });
  }

  idToken(): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.url,
      sub: 'subject-1',
      aud: this.clientId,
      nonce: this.nonce,
      iat: now,
      exp: now + 600,
      email: 'ada@liar.example',
      email_verified: true,
      ...this.claims,
    };
    const header = { alg: 'ES256', kid: this.key.kid, ...this.header };
    const content = `${encode(header)}.${encode(claims)}`;
    if (header.alg === 'none') return `${content}.`;
    const { privateKey } = this.forged ? newKey(this.key.kid) : this.key;
    const signature = createSign('sha256').update(content).sign({ key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${content}.${signature.toString('base64url')}`;
  }

  private truth(endpoint: Endpoint, response: ServerResponse): void {
    const { url } = this;
    const answers: Record<Endpoint, () => unknown> = {
      discovery: () => ({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        userinfo_endpoint: `${url}/userinfo`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
        authorization_response_iss_parameter_supported: true,
        ...this.metadata,
      }),
      token: () => ({ access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token: this.idToken() }),
      jwks: () => ({ keys: [this.key.publicJwk] }),
      userinfo: () => ({ sub: 'subject-1', email: 'ada@liar.example', email_verified: true }),
    };
    json(response, answers[endpoint]());
  }
}
