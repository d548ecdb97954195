import { globSync, readFileSync } from 'node:fs';

/** A row as a whole would give away each column that is added to it (`ExportedColumns` of libs/erasure). */
it('copies of people’s data name what they hold, column by column', () => {
  const sources = globSync('{apps,libs}/*/src/**/owned-*.ts', { exclude: (name) => name === 'node_modules' });
  expect(sources.length).toBeGreaterThan(10);
  const whole = sources.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/to_jsonb\(\w+\)|row_to_json\(|SELECT \*|SELECT \w+\.\*/g)].map(
      ([text]) => `${path}: ${text}`,
    ),
  );
  expect(whole).toEqual([]);
});
