import { randomBytes } from 'node:crypto';
import { newId } from '@app/common';
import { KeyRing, SealingService } from '@app/secrets';
import { SealedText } from './sealed-text.js';

describe('SealedText', () => {
  const sealed = new SealedText(new SealingService(new KeyRing(randomBytes(32).toString('base64'))));
  const turnId = newId();

  it('opens pieces that were joined on their way, at their place', () => {
    const pieces = [sealed.seal(turnId, 4, 'Hallo '), sealed.seal(turnId, 10, 'Wörld 🌍')];
    expect(pieces.join('')).not.toMatch(/Hallo|rld/);
    expect(sealed.open(turnId, pieces.join(''))).toEqual({ offset: 4, text: 'Hallo Wörld 🌍' });
    const event = { turnId, seq: 3, type: 'delta' as const, data: { offset: 99, text: pieces[1]! } };
    expect(sealed.openEvent(event)).toEqual({ ...event, data: { offset: 10, text: 'Wörld 🌍' } });
  });

  it('leaves alone what was not sealed for the turn', () => {
    const foreign = sealed.seal(newId(), 0, 'secret');
    for (const text of ['', 'plain', 'enc:s1:', 'enc:s1:0:AAAA\n', foreign])
      expect(sealed.open(turnId, text)).toEqual({ offset: null, text });
  });

  it('opens a request in its own conversation alone', () => {
    const request = sealed.sealRequest('a', { question: 'What?' });
    expect(sealed.openRequest('a', request)).toEqual({ question: 'What?' });
    expect(() => sealed.openRequest('b', request)).toThrow();
  });
});
