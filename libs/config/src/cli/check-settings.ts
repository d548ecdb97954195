import { explainFailedStart } from '@app/common';
import { loadConfig } from '../load.js';
import { findMisspellings } from '../misspellings.js';

// Prints what is suspicious; what is wrong ends it.
try {
  loadConfig();
  for (const suspicion of findMisspellings()) console.log(suspicion);
} catch (error) {
  console.error(explainFailedStart(error));
  process.exitCode = 1;
}
