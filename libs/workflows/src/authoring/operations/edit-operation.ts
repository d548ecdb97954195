import type { Json } from '../json.js';

/** One change of a definition: what it does not name stays as it is, to the byte. */
export type EditOperation =
  | {
      op: 'add_node';
      id: string;
      kind: string;
      name: string;
      params: Json;
      /** Fields of the node beside kind, name and params, such as `on_error`. */
      settings: Json;
      /** The node that leads to it; between two nodes that follow each other it takes their connection over. */
      after: string | null;
      /** The way out of `after`. */
      outlet: string | null;
      before: string | null;
    }
  | { op: 'update_node'; id: string; set: readonly { path: string; value: unknown }[]; unset: readonly string[] }
  | { op: 'remove_node'; id: string; /** Whether what led to it leads to what followed it. */ reconnect: boolean }
  | { op: 'connect' | 'disconnect'; from: string; to: string; outlet: string | null }
  | { op: 'rename_workflow'; name: string }
  | { op: 'set_entry'; ids: readonly string[] }
  | { op: 'move_node'; id: string; x: number; y: number };
