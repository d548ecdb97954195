import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What a job may do with files: read those that it was lent, and write one. */
export interface JobFiles {
  /** @param path absolute. @returns where the process finds it, for the time of this job */
  lend(path: string): string;
  /** Where an answer goes that is too large for a message. */
  readonly resultPath: string;
}

/**
 * All that a process of the sandbox sees of the file system beside its code: links to what its job may read, in a folder
 * that it cannot write to, and a folder for its result, which it cannot read. Node follows links out of what may be read.
 */
export class JobFolder implements JobFiles {
  private readonly folder: string;
  private readonly lent: string;
  private readonly made: string;
  readonly resultPath: string;
  private count = 0;

  /** @param base where results lie until somebody has taken them, out of reach of every process */
  constructor(private readonly base: string) {
    this.folder = mkdtempSync(join(base, 'room-'));
    [this.lent, this.made] = [join(this.folder, 'in'), join(this.folder, 'out')];
    this.resultPath = join(this.made, 'result.json');
    this.furnish();
  }

  /** As Node's permissions are told of it. */
  get grants(): { read: string[]; write: string[] } {
    return { read: [join(this.lent, '*')], write: [join(this.made, '*')] };
  }

  lend(path: string): string {
    const link = join(this.lent, String(++this.count));
    symlinkSync(resolve(path), link);
    return link;
  }

  /** @returns where the result of the job lies now, which is for whoever asked to remove; null when it wrote none */
  takeResult(): string | null {
    if (!existsSync(this.resultPath)) return null;
    const taken = join(this.base, `${randomUUID()}.json`);
    renameSync(this.resultPath, taken);
    return taken;
  }

  /** Between two jobs. */
  clear(): void {
    this.close();
    this.furnish();
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private furnish(): void {
    for (const folder of [this.lent, this.made]) mkdirSync(folder, { recursive: true });
  }
}
