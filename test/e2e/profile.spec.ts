import { createDecipheriv, randomBytes } from 'node:crypto';
import { CachedPrincipals } from '@app/auth';
import { FileStorage } from '@app/integrations';
import { newId } from '@app/common';
import { Readable } from 'node:stream';
import { call, postJson, startApi, type TestApi } from '../support/api.js';
import { HttpClient } from '../support/http-client.js';

const seen = ({ status, body }: { status: number; body: unknown }) => [status, body];

describe('the profile', () => {
  let api: TestApi;
  let ada: HttpClient;
  let bob: HttpClient;
  const post = (client: HttpClient, path: string, body: unknown) =>
    postJson(api.baseUrl + path, body, { authorization: `Token ${client.token}` });
  const get = (client: HttpClient, path: string) =>
    call(api.baseUrl + path, { headers: { authorization: `Token ${client.token}` } });
  const info = async (client: HttpClient) =>
    ((await get(client, '/users/me/')).body as { info: Record<string, unknown> }).info;
  const sql = (text: string, values: unknown[] = []) => api.database.dataSource.query(text, values);

  beforeAll(async () => {
    api = await startApi();
    [ada, bob] = await Promise.all([api.signUp(), api.signUp()]);
  });
  afterAll(() => api.stop());

  /** Changes that a test writes into the database itself are told to nobody. */
  async function announce(): Promise<void> {
    const users = (await sql('SELECT id FROM users')) as { id: number }[];
    for (const { id } of users) api.app.get(CachedPrincipals).announce({ userId: id });
  }

  it('changes what is given and keeps the rest', async () => {
    expect(
      seen(await post(ada, '/users/profile/', { first_name: 'Ada', phone: 4915112345678, language: 'ar' })),
    ).toEqual([
      200,
      {
        info: {
          first_name: 'Ada',
          last_name: '',
          username: ada.username,
          phone: 4915112345678,
          language: 'ar',
          llm_model_id: 1,
        },
      },
    ]);
    await post(ada, '/users/profile/', { last_name: 'Lovelace', llm_model_id: null });
    expect(await info(ada)).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace', language: 'ar', llm_model: '' });
    expect((await post(ada, '/users/profile/', {})).body).toMatchObject({ info: { first_name: 'Ada' } });
  });

  it('says what is wrong, by field', async () => {
    const wrong = { language: 'xx', llm_model_id: 77, phone: 'abc' };
    expect(seen(await post(ada, '/users/profile/', wrong))).toEqual([
      400,
      { language: ['"xx" is not a valid choice.'], phone: ['A valid integer is required.'] },
    ]);
    expect(seen(await post(ada, '/users/profile/', { llm_model_id: 77 }))).toEqual([
      400,
      { llm_model_id: ['Invalid pk "77" - object does not exist.'] },
    ]);
    expect(seen(await post(ada, '/users/profile/', { username: bob.username.toUpperCase() }))).toEqual([
      400,
      { username: ['A user with that username already exists.'] },
    ]);
    expect(seen(await post(ada, '/users/profile/', { username: `${bob.username}@test.example` }))).toEqual([
      400,
      { username: ['A username with an @ must be your own email address.'] },
    ]);
  });

  it('gives a name to one of those who want it', async () => {
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(
        [ada, bob].map((one) => post(one, '/users/profile/', { username: `n${round}` })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    }
  });

  it('wants a new phone number confirmed again', async () => {
    await sql('UPDATE users SET number_verified = true, phone = 491511 WHERE username = $1', [
      (await info(ada)).username,
    ]);
    await post(ada, '/users/profile/', { phone: 491511 });
    expect(await info(ada)).toMatchObject({ number_verified: true });
    await post(ada, '/users/profile/', { phone: 491512 });
    expect(await info(ada)).toMatchObject({ number_verified: false });
  });

  it('lists the people of the organisation to those whose address is confirmed', async () => {
    await sql(`INSERT INTO organizations (name, domain) VALUES ('Dir', 'dir.example')`);
    const [carl, dora, eve] = await Promise.all([api.signUp(), api.signUp(), api.signUp()]);
    await sql(
      `UPDATE users SET organization_id = (SELECT id FROM organizations WHERE domain = 'dir.example'),
              email_verified = username <> $2 WHERE username = ANY($1)`,
      [[carl.username, dora.username, eve.username], eve.username],
    );
    await sql(`UPDATE users SET first_name = 'Aaron', last_name = 'Z' WHERE username = $1`, [dora.username]);
    await sql(
      `WITH made AS (INSERT INTO scim_groups (id, organization_id, display_name)
         SELECT gen_random_uuid(), id, 'Editors' FROM organizations WHERE domain = 'dir.example' RETURNING id)
       INSERT INTO scim_group_members (group_id, user_id) SELECT made.id, u.id FROM made, users u WHERE u.username = $1`,
      [dora.username],
    );
    await announce();
    const names = async (client: HttpClient) =>
      ((await get(client, '/users/userslist/')).body as { users: { username: string }[] }).users;
    expect(await names(carl)).toEqual([
      {
        id: expect.any(Number),
        username: dora.username,
        display_name: 'Aaron Z',
        email: `${dora.username}@test.example`,
        roles: ['Editors', 'General'],
      },
      expect.objectContaining({ username: carl.username, display_name: carl.username, roles: ['General'] }),
    ]);
    expect(await info(dora)).toMatchObject({ roles: ['Editors', 'General'] });
    expect((await names(eve)).map(({ username }) => username)).toEqual([eve.username]);
    expect((await names(bob)).map(({ username }) => username)).toEqual([(await info(bob)).username]);
    await sql('UPDATE users SET organization_id = NULL WHERE username = $1', [carl.username]);
    await announce();
    expect(seen(await get(carl, '/users/userslist/'))).toEqual([200, { users: [] }]);
    expect(seen(await get(carl, '/users/file_writer_files/'))).toEqual([
      400,
      { error: 'You belong to no organization.', code: 'no_organization' },
    ]);
  });

  it('lists the files of the File Writer, which can be signed by their owner', async () => {
    const { id } = await info(ada);
    for (const path of ['reports/b.txt', 'a.txt']) {
      const key = `written/${newId()}`;
      await api.app.get(FileStorage).put(key, Readable.from([Buffer.from(path)]));
      await sql(
        `INSERT INTO written_files (id, owner_id, path, storage_key, mime_type, size_bytes, sha256)
         VALUES ($1, $2, $3, $4, 'text/plain', $5, 'x')`,
        [newId(), id, path, key, path.length],
      );
    }
    expect(seen(await get(ada, '/users/file_writer_files/'))).toEqual([200, { files: ['a.txt', 'reports/b.txt'] }]);
    expect(seen(await get(bob, '/users/file_writer_files/'))).toEqual([200, { files: [] }]);
    const { urls } = (await post(ada, '/media/sign/', { paths: ['reports/b.txt'] })).body as {
      urls: { url: string }[];
    };
    expect((await call(urls[0]!.url)).body).toBe('reports/b.txt');
    expect((await post(bob, '/media/sign/', { paths: ['reports/b.txt'] })).body).toEqual({
      urls: [],
      not_found: ['reports/b.txt'],
    });
  });

  it('tells the ways to sign in', async () => {
    const unlinked = { linked: false, email: '', has_encryption_key: false };
    expect(seen(await get(ada, '/users/sso/connected/'))).toEqual([
      200,
      {
        providers: { sso_platform: unlinked, sso_org: unlinked },
        has_password: true,
        passkey_count: 0,
        auth_method_count: 1,
      },
    ]);
  });

  it('encrypts earlier chats with the key of the client, once', async () => {
    const { id } = await info(ada);
    const [session] = (await sql(
      `INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, 'document', 'c', 'What is it?') RETURNING id`,
      [id],
    )) as { id: number }[];
    for (let turn = 0; turn < 250; turn += 1)
      await sql(
        `INSERT INTO chat_turns (id, session_id, status, question, answer, model, request)
         VALUES ($1, $2, $3, 'What is it?', $4, 'm', '{"query":"apple","mode":"hybrid"}')`,
        [newId(), session!.id, turn === 0 ? 'failed' : 'completed', turn === 0 ? '' : 'Ein Apfel. تفاحة'],
      );
    const key = randomBytes(32);
    const answers = await Promise.all(
      [1, 2].map(() => post(ada, '/users/encryption/migrate-chats/', { dek: key.toString('hex') })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const counts = answers.map(({ body }) => (body as { migrated: number }).migrated);
    expect(counts[0]! + counts[1]!).toBe(499);
    const turns = (await sql('SELECT question, answer, request FROM chat_turns WHERE session_id = $1', [
      session!.id,
    ])) as { question: string; answer: string; request: object }[];
    expect(turns.every(({ request }) => JSON.stringify(request) === '{"mode":"hybrid"}')).toBe(true);
    const opened = turns.map(({ answer }) => open(answer, key));
    expect(opened.filter((text) => text === 'Ein Apfel. تفاحة')).toHaveLength(249);
    expect(turns.every(({ question }) => open(question, key) === 'What is it?')).toBe(true);
    const [{ title }] = (await sql('SELECT title FROM chat_sessions WHERE id = $1', [session!.id])) as [
      { title: string },
    ];
    expect(open(title, key)).toBe('What is it?');
    expect((await post(ada, '/users/encryption/migrate-chats/', { dek: key.toString('hex') })).body).toEqual({
      migrated: 0,
    });
    for (const dek of [undefined, '', 'zz', 'ab'.repeat(31), 5])
      expect((await post(ada, '/users/encryption/migrate-chats/', { dek })).status).toBe(400);
  });
});

function open(text: string, key: Buffer): string {
  if (text === '') return '';
  const [prefix, version, iv, ct] = text.split(':');
  if (prefix !== 'enc' || version !== 'v1') return 'plain';
  const bytes = Buffer.from(ct!, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv!, 'base64url'));
  decipher.setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(0, -16), undefined, 'utf8') + decipher.final('utf8');
}
