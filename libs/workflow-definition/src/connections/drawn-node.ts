import { cutText } from '@app/common';
import type { NodeOutlet } from '../tools/outlet.js';
import type { CanvasEdge } from './canvas-edge.js';
import type { WayOut } from './way-out.js';

/** A node with the edges that leave it. */
export interface DrawnNode {
  raw: Record<string, unknown>;
  id: string;
  /** Like `nodes[2]`. */
  path: string;
  params: Record<string, unknown>;
  outlets: readonly NodeOutlet[];
  edges: readonly { edge: CanvasEdge; way: WayOut }[];
  /** For messages: the names that a handle may have. */
  describeOutlets(): string;
}

/** An id in a message. */
export function quote(text: string): string {
  return JSON.stringify(cutText(text, 128));
}
