import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { closeNetwork } from './closed-network.js';
import { loadOwnCodeOnly } from './own-code.js';
import { loadNatives, sealNatives } from './sealed-natives.js';
import { sealThreads } from './sealed-threads.js';

// Loaded before the program of a child, and in each of its threads before theirs. `start-process.ts` tells it the native
// packages of the program and what is data in this address.

const { searchParams } = new URL(import.meta.url);
// Threads have none: they compute, and what is native belongs to the program.
if (isMainThread) await loadNatives(searchParams.getAll('library'));
closeNetwork();
loadOwnCodeOnly(searchParams.getAll('data'));
sealNatives();
sealThreads();
// What was imported by name is closed with the rest.
syncBuiltinESMExports();
