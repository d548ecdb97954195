import { ChosenModels, MailTransport } from '@app/integrations';
import { type CatalogueListing, ToolCatalogue } from '@app/workflow-definition';
import { Inject, Injectable } from '@nestjs/common';
import { EXTRACTOR, type ExtractorKind } from '../extractor-kind/extractor-kind.js';
import { portsOfTheRunner } from './ports-of-the-runner.js';

/** The node kinds as this deployment has them. Made once: it derives every JSON Schema. */
@Injectable()
export class ToolListing {
  readonly listing: CatalogueListing;

  constructor(
    catalogue: ToolCatalogue,
    models: ChosenModels,
    mail: MailTransport,
    @Inject(EXTRACTOR) extractor: ExtractorKind,
  ) {
    const has = { hasModel: models.available, hasMail: mail.available, hasExtractor: extractor === 'embedded' };
    this.listing = catalogue.toListing(portsOfTheRunner(has));
  }
}
