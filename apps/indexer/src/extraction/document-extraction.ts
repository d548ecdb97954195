import { isFileKind, type DocumentRecord } from '@app/documents';
import {
  combineRows,
  ExtractionTasks,
  ITEM_TRIES,
  ModelExtractor,
  ModelStoppedError,
  needsModel,
  withoutModel,
  type ClaimedItem,
  type ExtractedValues,
  type ExtractionTask,
  type JudgedCell,
  type SourcePage,
} from '@app/extraction';
import { ChosenModels, FileStorage } from '@app/integrations';
import { GiveUpError, TryAgainError, type Claim } from '@app/work';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { INDEXER_SETTINGS, type IndexerSettings } from '../indexer-settings.js';
import { DocumentExtractor } from '../pipeline/document-extractor.js';
import { ExtractionError } from '../pipeline/extraction-error.js';

type ModelRows = readonly ReadonlyMap<string, JudgedCell>[];

/** From a stored file to rows of a table: rules first, and a model where they do not do (docs/decisions/0055). */
@Injectable()
export class DocumentExtraction implements OnApplicationShutdown {
  /** Its own processes: nobody waits for a table until a long document is indexed, nor the other way round. */
  private readonly extractor: DocumentExtractor;

  constructor(
    @Inject(INDEXER_SETTINGS) private readonly settings: IndexerSettings,
    private readonly storage: FileStorage,
    private readonly models: ChosenModels,
    private readonly tasks: ExtractionTasks,
  ) {
    const { childEntry, concurrency, extractionTimeoutSeconds } = settings;
    const limits = { totalMs: extractionTimeoutSeconds * 1000 };
    this.extractor = new DocumentExtractor({ childEntry, concurrency, limits });
  }

  /** @throws ExtractionError, GiveUpError, TryAgainError, ClaimLostError, the signal's reason, or whatever broke */
  async run(
    claim: Claim<ClaimedItem>,
    task: ExtractionTask,
    document: DocumentRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const { columns, rowMode } = task;
    const pages = await this.read(document, task, signal);
    const rules = await this.extractor.applyRules({ pages, columns, rowMode, signal });
    try {
      const model = await this.askModel(claim, task, pages, rules, signal);
      await this.tasks.complete(claim, task, combineRows(columns, rowMode, rules, model));
    } catch (error) {
      if (!(error instanceof ModelStoppedError)) throw error;
      await this.giveWay(claim, task, rules, error);
    }
  }

  onApplicationShutdown(): void {
    this.extractor.close();
  }

  private async read(
    { kind, ocr, ocrLanguages, storageKey }: DocumentRecord,
    { extraction }: ExtractionTask,
    signal: AbortSignal,
  ): Promise<SourcePage[]> {
    if (!isFileKind(kind)) throw new ExtractionError('unsupported', `Files of the kind "${kind}" cannot be read.`);
    const file = await this.storage.localPath(storageKey);
    const pages: SourcePage[] = [];
    try {
      await this.extractor.readPages({
        path: file.path,
        kind,
        ocr: extraction.ocr ?? ocr,
        languages: ocrLanguages.length > 0 ? ocrLanguages : this.settings.ocrLanguages,
        ...(this.settings.ocrDataFolder ? { languageFolder: this.settings.ocrDataFolder } : {}),
        signal,
        onPage: (page) => {
          pages.push(page);
        },
      });
      return pages;
    } finally {
      await file.release();
    }
  }

  /** @returns null where no model is asked */
  private async askModel(
    { row: { requestedBy: userId } }: Claim<ClaimedItem>,
    { columns, rowMode }: ExtractionTask,
    pages: readonly SourcePage[],
    rules: readonly ExtractedValues[],
    signal: AbortSignal,
  ): Promise<ModelRows | null> {
    if (!needsModel(columns, rules)) return null;
    const model = await this.models.choose(userId);
    if (!model.available) return null;
    const anchor: ConstructorParameters<typeof ModelExtractor>[0]['anchor'] = (within, quotes) =>
      this.extractor.anchor({ pages: within, quotes, signal });
    return new ModelExtractor({ pages, columns, rowMode, model, userId, anchor, signal }).extract();
  }

  /** The model cannot go on. Before that is told for good, what was found without it, and with it until then, is kept. */
  private async giveWay(
    claim: Claim<ClaimedItem>,
    task: ExtractionTask,
    rules: readonly ExtractedValues[],
    { message, code, isFinal, rows }: ModelStoppedError,
  ): Promise<never> {
    const found = rows.length > 0 ? rows : null;
    if (isFinal || claim.attempt >= ITEM_TRIES)
      await this.tasks.keep(claim, task, combineRows(task.columns, task.rowMode, withoutModel(rules, code), found));
    throw isFinal ? new GiveUpError(message, code) : new TryAgainError(message, { code });
  }
}
