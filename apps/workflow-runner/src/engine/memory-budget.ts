import { ToolError } from '@app/workflow-definition';
import { FairQueue } from '../sandbox/fair-queue.js';

/** Less than this is held without asking. */
export const SMALL_BYTES = 1024 * 1024;
/** So many nodes, and so many parts of nodes, may hold more at the same time in this process, and of one owner. */
const LIMITS = { atOnce: 6, atOncePerOwner: 2 };

interface Seeker {
  enter(leave: () => void): void;
}

/** Who may hold much in the memory of this process: the others wait, each owner in turn. */
export class MemoryBudget {
  private readonly queue = new FairQueue<Seeker>(
    LIMITS,
    (seeker) => new Promise((leave) => seeker.enter(() => leave())),
  );

  /** @returns what ends it. @throws ToolError `aborted` */
  enter(owner: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const give = (): void => reject(new ToolError('aborted', 'The node was stopped.', false));
      if (signal.aborted) return give();
      const abort = (): void => {
        if (this.queue.remove(owner, seeker)) give();
      };
      const seeker: Seeker = {
        enter: (leave) => {
          signal.removeEventListener('abort', abort);
          resolve(leave);
        },
      };
      signal.addEventListener('abort', abort, { once: true });
      this.queue.push(owner, seeker);
    });
  }
}

/** The place of one node, or of one part of it. */
export class MemoryShare {
  private entered: Promise<() => void> | null = null;

  constructor(
    private readonly budget: MemoryBudget,
    private readonly owner: number,
    private readonly signal: AbortSignal,
  ) {}

  /** Once is enough for a node, however much it holds: outputs have limits of their own. */
  async take(bytes: number): Promise<void> {
    if (bytes > SMALL_BYTES) await (this.entered ??= this.budget.enter(this.owner, this.signal));
  }

  leave(): void {
    this.entered?.then(
      (leave) => leave(),
      () => undefined,
    );
    this.entered = null;
  }
}
