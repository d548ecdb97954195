import { AuthoredSaves, AuthorsThings, WorkflowAuthor } from '@app/agents';
import { MailTransport } from '@app/integrations';
import { ToolCatalogue } from '@app/workflow-definition';
import { AuthoringTurns } from '@app/workflows';
import { Module } from '@nestjs/common';
import { EXTRACTOR, type ExtractorKind } from '../extractor-kind/extractor-kind.js';
import { portsOfTheRunner } from '../workflows/ports-of-the-runner.js';
import { AuthoringController } from './authoring.controller.js';
import { AuthoringService } from './authoring.service.js';
import { RepeatedTurns } from './repeated-turns.js';

@Module({
  controllers: [AuthoringController],
  providers: [
    AuthoredSaves,
    AuthoringService,
    AuthoringTurns,
    AuthorsThings,
    RepeatedTurns,
    {
      provide: WorkflowAuthor,
      inject: [ToolCatalogue, MailTransport, EXTRACTOR],
      useFactory: (catalogue: ToolCatalogue, mail: MailTransport, extractor: ExtractorKind) => {
        // Whoever writes workflows is a model.
        const has = { hasModel: true, hasMail: mail.available, hasExtractor: extractor === 'embedded' };
        const { tools } = catalogue.toListing(portsOfTheRunner(has));
        return new WorkflowAuthor({ catalogue, tools: tools.filter((tool) => tool.available && !tool.deprecated) });
      },
    },
  ],
})
export class PromptToWorkflowModule {}
