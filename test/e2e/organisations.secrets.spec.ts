import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { ask, Organisations, type Person } from '../support/organisations.js';
import { until } from '../support/until.js';

const CANARY = 'kanarie/org "4711" & more';
const OWN = 'of-the-workflow-0815';
const SECRETS = '/organisations/current/secrets/';

interface Row {
  node_id: string;
  status: string;
  output: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
}

/** A host that keeps what it was sent as a key; `/away` sends on to `elsewhere`. */
async function openHost(elsewhere = ''): Promise<{ server: Server; address: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(String(request.headers['x-api-key']));
    if (request.url?.startsWith('/away')) response.writeHead(307, { location: `http://${elsewhere}/` }).end();
    else
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ echo: request.headers['x-api-key'] }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const sends = (url: string, secret = 'bank', node = 'a') => ({
  id: node,
  kind: 'http_request',
  params: { url, headers: { 'x-api-key': `{{_secret.${secret}}}` }, fail_on_status: false },
});
const create = async (person: Person, ...nodes: object[]) =>
  (
    await person.client.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { name: 'W', nodes },
    })
  ).workflow_id;
const save = (person: Person, workflow: string, ...nodes: object[]) =>
  ask(person, 'PUT', `/microservices/workflow/${workflow}/`, { name: 'W', json_spec: { name: 'W', nodes } });
async function run(person: Person, workflow: string): Promise<Record<string, Row>> {
  await person.client.post('/microservices/workflow/rerun/', { workflow_id: workflow });
  const path = `/microservices/workflow/${workflow}/`;
  await until(
    async () => ['COMPLETED', 'FAILED'].includes((await person.client.get<{ status: string }>(path)).status),
    20_000,
  );
  const rows = await person.client.get<Row[]>(`${path}nodes/`);
  expect(JSON.stringify(rows)).not.toContain(JSON.stringify(CANARY).slice(1, -1));
  return Object.fromEntries(rows.map((row) => [row.node_id, row]));
}
const failsWith = (code: string) => ({ a: { status: 'FAILED', error: { code } } });

describe('secrets of organisations', () => {
  let platform: HostedPlatform;
  let org: Organisations;
  let evil: Awaited<ReturnType<typeof openHost>>;
  let bank: Awaited<ReturnType<typeof openHost>>;
  let id: number;
  let owner: Person;
  let member: Person;

  beforeAll(async () => {
    evil = await openHost();
    bank = await openHost(evil.address);
    platform = await hostPlatform(['api', 'workflow-runner'], { WORKFLOW_HOSTS: `${bank.address},${evil.address}` });
    org = new Organisations(platform);
    id = await org.make();
    owner = await org.join(id, 'owner');
    member = await org.join(id, 'member');
    expect(await ask(owner, 'POST', SECRETS, { name: 'bank', value: CANARY, description: 'Ours' })).toMatchObject({
      status: 201,
      body: { name: 'bank', description: 'Ours', hosts: [] },
    });
    const bound = { name: 'bound', value: CANARY, hosts: [bank.address] };
    expect((await ask(owner, 'POST', SECRETS, bound)).status).toBe(201);
  });
  afterAll(async () => {
    evil?.server.close();
    bank?.server.close();
    await platform?.stop();
  });

  it('are shown by name, never by value, and changed by owners and admins', async () => {
    for (const person of [owner, member]) {
      const { status, body } = await ask(person, 'GET', SECRETS);
      expect([status, JSON.stringify(body).includes('kanarie')]).toEqual([200, false]);
      expect(body).toMatchObject([{ name: 'bank' }, { name: 'bound', hosts: [bank.address] }]);
    }
    const refused: [object, number][] = [
      [{ name: 'bank', value: CANARY }, 409],
      [{ name: '1st', value: CANARY }, 400],
      [{ name: 'short', value: '12345' }, 400],
      [{ name: 'hosts', value: CANARY, hosts: ['https://x.example/'] }, 400],
      [{ name: 'hosts', value: CANARY, hosts: ['*.example'] }, 400],
      [{ name: 'hosts', value: CANARY, hosts: ['a.example:99999'] }, 400],
    ];
    for (const [body, status] of refused) {
      const answer = await ask(owner, 'POST', SECRETS, body);
      expect([body, answer.status]).toEqual([body, status]);
      expect(JSON.stringify(answer.body)).not.toContain('kanarie');
    }
    // Whoever may change it but does not know it cannot have it sent elsewhere.
    for (const hosts of [[], [evil.address], [bank.address, evil.address]])
      expect(await ask(owner, 'PUT', `${SECRETS}bound/`, { hosts })).toMatchObject({
        status: 409,
        body: { code: 'value_required' },
      });
    expect(await ask(owner, 'PUT', `${SECRETS}bound/`, { description: 'Bound' })).toMatchObject({
      status: 200,
      body: { description: 'Bound', hosts: [bank.address] },
    });
    expect(await ask(owner, 'PUT', `${SECRETS}nothing/`, { description: 'x' })).toMatchObject({ status: 404 });
    const kept = await org.sql<{ sealed: Buffer }[]>('SELECT value_sealed AS sealed FROM organization_secrets');
    for (const { sealed } of kept) expect(sealed.toString('latin1')).not.toContain('kanarie');
  });

  it('work in workflows of members beside those of the workflow, which win, and are taken out of outputs', async () => {
    const workflow = await create(member, sends(`http://${bank.address}/`));
    expect(
      (await save(member, workflow, sends(`http://${bank.address}/`), sends(`http://${bank.address}/`, 'own', 'b')))
        .status,
    ).toBe(400);
    expect((await save(member, workflow, sends(`http://${bank.address}/`))).status).toBe(200);
    const validated = await ask(member, 'POST', '/microservices/workflow/validate/', {
      workflow_id: workflow,
      json: { name: 'W', nodes: [sends(`http://${bank.address}/`)] },
    });
    expect(validated.body).toMatchObject({ errors: [] });
    expect(await run(member, workflow)).toMatchObject({
      a: { status: 'COMPLETED', output: { body: { echo: '***' } } },
    });
    expect(bank.received.at(-1)).toBe(CANARY);
    await member.client.post(`/microservices/workflow/${workflow}/secrets/`, { name: 'bank', value: OWN });
    await run(member, workflow);
    expect(bank.received.at(-1)).toBe(OWN);
  });

  it('go to their hosts alone, by redirects neither, and into no kind that could write them down', async () => {
    const before = evil.received.length;
    const direct = await create(member, sends(`http://${bank.address}/`, 'bound'));
    expect(await run(member, direct)).toMatchObject({ a: { status: 'COMPLETED' } });
    expect(bank.received.at(-1)).toBe(CANARY);
    const elsewhere = await create(member, sends(`http://${evil.address}/`, 'bound'));
    expect(await run(member, elsewhere)).toMatchObject(failsWith('secret_host_refused'));
    const away = await create(member, sends(`http://${bank.address}/away`, 'bound'));
    expect(await run(member, away)).toMatchObject({ a: { status: 'COMPLETED', output: { status: 307 } } });
    for (const node of [
      { id: 'a', kind: 'template', params: { template: '{{_secret.bound}}' } },
      {
        id: 'a',
        kind: 'code',
        params: { code: 'return inputs.k.split("").join("-")', inputs: { k: '{{_secret.bound}}' } },
      },
    ]) {
      const workflow = await create(member, node);
      expect(await run(member, workflow)).toMatchObject(failsWith('secret_not_allowed'));
    }
    expect(evil.received.length).toBe(before);
  });

  it('are nobody else’s: strangers, who left, and who never confirmed the address', async () => {
    const before = evil.received.length;
    const elsewhere = await org.join(await org.make(), 'owner');
    for (const stranger of [elsewhere, await org.person()]) {
      const workflow = await create(stranger, sends(`http://${evil.address}/`));
      expect(await run(stranger, workflow)).toMatchObject(failsWith('unknown_secret'));
      expect((await save(stranger, workflow, sends(`http://${evil.address}/`, 'other'))).status).toBe(400);
    }
    const unconfirmed = await org.join(id, 'member');
    await org.sql('UPDATE users SET email_verified = false WHERE id = $1', [unconfirmed.id]);
    expect(await ask(unconfirmed, 'GET', SECRETS)).toMatchObject({
      status: 403,
      body: { code: 'address_not_confirmed' },
    });
    expect(await run(unconfirmed, await create(unconfirmed, sends(`http://${evil.address}/`)))).toMatchObject(
      failsWith('unknown_secret'),
    );
    const leaver = await org.join(id, 'member');
    const workflow = await create(leaver, sends(`http://${bank.address}/`));
    expect(await run(leaver, workflow)).toMatchObject({ a: { status: 'COMPLETED' } });
    expect((await ask(leaver, 'DELETE', '/organisations/current/members/me/')).status).toBe(204);
    expect(await run(leaver, workflow)).toMatchObject(failsWith('unknown_secret'));
    expect(evil.received.length).toBe(before);
  });

  it('are not opened for an editor of elsewhere, who can still save what others wrote', async () => {
    const before = evil.received.length;
    const outsider = await org.join(await org.make(), 'owner');
    const node = sends(`http://${bank.address}/`);
    const workflow = await create(member, node);
    await org.sql(`INSERT INTO workflow_collaborators (workflow_id, user_id, role) VALUES ($1, $2, 'editor')`, [
      workflow,
      outsider.id,
    ]);
    // They learn of no other name, and the node of a member stays the member's.
    expect((await save(outsider, workflow, node, sends(`http://${bank.address}/`, 'bound', 'b'))).status).toBe(400);
    expect((await save(outsider, workflow, node, { id: 'b', kind: 'manual_trigger' })).status).toBe(200);
    expect(await run(member, workflow)).toMatchObject({ a: { status: 'COMPLETED' } });
    // What they change works as them, who are not in the organisation.
    expect((await save(outsider, workflow, sends(`http://${evil.address}/`))).status).toBe(200);
    expect(await run(member, workflow)).toMatchObject(failsWith('unknown_secret'));
    expect(evil.received.length).toBe(before);
  });

  it('are good for nothing any more once they are deleted', async () => {
    await ask(owner, 'POST', SECRETS, { name: 'brief', value: CANARY });
    const workflow = await create(member, sends(`http://${bank.address}/`, 'brief'));
    expect(await run(member, workflow)).toMatchObject({ a: { status: 'COMPLETED' } });
    expect((await ask(owner, 'DELETE', `${SECRETS}brief/`)).status).toBe(204);
    expect((await ask(owner, 'DELETE', `${SECRETS}brief/`)).status).toBe(404);
    expect(await run(member, workflow)).toMatchObject(failsWith('unknown_secret'));
  });
});
