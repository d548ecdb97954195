import { type Answer, call, postJson, type TestApi } from './api.js';
import type { HttpClient } from './http-client.js';
import {
  type CreationOptions,
  type Deviation,
  type RequestOptions,
  SoftwareAuthenticator,
  type SoftwareCredential,
} from './software-authenticator.js';

export interface Ceremony<O> {
  ceremony_id: string;
  expires_in: number;
  options: O;
}

export interface PasskeyRecord {
  id: number;
  credential_id: string;
  name: string;
}

/** The page that the tests' authenticator says it is on. */
export const PAGE = 'https://app.atrium.example';

/** The passkey routes, with a software authenticator at the other end. */
export class PasskeyClient {
  readonly authenticator = new SoftwareAuthenticator(PAGE);

  constructor(private readonly api: TestApi) {}

  /** Any call; signed in when a user is given. */
  post(path: string, body: unknown, user?: HttpClient, baseUrl = this.api.baseUrl): Promise<Answer> {
    const headers = user ? { authorization: `Token ${user.token}` } : {};
    return postJson(`${baseUrl}/users/passkeys/${path}/`, body, headers as Record<string, string>);
  }

  async list(user: HttpClient): Promise<PasskeyRecord[]> {
    const headers = { authorization: `Token ${user.token}` };
    return (await call(`${this.api.baseUrl}/users/passkeys/`, { headers })).body as PasskeyRecord[];
  }

  async beginRegistration(user: HttpClient, name?: string): Promise<Ceremony<CreationOptions>> {
    const answer = await this.post('register/begin', name === undefined ? {} : { name }, user);
    if (answer.status !== 200) throw new Error(`register/begin: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Ceremony<CreationOptions>;
  }

  async beginSignIn(): Promise<Ceremony<RequestOptions>> {
    const answer = await this.post('login/discoverable/begin', {});
    if (answer.status !== 200) throw new Error(`login/begin: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Ceremony<RequestOptions>;
  }

  /** A passkey of the user's, registered. */
  async register(
    user: HttpClient,
    { synchronised = false, ...fields }: { name?: string; rek_wrapped?: string; synchronised?: boolean } = {},
  ): Promise<SoftwareCredential & { record: PasskeyRecord }> {
    const { ceremony_id, options } = await this.beginRegistration(user);
    const credential = this.authenticator.newCredential(options.user.id, { synchronised });
    const answer = await this.post(
      'register/finish',
      { ceremony_id, credential: this.authenticator.register(options, credential), ...fields },
      user,
    );
    if (answer.status !== 201) throw new Error(`register/finish: ${answer.status} ${JSON.stringify(answer.body)}`);
    return Object.assign(credential, { record: (answer.body as { passkey: PasskeyRecord }).passkey });
  }

  /** One sign-in from the beginning, with whatever deviates from the rule. */
  async signIn(credential: SoftwareCredential, deviation: Deviation = {}, baseUrl?: string): Promise<Answer> {
    const { ceremony_id, options } = await this.beginSignIn();
    const answer = this.authenticator.signIn(options, credential, deviation);
    return this.post('login/discoverable/finish', { ceremony_id, credential: answer }, undefined, baseUrl);
  }
}
