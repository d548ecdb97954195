import { runSandboxJob } from './jobs.js';

/** What a sandbox thread runs, one task at a time. */
export default runSandboxJob;
