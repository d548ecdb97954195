import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';

interface Task {
  name: string;
  timer: NodeJS.Timeout | null;
  running: Promise<void> | null;
}

/** Work that comes back: sweepers, relays, heartbeats. A task never overlaps itself, and a failure is logged, not fatal. */
@Injectable()
export class PeriodicTasks implements BeforeApplicationShutdown {
  private readonly logger = new Logger(PeriodicTasks.name);
  private readonly tasks: Task[] = [];
  private stopping = false;

  /** Runs `work` again `seconds` after it last ended, give or take a tenth, so that replicas drift apart. */
  every(name: string, seconds: number, work: () => Promise<void>): void {
    const task: Task = { name, timer: null, running: null };
    this.tasks.push(task);
    const schedule = () => {
      if (this.stopping) return;
      task.timer = setTimeout(
        () => {
          task.running = work()
            .catch((error: unknown) =>
              this.logger.error(`${name}: ${error instanceof Error ? error.message : String(error)}`),
            )
            .finally(() => {
              task.running = null;
              schedule();
            });
        },
        seconds * 1000 * (0.9 + Math.random() * 0.2),
      );
    };
    schedule();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    for (const task of this.tasks) if (task.timer) clearTimeout(task.timer);
    await Promise.all(this.tasks.map((task) => task.running));
  }
}
