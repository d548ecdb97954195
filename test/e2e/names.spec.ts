import { ONE_LINE } from '@app/common';
import { startApi, type TestApi } from '../support/api.js';
import { startWorkflow } from '../support/workflow-api.js';

type Schema = { properties?: Record<string, { type?: string | string[]; pattern?: string }> };
/** What a person calls something. */
const NAMES = ['name', 'title', 'label', 'table_name', 'first_name', 'last_name', 'organization_name'];
/** What makes one line of them itself, has a rule of its own, or names what is there already. */
const ELSEWHERE = [
  'CreateDataSourceRequest.name',
  'CreateOrganizationSecretRequest.name',
  'CreateSecretRequest.name',
  'CreateSessionRequest.title',
  'FillPromptRequest.name',
  'KeepEncryptedRequest.title',
  'NameOrganizationRequest.name',
  'SaveWorkflowRequest.name',
  'ServerRequest.label',
  'SetupCredentialsRequest.organization_name',
  'TryServerRequest.label',
  'UpdateDataSourceRequest.name',
  'UpdateSessionRequest.title',
];

describe('names that people give', () => {
  let api: TestApi;
  beforeAll(async () => void (api = await startApi()));
  afterAll(() => api.stop());

  it('are one line in every request', async () => {
    const { components } = await (
      await api.signUp()
    ).get<{ components: { schemas: Record<string, Schema> } }>('/openapi.json');
    const free = Object.entries(components.schemas)
      .filter(([schema]) => schema.endsWith('Request'))
      .flatMap(([schema, { properties = {} }]) =>
        Object.entries(properties)
          .filter(([field, { type, pattern }]) => {
            return NAMES.includes(field) && [type].flat().includes('string') && pattern !== ONE_LINE.pattern.source;
          })
          .map(([field]) => `${schema}.${field}`),
      );
    expect(free.toSorted()).toEqual(ELSEWHERE);
  });

  it.each(['Ann\r\nBcc: x', 'a\u2028b', 'a\u202eb'])('are refused as %j', async (name) => {
    const person = await api.signUp();
    const refused = { status: 400, body: { name: [ONE_LINE.patternMessage] } };
    const token = await person.send('POST', '/users/api-tokens/', { name, scopes: ['documents:read'] });
    expect({ status: token.status, body: await token.json() }).toEqual(refused);
    const passkey = await person.send('POST', '/users/passkeys/register/begin/', { name });
    expect({ status: passkey.status, body: await passkey.json() }).toEqual(refused);
  });

  it('become one line where a text is made a name', async () => {
    const person = await api.signUp();
    const title = 'Plan\n\n\u202efor 2027';
    expect(await person.post('/microservices/chat-sessions/', { kind: 'chat', title })).toMatchObject({
      title: 'Plan for 2027',
    });
    const nodes = [{ id: 'a', kind: 'template', params: { template: 'x' } }];
    const path = `/microservices/workflow/${await startWorkflow(person, { name: title, nodes })}/`;
    expect(await person.get(path)).toMatchObject({ name: 'Plan for 2027' });
    const saved = await person.send('PUT', path, { name: 'a\tb', json_spec: { nodes } });
    expect(saved.status).toBe(200);
    expect(await person.get(path)).toMatchObject({ name: 'a b' });
  });
});
