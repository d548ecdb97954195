import { MemoryVectors } from '@app/agents';
import { SoleTasks } from '@app/queues';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

const SECONDS = 10;

/** Has memories read by the encoder that were written down since, or before there was one. */
@Injectable()
export class MemoryEncoding implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly vectors: MemoryVectors,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('vectors of memories', SECONDS, async () => {
      while ((await this.vectors.fillSome()) > 0);
    });
  }
}
