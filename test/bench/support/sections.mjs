import fs from 'node:fs';
import path from 'node:path';
import { Bars } from './figures.mjs';

/**
 * Runs the sections of a benchmark that the command line names, or all: files of a folder that export `run(bars)`, print
 * their figures, and hold those that have a bar with `bars.check`.
 */
export async function runSections(folder) {
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
}
