import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { NODE_SWITCHES } from '../../scripts/lib/node-switches.mjs';
import { describeImage, parseDockerfile } from '../support/dockerfile.js';

const ROOT = resolve(__dirname, '../..');
const stages = parseDockerfile(readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8'));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

describe('what Node is told of memory', () => {
  it.each(['api', 'indexer', 'workflow-runner'])('is the same however %s is started', (app) => {
    const { command } = describeImage(stages, app);
    const ofImage = command.filter((word) => NODE_SWITCHES.includes(word));
    const ofScript = scripts[`start:${app}`]!.split(' ').filter((word) => NODE_SWITCHES.includes(word));
    expect([ofImage, ofScript]).toEqual([NODE_SWITCHES, NODE_SWITCHES]);
  });
});
