import { param, parseDefinition, type ToolCatalogue } from '@app/workflow-definition';
import { z } from 'zod';

/** What a loop runs: a definition of its own, or a workflow. */
export const bodyParams = {
  body: param(z.record(z.string(), z.unknown()).optional(), {
    label: 'Body',
    description:
      'A definition like a workflow, with nodes of its own. In it, {{_item}} stands for the item, {{_index}} for its place and {{_webhook_payload.<name>}} for the inputs.',
  }),
  workflow_id: param(z.uuid().optional(), {
    label: 'Workflow',
    description: 'In place of a body: a workflow that whoever last changed this node may run.',
  }),
  inputs: param(z.record(z.string(), z.unknown()).default({}), {
    label: 'Inputs',
    description:
      'Handed to every run as its payload. The run has its own {{_item}} beside them; one that is named here is that of a loop around this one.',
  }),
};

interface BodyProblem {
  code?: string;
  path: string;
  message: string;
  isWarning?: boolean;
}

const OUTER_ITEM = 'item_of_outer_loop';
const ITEM_REFERENCE = /"\$ref":"_(?:item|index)\b|\{\{\s*_(?:item|index)\b/;

/** What it is for each item is the first thing that people write into the inputs, and it comes as nothing. */
function checkInputs(inputs: unknown): BodyProblem[] {
  if (!ITEM_REFERENCE.test(JSON.stringify(inputs ?? null))) return [];
  const message =
    'The item in the inputs is that of a loop around this one, and there is none. Each run has its own: what it runs reads {{_item}}, or a body hands it on, as in the inputs of a sub_workflow within it.';
  return [{ code: OUTER_ITEM, path: 'inputs', message, isWarning: true }];
}

/** Every problem of the body, with its place. */
export function checkBody(
  { body, workflow_id: workflowId, inputs }: Record<string, unknown>,
  catalogue: ToolCatalogue | undefined,
): BodyProblem[] {
  const hasBody = body !== undefined && body !== null;
  const hasWorkflow = workflowId !== undefined && workflowId !== null;
  if (hasBody === hasWorkflow) return [{ path: 'body', message: 'Give either a body or a workflow.' }];
  if (!hasBody) return checkInputs(inputs);
  const { errors, warnings } = parseDefinition(body, catalogue);
  // Within the body, this is the loop around.
  const told = warnings.filter(({ code }) => code !== OUTER_ITEM);
  return [
    ...checkInputs(inputs),
    ...errors.map(({ code, path, message }) => ({ code, path: place(path), message })),
    ...told.map(({ code, path, message }) => ({ code, path: place(path), message, isWarning: true })),
  ];
}

const place = (path: string) => (path === '' ? 'body' : `body.${path}`);

/** What tells the store that a run is of the node's own body. */
export function childKey(workflowId: string | undefined, name: string): string {
  return workflowId === undefined ? `body:${name}` : name;
}
