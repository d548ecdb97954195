export { readableCode } from './readable-code.js';
export { FairPlaces } from './fair-places.js';
export { type Broken, LimitWatch, residentBytes, type WatchedLimits } from './limit-watch.js';
export { type Conversation, type Ending, IsolatedProcess, type ProcessGrants } from './isolated-process.js';
export { processSuspects, SuspectPlace } from './suspect-place.js';
