// Whether answers are right: every section of test/bench/answers on corpora that the repository makes or ships.
//   npm run bench -- answers [section ...]
import path from 'node:path';
import { runSections } from './support/sections.mjs';

await runSections(path.join(import.meta.dirname, 'answers'));
