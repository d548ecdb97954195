import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const API = resolve(__dirname, '../../apps/api/src');

/** Swagger knows a schema by the name of its class: of two with one name, one is described as the other. */
it('no two bodies of the api have the same name', () => {
  const files = globSync('**/*.ts', { cwd: API }).filter((file) => !file.endsWith('.spec.ts'));
  const names = files.flatMap((file) =>
    [
      ...readFileSync(join(API, file), 'utf8').matchAll(
        /^(?:export )?class (\w+)[^{]*\{\n\s+(?:\/\*\*.*\n\s+)?@\w+Field\(/gm,
      ),
    ].map(([, name]) => name!),
  );
  expect(names.length).toBeGreaterThan(200);
  // Queries are described field by field.
  const twice = names.filter((name, at) => names.indexOf(name) !== at && !name.endsWith('Query'));
  expect(twice).toEqual([]);
});
