import { commonHosts } from './opened-secrets.js';
import { parseSecretHosts } from './secret-hosts.js';

describe('the hosts of a secret', () => {
  it('are kept in one way of writing them, once each', () => {
    expect(parseSecretHosts([' API.Example ', 'api.example', 'bücher.example:8443', '[::1]:80', '10.0.0.1'])).toEqual([
      'api.example',
      'xn--bcher-kva.example:8443',
      '[::1]:80',
      '10.0.0.1',
    ]);
    expect(parseSecretHosts([])).toBeNull();
  });

  it.each([
    '',
    'https://a.example',
    'a.example/',
    '*.example',
    'a b',
    'u@a.example',
    'a.example:0',
    'a.example:65536',
    ':80',
  ])('are no %j', (host) => {
    expect(() => parseSecretHosts([host])).toThrow('names of hosts');
  });

  it('are those that all secrets of a node agree on', () => {
    expect(commonHosts([])).toBeNull();
    expect(commonHosts([null, null])).toBeNull();
    expect(commonHosts([null, ['a', 'b']])).toEqual(new Set(['a', 'b']));
    expect(commonHosts([['a', 'b'], null, ['b', 'c']])).toEqual(new Set(['b']));
    expect(commonHosts([['a'], ['b']])).toEqual(new Set());
  });
});
