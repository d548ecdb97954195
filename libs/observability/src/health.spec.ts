import { HealthRegistry } from './health.js';

describe('whether a process is ready', () => {
  it('asks each dependency once, however many probes come at the same time', async () => {
    const health = new HealthRegistry();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let asked = 0;
    health.register('database', () => {
      asked += 1;
      return answered;
    });
    const probes = Promise.all(Array.from({ length: 100 }, () => health.report()));
    answer();
    expect((await probes).map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 'ok'));
    expect(asked).toBe(1);
    await health.report();
    expect(asked).toBe(2);
  });

  it('is not ready once it drains, whatever is being asked', async () => {
    const health = new HealthRegistry();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    health.register('database', () => answered);
    const probe = health.report();
    health.drain();
    answer();
    expect((await probe).status).toBe('unavailable');
  });
});
