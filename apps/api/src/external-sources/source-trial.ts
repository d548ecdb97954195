import type { Principal } from '@app/auth';
import { findSourceAccess, requireSourceRights, SourceRows } from '@app/documents';
import { SourceConnectors, SourceError } from '@app/integrations';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';

export interface SourceVerdict {
  ok: boolean;
  /** A `SourceFailure`; null when it works. */
  code: string | null;
  detail: string;
}

const MAX_MS = 20_000;

/** Whether a source can be read as it is configured. */
@Injectable()
export class SourceTrial {
  constructor(
    private readonly rows: SourceRows,
    private readonly connectors: SourceConnectors,
    private readonly sealing: SealingService,
  ) {}

  /** Never throws for what is wrong with the source. @throws NotFoundError, ForbiddenError */
  async run(viewer: Principal, id: string): Promise<SourceVerdict> {
    const source = await this.rows.get(viewer.userId, id);
    requireSourceRights(viewer, source.type);
    const access = findSourceAccess(this.sealing, source);
    if (!access) return { ok: false, code: 'auth', detail: 'The secret cannot be opened any more. Enter it again.' };
    const signal = AbortSignal.timeout(MAX_MS);
    const connector = this.connectors.open(access);
    try {
      await connector.test(signal);
      return { ok: true, code: null, detail: 'The source can be read.' };
    } catch (error) {
      if (signal.aborted) return { ok: false, code: 'unavailable', detail: 'The source did not answer in time.' };
      if (!(error instanceof SourceError)) throw error;
      return { ok: false, code: error.failure, detail: error.message };
    } finally {
      await connector.close();
    }
  }
}
