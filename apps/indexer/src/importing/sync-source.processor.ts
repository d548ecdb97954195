import { UnavailableError, ValidationError } from '@app/common';
import { type ClaimedSource, findSourceAccess, SourceClaim, sourceWork } from '@app/documents';
import { type SourceAccess, SourceConnectors, SourceError } from '@app/integrations';
import { SealingService } from '@app/secrets';
import { type Claim, GiveUpError, Performs, TryAgainError, WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import { SliceOverError, SourceImport } from './source-import.js';

const SLICE_MS = 60_000;
const LONGEST_WAIT_SECONDS = 3600;

/** Syncs a source for a while; what is left is gone on with when others have had their turn. */
@Injectable()
export class SyncSourceProcessor {
  constructor(
    private readonly claims: WorkClaims,
    private readonly connectors: SourceConnectors,
    private readonly sealing: SealingService,
    private readonly sourceImport: SourceImport,
  ) {}

  /** @throws GiveUpError, TryAgainError, ClaimLostError, or whatever broke */
  @Performs(sourceWork)
  async sync(claim: Claim<ClaimedSource>, signal: AbortSignal): Promise<void> {
    const access = findSourceAccess(this.sealing, claim.row);
    if (!access) throw new GiveUpError('The secret cannot be opened any more. Enter it again.', 'secret_lost');
    const connector = this.open(access);
    try {
      const until = performance.now() + SLICE_MS;
      await this.sourceImport.run(new SourceClaim(this.claims, claim), connector, signal, until);
    } catch (error) {
      signal.throwIfAborted();
      throw asWorkError(error);
    } finally {
      await connector.close();
    }
  }

  private open(access: SourceAccess) {
    try {
      return this.connectors.open(access);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      throw new GiveUpError('The configuration is not understood any more. Save it again.', 'invalid_config');
    }
  }
}

function asWorkError(error: unknown): unknown {
  if (error instanceof SliceOverError) return new TryAgainError('', { afterSeconds: 0, isTry: false });
  if (error instanceof UnavailableError) return new TryAgainError(error.message);
  if (!(error instanceof SourceError)) return error;
  const { failure, message, retryAfterSeconds } = error;
  if (failure !== 'throttled' && failure !== 'unavailable') return new GiveUpError(message, failure);
  const afterSeconds =
    retryAfterSeconds === null ? null : Math.min(Math.max(1, retryAfterSeconds), LONGEST_WAIT_SECONDS);
  return new TryAgainError(message, { afterSeconds, code: 'unavailable' });
}
