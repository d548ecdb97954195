import { Logger } from '@nestjs/common';
import { OptionalStep } from './optional-step.js';

const hanging = () => new Promise<string>(() => undefined);

describe('OptionalStep', () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterEach(() => jest.restoreAllMocks());

  it('gives what the service says', async () => {
    const step = new OptionalStep('it', { timeoutMs: 1000, restMs: 1000 });
    expect(await step.run(async () => 'yes', undefined)).toBe('yes');
  });

  it('goes on without a service that fails or hangs, leaves it alone, and asks again later', async () => {
    const step = new OptionalStep('it', { timeoutMs: 30, restMs: 60_000 });
    let asked = 0;
    const ask = (answer: () => Promise<string>) =>
      step.run(() => {
        asked += 1;
        return answer();
      }, undefined);
    expect(await ask(hanging)).toBeNull();
    expect(await ask(async () => 'yes')).toBeNull();
    expect(asked).toBe(1);
    const later = performance.now() + 60_000;
    jest.spyOn(performance, 'now').mockReturnValue(later);
    expect(await ask(async () => 'yes')).toBe('yes');
    expect(await ask(() => Promise.reject(new Error('no')))).toBeNull();
    expect(asked).toBe(3);
  });

  it('is not the service’s fault when the caller goes', async () => {
    const step = new OptionalStep('it', { timeoutMs: 1000, restMs: 1000 });
    const gone = new AbortController();
    const running = step.run(hanging, gone.signal);
    gone.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(await step.run(async () => 'yes', undefined)).toBe('yes');
  });
});
