import type { Request } from 'express';
import { HookAddress } from './hook-address.js';

const from = (host: string, publicUrl?: string) =>
  ({ app: { get: () => publicUrl }, protocol: 'https', get: () => host }) as unknown as Request;

describe('the address of a webhook', () => {
  const address = new HookAddress();

  it('is below the declared one, whatever the request says', () => {
    expect(address.of(from('evil.example', 'https://atrium.example/base'), 't')).toBe(
      'https://atrium.example/base/hooks/t/',
    );
  });

  it.each(['evil.example/path', 'a@evil.example', 'evil.example?x', 'javascript:x'])(
    'holds nothing but a host of what the request says: %s',
    (host) => expect(address.of(from(host), 't')).toBe('https://localhost/hooks/t/'),
  );

  it('is where the request came where none is declared', () => {
    expect(address.of(from('atrium.example:8443'), 't')).toBe('https://atrium.example:8443/hooks/t/');
    expect(address.ofNullable(from('atrium.example'), null)).toBeNull();
  });
});
