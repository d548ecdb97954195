import { z } from 'zod';

/** What the handler `artifact-chat` is asked for, beside the question. What the conversation is about, its row says. */
export const artifactChatRequest = z.object({
  mode: z.enum(['build', 'ask']),
  /** What the user sees at that moment: data, of whatever size the api lets through. */
  pageContext: z.object({ state: z.record(z.string(), z.unknown()), rows: z.array(z.unknown()) }).nullish(),
  reasoningEffort: z.enum(['low', 'medium', 'high']).nullish(),
  llmModelId: z.int().nullish(),
});
export type ArtifactChatRequest = z.infer<typeof artifactChatRequest>;
