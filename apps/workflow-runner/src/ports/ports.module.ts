import { LanguageModel } from '@app/integrations';
import { AnswerService, RetrievalModule, Retriever } from '@app/retrieval';
import type { ToolPorts } from '@app/workflows';
import { Module } from '@nestjs/common';
import { ConfiguredLanguageModel } from './language-model.port.js';
import { RetrievalDocuments } from './retrieval-documents.port.js';

export const TOOL_PORTS = Symbol('TOOL_PORTS');

/** What the tools of this process may reach. */
@Module({
  imports: [RetrievalModule],
  providers: [
    {
      provide: TOOL_PORTS,
      inject: [Retriever, AnswerService, LanguageModel],
      useFactory: (retriever: Retriever, answers: AnswerService, model: LanguageModel): ToolPorts => ({
        documents: new RetrievalDocuments(retriever, answers),
        ...(model.available && { llm: new ConfiguredLanguageModel(model) }),
      }),
    },
  ],
  exports: [TOOL_PORTS],
})
export class PortsModule {}
