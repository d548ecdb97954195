import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { KeyRing, SealingService } from '@app/secrets';
import { WebhookSecrets } from './webhook-secrets.js';

const key = () => randomBytes(32).toString('base64');

function secretsUnder(current: string, previous: string[] = []): WebhookSecrets {
  const ring = new KeyRing(current, previous);
  return new WebhookSecrets(ring, new SealingService(ring));
}

/** As the first release wrote them. */
function sealedByFirstRelease(master: string, secret: string, rowId: string): { sealed: string; mac: Buffer } {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(master, 'base64'), '', `atrium/${purpose}`, 32));
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', derive('workflow_webhooks.secret_sealed'), iv);
  cipher.setAAD(Buffer.from(`workflow_webhooks|secret_sealed|${rowId}`));
  const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const mac = createHmac('sha256', derive('workflow_webhooks.secret_mac')).update(secret).digest();
  return { sealed: sealed.toString('base64url'), mac };
}

describe('WebhookSecrets', () => {
  const first = key();
  const secrets = secretsUnder(first);

  it('opens what it sealed, in its own row and under its own key only', () => {
    const secret = secrets.generate();
    const sealed = secrets.seal(secret, 'row-1');
    expect(sealed).not.toContain(secret);
    expect(sealed.startsWith(secrets.currentPrefix)).toBe(true);
    expect(secrets.open(sealed, 'row-1')).toBe(secret);
    expect(() => secrets.open(sealed, 'row-2')).toThrow();
    expect(() => secretsUnder(key()).open(sealed, 'row-1')).toThrow();
  });

  it('recognises a secret by its keyed hash, under any key of the ring', () => {
    const mac = secrets.mac('one');
    const rotated = secretsUnder(key(), [first]);
    for (const ring of [secrets, rotated]) {
      expect(ring.matches('one', mac)).toBe(true);
      expect(ring.matches('two', mac)).toBe(false);
      expect(ring.matches('', mac)).toBe(false);
    }
    expect(secretsUnder(key()).matches('one', mac)).toBe(false);
  });

  it('opens and recognises what the first release wrote, also after a rotation', () => {
    const { sealed, mac } = sealedByFirstRelease(first, 'geheim', 'row-1');
    for (const ring of [secrets, secretsUnder(key(), [first])]) {
      expect(ring.open(sealed, 'row-1')).toBe('geheim');
      expect(ring.matches('geheim', mac)).toBe(true);
      expect(() => ring.open(sealed, 'row-2')).toThrow('any key');
    }
  });
});
