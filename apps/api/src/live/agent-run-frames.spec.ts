import { toEndFrames, toShown } from './agent-run-frames.js';

const of = { turnId: 'r', sessionId: 3 };
const at = new Date(0);
const ends = (event: string, data: Record<string, unknown>, told = '') =>
  toEndFrames(of, { runId: 'r', seq: 9, event, data, at }, told).map(
    (frame) => (JSON.parse(String(frame)) as { data: Record<string, unknown> }).data,
  );

describe('what is told of a run, in the words of the channel', () => {
  it('is the same whether our own loop told it, or a gateway that knows less', () => {
    expect(toShown({ event: 'tool.started', data: { tool: 'code', preview: 'x' } })).toEqual({
      kind: 'stage',
      type: 'stage:tool_started',
      event: { tool: 'code', step_id: null, step_description: 'x' },
    });
    expect(toShown({ event: 'tool.completed', data: { tool: 'code', duration: 1.2345, error: true } })).toEqual({
      kind: 'stage',
      type: 'stage:tool_finished',
      event: { tool: 'code', step_id: null, success: false, duration_ms: 1235, error: null },
    });
    expect(
      toShown({
        event: 'approval.request',
        data: { request_id: 'q', command: 'rm', choices: ['once', 'deny', 'view'] },
      }),
    ).toMatchObject({
      kind: 'question',
      requestId: 'q',
      input: {
        message: 'rm',
        options: [
          { value: 'once', label: 'Allow once' },
          { value: 'deny', label: 'Do not allow' },
          { value: 'view', label: 'view' },
        ],
      },
    });
    expect(toShown({ event: 'stage', data: { event_type: 'stage:workflow', event: { phase: 'skeleton' } } })).toEqual({
      kind: 'stage',
      type: 'stage:workflow',
      event: { phase: 'skeleton' },
    });
    expect(toShown({ event: 'reasoning.delta', data: { delta: 'Hm' } })).toMatchObject({ event: { text: 'Hm' } });
    expect(toShown({ event: 'subagent.start', data: {} })).toMatchObject({ type: 'stage:subagent_start' });
    expect(toShown({ event: 'message.delta', data: {} })).toEqual({ kind: 'text', text: '' });
    expect(toShown({ event: 'what.else', data: {} })).toBeNull();
  });

  it('ends with files, then done, then one frame that is a place', () => {
    const told = ends(
      'run.completed',
      { output: 'A', generated_files_urls: ['/media/a'], usage: null, mgid: 'm' },
      'A',
    );
    expect(told.map(({ event_type: type, status }) => type ?? status)).toEqual([
      'stage:files',
      'stage:done',
      'completed',
    ]);
    expect(told.map(({ seq }) => seq)).toEqual([undefined, undefined, 9]);
    expect(told[2]).toMatchObject({ message: 'A', mgid: 'm', turn_id: 'r', chat_session_id: 3 });
    expect(ends('run.failed', {}, 'so far')).toMatchObject([
      { event_type: 'stage:error', event: { code: 'run_failed' } },
      { status: 'failed', answer: 'so far', code: 'run_failed' },
    ]);
    expect(ends('run.cancelled', {}, 'so far')[1]).toMatchObject({ status: 'interrupted', message: 'so far' });
  });
});
