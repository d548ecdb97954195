import type { WorkClasses } from './define-work.js';

/** Which classes of a kind of work this process may begin. */
export class WorkSlots {
  private others = 0;
  private turns = 0;

  /** @param slots pieces of this work that the process does at a time */
  constructor(
    private readonly classes: Pick<WorkClasses<never>, 'order' | 'keptFor' | 'share'>,
    private readonly slots: number,
  ) {}

  /** Of the next claim, in the order in which they are taken. A process with one slot has none to keep. */
  takeTurn(): readonly string[] {
    this.turns += 1;
    const { order, keptFor, share } = this.classes;
    if (this.others >= Math.max(1, this.slots - 1)) return [keptFor];
    if (!share || this.turns % share.everyTurns !== 0) return order;
    return [share.of, ...order.filter((name) => name !== share.of)];
  }

  /** @returns what is to be called at the end of the work */
  begin(name: string): () => void {
    if (name === this.classes.keptFor) return () => undefined;
    this.others += 1;
    return () => {
      this.others -= 1;
    };
  }
}
