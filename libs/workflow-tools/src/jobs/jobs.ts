import { SandboxError } from './sandbox-error.js';

/** What crosses the line to a process of the sandbox: plain values only. */
export interface SandboxTask {
  job: string;
  input: unknown;
}

export type SandboxAnswer = { ok: true; value: unknown } | { ok: false; code: string; message: string };

/** A job's module is loaded by the processes that do it, and by nobody else. */
const loaders = {
  code: async () => (await import('./code/run-code.js')).runCode,
  expression: async () => (await import('./evaluate-expression.js')).evaluateExpression,
  regex: async () => (await import('./regex-job.js')).runRegex,
  parse_csv: async () => (await import('./csv-job.js')).parseCsv,
  parse_xml: async () => (await import('./xml-job.js')).parseXml,
  write_xml: async () => (await import('./xml-job.js')).writeXml,
  parse_html: async () => (await import('./html-job.js')).parseHtml,
  compare: async () => (await import('../comparison.js')).compareValues,
  encode_file: async () => (await import('./file-content.js')).encodeFile,
  json: async () => (await import('./json-job.js')).readJson,
  look_up: async () => (await import('./look-up-job.js')).lookUpReferences,
  markdown: async () => (await import('./markdown-job.js')).renderMarkdown,
} satisfies Record<string, () => Promise<(input: never) => unknown>>;

export type SandboxJob = keyof typeof loaders;

type Implementation<J extends SandboxJob> = Awaited<ReturnType<(typeof loaders)[J]>>;
export type JobInput<J extends SandboxJob> = Parameters<Implementation<J>>[0];
export type JobOutput<J extends SandboxJob> = Awaited<ReturnType<Implementation<J>>>;

/** Loads what the job works with, which is no part of its work: on a busy machine that takes longer than some limits. */
export async function readyJob({ job }: SandboxTask): Promise<void> {
  if (!Object.hasOwn(loaders, job)) return;
  await loaders[job as SandboxJob]();
  if (job === 'code') await (await import('./code/engine.js')).loadEngine();
}

/** Does what a name of the list says. */
export function runJob({ job, input }: SandboxTask): Promise<SandboxAnswer> {
  return toAnswer(async () => {
    if (!Object.hasOwn(loaders, job)) throw new SandboxError('unknown_job', `There is no job ${job}.`);
    const implementation = (await loaders[job as SandboxJob]()) as (input: unknown) => unknown;
    return implementation(input);
  });
}

/** Errors with a code come back as answers, because errors lose their class on the way between processes. */
export async function toAnswer(work: () => Promise<unknown>): Promise<SandboxAnswer> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof SandboxError) return { ok: false, code: error.code, message: error.message };
    // A stack that is exhausted by nesting is the input's fault.
    if (error instanceof RangeError)
      return { ok: false, code: 'input_too_complex', message: 'The input is too complex.' };
    throw error;
  }
}
