import { BackgroundReindexing, INDEX_PIPELINE_VERSION, type ReindexedDocuments } from '@app/documents';
import { Injectable, Logger } from '@nestjs/common';

/** So many wait at a time: what comes in between never waits long, and few documents are seen to be at work. */
const AT_ONCE = 20;
const TELL_EVERY_MS = 60_000;

/** Brings indexes of older pipelines up to date, slowly, and tells how far that is. */
@Injectable()
export class ReindexSweeper {
  private readonly logger = new Logger(ReindexSweeper.name);
  private toldAt = -Infinity;
  private told = 0;

  constructor(private readonly reindexing: BackgroundReindexing) {}

  /** @returns how many documents were asked for */
  async sweep(which: ReindexedDocuments | 'off', atOnce = AT_ONCE): Promise<number> {
    if (which === 'off') return 0;
    const count = await this.reindexing.start(which, atOnce);
    if (count > 0 || this.told > 0) await this.tell();
    return count;
  }

  private async tell(): Promise<void> {
    const now = performance.now();
    if (now - this.toldAt < TELL_EVERY_MS) return;
    this.toldAt = now;
    const { current, older, older_scans: scans, given_up: givenUp } = await this.reindexing.progress();
    this.told = older - givenUp;
    this.logger.log(
      `Indexes of pipeline ${INDEX_PIPELINE_VERSION}: ${current} documents; ${older} still have an older one (${scans} scans; ${givenUp} could not be read again and keep it).`,
    );
  }
}
