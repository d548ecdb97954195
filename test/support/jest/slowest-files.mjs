import path from 'node:path';

const SHOWN = 10;
const seconds = ({ perfStats: { start, end } }) => (end - start) / 1000;

/** At the end of a long run: the files that took longest, so that a slow newcomer is seen on the day it comes. */
export default class SlowestFiles {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= SHOWN) return;
    const slowest = testResults.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, SHOWN);
    const lines = slowest.map((result) => {
      const file = path.relative(this.rootDir, result.testFilePath);
      return `${seconds(result).toFixed(1).padStart(7)} s  ${file}`;
    });
    process.stderr.write(`\nThe ${SHOWN} slowest files:\n${lines.join('\n')}\n`);
  }
}
