import type { Cast } from '../support/contract/build.js';
import {
  type Description,
  type Operation,
  readDescription,
  type RawDocument,
} from '../support/contract/description.js';
import { Lane, nameOf, removes } from '../support/contract/lane.js';
import { ResponseCheck } from '../support/contract/response-check.js';
import { makeAdmin, makeVictim, type Victim } from '../support/contract/stage.js';
import { allThatIsSeen } from '../support/contract/untouched.js';
import { HttpClient } from '../support/http-client.js';
import { LONG, rounds } from '../support/long.js';
import { hostPlatform } from '../support/hosted-platform.js';
import { type Platform, startPlatform } from '../support/platform.js';
import { ScriptedLlm } from '../support/scripted-llm.js';

/**
 * Every operation of the OpenAPI document under valid, nearly valid and hostile requests: whatever comes, the answer is
 * one that the document declares, and says nothing of others. More requests per operation with ATRIUM_FUZZ, another
 * course with ATRIUM_FUZZ_SEED, some operations only with ATRIUM_FUZZ_ROUTE (a pattern over `METHOD path`).
 */
const COURSE = {
  seed: Number(process.env.ATRIUM_FUZZ_SEED ?? 20_261_121),
  runs: Number(process.env.ATRIUM_FUZZ ?? rounds(15, 1)),
  sharesUsers: !LONG,
};
const ROUTES = new RegExp(process.env.ATRIUM_FUZZ_ROUTE ?? '.');
const LANES = rounds(3, 2);

describe('the answers of the api', () => {
  let platform: Platform;
  let llm: ScriptedLlm;
  let description: Description;
  let cast: Omit<Cast, 'user'> & { victim: Victim };
  let secrets: string[];

  beforeAll(async () => {
    llm = new ScriptedLlm();
    await llm.start();
    llm.answers(() => ({ text: 'Fine.' }));
    const settings = { ...llm.env, BILLING: 'test' };
    if (LONG) platform = await startPlatform(['api', 'workflow-runner', 'indexer'], settings);
    else {
      // What workers here do not catch ends the test; what they say of a model that only says `Fine.` is not looked at.
      platform = await hostPlatform(['workflow-runner', 'indexer'], { ...settings, LOG_LEVEL: 'fatal' });
      await platform.start('api', { LOG_LEVEL: 'error' });
    }
    // Requests for access come from whoever was first.
    const bystander = await HttpClient.signUp(platform.baseUrl);
    description = readDescription(await bystander.get<RawDocument>('/openapi.json'));
    const victim = await makeVictim(platform);
    const { canary, client, apiToken, directory } = victim;
    secrets = [canary, client.token, apiToken, directory.token, platform.env.SECRETS_KEY!];
    cast = { victim, adminToken: (await makeAdmin(platform)).token };
  });
  afterAll(async () => {
    await platform?.stop();
    await llm.stop();
  });

  const othersThings = (pattern = /./) =>
    allThatIsSeen(
      platform.baseUrl,
      description.operations.filter((operation) => pattern.test(nameOf(operation))),
      { ...cast, user: cast.victim },
    );

  it(
    'are those that its description declares, whatever comes',
    async () => {
      // To ask a data source for its schema tells whether it answers, which stands with it from then on.
      await othersThings(/data-sources/);
      const before = await othersThings();
      const telling = Object.values(before).filter((seen) => seen.includes(cast.victim.canary));
      expect(telling.length).toBeGreaterThan(10);
      const chosen = description.operations.filter((operation) => ROUTES.test(nameOf(operation)));
      const queue = [
        ...chosen.filter((one) => !removes(one)),
        ...chosen.filter(removes).toSorted((a, b) => lateness(a) - lateness(b)),
      ];
      const check = new ResponseCheck(description, secrets);
      const complaints: string[] = [];
      const work = async () => {
        const lane = new Lane(platform, cast, description, check);
        for (let next = queue.shift(); next; next = queue.shift())
          complaints.push(...(await lane.complaintsAbout(next, COURSE)));
      };
      await Promise.all(Array.from({ length: LANES }, work));
      expect({ ...COURSE, complaints }).toEqual({ ...COURSE, complaints: [] });
      for (const { name, process: running, log } of platform.apps)
        expect([name, running.exitCode, /unhandled/i.test(log())]).toEqual([name, null, false]);
      expect(await othersThings()).toEqual(before);
    },
    600_000 + COURSE.runs * 20_000,
  );
});

/** Whole things go after their parts, and sessions and accounts after all, so that a user serves many operations. */
const lateness = ({ path }: Operation) =>
  (/logout|\/users\/me\/|deletion|password|sessions/.test(path) ? 100 : 0) - path.split('/').length;
