import path from 'node:path';
import { readProcessorTimes } from './processor-times.mjs';

const SHOWN = 10;
const seconds = ({ perfStats: { start, end } }) => (end - start) / 1000;

/**
 * At the end of each run: the files that took longest, so that a slow newcomer is seen on the day it comes, and those
 * that kept a processor busy for longest, by which they hold up all others.
 */
export default class SlowestFiles {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_contexts, { testResults }) {
    const waited = testResults.map((result) => [result.testFilePath, seconds(result)]);
    this.tell('slowest files', waited);
    this.tell('files that kept a processor busy for longest', [...readProcessorTimes()]);
  }

  tell(what, times) {
    const most = times.toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
    const all = times.reduce((sum, [, each]) => sum + each, 0);
    const lines = most.map(([file, each]) => `${each.toFixed(1).padStart(7)} s  ${path.relative(this.rootDir, file)}`);
    process.stderr.write(`\nThe ${most.length} ${what}, of ${Math.round(all)} s in all:\n${lines.join('\n')}\n`);
  }
}
