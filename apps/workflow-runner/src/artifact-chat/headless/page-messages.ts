import { z } from 'zod';

/** What a page gets for a query: a result as `atrium.query` gives it, or why there is none. */
export type PageOutcome =
  | {
      columns: { name: string; type: string }[];
      rows: unknown[][];
      as_of: string;
      truncated: boolean;
    }
  | { error: { code: string; message: string } };

/** To the process. */
export type PageOrder =
  | { type: 'hello' }
  | { type: 'open'; document: string; charts: string; waitMs: number }
  | { type: 'outcome'; id: number; outcome: PageOutcome };

const MAX_LINES = 40;
const line = z.string().max(2_000);
const lines = z.array(line).max(MAX_LINES);

export const pageReport = z.object({
  /** What does not work. */
  problems: lines,
  /** What is worth knowing, and may be as it is meant. */
  notes: lines,
  /** What people would read, from the top. */
  text: z.string().max(20_000),
  drawings: z.int().min(0),
});
export type PageReport = z.infer<typeof pageReport>;

/** From the process, which a page may have taken over: nothing of it is believed before it has this shape. */
export const pageNews = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({
    type: z.literal('query'),
    id: z.int().min(0),
    name: z.string().max(200),
    params: z.record(z.string().max(200), z.unknown()),
  }),
  z.object({ type: z.literal('done'), report: pageReport }),
]);
export type PageNews = z.infer<typeof pageNews>;
