import { readFileSync, writeFileSync } from 'node:fs';
import { settingsEnvFile, withSettingsTable } from '../documents.js';

writeFileSync('docker/env.example', settingsEnvFile());
writeFileSync('README.md', withSettingsTable(readFileSync('README.md', 'utf8')));
console.log('Wrote docker/env.example and the settings table of README.md.');
