import type { ModelMessage } from '@app/integrations';
import { AgentLoop } from './agent-loop.js';
import { ResultPictures } from './result-pictures.js';
import { agentModel, agentWork, MemoryHost, newDurable, ScriptedModel, tool } from './simulation.spec-support.js';

const picture = (n: number) => ({ file: `/media/written/${n}/a.png`, mediaType: 'image/png' });
const image = (bytes: number) => ({ mediaType: 'image/png', data: new Uint8Array(bytes) });
const result = (...pictures: { file: string; mediaType: string }[]): ModelMessage => {
  const outcome = { callId: 'c', name: 'draw', output: 'Drawn.', isError: false, pictures };
  return { role: 'tool', outcomes: [outcome] };
};
const imagesIn = (messages: readonly ModelMessage[]) =>
  messages.map((one) => (one.role === 'user' ? (one.images?.length ?? 0) : '-'));

describe('pictures of results', () => {
  it.each([
    ['a model that sees', true, 1],
    ['a model that does not', false, 0],
  ])('are shown to %s', async (_, readsImages, expected) => {
    const model = new ScriptedModel(({ messages }) =>
      messages.some((one) => one.role === 'tool') ? { text: 'Seen.' } : { calls: [{ name: 'draw' }] },
    );
    const host = new MemoryHost(newDurable());
    const draw = tool('draw', () => ({ output: 'Drawn.', pictures: [picture(1)] }));
    const work = agentWork(model, [draw], {
      model: agentModel(model, { readsImages }),
      readPicture: () => Promise.resolve(image(10)),
    });
    await new AgentLoop(work, { ...host.state, opening: 'What is it?' }, host).run(null);
    const seen = model.calls.at(-1)!.messages.flatMap((one) => (one.role === 'user' ? (one.images ?? []) : []));
    expect(seen).toHaveLength(expected);
    // What survives a worker names the file alone.
    expect(JSON.stringify(host.state.messages)).toContain(picture(1).file);
    expect(JSON.stringify(host.state.messages)).not.toContain('"data"');
  });

  it('are the newest, few, and bounded in bytes', async () => {
    const pictures = new ResultPictures(() => Promise.resolve(image(1)));
    const shown = await pictures.show([result(picture(1), picture(2)), result(picture(3), picture(4), picture(5))]);
    expect(imagesIn(shown)).toEqual(['-', 1, '-', 3]);
    const large = new ResultPictures(() => Promise.resolve(image(5_000_000)));
    expect(imagesIn(await large.show([result(picture(1)), result(picture(2))]))).toEqual(['-', '-', 1]);
  });

  it('are left out where the file is gone', async () => {
    const pictures = new ResultPictures(() => Promise.resolve(null));
    expect(await pictures.show([result(picture(1))])).toEqual([result(picture(1))]);
  });
});
