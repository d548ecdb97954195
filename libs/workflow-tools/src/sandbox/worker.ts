import { Worker } from 'node:worker_threads';
import type { SandboxAnswer, SandboxTask } from '../jobs/jobs.js';
import { runSandboxJob } from './run-job.js';

/** How often the process looks whether whoever started it still lives; it may be stuck in a job that never ends. */
const LOOK_MS = 2_000;

/** What a process of the sandbox says to the one that started it. */
export type SandboxReply =
  /** The work itself begins now and may take so long; until here the task was only made ready. */
  | { type: 'limit'; limitMs: number }
  | { type: 'answer'; answer: SandboxAnswer; residentBytes: number }
  | { type: 'broken'; message: string };

const parent = process.ppid;
const look = `setInterval(() => { if (process.ppid !== ${parent}) process.kill(process.pid, 'SIGKILL'); }, ${LOOK_MS})`;
new Worker(new URL(`data:text/javascript,${encodeURIComponent(look)}`), {
  env: {},
  resourceLimits: { maxOldGenerationSizeMb: 16 },
}).unref();
process.on('disconnect', () => process.exit());
process.on('message', (task) => void serve(task as SandboxTask));

/** One task at a time. */
async function serve(task: SandboxTask): Promise<void> {
  try {
    const answer = await runSandboxJob(task, (limitMs) => tell({ type: 'limit', limitMs }));
    tell({ type: 'answer', answer, residentBytes: process.memoryUsage.rss() });
  } catch (error) {
    tell({ type: 'broken', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function tell(reply: SandboxReply): void {
  process.send?.(reply);
}
