import {
  type DocumentRecord,
  type ItemResult,
  type KnownItem,
  KnownItems,
  type Outcome,
  type SourceClaim,
} from '@app/documents';
import { SourceConnectors, type SourceItem } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** One item on its way. */
export interface Arrival {
  claim: SourceClaim;
  item: SourceItem;
  /** Under which it is known here. */
  key: string;
  known: KnownItem | undefined;
  /** Sanitised. */
  filename: string;
}

/** What became of items: their rows, their places in the batch and the counts on the source, all under the claim's fence. */
@Injectable()
export class ItemOutcomes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly connectors: SourceConnectors,
    private readonly items: KnownItems,
  ) {}

  /** In the transaction that makes the document so. */
  async imported(
    tx: EntityManager,
    arrival: Arrival,
    outcome: 'added' | 'updated',
    { uid, sha256 }: DocumentRecord,
  ): Promise<void> {
    const { etag } = arrival.item;
    await this.settle(tx, arrival, outcome, { etag, sha256, documentUid: uid, state: 'imported', reason: '' });
  }

  /** The same content as before, under another mark. */
  async unchanged({ claim, item, key }: Arrival, { uid, sha256 }: DocumentRecord): Promise<void> {
    const result: ItemResult = { etag: item.etag, sha256, documentUid: uid, state: 'imported', reason: '' };
    await this.dataSource.transaction(async (tx) => {
      await claim.hold(tx);
      await this.items.write(tx, claim, key, item, result);
    });
  }

  /**
   * The document of an earlier content that could be taken stays.
   * @param again whether the next sync tries once more, although the item is the same
   */
  async failed(arrival: Arrival, reason: string, again: boolean): Promise<void> {
    const { item, known } = arrival;
    const { sha256 = null, documentUid = null } = known ?? {};
    const etag = again ? null : item.etag;
    const result: ItemResult = { etag, sha256, documentUid, state: 'failed', reason };
    await this.dataSource.transaction((tx) => this.settle(tx, arrival, 'failed', result));
  }

  private async settle(tx: EntityManager, arrival: Arrival, outcome: Outcome, result: ItemResult): Promise<void> {
    const { claim, item, key, filename } = arrival;
    await claim.count(tx, outcome);
    await this.items.write(tx, claim, key, item, result);
    const documentUid = result.state === 'imported' ? result.documentUid : null;
    const batchType = this.connectors.batchTypeOf(claim.source.type);
    await claim.addToBatch(tx, batchType, { filename, documentUid, refusal: result.reason });
  }
}
