import type { Cast } from '../support/contract/build.js';
import { type Description, readDescription, type RawDocument } from '../support/contract/description.js';
import { Lane, nameOf, removes } from '../support/contract/lane.js';
import { ResponseCheck } from '../support/contract/response-check.js';
import { makeAdmin, makeVictim, type Victim } from '../support/contract/stage.js';
import { allThatIsSeen } from '../support/contract/untouched.js';
import { HttpClient } from '../support/http-client.js';
import { rounds } from '../support/long.js';
import { type Platform, startPlatform } from '../support/platform.js';
import { ScriptedLlm } from '../support/scripted-llm.js';

/**
 * Every operation of the OpenAPI document under valid, nearly valid and hostile requests: whatever comes, the answer is
 * one that the document declares, and says nothing of others. More requests per operation with ATRIUM_FUZZ, another
 * course with ATRIUM_FUZZ_SEED, some operations only with ATRIUM_FUZZ_ROUTE (a pattern over `METHOD path`).
 */
const COURSE = {
  seed: Number(process.env.ATRIUM_FUZZ_SEED ?? 20_261_121),
  runs: Number(process.env.ATRIUM_FUZZ ?? rounds(15, 2)),
};
const ROUTES = new RegExp(process.env.ATRIUM_FUZZ_ROUTE ?? '.');
const LANES = 3;

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
    platform = await startPlatform(['api', 'workflow-runner', 'indexer'], { ...llm.env, BILLING: 'test' });
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

  const othersThings = () => allThatIsSeen(platform.baseUrl, description.operations, { ...cast, user: cast.victim });

  it(
    'are those that its description declares, whatever comes',
    async () => {
      // To ask a data source for its schema tells whether it answers, which stands with it from then on.
      await othersThings();
      const before = await othersThings();
      const telling = Object.values(before).filter((seen) => seen.includes(cast.victim.canary));
      expect(telling.length).toBeGreaterThan(10);
      const chosen = description.operations.filter((operation) => ROUTES.test(nameOf(operation)));
      const queue = [...chosen.filter((one) => !removes(one)), ...chosen.filter(removes)];
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
