import { ChosenModels, MailTransport } from '@app/integrations';
import { type CatalogueListing, ToolCatalogue } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { portsOfTheRunner } from './ports-of-the-runner.js';

/** The node kinds as this deployment has them. Made once: it derives every JSON Schema. */
@Injectable()
export class ToolListing {
  readonly listing: CatalogueListing;

  constructor(catalogue: ToolCatalogue, models: ChosenModels, mail: MailTransport) {
    this.listing = catalogue.toListing(portsOfTheRunner({ hasModel: models.available, hasMail: mail.available }));
  }
}
