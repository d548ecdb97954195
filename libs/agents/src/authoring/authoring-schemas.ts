import { z } from 'zod';

const text = z.string();

const question = z.object({
  text,
  kind: z.enum(['text', 'choice']),
  options: z.array(text),
  node_id: z.string().nullable(),
});
const suggestions = z.array(text);
const questions = z.array(question).describe('What the person still has to fill in, such as addresses or secrets.');
const message = text.describe('What you tell the person, in their language.');

/** First: what is wanted, and which kinds it takes. */
export const planSchema = z.object({
  route: z.enum(['build', 'edit', 'explain', 'clarify']),
  message,
  summary: text.describe('One sentence: what the workflow does.'),
  questions: z.array(question).describe('Only for the route clarify, or what is still open.'),
  name: text.describe('A short name for the workflow.'),
  nodes: z
    .array(
      z.object({ id: text, kind: text, name: text, next: z.array(text).describe('Ids of the nodes that follow.') }),
    )
    .describe('Of a new workflow all nodes; of a change only those that are added or changed.'),
});
export type Plan = z.infer<typeof planSchema>;

/** Then: the definition. Params travel as JSON text, since strict endpoints take no objects of unknown keys. */
export const definitionSchema = z.object({
  name: text,
  summary: text,
  message,
  entry: z.array(text).describe('Ids of the nodes that start a run.'),
  nodes: z.array(
    z.object({
      id: text,
      kind: text,
      name: text.describe('As people read it.'),
      params_json: text.describe('The params as a JSON object in text.'),
      next: z.array(text),
      wait_for: z.array(text).describe('Ids of nodes that must have ended first; mostly empty.'),
      on_error: z.enum(['fail', 'continue', 'branch']),
      error_next: z.array(text).describe('Only for on_error branch.'),
      save_output: z.boolean(),
    }),
  ),
  suggestions,
  questions,
});

const outlet = text
  .nullable()
  .describe('The way out of a node that chooses, such as if_true or cases[0]; "error" for failures; else null.');
const operation = z.union([
  z.object({
    op: z.literal('add_node'),
    id: text,
    kind: text,
    name: text.describe('As people read it.'),
    params_json: text.describe('The params as a JSON object in text.'),
    after: text.nullable().describe('The node that leads to it.'),
    outlet: outlet.describe('The way out of "after", where that one chooses.'),
    before: text.nullable().describe('The node that follows it; with "after" it goes between both.'),
  }),
  z.object({
    op: z.literal('update_node'),
    id: text,
    set: z.array(
      z.object({
        path: text.describe('Such as params.url, params.cases[0].value, name or on_error.'),
        value_json: text.describe('The value as JSON in text.'),
      }),
    ),
    unset: z.array(text).describe('Paths that are taken away.'),
  }),
  z.object({
    op: z.literal('remove_node'),
    id: text,
    reconnect: z.boolean().describe('Whether what led to it leads to what followed it.'),
  }),
  z.object({ op: z.literal('connect'), from: text, to: text, outlet }),
  z.object({ op: z.literal('disconnect'), from: text, to: text }),
  z.object({ op: z.literal('rename_workflow'), name: text }),
  z.object({ op: z.literal('set_entry'), ids: z.array(text) }),
  z.object({ op: z.literal('move_node'), id: text, x: z.number(), y: z.number() }),
]);

/** Or: what is to be changed. Nodes that no operation names stay as they are, to the byte. */
export const operationsSchema = z.object({
  message,
  summary: text.describe('One sentence: what the workflow does.'),
  operations: z.array(operation),
  suggestions,
  questions,
});
