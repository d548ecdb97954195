import { z } from 'zod';
import { param } from '@app/workflow-definition/kit';

/** Lists longer than this belong in a table, not in a node's parameters. */
export const MAX_ITEMS = 100_000;

export const itemsParam = param(z.array(z.unknown()).max(MAX_ITEMS), {
  label: 'Items',
  description: 'The list to work on, usually a reference to an earlier output.',
});

/** Where in an item a value stands, like `address.city`; empty for the item itself. */
export const fieldPath = z.string().max(200);

export const nodeIdsParam = (label: string, description: string) =>
  param(z.array(z.string()).default([]), { label, description, acceptsRef: false });

/** Problems of lists of node ids that are not among the node's own `next`. */
export function checkTargets(
  lists: Record<string, unknown>,
  next: readonly string[],
): { path: string; message: string }[] {
  return Object.entries(lists).flatMap(([path, ids]) =>
    (Array.isArray(ids) ? ids : [])
      .filter((id: unknown) => typeof id === 'string' && !next.includes(id))
      .map((id: unknown) => ({ path, message: `${JSON.stringify(id)} is not among the next nodes.` })),
  );
}
