// Whether values of documents come with true places: every section of test/bench/extraction.
//   npm run bench -- extraction [section ...]
// A section exports `run(bars)`: it prints its figures, and holds those that have a bar with `bars.check`.
import fs from 'node:fs';
import path from 'node:path';
import { Bars } from './support/figures.mjs';

const folder = path.join(import.meta.dirname, 'extraction');
const sections = fs
  .readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => path.basename(file, '.mjs'));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !sections.includes(name));
if (unknown.length > 0) throw new Error(`No section ${unknown.join(', ')}; there are ${sections.join(', ')}.`);

const bars = new Bars();
for (const name of wanted.length > 0 ? wanted : sections) {
  console.log(`\n== ${name}`);
  const { run } = await import(path.join(folder, `${name}.mjs`));
  await run(bars);
}
bars.finish();
