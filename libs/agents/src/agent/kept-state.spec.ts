import { inflateRawSync } from 'node:zlib';
import { type AgentState, newAgentState, packState, unpackState } from './agent-state.js';
import { KeptState, type KeptTexts } from './kept-state.js';

/** Keeps states as a database does. */
class Rows {
  row: Record<string, unknown> | null = null;
  readonly steps: KeptTexts[] = [];
  bytes = 0;
  private kept = new KeptState([]);

  async save(state: AgentState): Promise<void> {
    const packed = await this.kept.pack(state);
    this.row = JSON.parse(JSON.stringify(packed.row)) as Record<string, unknown>;
    if (packed.added) this.steps.push(packed.added);
    this.bytes += JSON.stringify(this.row).length + (packed.added?.texts.length ?? 0);
    this.kept.written(packed);
  }

  /** Of another worker. */
  read(): AgentState | null {
    this.kept = new KeptState(this.steps);
    return this.kept.read(this.row);
  }
}

/** Text that cannot be packed much. */
const noise = (length: number, seed: number): string =>
  Array.from({ length: length / 8 }, (_, at) => Math.imul(at + 1, 2_654_435_761 * (seed + 1)).toString(36)).join(' ');

describe('KeptState', () => {
  it('gives back what was kept, whatever it holds', async () => {
    const rows = new Rows();
    const state = newAgentState();
    state.opening = `\u0001t1.0 ${'long '.repeat(100)}\u0000`;
    state.replies = ['\u0001t1.0', '\u0001', 'short', '\ud83c'];
    state.messages = [
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'a', name: 'x', input: { deep: ['\u0001j1.1', 'y'.repeat(999)] } }],
      },
      { role: 'tool', outcomes: [{ callId: 'a', name: 'x', output: 'z'.repeat(5_000), isError: false }] },
    ];
    await rows.save(state);
    expect(rows.read()).toEqual(state);
    state.messages = [...state.messages, { role: 'assistant', content: 'And so on. '.repeat(40) }];
    await rows.save(state);
    expect(rows.read()).toEqual(state);
    expect(rows.steps).toHaveLength(2);
    expect(inflateRawSync(rows.steps[1]!.texts).toString()).not.toContain('zzz');
  });

  it('goes on from what the release before kept, and leaves it what it can go on from', async () => {
    const former = { ...newAgentState(), opening: 'What is it? '.repeat(2_000), steps: 3 };
    expect(new KeptState([]).read(await packState(former))).toEqual(former);
    const small = { ...newAgentState(), opening: 'What is it?', steps: 1 };
    const { row, added } = await new KeptState([]).pack(small);
    expect([unpackState(row), added]).toEqual([small, null]);
  });

  it('begins anew where a part is gone', async () => {
    const rows = new Rows();
    await rows.save({ ...newAgentState(), opening: 'x'.repeat(500) });
    rows.steps.length = 0;
    expect(rows.read()).toBeNull();
  });

  it('does not count as kept what was not written', async () => {
    const kept = new KeptState([]);
    const state = { ...newAgentState(), opening: 'x'.repeat(500) };
    expect((await kept.pack(state)).added?.seq).toBe(1);
    expect((await kept.pack(state)).added?.seq).toBe(1);
  });

  it('writes each of twenty results of 30 KB once', async () => {
    const rows = new Rows();
    const state = newAgentState();
    let before = 0;
    for (let step = 0; step < 20; step += 1) {
      const call = { id: `c${step}`, name: 'read', input: { page: step } };
      state.messages = [...state.messages, { role: 'assistant', content: '', toolCalls: [call] }];
      state.calls = [{ call, place: `${step}.1`, status: 'pending' }];
      const saves: (() => void)[] = [
        () => undefined,
        () => {
          state.calls[0]!.outcome = { output: noise(30_000, step), isError: false };
          state.calls[0]!.status = 'done';
        },
        () => {
          const { output } = state.calls[0]!.outcome!;
          state.messages = [
            ...state.messages,
            { role: 'tool', outcomes: [{ callId: call.id, name: 'read', output, isError: false }] },
          ];
          state.calls = [];
        },
      ];
      for (const change of saves) {
        change();
        await rows.save(state);
        before += JSON.stringify(await packState(state)).length;
      }
    }
    expect(rows.read()).toEqual(state);
    const results = JSON.stringify(await packState(state)).length;
    expect(rows.bytes).toBeLessThan(results * 2.5);
    expect(before / rows.bytes).toBeGreaterThan(10);
  });
});
