import type { ChildMessage } from '../child-messages.js';

/** To the process that asked. */
export function send(message: ChildMessage): void {
  process.send?.(message);
}
