import { Injectable } from '@nestjs/common';
import type { OwnedData } from './owned-data.js';

/** All that accounts can own. Domains register in `onModuleInit`. */
@Injectable()
export class ErasureRegistry {
  private readonly entries: OwnedData[] = [];

  /** @throws Error for a name that is taken: the process does not start */
  register(data: OwnedData): void {
    if (this.entries.some(({ name }) => name === data.name)) throw new Error(`${data.name} is registered twice.`);
    this.entries.push(data);
  }

  /** In the order in which they are removed. */
  list(): readonly OwnedData[] {
    return [...this.entries].sort((a, b) => (a.order ?? 50) - (b.order ?? 50) || (a.name < b.name ? -1 : 1));
  }
}
