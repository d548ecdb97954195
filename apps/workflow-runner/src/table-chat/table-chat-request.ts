import { z } from 'zod';

/** What the handler `table-chat` is asked for, beside the question. */
export const tableChatRequest = z.object({
  /** The conversation stays with it. */
  tableId: z.uuid(),
  reasoningEffort: z.enum(['low', 'medium', 'high']).nullish(),
  llmModelId: z.int().nullish(),
});
