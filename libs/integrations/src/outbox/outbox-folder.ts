import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const KEPT_MS = 30 * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;

/**
 * Messages as readable files, for deployments without a mail server. Names begin with the time, so that they sort, and
 * carry a hash of the recipient, so that an erasure finds them.
 */
export class OutboxFolder {
  private prunedAt = 0;

  constructor(private readonly folder: string) {}

  /** Written whole or not at all; a second write of the same id replaces the first. */
  async write(id: string, recipient: string, extension: 'eml' | 'txt', content: string | Buffer): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const earlier = (await readdir(this.folder)).filter((name) => name.includes(`-${id}.`));
    const temporary = join(this.folder, `.${id}.part`);
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
    await rename(temporary, join(this.folder, `${stamp}-${recipientKey(recipient)}-${id}.${extension}`));
    await Promise.all(earlier.map((name) => rm(join(this.folder, name), { force: true })));
    await this.prune();
  }

  /** Removes what was written to the recipient. @returns how many files that were */
  async forget(recipient: string): Promise<number> {
    const names = await readdir(this.folder).catch(() => []);
    const own = names.filter((name) => name.includes(`-${recipientKey(recipient)}-`));
    await Promise.all(own.map((name) => rm(join(this.folder, name), { force: true })));
    return own.length;
  }

  private async prune(): Promise<void> {
    const now = Date.now();
    if (now - this.prunedAt < PRUNE_EVERY_MS) return;
    this.prunedAt = now;
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      const age = now - ((await stat(path).catch(() => null))?.mtimeMs ?? now);
      if (age > KEPT_MS) await rm(path, { force: true });
    }
  }
}

function recipientKey(recipient: string): string {
  return createHash('sha256').update(recipient.trim().toLowerCase()).digest('hex').slice(0, 16);
}
