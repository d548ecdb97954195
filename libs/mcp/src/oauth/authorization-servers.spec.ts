import { metadataAddresses } from './authorization-servers.js';
import { toScopes } from './scopes.js';

describe('where an authorization server says what it is', () => {
  it('is at its origin, in the order of the MCP specification', () => {
    expect(metadataAddresses(new URL('https://auth.example'))).toEqual([
      'https://auth.example/.well-known/oauth-authorization-server',
      'https://auth.example/.well-known/openid-configuration',
    ]);
    expect(metadataAddresses(new URL('https://auth.example/tenant1/'))).toEqual([
      'https://auth.example/.well-known/oauth-authorization-server/tenant1',
      'https://auth.example/.well-known/openid-configuration/tenant1',
      'https://auth.example/tenant1/.well-known/openid-configuration',
    ]);
  });
});

describe('scopes that a server lists', () => {
  it('are taken once, and only where they are scopes', () => {
    expect(toScopes(['a', 'a', 'b:c/d', 'with blank', 'quo"te', 'back\\slash', '', 7, null, 'x'.repeat(201)])).toEqual([
      'a',
      'b:c/d',
    ]);
    expect(toScopes(Array.from({ length: 500 }, (_, index) => `s${index}`))).toHaveLength(100);
  });
});
