import { nameButForSlip } from '@app/workflow-definition';
import type { EditOperation } from './edit-operation.js';

/**
 * Operations with the ids that they mean: slips of letters are set right, and a node that is added under the id of the
 * very node that it is to follow gets one of its own, where no other operation could mean either.
 */
export function withKnownIds(operations: readonly EditOperation[], known: readonly string[]): EditOperation[] {
  const added = operations.flatMap((operation) => (operation.op === 'add_node' ? [operation.id] : []));
  const all = [...known, ...added];
  const meant = (id: string) => (all.includes(id) ? id : (nameButForSlip(id, all) ?? id));
  return operations.map((operation) => {
    switch (operation.op) {
      case 'add_node': {
        const { id, after, before } = operation;
        const isTaken = known.includes(id) && (after === id || before === id);
        const isSole = operations.every((other) => other === operation || !namesOf(other).includes(id));
        return {
          ...operation,
          id: isTaken && isSole ? freeId(id, all) : id,
          after: after === null ? null : meant(after),
          before: before === null ? null : meant(before),
        };
      }
      case 'update_node':
      case 'remove_node':
      case 'move_node':
        return { ...operation, id: meant(operation.id) };
      case 'connect':
        return { ...operation, from: meant(operation.from), to: meant(operation.to) };
      case 'disconnect':
      case 'rename_workflow':
      case 'set_entry':
        return operation;
    }
  });
}

/** Ids of the nodes that an operation names. */
export function namesOf(operation: EditOperation): string[] {
  if ('from' in operation) return [operation.from, operation.to];
  return 'id' in operation ? [operation.id] : 'ids' in operation ? [...operation.ids] : [];
}

function freeId(id: string, taken: readonly string[]): string {
  for (let number = 2; ; number += 1) if (!taken.includes(`${id}_${number}`)) return `${id}_${number}`;
}
