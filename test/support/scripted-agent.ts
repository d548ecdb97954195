import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnContext, TurnHandler, TurnOutcome } from '@app/agents';
import { newId } from '@app/common';
import type { INestApplicationContext } from '@nestjs/common';
import { startApi, type TestApi } from './api.js';
import { startTurnProcess } from './turns.js';

export type Work = (context: TurnContext) => Promise<TurnOutcome>;

export const DONE: TurnOutcome = { usage: { promptTokens: 3, completionTokens: 5 }, model: 'm' };

/** Two apis, one worker, and an agent that does what the test says for each message. */
export interface ScriptedPlatform {
  api: TestApi;
  other: TestApi;
  worker: INestApplicationContext;
  /** @returns a message that has the agent do this. */
  script(work: Work): string;
  stop(): Promise<void>;
}

export async function startScriptedPlatform(overrides: Record<string, string> = {}): Promise<ScriptedPlatform> {
  const model = { LLM_PROVIDER: 'openai', LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODEL: 'scripted' };
  const works = new Map<string, Work>();
  const agent: TurnHandler = {
    name: 'agent',
    run: (context) => works.get(context.turn.question)?.(context) ?? Promise.resolve(DONE),
  };
  const api = await startApi({ ...model, ...overrides });
  const other = await api.startReplica();
  const worker = await startTurnProcess(api.config, [agent]);
  return {
    api,
    other,
    worker,
    script(work) {
      const message = `Do ${newId()}`;
      works.set(message, work);
      return message;
    },
    async stop() {
      await worker.close();
      await other.stop();
      await api.stop();
    },
  };
}

/** Tells the pieces one by one. */
export const writes =
  (pieces: readonly string[], pauseMs = 0): Work =>
  async (context) => {
    for (const piece of pieces) {
      context.text(piece);
      await context.flush();
      if (pauseMs > 0) await sleep(pauseMs);
    }
    return DONE;
  };

/** Works until `release`; what was told so far is in the log once `begun`. */
export function heldWork(before = 'Begun. ', after = 'Done.') {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const work: Work = async (context) => {
    context.text(before);
    await context.flush();
    begun.resolve();
    const aborted = new Promise<never>((_, reject) =>
      context.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
    );
    await Promise.race([gate.promise, aborted]);
    context.text(after);
    return DONE;
  };
  return { work, begun: begun.promise, release: () => gate.resolve() };
}
