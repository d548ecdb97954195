import type { ApartTask } from '@app/workflow-definition/kit';
import { SandboxError } from './sandbox-error.js';

/** What crosses the line to a process of the sandbox: plain values only. */
export interface SandboxTask {
  job: string;
  input: unknown;
}

export type SandboxAnswer = { ok: true; value: unknown } | { ok: false; code: string; message: string };

/** A job's module is loaded by the processes that do it, and by nobody else. */
const loaders = {
  code: async () => (await import('../code/run-code.js')).runCode,
  expression: async () => (await import('../expression/evaluate-expression.js')).evaluateExpression,
  regex: async () => (await import('../data/regex-job.js')).runRegex,
  parse_csv: async () => (await import('../data/csv-job.js')).parseCsv,
  parse_xml: async () => (await import('../data/xml-job.js')).parseXml,
  write_xml: async () => (await import('../data/xml-job.js')).writeXml,
  parse_html: async () => (await import('../data/html-job.js')).parseHtml,
  compare: async () => (await import('../comparison.js')).compareValues,
  encode_file: async () => (await import('../files/file-content.js')).encodeFile,
  json: async () => (await import('./json-job.js')).readJson,
  look_up: async () => (await import('./look-up-job.js')).lookUpReferences,
  markdown: async () => (await import('../data/markdown-job.js')).renderMarkdown,
} satisfies Record<string, () => Promise<(input: never) => unknown>>;

export type SandboxJob = keyof typeof loaders;

type Implementation<J extends SandboxJob> = Awaited<ReturnType<(typeof loaders)[J]>>;
export type JobInput<J extends SandboxJob> = Parameters<Implementation<J>>[0];
export type JobOutput<J extends SandboxJob> = Awaited<ReturnType<Implementation<J>>>;

/**
 * Errors with a code come back as answers, because errors lose their class on the way between processes.
 * @param begin is told how long the work itself may take, where a job has to make something ready before it.
 */
export async function runSandboxJob(
  { job, input }: SandboxTask,
  begin?: (limitMs: number) => void,
): Promise<SandboxAnswer> {
  try {
    if (job === 'node') {
      const { runNode } = await import('./node-job.js');
      return { ok: true, value: await runNode(input as ApartTask, { run: runSandboxJob, begin }) };
    }
    if (!Object.hasOwn(loaders, job)) throw new SandboxError('unknown_job', `There is no job ${job}.`);
    const implementation = (await loaders[job as SandboxJob]()) as (input: unknown) => unknown;
    return { ok: true, value: await implementation(input) };
  } catch (error) {
    if (error instanceof SandboxError) return { ok: false, code: error.code, message: error.message };
    // A stack that is exhausted by nesting is the input's fault.
    if (error instanceof RangeError)
      return { ok: false, code: 'input_too_complex', message: 'The input is too complex.' };
    throw error;
  }
}
