import { ChosenModels, MailTransport } from '@app/integrations';
import { type CatalogueListing, ToolCatalogue } from '@app/workflow-definition';
import { Inject, Injectable } from '@nestjs/common';
import { EXTRACTOR, type ExtractorKind } from '../extractor-kind/extractor-kind.js';
import { portsOfTheRunner } from './ports-of-the-runner.js';

/** The node kinds as this deployment has them. Made when something changed: it derives every JSON Schema. */
@Injectable()
export class ToolListing {
  private made: { hasModel: boolean; listing: CatalogueListing } | null = null;

  constructor(
    private readonly catalogue: ToolCatalogue,
    private readonly models: ChosenModels,
    private readonly mail: MailTransport,
    @Inject(EXTRACTOR) private readonly extractor: ExtractorKind,
  ) {}

  get listing(): CatalogueListing {
    const hasModel = this.models.available;
    if (this.made?.hasModel !== hasModel) {
      const has = { hasModel, hasMail: this.mail.available, hasExtractor: this.extractor === 'embedded' };
      this.made = { hasModel, listing: this.catalogue.toListing(portsOfTheRunner(has)) };
    }
    return this.made.listing;
  }
}
