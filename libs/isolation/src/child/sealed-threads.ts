import threads from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import { fix } from './refusal.js';

/** A thread is sealed like its process: its switches and its environment, which could say otherwise, are not its own. */
export function sealThreads(): void {
  const { construct } = Reflect;
  const Sealed = new Proxy(threads.Worker, {
    construct(target, [program, options]: [string | URL, WorkerOptions?], caller) {
      const { execArgv: _switches, env: _environment, eval: isText, ...kept } = options ?? {};
      // Node runs such a text before whatever is loaded first, this seal too.
      if (isText) throw new Error('The threads of this process run modules, no text.');
      return construct(target, [program, { ...kept, env: {} }], caller) as object;
    },
  });
  fix(threads.Worker.prototype, 'constructor', Sealed);
  fix(threads, 'Worker', Sealed);
}
