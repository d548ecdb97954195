import { InvalidRequestError } from '@app/common';
import { EndpointFault } from '@app/integrations';
import { jest } from '@jest/globals';
import { LearntWindow } from './learnt-window.js';

const HOURS = 60 * 60 * 1000;
const tooLong = (status = 400) =>
  new InvalidRequestError('Too long.', {
    code: 'context_too_long',
    cause: new EndpointFault('The endpoint answered.', { status }),
  });
const words = (count: number, userId?: number) => ({
  messages: [{ role: 'user' as const, content: 'seal '.repeat(count) }],
  ...(userId !== undefined && { usage: { userId, purpose: 'agent' } }),
});

describe('what an endpoint turned out to take', () => {
  afterEach(() => jest.useRealTimers());

  it('is less than the shortest prompt that it refused, for whoever sent it', () => {
    const window = new LearntWindow();
    expect(window.tokensFor(1)).toBe(Infinity);
    window.noteFailure(words(20_000, 1), tooLong());
    const first = window.tokensFor(1);
    window.noteFailure(words(10_000, 1), tooLong());
    window.noteFailure(words(30_000, 1), tooLong());
    expect(window.tokensFor(1)).toBeLessThan(first * 0.6);
    expect([window.tokensFor(2), window.tokensFor()]).toEqual([Infinity, Infinity]);
    window.noteFailure(words(20_000), tooLong());
    expect(window.tokensFor()).toBe(first);
  });

  it('is forgotten once a longer prompt was taken, and after some hours', () => {
    jest.useFakeTimers();
    const window = new LearntWindow();
    window.noteFailure(words(10_000, 1), tooLong());
    window.noteSuccess(words(5_000, 1));
    window.noteSuccess(words(20_000, 2));
    expect(window.tokensFor(1)).toBeLessThan(10_000);
    window.noteSuccess(words(20_000, 1));
    expect(window.tokensFor(1)).toBe(Infinity);
    window.noteFailure(words(10_000, 1), tooLong());
    jest.advanceTimersByTime(1.5 * HOURS);
    expect(window.tokensFor(1)).toBeLessThan(10_000);
    jest.advanceTimersByTime(HOURS);
    expect(window.tokensFor(1)).toBe(Infinity);
  });

  it('is learnt from no other failure, and not where pictures or a proxy may be the reason', () => {
    const window = new LearntWindow();
    const [message] = words(10_000).messages;
    window.noteFailure(words(10_000), new Error('Gone.'));
    window.noteFailure(words(10_000), tooLong(413));
    window.noteFailure(words(20), tooLong());
    const images = [{ mediaType: 'image/png', data: new Uint8Array(9) }];
    window.noteFailure({ messages: [{ ...message!, images }] }, tooLong());
    expect(window.tokensFor()).toBe(Infinity);
  });

  it('is kept of so many people alone', () => {
    const window = new LearntWindow();
    for (let userId = 1; userId <= 600; userId += 1) window.noteFailure(words(2_000 + userId, userId), tooLong());
    expect([window.tokensFor(1), window.tokensFor(600)]).toEqual([Infinity, expect.any(Number)]);
    expect(window.tokensFor(600)).toBeLessThan(2_600);
  });
});
