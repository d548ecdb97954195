import { randomBytes } from 'node:crypto';
import { WebhookSecrets } from './webhook-secrets.js';

describe('WebhookSecrets', () => {
  const secrets = new WebhookSecrets(randomBytes(32));

  it('opens what it sealed, in its own row and under its own key only', () => {
    const secret = secrets.generate();
    const sealed = secrets.seal(secret, 'row-1');
    expect(sealed).not.toContain(secret);
    expect(secrets.open(sealed, 'row-1')).toBe(secret);
    expect(() => secrets.open(sealed, 'row-2')).toThrow();
    expect(() => new WebhookSecrets(randomBytes(32)).open(sealed, 'row-1')).toThrow();
  });

  it('recognises a secret by its keyed hash', () => {
    const mac = secrets.mac('one');
    expect(secrets.matches('one', mac)).toBe(true);
    expect(secrets.matches('two', mac)).toBe(false);
    expect(secrets.matches('', mac)).toBe(false);
  });
});
