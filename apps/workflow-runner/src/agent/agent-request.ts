import { z } from 'zod';

/** What the handler `agent` is asked for, beside the question. */
export const agentTurnRequest = z.object({
  reasoningEffort: z.enum(['low', 'medium', 'high']).nullish(),
  llmModelId: z.int().nullish(),
  /** By the uid or the media path of a file that the asker may read. */
  attachedFiles: z.array(z.object({ file: z.string(), name: z.string() })).default([]),
  fileUids: z.array(z.string()).default([]),
  /** Of the answer; that of the question when absent. */
  language: z.string().max(100).nullish(),
});
export type AgentTurnRequest = z.infer<typeof agentTurnRequest>;
