import { handleIn, keepAsHandle, MemoryResults } from '../kept-results/index.js';
import { AgentLoop } from './agent-loop.js';
import { AgentTools } from './agent-tools.js';
import { readResultTool, withResults } from './result-tools.js';
import {
  agentWork,
  MemoryHost,
  newDurable,
  outcomesIn,
  ScriptedModel,
  type ScriptedStep,
  tool,
} from './simulation.spec-support.js';

const SHOWN = 5_000;
const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `Name ${id}` }));

async function run(steps: ScriptedStep[], tools: Parameters<typeof agentWork>[1], store: MemoryResults) {
  const model = new ScriptedModel(({ messages }) => steps[messages.filter((one) => one.role === 'tool').length] ?? {});
  const host = new MemoryHost(newDurable());
  const all = [...tools, readResultTool(store, SHOWN)];
  const work = agentWork(model, [], {
    tools: new AgentTools(all, [], { asksUser: false }),
    rules: { resultCharacters: SHOWN, results: store },
  });
  await new AgentLoop(work, { ...host.state, opening: 'What is it?' }, host).run(null);
  return { outcomes: outcomesIn(model.calls.at(-1)!.messages), store };
}

describe('results that are too long', () => {
  it('are kept whole, and read on by their handle', async () => {
    const store = new MemoryResults('turn');
    const handle = 'r_' + (await new MemoryResults('turn').keep({ place: '1.1', tool: 'list', text: '' }))!.slice(2);
    const { outcomes } = await run(
      [
        { calls: [{ name: 'list' }] },
        { calls: [{ name: 'read_result', input: { result: handle, path: '/1999/name' } }] },
        { text: 'Name 1999.' },
      ],
      [tool('list', () => ({ output: rows }))],
      store,
    );
    expect(outcomes[0]).toContain(`kept whole as ${handle}`);
    expect(outcomes[0]).toContain('array of 2000 objects with id, name');
    expect(outcomes[0]!.length).toBeLessThan(SHOWN / 2);
    expect(outcomes[1]).toContain('Name 1999');
  });

  it.each([[{ output: 'x'.repeat(10_000), isCut: true }], [{ output: { rows, truncated: true } }]])(
    'are not called whole where the tool has cut them',
    async (answer) => {
      const { outcomes } = await run(
        [{ calls: [{ name: 'list' }] }, { text: 'Done.' }],
        [tool('list', () => answer)],
        new MemoryResults('turn'),
      );
      expect(outcomes[0]).toMatch(/was kept as r_[0-9a-f]{8} \([^)]*\)\. It is not all that there is/);
      expect(handleIn(outcomes[0]!.trim())).toMatch(/^r_/);
    },
  );

  it('are cut in the middle where they cannot be kept', async () => {
    const { outcomes } = await run(
      [{ calls: [{ name: 'list' }] }, { text: 'Done.' }],
      [tool('list', () => ({ output: rows }))],
      new MemoryResults('turn', 100),
    );
    expect(outcomes[0]).toContain('characters left out');
  });

  it('reach code as params, without being written again', async () => {
    const store = new MemoryResults('turn');
    const handle = (await store.keep({ place: '9.9', tool: 'list', text: JSON.stringify(rows) }))!;
    const code = tool('code', ({ params }) => ({
      output: (params as Record<string, { id: number }[]>)[handle]!.reduce((sum, { id }) => sum + id, 0),
    }));
    const { outcomes } = await run(
      [{ calls: [{ name: 'code', input: { code: '…', results: [handle] } }] }, { text: 'Done.' }],
      [withResults(code, store)],
      store,
    );
    expect(outcomes[0]).toContain('1999000');
  });

  it.each([['r_00000000'], ['../../etc'], [''], [7], [undefined]])(
    'say that there is none under %j',
    async (result) => {
      const { outcomes } = await run(
        [{ calls: [{ name: 'read_result', input: { result } }] }, { text: 'Done.' }],
        [],
        new MemoryResults('turn'),
      );
      expect(outcomes[0]).toMatch(/no kept result|lacks result/);
    },
  );

  it('make room for others as a handle with its shape', async () => {
    const said = await keepAsHandle(
      { place: '1.1', tool: 'list', text: JSON.stringify(rows) },
      new MemoryResults('turn'),
    );
    expect(said).toMatch(/kept whole as r_[0-9a-f]{8}[^]*array of 2000 objects/);
    expect(said!.length).toBeLessThan(500);
  });
});
