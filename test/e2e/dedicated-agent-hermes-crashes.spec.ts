import { HermesPlatform, textIn } from '../support/hermes/hermes-platform.js';
import type { Generation, Step } from '../support/hermes/hermes-server.js';
import { rounds } from '../support/long.js';
import type { RunningApp } from '../support/platform.js';
import { until } from '../support/until.js';

const WORDS = Array.from({ length: 60 }, (_, at) => `word${at} `);
const TEXT = WORDS.join('');
const DONE: Step = {
  event: 'run.completed',
  output: TEXT,
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
};

describe.each<Generation>(['G1', 'G3'])('workers that die with runs at a gateway of hermes, %s', (generation) => {
  let hermes: HermesPlatform;
  let runner: RunningApp;
  beforeAll(async () => {
    hermes = await HermesPlatform.start(generation, ['api']);
    runner = await hermes.agents.platform.start('workflow-runner');
  });
  afterAll(() => hermes?.stop());

  it('lose and double nothing that the gateway has, and begin nothing twice', async () => {
    const isNumbered = generation === 'G3';
    const tools: Step[] = [
      { event: 'tool.started', tool: 'x', preview: '' },
      { event: 'tool.completed', tool: 'x', duration: 0.1, error: false },
    ];
    const talk = WORDS.flatMap((delta): Step[] => [{ event: 'message.delta', delta }, 50]);
    hermes.server.scripts = [[...(isNumbered ? tools : []), ...talk, DONE]];
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await hermes.create()).id));
    const kills = isNumbered ? rounds(4, 1) : 1;
    for (let kill = 1; kill <= kills; kill += 1) {
      const word = `word${kill * 5} `;
      await until(async () =>
        (await Promise.all(ids.map((id) => hermes.logOf(id)))).every((log) => textIn(log).includes(word)),
      );
      await runner.kill('SIGKILL');
      // While the last of its successors goes on within this process.
      if (kill < kills) runner = await hermes.agents.platform.start('workflow-runner');
      else await hermes.agents.platform.host('workflow-runner');
    }
    for (const id of ids) {
      expect(await hermes.ended(id)).toMatchObject({ status: 'completed', output: TEXT, usage: { total_tokens: 3 } });
      const log = await hermes.logOf(id);
      expect(textIn(log)).toBe(TEXT);
      const names = log.map(({ event }) => event).filter((name) => name !== 'message.delta');
      expect(names).toEqual([...(isNumbered ? ['tool.started', 'tool.completed'] : []), 'run.completed']);
      if (isNumbered) expect(log).toHaveLength(WORDS.length + 3);
      expect(log.every(({ data }) => data.missed === undefined)).toBe(true);
    }
    expect(hermes.server.started).toHaveLength(ids.length);
  });
});
