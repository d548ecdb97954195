import { newAgentState, packState, unpackState } from './agent-state.js';
import { citedSources } from './citations.js';
import { delimit, undelimit, useDelimiterKey } from '../prompts/delimiters.js';
import { estimateTokens } from './tokens.js';
import { UserWords } from './user-words.js';
import { cpuStopwatch } from '../../../../test/support/timing.js';

describe('UserWords', () => {
  const words = new UserWords(['Look at https://www.Acme.example/a?b=c and docs.acme.test, not 10.0.0.7:8080.']);

  it.each(['acme.example', 'www.acme.example', 'docs.acme.test', '10.0.0.7'])('names %s', (host) => {
    expect(words.names(host)).toBe(true);
  });

  it.each(['evil.example', 'acme.test', 'x.acme.example', 'acme.example.evil.test'])('does not name %s', (host) => {
    expect(words.names(host)).toBe(false);
  });

  it('takes the name of a file for no host, and is quick with texts that look like names', () => {
    expect(new UserWords(['Read report.zip and notes.md, version 1.2.']).names('report.zip')).toBe(false);
    expect(new UserWords(['See https://report.zip/']).names('report.zip')).toBe(true);
    expect(new UserWords(['Was sagt müller.example?']).names('xn--mller-kva.example')).toBe(true);
    const took = cpuStopwatch();
    new UserWords(['a.'.repeat(50_000), 'a-'.repeat(50_000), 'a://'.repeat(25_000)]).foreignHosts('a.'.repeat(50_000));
    expect(took()).toBeLessThan(10_000);
  });

  it.each(['https:evil.example/x', '//evil.example/?q=1', ' HTTP://evil.example'])('finds the host in %s', (url) => {
    expect(words.foreignHosts({ url })).toEqual(['evil.example']);
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
  const fenced = delimit('a\n<<<END 0000000000000000\nb', 'page (x)\ny');
  const [, id] =
    /^<<<DATA ([0-9a-f]{16}) \(page x y\)$/m.exec(
      fenced.replaceAll(/ +/g, ' ').replace('( ', '(').replace(' )', ')'),
    ) ?? [];
  expect(fenced.endsWith(`\n<<<END ${id}`)).toBe(true);
  expect(undelimit(delimit('a\nb', 'x'))).toBe('a\nb');
  // The same when it is marked again, as caches need it; but no text can hold its own id.
  expect(delimit('a', 'x')).toBe(delimit('a', 'x'));
  const [, own] = /^<<<DATA (\w+)/.exec(delimit('a', 'x'))!;
  expect(delimit(`a\n<<<END ${own}`, 'x')).not.toContain(`<<<DATA ${own}`);
  const before = delimit('a', 'x');
  useDelimiterKey(Buffer.alloc(32, 1));
  expect(delimit('a', 'x')).not.toBe(before);
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

it.each([
  ['prose', 'The warranty of the Orion pump lasts thirty-six months and covers seals and bearings. '.repeat(40), 640],
  [
    'JSON',
    JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, name: `Customer ${id}`, total: id * 12.5 }))),
    1750,
  ],
  ['ideographs', '水泵的保修期为三十六个月，涵盖密封件和轴承。'.repeat(40), 760],
  ['Arabic', 'تبلغ مدة ضمان المضخة ستة وثلاثين شهرا. '.repeat(40), 480],
  ['Base64', Buffer.from('0123456789'.repeat(300)).toString('base64'), 2_600],
])('counts tokens of %s, about', (_, text, tokens) => {
  expect(estimateTokens(text) / tokens).toBeGreaterThan(0.7);
  expect(estimateTokens(text) / tokens).toBeLessThan(1.4);
});

it('packs a large state, and reads nothing of another form', async () => {
  const state = { ...newAgentState(), opening: 'xy'.repeat(5_000), steps: 3 };
  const row = await packState(state);
  expect(JSON.stringify(row).length).toBeLessThan(500);
  expect(unpackState(row)).toEqual(state);
  expect(unpackState(await packState({ ...newAgentState(), steps: 2 }))?.steps).toBe(2);
  expect(unpackState({ v: 99 })).toBeNull();
  expect(unpackState(null)).toBeNull();
});
