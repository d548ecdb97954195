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
    description: 'Handed to every run as its payload.',
  }),
};

/** Every problem of the body, with its place. */
export function checkBody(
  { body, workflow_id: workflowId }: Record<string, unknown>,
  catalogue: ToolCatalogue | undefined,
): { code?: string; path: string; message: string; isWarning?: boolean }[] {
  const hasBody = body !== undefined && body !== null;
  const hasWorkflow = workflowId !== undefined && workflowId !== null;
  if (hasBody === hasWorkflow) return [{ path: 'body', message: 'Give either a body or a workflow.' }];
  if (!hasBody) return [];
  const { errors, warnings } = parseDefinition(body, catalogue);
  return [
    ...errors.map(({ code, path, message }) => ({ code, path: place(path), message })),
    ...warnings.map(({ code, path, message }) => ({ code, path: place(path), message, isWarning: true })),
  ];
}

const place = (path: string) => (path === '' ? 'body' : `body.${path}`);

/** What tells the store that a run is of the node's own body. */
export function childKey(workflowId: string | undefined, name: string): string {
  return workflowId === undefined ? `body:${name}` : name;
}
