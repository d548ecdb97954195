import { z } from 'zod';
import { defineJob } from '../define-job.js';
import type { WorkPayload } from '../work-job.js';

/** `bell` tells one cause from another: a turn, a reply to it, a sweep. */
export interface TurnPayload extends WorkPayload {
  sessionId?: number;
  bell?: string;
}

/** A job for the conversation. */
export const payloadForTurn = (sessionId: number, cause: string): TurnPayload => ({
  key: [String(sessionId)],
  fence: 0,
  sessionId,
  bell: cause,
});

/**
 * Work on the next turn of a conversation, which the key names. A release before this one knows `sessionId` and `bell`
 * alone, in what it reads and what it writes.
 */
export const executeTurnJob = defineJob<TurnPayload>({
  name: 'execute-turn',
  queue: 'turns',
  payload: z.preprocess(
    withBothNames,
    z.object({
      key: z.tuple([z.string()]),
      fence: z.int().nonnegative(),
      sessionId: z.int().positive(),
      bell: z.string().max(100),
    }),
  ),
  key: ({ sessionId, bell }) => `${sessionId}:${bell}`,
});

function withBothNames(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null) return payload;
  const given: Partial<TurnPayload> = payload;
  if (given.key === undefined) return { ...given, key: [String(given.sessionId)], fence: 0 };
  return { sessionId: Number(given.key[0]), bell: String(given.fence), ...given };
}
