import { createPendingNodeState, parseDefinition } from '@app/workflow-definition';
import { RunEngine } from './run-engine.js';

/** The node as it is after a restart of which the engine knows nothing but that it had begun. */
function afterLoss(params: Record<string, unknown>) {
  const { graph } = parseDefinition({ nodes: [{ id: 'call', kind: 'call', params }] });
  const kind = {
    isBranching: false,
    sideEffects: 'external' as const,
    sideEffectsOf: ({ method }: Record<string, unknown>) =>
      method === 'GET' ? ('none' as const) : ('external' as const),
  };
  const lost = { ...createPendingNodeState('call'), status: 'RUNNING' as const, attempt: 1 };
  const engine = new RunEngine(graph!, [lost], { kindOf: () => kind, now: 0 });
  return { engine, started: engine.takeReady(0).map(({ attempt }) => attempt), state: engine.states()[0]! };
}

describe('effects that depend on params', () => {
  it('let a lost node run again where it only read', () => {
    expect(afterLoss({ method: 'GET' })).toMatchObject({ started: [2], state: { status: 'RUNNING' } });
  });

  it('fail it where it may have taken effect', () => {
    const { started, state } = afterLoss({ method: 'POST' });
    expect(started).toEqual([]);
    expect(state).toMatchObject({ status: 'FAILED', error: { code: 'worker_lost' } });
  });
});
