import { startApi, type TestApi } from '../support/api.js';
import { HOSTILE_VALUES, seededRandom } from '../support/hostile-values.js';
import { rounds } from '../support/long.js';
import { Directory } from '../support/scim.js';
import { stopwatch } from '../support/timing.js';

const ROUNDS = Number(process.env.ATRIUM_FUZZ ?? rounds(400, 100));
const SEED = Number(process.env.ATRIUM_FUZZ_SEED ?? 20_261_121);
const SLOW_MS = 2000;

const text = (value: unknown) =>
  encodeURIComponent(
    (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\p{Surrogate}/gu, '?').slice(0, 1500),
  );

/** What directories, and those who play one, send: every answer is one of SCIM's, and nothing is broken afterwards. */
describe('hostile directories', () => {
  let api: TestApi;
  let acme: Directory;
  let userId = 0;
  let groupId = '';
  beforeAll(async () => {
    api = await startApi({ LOG_LEVEL: 'fatal' });
    acme = await Directory.open(api);
    userId = await acme.provision('target');
    groupId = String((await acme.call('POST', '/Groups', { displayName: 'Targets' })).body['id']);
  });
  afterAll(() => api.stop());

  const random = seededRandom(SEED);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const hostile = () => pick(HOSTILE_VALUES);
  const attributes = [
    'userName',
    'name',
    'name.givenName',
    'displayName',
    'active',
    'emails',
    'phoneNumbers',
    'externalId',
    'preferredLanguage',
    'members',
    'groups',
    'id',
    'meta',
    'schemas',
    'title',
  ];
  const paths = [
    ...attributes,
    'emails[type eq "work"].value',
    'emails[type eq "work"]',
    'emails[value co "@"].value.more',
    'emails[].value',
    'emails[type eq "work" and (primary eq true or not (value pr))].value',
    'members[value eq "1"]',
    'name.givenName.more',
    'name[x eq 1]',
    '__proto__',
    'constructor.prototype',
    'emails[__proto__ eq "x"].value',
    'a'.repeat(5000),
    `emails[type eq "${'('.repeat(400)}"]`,
    'urn:ietf:params:scim:schemas:core:2.0:User:emails[type eq "work"].value',
    'urn:',
    ':',
    '.',
    '..',
  ];
  const item = () =>
    pick<() => unknown>([
      hostile,
      () => ({ value: hostile(), type: hostile(), primary: hostile() }),
      () => [hostile(), { value: 'x@y.example' }],
      () => ({ [pick(attributes)]: hostile() }),
    ])();
  const operation = () => {
    const made: Record<string, unknown> = {
      op: random() < 0.9 ? pick(['add', 'Replace', 'remove', 'Add']) : hostile(),
    };
    if (random() < 0.8) made['path'] = random() < 0.9 ? pick(paths) : hostile();
    if (random() < 0.9) made['value'] = item();
    return made;
  };
  const whole = () => {
    const body: Record<string, unknown> = random() < 0.5 ? acme.person('target') : { displayName: 'Targets' };
    for (let i = 0; i < 3; i += 1) body[pick(attributes)] = item();
    return body;
  };

  function attack(): [string, string, unknown] {
    const [kind, id] = pick([
      ['Users', String(userId)],
      ['Groups', groupId],
    ] as const);
    const course = random();
    if (course < 0.5) {
      const operations = Array.from({ length: 1 + Math.floor(random() * 3) }, operation);
      return ['PATCH', `/${kind}/${id}`, random() < 0.95 ? { Operations: operations } : { Operations: hostile() }];
    }
    if (course < 0.65) return ['PUT', `/${kind}/${id}`, random() < 0.9 ? whole() : hostile()];
    if (course < 0.8) return ['POST', `/${kind}`, random() < 0.9 ? whole() : hostile()];
    const filter =
      random() < 0.5 ? `${pick(attributes)} ${pick(['eq', 'co', 'pr', 'gt'])} ${JSON.stringify(hostile())}` : hostile();
    const query = [
      `filter=${text(filter)}`,
      `startIndex=${text(hostile())}`,
      `count=${text(hostile())}`,
      `attributes=${text(hostile())}`,
    ].filter(() => random() < 0.5);
    return ['GET', `/${kind}?${query.join('&')}`, undefined];
  }

  async function isSlowAgain(...call: ReturnType<typeof attack>): Promise<boolean> {
    for (let round = 0; round < 2; round += 1) {
      const took = stopwatch();
      await acme.call(...call);
      if (took() < SLOW_MS) return false;
    }
    return true;
  }

  it('get an error of SCIM, never a fault', async () => {
    const complaints: string[] = [];
    for (let round = 0; round < ROUNDS && complaints.length < 5; round += 1) {
      const [method, path, body] = attack();
      const took = stopwatch();
      const answer = await acme.call(method, path, body);
      const about = `${method} ${path.slice(0, 300)} ${JSON.stringify(body)?.slice(0, 400)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`;
      const isError = answer.status >= 400;
      const inShape = answer.body['status'] === String(answer.status) && typeof answer.body['detail'] === 'string';
      if (answer.status >= 500 || (isError && !inShape)) complaints.push(about);
      // A busy machine is slow once, a costly request each time.
      const isSlow = took() > SLOW_MS && (await isSlowAgain(method, path, body));
      if (isSlow) complaints.push(`slow: ${about}`);
    }
    expect(complaints).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect((await acme.call('GET', `/Users/${userId}`)).status).toBe(200);
    expect((await acme.call('GET', '/Users?count=200')).status).toBe(200);
  });
});
