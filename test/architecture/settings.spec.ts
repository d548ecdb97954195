import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { settingsEnvFile, withSettingsTable } from '@app/config';

const root = resolve(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('documented settings (npm run settings writes them)', () => {
  it('docker/env.example names every setting', () => {
    expect(read('docker/env.example')).toBe(settingsEnvFile());
  });

  it('docs/settings.md lists every setting', () => {
    expect(withSettingsTable(read('docs/settings.md'))).toBe(read('docs/settings.md'));
  });
});
