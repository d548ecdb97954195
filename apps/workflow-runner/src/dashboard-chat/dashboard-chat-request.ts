import type { ChartFilter, ChartSubject } from '@app/artifacts';
import { z } from 'zod';

const bound = z.union([z.string(), z.number()]).nullable();
const filter = z.object({
  column: z.string(),
  values: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
  min: bound,
  max: bound,
}) satisfies z.ZodType<ChartFilter>;

/** What the handler `dashboard-chat` is asked for, beside the question. */
export const dashboardChatRequest = z
  .object({
    mgids: z.array(z.uuid()).optional(),
    boardId: z.int().optional(),
    filters: z.array(filter),
    language: z.string().nullish(),
    llmModelId: z.int().nullish(),
  })
  .transform(({ mgids, boardId, ...request }) => ({ ...request, subject: subjectOf(mgids, boardId) }));

function subjectOf(mgids: string[] | undefined, boardId: number | undefined): ChartSubject {
  return boardId === undefined ? { mgids: mgids ?? [] } : { boardId };
}
