import { z } from 'zod';

const text = z.string();

const question = z.object({
  text,
  kind: z.enum(['text', 'choice']),
  options: z.array(text),
  node_id: z.string().nullable(),
});

/** First: what is wanted, and which kinds it takes. */
export const planSchema = z.object({
  route: z.enum(['build', 'edit', 'explain', 'clarify']),
  message: text.describe('What you tell the person, in their language.'),
  summary: text.describe('One sentence: what the workflow does.'),
  questions: z.array(question).describe('Only for the route clarify, or what is still open.'),
  name: text.describe('A short name for the workflow.'),
  nodes: z.array(
    z.object({ id: text, kind: text, name: text, next: z.array(text).describe('Ids of the nodes that follow.') }),
  ),
});
export type Plan = z.infer<typeof planSchema>;

/** Then: the definition. Params travel as JSON text, since strict endpoints take no objects of unknown keys. */
export const definitionSchema = z.object({
  name: text,
  summary: text,
  message: text.describe('What you tell the person, in their language.'),
  entry: z.array(text).describe('Ids of the nodes that start a run.'),
  nodes: z.array(
    z.object({
      id: text,
      kind: text,
      name: text,
      params_json: text.describe('The params as a JSON object in text.'),
      next: z.array(text),
      wait_for: z.array(text).describe('Ids of nodes that must have ended first; mostly empty.'),
      on_error: z.enum(['fail', 'continue', 'branch']),
      error_next: z.array(text).describe('Only for on_error branch.'),
      save_output: z.boolean(),
    }),
  ),
  suggestions: z.array(text),
  questions: z.array(question).describe('What the person still has to fill in, such as addresses or secrets.'),
});
export type WrittenDefinition = z.infer<typeof definitionSchema>;
export type WrittenQuestion = z.infer<typeof question>;
