import { rmSync } from 'node:fs';
import { makeProcessFolder } from '@app/integrations';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { SANDBOX_ENTRY } from './sandbox-entry.js';
import { SandboxPool } from './sandbox-pool.js';

/** The processes for untrusted work and for large data. They start when there is some. */
@Module({
  providers: [
    {
      provide: SandboxPool,
      useFactory: async () =>
        new SandboxPool({ entry: SANDBOX_ENTRY, folder: await makeProcessFolder('atrium-sandbox') }),
    },
  ],
  exports: [SandboxPool],
})
export class SandboxModule implements OnApplicationShutdown {
  constructor(private readonly pool: SandboxPool) {}

  /** Not before the runs at work were given back: a killed process would fail their nodes. */
  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
    rmSync(this.pool.folder, { recursive: true, force: true });
  }
}
