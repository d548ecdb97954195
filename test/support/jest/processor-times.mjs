import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const TICKS_A_SECOND = 100;

/** Where the workers of one run write what each file took. */
export const processorTimesFile = () => path.join(tmpdir(), 'processor-times');

/** Of this process and of its children that have ended; where the system does not tell of those, of this process alone. */
export function processorSeconds() {
  const stat = '/proc/self/stat';
  if (existsSync(stat)) {
    const text = readFileSync(stat, 'utf8');
    const times = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15);
    return times.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** @returns {Map<string, number>} seconds by file */
export function readProcessorTimes() {
  const file = processorTimesFile();
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), Number.parseFloat(line)]));
}
