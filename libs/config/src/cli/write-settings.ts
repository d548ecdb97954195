import { readFileSync, writeFileSync } from 'node:fs';
import { settingsEnvFile, withSettingsTable } from '../documents.js';

writeFileSync('docker/env.example', settingsEnvFile());
writeFileSync('docs/settings.md', withSettingsTable(readFileSync('docs/settings.md', 'utf8')));
console.log('Wrote docker/env.example and docs/settings.md.');
