import { readFileSync } from 'node:fs';
import { StartupError } from '@app/common';
import { BUILT_IN_OFFERING } from './built-in-offering.js';
import type { Offering } from './plan.js';
import { OfferingError, readOffering } from './read-offering.js';

/** Read once, at the start. @throws StartupError with each mistake of the file in words */
export function loadOffering(plansFile: string | undefined): Offering {
  if (plansFile === undefined) return readOffering(BUILT_IN_OFFERING);
  let text: string;
  try {
    text = readFileSync(plansFile, 'utf8');
  } catch (error) {
    throw new StartupError(`PLANS_FILE cannot be read: ${(error as Error).message}`);
  }
  try {
    return readOffering(text);
  } catch (error) {
    if (!(error instanceof OfferingError)) throw error;
    throw new StartupError(`PLANS_FILE is not right:\n${error.mistakes.map((line) => `- ${line}`).join('\n')}`);
  }
}
