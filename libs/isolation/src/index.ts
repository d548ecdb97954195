export { readableCode } from './readable-code.js';
export { FairSlots } from './fair-slots.js';
export { type Broken, LimitWatch, residentBytes, type WatchedLimits } from './limit-watch.js';
export { type Conversation, type Ending, IsolatedProcess, type ProcessGrants } from './isolated-process.js';
export { processSuspects, SuspectSlot } from './suspect-slot.js';
export { startProcess } from './start-process.js';
