import { RouteCatalog } from '../../apps/api/src/http/route-catalog.js';
import { newId } from '@app/common';
import { startApi, type TestApi } from '../support/api.js';
import { ask, Organisations, type Person } from '../support/organisations.js';

const CURRENT = '/organisations/current/';
const CALLERS = ['owner', 'admin', 'member', 'viewer', 'outsider', 'alone'] as const;
type Caller = (typeof CALLERS)[number];

interface Stage {
  organization: number;
  callers: Record<Caller, Person>;
}

/** A call, on things that are made anew for each caller. */
interface Line {
  what: string;
  method: string;
  /** With callers of its own, who are as they were made. */
  fresh?: true;
  path: (stage: Stage, caller: Caller) => Promise<string> | string;
  body?: (stage: Stage) => Promise<object> | object;
  /** In the order of `CALLERS`: the outsider owns another organisation, the last one is in none but their own. */
  statuses: [number, number, number, number, number, number];
}

const someone = () => `${newId()}@mail.example`;
const newModel = () => ({ name: `n${newId()}`, value: 'alpha', base_url: 'https://models.example/v1' });

describe('routes of an organisation, for every rank', () => {
  let api: TestApi;
  let org: Organisations;
  let stage: Stage;
  const member = ({ organization }: Stage) => org.colleague(organization);
  const admin = ({ organization }: Stage) => org.colleague(organization, 'admin');

  async function makeStage(): Promise<Stage> {
    const [organization, elsewhere] = [await org.make(), await org.make()];
    const [owner, manager, colleague, viewer, outsider, alone] = await Promise.all([
      org.join(organization, 'owner'),
      org.join(organization, 'admin'),
      org.join(organization, 'member'),
      org.join(organization, 'viewer'),
      org.join(elsewhere, 'owner'),
      org.person(),
    ]);
    return { organization, callers: { owner, admin: manager, member: colleague, viewer, outsider, alone } };
  }

  beforeAll(async () => {
    api = await startApi();
    org = new Organisations(api);
    stage = await makeStage();
  });
  afterAll(() => api.stop());

  const secret = async ({ organization }: Stage) => {
    const name = `k${newId().replaceAll('-', '')}`;
    await org.sql(
      `INSERT INTO organization_secrets (id, organization_id, name, value_sealed) VALUES ($1, $2, $3, '')`,
      [newId(), organization, name],
    );
    return name;
  };
  const invitation = async ({ organization, callers }: Stage) => {
    await org.invite(organization, callers.owner.id, `${newId()}@mail.example`);
    const [{ id }] = await org.sql<[{ id: string }]>(
      'SELECT id FROM organization_invitations ORDER BY created_at DESC LIMIT 1',
    );
    return id;
  };

  let known = 0;
  /** A new one, or the last one where there are as many as there may be. */
  const model = async ({ callers: { owner } }: Stage) => {
    const { body } = await ask(owner, 'POST', `${CURRENT}models/`, newModel());
    known = (body.id as number | undefined) ?? known;
    return known;
  };

  const lines: Line[] = [
    { what: 'show', method: 'GET', path: () => '', statuses: [200, 200, 200, 200, 200, 200] },
    {
      what: 'rename',
      method: 'PATCH',
      path: () => '',
      body: () => ({ name: 'New' }),
      statuses: [200, 403, 403, 403, 200, 200],
    },
    { what: 'members', method: 'GET', path: () => 'members/', statuses: [200, 200, 200, 200, 200, 200] },
    {
      what: 'a member becomes viewer',
      method: 'PATCH',
      path: async (at) => `members/${await member(at)}/`,
      body: () => ({ role: 'viewer' }),
      statuses: [200, 200, 403, 403, 404, 409],
    },
    {
      what: 'a member becomes admin',
      method: 'PATCH',
      path: async (at) => `members/${await member(at)}/`,
      body: () => ({ role: 'admin' }),
      statuses: [200, 403, 403, 403, 404, 409],
    },
    {
      what: 'a member becomes owner',
      method: 'PATCH',
      path: async (at) => `members/${await member(at)}/`,
      body: () => ({ role: 'owner' }),
      statuses: [200, 403, 403, 403, 404, 409],
    },
    {
      what: 'an admin becomes member',
      method: 'PATCH',
      path: async (at) => `members/${await admin(at)}/`,
      body: () => ({ role: 'member' }),
      statuses: [200, 403, 403, 403, 404, 409],
    },
    {
      what: 'the caller becomes owner',
      method: 'PATCH',
      path: ({ callers }, caller) => `members/${callers[caller].id}/`,
      body: () => ({ role: 'owner' }),
      statuses: [200, 403, 403, 403, 200, 409],
    },
    {
      what: 'the only owner becomes member',
      fresh: true,
      method: 'PATCH',
      path: ({ callers }) => `members/${callers.owner.id}/`,
      body: () => ({ role: 'member' }),
      statuses: [409, 403, 403, 403, 404, 409],
    },
    {
      what: 'nobody',
      method: 'PATCH',
      path: () => 'members/2147483647/',
      body: () => ({ role: 'member' }),
      statuses: [404, 404, 403, 403, 404, 409],
    },
    {
      what: 'a member goes',
      method: 'DELETE',
      path: async (at) => `members/${await member(at)}/`,
      statuses: [204, 204, 403, 403, 404, 409],
    },
    {
      what: 'an admin goes',
      method: 'DELETE',
      path: async (at) => `members/${await admin(at)}/`,
      statuses: [204, 403, 403, 403, 404, 409],
    },
    {
      what: 'the only owner goes',
      fresh: true,
      method: 'DELETE',
      path: ({ callers }) => `members/${callers.owner.id}/`,
      statuses: [409, 403, 403, 403, 404, 409],
    },
    { what: 'invitations', method: 'GET', path: () => 'invitations/', statuses: [200, 200, 403, 403, 200, 200] },
    {
      what: 'invite a member',
      method: 'POST',
      path: () => 'invitations/',
      body: () => ({ email: someone(), role: 'member' }),
      statuses: [201, 201, 403, 403, 201, 409],
    },
    {
      what: 'invite an owner',
      method: 'POST',
      path: () => 'invitations/',
      body: () => ({ email: someone(), role: 'owner' }),
      statuses: [201, 403, 403, 403, 201, 409],
    },
    {
      what: 'withdraw',
      method: 'DELETE',
      path: async (at) => `invitations/${await invitation(at)}/`,
      statuses: [204, 204, 403, 403, 404, 404],
    },
    { what: 'audit', method: 'GET', path: () => 'audit/', statuses: [200, 200, 403, 403, 200, 200] },
    { what: 'secrets', method: 'GET', path: () => 'secrets/', statuses: [200, 200, 200, 200, 200, 200] },
    {
      what: 'a secret',
      method: 'POST',
      path: () => 'secrets/',
      body: () => ({ name: `k${newId().replaceAll('-', '')}`, value: 'value-of-it' }),
      statuses: [201, 201, 403, 403, 201, 201],
    },
    {
      what: 'change a secret',
      method: 'PUT',
      path: async (at) => `secrets/${await secret(at)}/`,
      body: () => ({ value: 'another-value' }),
      statuses: [200, 200, 403, 403, 404, 404],
    },
    {
      what: 'delete a secret',
      method: 'DELETE',
      path: async (at) => `secrets/${await secret(at)}/`,
      statuses: [204, 204, 403, 403, 404, 404],
    },
    { what: 'models', method: 'GET', path: () => 'models/', statuses: [200, 200, 403, 403, 200, 200] },
    {
      what: 'a model',
      method: 'POST',
      path: () => 'models/',
      body: newModel,
      statuses: [201, 201, 403, 403, 201, 201],
    },
    {
      what: 'a model',
      method: 'GET',
      path: async (at) => `models/${await model(at)}/`,
      statuses: [200, 200, 403, 403, 404, 404],
    },
    {
      what: 'change a model',
      method: 'PATCH',
      path: async (at) => `models/${await model(at)}/`,
      body: () => ({ name: `n${newId()}` }),
      statuses: [200, 200, 403, 403, 404, 404],
    },
    {
      what: 'test a model',
      method: 'POST',
      path: async (at) => `models/${await model(at)}/test/`,
      statuses: [200, 200, 403, 403, 404, 404],
    },
    {
      what: 'what an endpoint has',
      method: 'POST',
      path: () => 'models/discover/',
      body: () => ({ base_url: 'https://models.invalid/v1' }),
      statuses: [200, 200, 403, 403, 200, 200],
    },
    {
      what: 'delete a model',
      method: 'DELETE',
      path: async (at) => `models/${await model(at)}/`,
      statuses: [204, 204, 403, 403, 404, 404],
    },
    {
      what: 'hand over',
      fresh: true,
      method: 'POST',
      path: () => 'transfer-ownership/',
      body: async (at) => ({ user_id: await member(at) }),
      statuses: [200, 403, 403, 403, 404, 409],
    },
    {
      what: 'leave',
      fresh: true,
      method: 'DELETE',
      path: () => 'members/me/',
      statuses: [409, 204, 204, 204, 409, 409],
    },
    {
      what: 'a new one',
      method: 'POST',
      fresh: true,
      path: () => '../',
      body: () => ({ name: 'Acme' }),
      statuses: [409, 409, 409, 409, 409, 201],
    },
    { what: 'its end', method: 'DELETE', fresh: true, path: () => '', statuses: [409, 403, 403, 403, 409, 409] },
  ];

  it.each(lines)('$what: $method', async ({ fresh, method, path, body, statuses }) => {
    const at = fresh ? await makeStage() : stage;
    const found: Record<string, number> = {};
    for (const caller of CALLERS) {
      const answer = await ask(
        at.callers[caller],
        method,
        CURRENT + (await path(at, caller)),
        body && (await body(at)),
      );
      found[caller] = answer.status;
      // In words, and with a code that programs read.
      if (answer.status >= 400) expect(answer.body).toEqual({ detail: expect.any(String), code: expect.any(String) });
    }
    expect(found).toEqual(Object.fromEntries(CALLERS.map((caller, i) => [caller, statuses[i]])));
  });

  it('has a line for each route, and shows none of them to API tokens or strangers', async () => {
    const routes = api.app.get(RouteCatalog).routes.filter((route) => route.path.startsWith('/organisations/'));
    expect(routes).toHaveLength(26);
    for (const { route, isPublic } of routes)
      expect([route.summary, route.scope, isPublic]).toEqual([route.summary, undefined, false]);
  });

  it('lets viewers write nothing but their own account', async () => {
    const organization = await org.make();
    const viewer = await org.join(organization, 'viewer');
    const open = new Set<string>();
    const routes = api.app.get(RouteCatalog).routes.filter((route) => !route.isPublic);
    for (const { method, path, route } of routes) {
      if (!['POST', 'PUT', 'PATCH'].includes(method) || route.staffOnly) continue;
      const own = /^\/(users|organisations|oauth|api\/v1|ws|subscriptions)\//.test(path);
      if (own || route.forViewers) {
        if (!own) open.add(`${method} ${path}`);
        continue;
      }
      const { status, body } = await ask(
        viewer,
        method,
        path.replaceAll(/[:*][A-Za-z]+/g, () => newId()),
        {},
      );
      expect([method, path, status, body['code']]).toEqual([method, path, 403, 'read_only_role']);
    }
    expect([...open].toSorted()).toEqual([
      'POST /media/sign/',
      'POST /microservices/agent/chat/stop/',
      'POST /microservices/artifacts/:id/render-url/',
      'POST /microservices/dedicated-agent/kill/',
      'POST /microservices/workflow/stop/',
      'POST /microservices/workflow/transfers/:transferId/decline/',
      'POST /microservices/workflow/validate/',
      'POST /semantic-search/documents/request/',
      'POST /semantic-search/documents/status/',
      'POST /semantic-search/search/',
    ]);
    expect((await ask(viewer, 'GET', '/semantic-search/documents/')).status).toBe(200);
    expect((await ask(viewer, 'POST', '/users/profile/', { first_name: 'Vi' })).status).toBe(200);
    // At once when the role changes.
    const owner = await org.join(organization, 'owner');
    await ask(owner, 'PATCH', `${CURRENT}members/${viewer.id}/`, { role: 'member' });
    expect((await ask(viewer, 'POST', '/microservices/workflow/tags/', { name: 'Mine' })).status).toBe(201);
    await ask(owner, 'PATCH', `${CURRENT}members/${viewer.id}/`, { role: 'viewer' });
    expect((await ask(viewer, 'POST', '/microservices/workflow/tags/', { name: 'More' })).status).toBe(403);
    // In a personal organisation the column says nothing.
    expect((await ask(viewer, 'DELETE', `${CURRENT}members/me/`)).status).toBe(204);
    await org.sql(`UPDATE users SET organization_role = 'viewer' WHERE id = $1`, [viewer.id]);
    expect((await ask(viewer, 'POST', '/microservices/workflow/tags/', { name: 'More' })).status).toBe(201);
    expect((await ask(viewer, 'GET', CURRENT)).body).toMatchObject({ role: 'owner', personal: true });
  });
});
