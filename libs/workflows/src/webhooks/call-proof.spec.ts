import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { isBodySigned, isSigned } from './call-proof.js';

const body = Buffer.from('{"a":"ü"}');

function sign(key: Webhook, at = new Date()) {
  return { id: 'msg_1', timestamp: String(Math.floor(at.getTime() / 1000)), signature: key.sign('msg_1', at, body) };
}

describe('proofs of calls', () => {
  // The example of the specification: https://www.standardwebhooks.com, "Verifying signatures".
  const keys = ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'C2FVsBQIhrscChlQIMV+b5sSYspob7oD'].map((key) => new Webhook(key));

  it('accept any of several keys and signatures, over the very bytes and within five minutes', () => {
    const proof = { secret: null, signature: sign(keys[1]!), body };
    expect(isSigned(keys, proof)).toBe(true);
    expect(isSigned([keys[0]!], proof)).toBe(false);
    expect(isSigned([], proof)).toBe(false);
    expect(isSigned(keys, { ...proof, body: Buffer.from('{"a":"ü"} ') })).toBe(false);
    const both = `v1,AAAA ${proof.signature.signature}`;
    expect(isSigned(keys, { ...proof, signature: { ...proof.signature, signature: both } })).toBe(true);
    for (const seconds of [-301, 301])
      expect(isSigned(keys, { ...proof, signature: sign(keys[1]!, new Date(Date.now() + seconds * 1000)) })).toBe(
        false,
      );
    for (const wrong of ['', 'v1', 'v1,', 'v2,AAAA', 'x'.repeat(10_000)])
      expect(isSigned(keys, { ...proof, signature: { ...proof.signature, signature: wrong } })).toBe(false);
  });

  it('accept a body that is signed with one of the secrets', () => {
    const bodySignature = `sha256=${createHmac('sha256', 'two').update(body).digest('hex')}`;
    expect(isBodySigned(['one', 'two'], { secret: null, bodySignature, body })).toBe(true);
    expect(isBodySigned(['one'], { secret: null, bodySignature, body })).toBe(false);
    expect(isBodySigned(['two'], { secret: null, bodySignature, body: Buffer.from('{}') })).toBe(false);
    expect(isBodySigned(['two'], { secret: null, bodySignature: 'sha256=', body })).toBe(false);
    expect(isBodySigned(['two'], { secret: null, bodySignature: null, body })).toBe(false);
  });
});
