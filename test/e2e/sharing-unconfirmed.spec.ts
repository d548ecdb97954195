import { randomBytes } from 'node:crypto';
import { InvitationRedeemer } from '../../apps/api/src/invitations/invitation-redeemer.js';
import { postJson, startApi, type TestApi } from '../support/api.js';
import { callStore, note, upload } from '../support/documents-api.js';
import { HttpClient } from '../support/http-client.js';
import { codeMailedTo } from '../support/outbox.js';
import { Directory } from '../support/scim.js';
import { fanOutAndJoin } from '../support/workflows.js';

const PASSWORD = 'kite-over-hill';
const WORKFLOWS = '/microservices/workflow/';
const name = () => `u${randomBytes(6).toString('hex')}`;

describe('sharing with addresses that nobody confirmed', () => {
  let api: TestApi;
  let owner: HttpClient;
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);

  const register = async (username: string, email: string) => {
    const answer = await postJson(`${api.baseUrl}/api/v1/users/`, { username, email, password: PASSWORD });
    expect(answer.status).toBe(201);
  };
  const approve = (username: string) => sql('UPDATE users SET verified = true WHERE username = $1', [username]);
  const confirm = async (email: string, mails = 1) => {
    const otp = await codeMailedTo(api, email, mails);
    expect((await postJson(`${api.baseUrl}/users/verify/`, { otp, email })).status).toBe(200);
  };
  const signIn = (username: string) => HttpClient.signIn(api.baseUrl, username, PASSWORD);
  async function member(): Promise<HttpClient> {
    const username = name();
    await register(username, `${username}@test.example`);
    await approve(username);
    await confirm(`${username}@test.example`);
    return signIn(username);
  }
  const answer = async (method: string, path: string, body?: unknown, client = owner) => {
    const response = await client.send(method, path, body);
    const text = await response.text();
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Record<string, never> };
  };
  const newWorkflow = async () =>
    (await owner.post<{ workflow_id: string }>(`${WORKFLOWS}start/`, { json: fanOutAndJoin })).workflow_id;
  const invitations = async () => (await answer('GET', '/users/invitations/')).body as unknown as { id: string }[];
  const redeemAll = () => api.app.get(InvitationRedeemer).sweep();

  /** Shares one of each with the address. */
  async function shareAll(address: string) {
    const [{ uid }, edited, copied, run, offered] = [
      (await upload(owner, note('The kettle.', 'kettle.txt'))).body,
      await newWorkflow(),
      await newWorkflow(),
      await newWorkflow(),
      await newWorkflow(),
    ];
    const emails = [address];
    const answers = [
      await callStore(owner, 'POST', `documents/${uid}/users/add/`, { emails }),
      await answer('POST', `${WORKFLOWS}${edited}/collaborators/`, { emails, role: 'editor' }),
      await answer('POST', `${WORKFLOWS}${copied}/share/`, { emails }),
      await answer('POST', `${WORKFLOWS}${run}/share/`, { emails, only_view_in_apps: true }),
      await answer('POST', `${WORKFLOWS}${offered}/transfer/`, { email: address }),
    ];
    return { uid, edited, copied, run, offered, answers };
  }
  /** How many of the five things an account has. */
  async function has(username: string): Promise<string[]> {
    const rows = await sql<{ what: string }[]>(
      `WITH a AS (SELECT id FROM users WHERE username = $1)
       SELECT 'document' AS what FROM document_shares s JOIN a ON a.id = s.user_id
       UNION ALL SELECT 'collaborator' FROM workflow_collaborators c JOIN a ON a.id = c.user_id
       UNION ALL SELECT CASE WHEN w.app_of_id IS NULL THEN 'copy' ELSE 'app' END FROM workflows w JOIN a ON a.id = w.owner_id
       UNION ALL SELECT 'transfer' FROM workflow_transfers t JOIN a ON a.id = t.to_user_id ORDER BY 1`,
      [username],
    );
    return rows.map(({ what }) => what);
  }
  const ALL = ['app', 'collaborator', 'copy', 'document', 'transfer'];

  beforeAll(async () => {
    api = await startApi({ EMAIL_VERIFICATION: 'true' });
  });
  beforeEach(async () => {
    owner = await member();
  });
  afterAll(() => api.stop());

  it('gives nothing to who registered a colleague’s address first, and all of it to who confirms it', async () => {
    const attacker = name();
    const address = `${name()}@victim.example`;
    await register(attacker, address);
    await approve(attacker);
    const { uid, edited, answers } = await shareAll(address.toUpperCase());
    for (const { status, body } of answers)
      expect([status, body]).toMatchObject([200, { invited: [address.toUpperCase()] }]);
    expect(answers[0]!.body).toMatchObject({ added: [], not_found: [] });
    expect(answers[1]!.body).toMatchObject({ added: [], updated: [], not_found: [] });
    expect(answers[4]!.body).toMatchObject({ transfer: null });
    await redeemAll();
    expect(await has(attacker)).toEqual([]);
    expect((await callStore(owner, 'GET', `documents/${uid}/users/`)).body).toMatchObject({ users: [] });
    expect(await invitations()).toHaveLength(5);

    await confirm(address);
    expect(await has(attacker)).toEqual(ALL);
    expect(await invitations()).toEqual([]);
    const receiver = await signIn(attacker);
    expect((await callStore(receiver, 'GET', `documents/${uid}/`)).status).toBe(200);
    expect((await answer('GET', `${WORKFLOWS}${edited}/`, undefined, receiver)).body).toMatchObject({
      my_role: 'editor',
    });
  });

  it('knows the difference between unconfirmed and unknown', async () => {
    const { uid } = (await upload(owner, note())).body;
    const friend = await member();
    const unconfirmed = name();
    await register(unconfirmed, `${unconfirmed}@test.example`);
    const emails = [`${friend.username}@test.example`, `${unconfirmed}@test.example`, 'nobody@test.example'];
    expect(await callStore(owner, 'POST', `documents/${uid}/users/add/`, { emails })).toMatchObject({
      status: 200,
      body: { added: [emails[0]], invited: [emails[1]], not_found: [emails[2]] },
    });
  });

  it('earns nothing for an address that a directory of another domain wrote, and leaves the shares of before', async () => {
    const acme = await Directory.open(api, { domainVerified: true });
    const username = name();
    const id = await acme.provision(username);
    const own = (await upload(owner, note('Mine.', 'own.txt'))).body.uid;
    const emails = [`${username}@${acme.domain}`];
    expect((await callStore(owner, 'POST', `documents/${own}/users/add/`, { emails })).body).toMatchObject({
      added: emails,
    });
    const victim = `${name()}@victim.example`;
    const moved = await acme.patch(`/Users/${id}`, {
      op: 'replace',
      path: 'emails[type eq "work"].value',
      value: victim,
    });
    expect(moved.status).toBe(200);
    for (const { body } of (await shareAll(victim)).answers) expect(body).toMatchObject({ invited: [victim] });
    await redeemAll();
    expect(await has(username)).toEqual(['document']);
    // Whoever holds the address for sure finds it, once the account that only claims it is gone from it.
    await acme.patch(`/Users/${id}`, { op: 'replace', path: 'emails[type eq "work"].value', value: emails[0] });
    await redeemAll();
    expect(await has(username)).toEqual(['document']);
    const holder = name();
    await register(holder, victim);
    await confirm(victim);
    expect(await has(holder)).toEqual(ALL);
  });

  it('can be taken back: by the call for the thing, one by one, and with the thing', async () => {
    const username = name();
    const address = `${username}@test.example`;
    await register(username, address);
    const { uid, copied, run, offered, edited } = await shareAll(address);
    expect(
      (await callStore(owner, 'POST', `documents/${uid}/users/remove/`, { emails: [address] })).body,
    ).toMatchObject({
      removed: [address],
      not_found: [],
    });
    for (const id of [copied, run])
      expect((await answer('POST', `${WORKFLOWS}${id}/unshare/`, { emails: [address] })).body).toMatchObject({
        removed: [address],
        not_found: [],
      });
    expect((await answer('DELETE', `${WORKFLOWS}${offered}/transfer/`)).status).toBe(204);
    expect((await answer('DELETE', `${WORKFLOWS}${offered}/transfer/`)).status).toBe(404);
    const [left, ...others] = (await invitations()) as { id: string; target_id?: string }[];
    expect([left, others]).toMatchObject([
      { kind: 'collaborator', target_id: edited, email: address, role: 'editor' },
      [],
    ]);
    const stranger = await member();
    expect((await answer('DELETE', `/users/invitations/${left!.id}/`, undefined, stranger)).status).toBe(404);
    expect((await answer('DELETE', `/users/invitations/${left!.id}/`)).status).toBe(204);
    await confirm(address);
    expect(await has(username)).toEqual([]);
  });

  it('is void once the inviter may not share it any more, and waits while it lies in the trash', async () => {
    const username = name();
    const address = `${username}@test.example`;
    await register(username, address);
    const { uid, edited } = await shareAll(address);
    const heir = await member();
    await sql('UPDATE workflows SET owner_id = (SELECT id FROM users WHERE username = $2) WHERE id = $1', [
      edited,
      heir.username,
    ]);
    await sql('UPDATE documents SET deleted_at = now(), purge_at = now() WHERE uid = $1', [uid]);
    await confirm(address);
    expect(await has(username)).toEqual(['app', 'copy', 'transfer']);
    expect(await invitations()).toMatchObject([{ kind: 'document' }]);
    await sql('UPDATE documents SET deleted_at = NULL, purge_at = NULL WHERE uid = $1', [uid]);
    await redeemAll();
    expect(await has(username)).toEqual(['app', 'copy', 'document', 'transfer']);
  });

  it('takes effect once, however many find it at a time', async () => {
    const username = name();
    const address = `${username}@test.example`;
    await register(username, address);
    await shareAll(address);
    await sql('UPDATE users SET email_verified = true WHERE username = $1', [username]);
    await Promise.all(Array.from({ length: 5 }, redeemAll));
    expect(await has(username)).toEqual(ALL);
  });
});
