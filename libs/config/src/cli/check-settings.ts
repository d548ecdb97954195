import { explainFailedStart } from '@app/common';
import { loadConfig } from '../load.js';
import { findSuspicions } from '../suspicions.js';

// Prints what is suspicious; what is wrong ends it.
try {
  loadConfig();
  for (const suspicion of findSuspicions()) console.log(suspicion);
} catch (error) {
  console.error(explainFailedStart(error));
  process.exitCode = 1;
}
