// Whether values of documents come with true places: every section of test/bench/extraction.
//   npm run bench -- extraction [section ...]
import path from 'node:path';
import { runSections } from './support/sections.mjs';

await runSections(path.join(import.meta.dirname, 'extraction'));
