import path from 'node:path';
import { readProcessorTimes } from './processor-times.mjs';

const SHOWN = 10;
const seconds = ({ perfStats: { start, end } }) => (end - start) / 1000;

/**
 * At the end of each run: the files that took longest, so that a slow newcomer is seen on the day it comes, and those
 * that kept a processor busy for longest, by which they hold up all others.
 */
export default class SlowestFiles {
  constructor({ rootDir, testTimeout }) {
    this.rootDir = rootDir;
    this.limit = testTimeout / 1000;
  }

  onRunComplete(_contexts, { testResults }) {
    const waited = testResults.map((result) => [result.testFilePath, seconds(result)]);
    this.tell('slowest files', waited);
    this.tell('files that kept a processor busy for longest', [...readProcessorTimes()]);
    this.tellOfLongTests(testResults);
  }

  /** A test that takes a quarter of its limit here fails on a machine that is four times as busy. */
  tellOfLongTests(testResults) {
    for (const { testFilePath, testResults: tests } of testResults)
      for (const { fullName, duration } of tests)
        if (duration / 1000 > this.limit / 4)
          process.stderr.write(
            `Took ${Math.round(duration / 1000)} s of ${this.limit} s: ${path.relative(this.rootDir, testFilePath)}: ${fullName}\n`,
          );
  }

  tell(what, times) {
    const most = times.toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
    const all = times.reduce((sum, [, each]) => sum + each, 0);
    const lines = most.map(([file, each]) => `${each.toFixed(1).padStart(7)} s  ${path.relative(this.rootDir, file)}`);
    process.stderr.write(`\nThe ${most.length} ${what}, of ${Math.round(all)} s in all:\n${lines.join('\n')}\n`);
  }
}
