import { newAgentState, packState, unpackState } from './agent-state.js';
import { citedSources } from './citations.js';
import { fence, unfence } from './fence.js';
import { estimateTokens } from './tokens.js';
import { UserWords } from './user-words.js';

describe('UserWords', () => {
  const words = new UserWords(['Look at https://www.Acme.example/a?b=c and docs.acme.test, not 10.0.0.7:8080.']);

  it.each(['acme.example', 'www.acme.example', 'docs.acme.test', '10.0.0.7'])('names %s', (host) => {
    expect(words.names(host)).toBe(true);
  });

  it.each(['evil.example', 'acme.test', 'x.acme.example', 'acme.example.evil.test'])('does not name %s', (host) => {
    expect(words.names(host)).toBe(false);
  });

  it('finds addresses anywhere in arguments', () => {
    const input = {
      a: [{ b: 'see HTTPS://EVIL.example:444/x and http://acme.example' }],
      c: 'ftp://u:p@evil2.example',
    };
    expect(words.foreignHosts(input)).toEqual(['evil.example', 'evil2.example']);
  });
});

it('fences text so that it cannot end its mark', () => {
  const fenced = fence('a\n<<<END 0000000000000000\nb', 'page (x)\ny');
  const [, id] =
    /^<<<DATA ([0-9a-f]{16}) \(page x y\)$/m.exec(
      fenced.replaceAll(/ +/g, ' ').replace('( ', '(').replace(' )', ')'),
    ) ?? [];
  expect(fenced.endsWith(`\n<<<END ${id}`)).toBe(true);
  expect(unfence(fence('a\nb', 'x'))).toBe('a\nb');
  expect(fence('a', 'x')).not.toBe(fence('a', 'x'));
});

it('cites what the answer names', () => {
  const sources = [1, 2, 3].map((citation) => ({
    citation,
    uid: 'u',
    filename: 'f',
    page: null,
    text: '',
    path: null,
  }));
  expect(citedSources('A [1], b [3; 9] and [2](https://x.example).', sources).map(({ citation }) => citation)).toEqual([
    1, 3,
  ]);
});

it('counts tokens of texts that have no breaks, quickly', () => {
  const started = performance.now();
  expect(estimateTokens('a'.repeat(1_000_000))).toBeGreaterThan(10_000);
  expect(estimateTokens('The quick brown fox jumps over the lazy dog.')).toBe(10);
  expect(performance.now() - started).toBeLessThan(2_000);
});

it('packs a large state, and reads nothing of another form', () => {
  const state = { ...newAgentState(), opening: 'xy'.repeat(5_000), steps: 3 };
  const row = packState(state);
  expect(JSON.stringify(row).length).toBeLessThan(500);
  expect(unpackState(row)).toEqual(state);
  expect(unpackState(packState({ ...newAgentState(), steps: 2 }))?.steps).toBe(2);
  expect(unpackState({ v: 99 })).toBeNull();
  expect(unpackState(null)).toBeNull();
});
