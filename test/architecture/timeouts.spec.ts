import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const read = (file: string) => readFileSync(resolve(ROOT, file), 'utf8');
const milliseconds = (digits = '') => Number(digits.replaceAll('_', ''));
/** The last argument of a test or a hook: its function ends at the indentation of what stands in a `describe`, or in none. */
const OWN_LIMIT = /^(?:(?: {2})?\}, |(?: {4}| {2})\},\n(?: {4}| {2}))([\d_]{4,}),?\n?(?: {2})?\);$/gm;

it('no test has less time than all have: a machine that stalls is no fault', () => {
  const listed = execFileSync('git', ['ls-files', '*.spec.ts'], { cwd: ROOT, encoding: 'utf8' });
  const common = milliseconds(/testTimeout: ([\d_]+)/.exec(read('jest.config.mjs'))?.[1]);
  expect(common).toBeGreaterThan(0);
  const shorter = listed
    .trim()
    .split('\n')
    .flatMap((file) =>
      [...read(file).matchAll(OWN_LIMIT)]
        .filter(([, limit]) => milliseconds(limit) < common)
        .map(([, limit]) => `${file}: ${limit}`),
    );
  expect(shorter).toEqual([]);
});
