import { LooseFiles } from '@app/documents';
import { StorageQuota } from '@app/entitlements';
import { FileStorage, LanguageModel } from '@app/integrations';
import { AnswerService, RetrievalModule, Retriever } from '@app/retrieval';
import { ToolError, type ToolPorts } from '@app/workflows';
import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ConfiguredLanguageModel } from './language-model.port.js';
import { RetrievalDocuments } from './retrieval-documents.port.js';
import { WrittenFiles } from './written-files.js';

export const TOOL_PORTS = Symbol('TOOL_PORTS');

/** What the tools of this process may reach. */
@Module({
  imports: [RetrievalModule],
  providers: [
    {
      provide: WrittenFiles,
      inject: [DataSource, FileStorage, LooseFiles, StorageQuota],
      useFactory: (...parts: ConstructorParameters<typeof WrittenFiles>) => new WrittenFiles(...parts),
    },
    {
      provide: TOOL_PORTS,
      inject: [Retriever, AnswerService, LanguageModel, WrittenFiles],
      useFactory: (
        retriever: Retriever,
        answers: AnswerService,
        model: LanguageModel,
        written: WrittenFiles,
      ): ToolPorts => ({
        documents: new RetrievalDocuments(retriever, answers),
        storage: {
          find: async (viewer, file) => {
            const found = await written.find(viewer, file);
            if (!found) throw new ToolError('file_not_found', 'There is no such file.', false);
            return found;
          },
          write: (viewer, file, signal) => written.write(viewer, file, signal),
        },
        ...(model.available && { llm: new ConfiguredLanguageModel(model) }),
      }),
    },
  ],
  exports: [TOOL_PORTS],
})
export class PortsModule {}
