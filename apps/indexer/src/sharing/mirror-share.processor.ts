import { findSourceAccess, mirrorWork, ShareMirrors, type ClaimedMirror } from '@app/documents';
import { ExternalSharing, SourceError, type SourceAccess } from '@app/integrations';
import { SealingService } from '@app/secrets';
import { Performs, TryAgainError, type Claim } from '@app/work';
import { Injectable } from '@nestjs/common';

/** One call to a drive. */
const CALL_MS = 60_000;

/** Repeats shares in the drives that their documents come from, until the drives agree. */
@Injectable()
export class MirrorShareProcessor {
  constructor(
    private readonly mirrors: ShareMirrors,
    private readonly sharing: ExternalSharing,
    private readonly sealing: SealingService,
  ) {}

  @Performs(mirrorWork)
  async mirror(claim: Claim<ClaimedMirror>, signal: AbortSignal): Promise<void> {
    await this.mirrors.settle(claim, await this.bringAbout(claim.row, signal));
  }

  /** @returns the handle of the grant that the drive has now */
  private async bringAbout(
    { sourceId, itemId, email, handle, wanted, attempted }: ClaimedMirror,
    stop: AbortSignal,
  ): Promise<string | null> {
    const source = await this.mirrors.findSource(sourceId);
    const access = source ? findSourceAccess(this.sealing, source) : null;
    if (source && !access) throw new TryAgainError('The secret of the source has to be given anew.', { code: 'auth' });
    if (!this.sharing.supports(access)) return null;
    const reader = { source: access satisfies SourceAccess | null, itemId, email };
    const signal = AbortSignal.any([stop, AbortSignal.timeout(CALL_MS)]);
    try {
      if (wanted) return handle ?? (await this.sharing.share(reader, signal));
      if (handle !== null || (attempted && email !== '')) await this.sharing.unshare(reader, handle, signal);
    } catch (error) {
      // Nobody can read in the drive what is not there.
      if (error instanceof SourceError && error.failure === 'not_found') return null;
      stop.throwIfAborted();
      throw asTryAgain(error);
    }
    return null;
  }
}

function asTryAgain(error: unknown): unknown {
  if (!(error instanceof SourceError)) return error;
  return new TryAgainError(error.message, { afterSeconds: error.retryAfterSeconds, code: error.failure });
}
