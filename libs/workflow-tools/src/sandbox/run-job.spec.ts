import { setImmediate } from 'node:timers/promises';
import { dropEngine, loadEngine } from '../jobs/code/engine.js';
import { runSandboxJob } from './run-job.js';

describe('runSandboxJob', () => {
  it('begins to count the time of code once its engine is there', async () => {
    dropEngine();
    const ready: Promise<boolean>[] = [];
    const input = {
      kind: 'code',
      params: { code: 'return 1', items: [], params: {}, time_limit_seconds: 30 },
      isResolved: true,
      nodeIds: [],
      next: [],
      payload: null,
      isTriggered: false,
      outputs: {},
      now: 0,
      resultPath: '',
    };
    const answer = await runSandboxJob({ job: 'node', input }, () => {
      // An engine that is still to be made takes many turns of the event loop.
      ready.push(Promise.race([loadEngine().then(() => true), setImmediate(false)]));
    });
    expect(answer).toMatchObject({ ok: true, value: { output: { text: '{"result":1,"logs":[]}' } } });
    expect(await Promise.all(ready)).toEqual([true]);
  });
});
