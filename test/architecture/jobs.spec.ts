import { globSync, readFileSync } from 'node:fs';

/**
 * The api answers people; work in the background would compete with them. A process that consumes no queue refuses at its
 * start whatever handles a job, those of libs included.
 */
it('the api consumes no jobs', () => {
  const sources = globSync('apps/api/src/**/*.ts');
  expect(sources.length).toBeGreaterThan(100);
  const found = sources.flatMap((path) =>
    [
      ...readFileSync(path, 'utf8').matchAll(
        /@(?:HandlesJob|Performs)\(|\bconsumes:\s*\{|\bJobWorkers\b|\bWorkRunner\b/g,
      ),
    ].map(([text]) => `${path}: ${text}`),
  );
  expect(found).toEqual([]);
});
