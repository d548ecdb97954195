import { BoardsModule } from '@app/artifacts';
import { SystemClock } from '@app/common';
import type { AppConfig } from '@app/config';
import { ExtractionJobsModule } from '@app/extraction';
import { LooseFiles } from '@app/entitlements';
import { StorageQuota } from '@app/entitlements';
import { EgressGuard, FileStorage, GuardedFetch, MailTransport } from '@app/integrations';
import { Messages, MessagesModule } from '@app/messages';
import { McpTools } from '@app/mcp';
import { ModelChoice } from '@app/models';
import { AnswerService, RetrievalModule, Retriever } from '@app/retrieval';
import { TableQuestionsModule, TabularModule } from '@app/tabular';
import type { CallersPort, MailPort, StoragePort, ToolPorts } from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import { RequestAnswers } from '@app/workflows';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toAgentSettings } from './agent/agent-settings.js';
import { CatalogueTools } from './agent/catalogue-tools.js';
import { ServerTools } from './agent/server-tools.js';
import { WorkflowAgents } from './agent/workflow-agents.js';
import { SandboxModule } from './sandbox/sandbox.module.js';
import { SandboxPool } from './sandbox/sandbox-pool.js';
import { BoardCharts } from './ports/board-charts.port.js';
import { ConnectedServers } from './ports/connected-servers.port.js';
import { DocumentLibrary } from './ports/document-library.port.js';
import { ConfiguredLanguageModel } from './ports/language-model.port.js';
import { QueuedMail } from './ports/queued-mail.port.js';
import { ExtractedRowsOfDocuments } from './ports/extracted-rows.port.js';
import { PublishedArtifacts } from './ports/published-artifacts.port.js';
import { ReadableFiles } from './ports/readable-files.js';
import { RetrievalDocuments } from './ports/retrieval-documents.port.js';
import { SPREADSHEET_ENTRY } from './ports/spreadsheets/spreadsheet-entry.js';
import { SpreadsheetFiles } from './ports/spreadsheets/spreadsheet-files.port.js';
import { ImportedTables } from './ports/tables.port.js';
import { TOOL_PORTS } from './ports/tool-ports.js';
import { WrittenFiles } from './ports/written-files.js';

const MAIL = Symbol('MAIL');

/** What the tools of this process may reach. */
@Module({})
export class PortsModule {
  static forRoot(config: AppConfig): DynamicModule {
    const { hosts, mailsPerDay } = config.workflows;
    return {
      module: PortsModule,
      imports: [
        SandboxModule,
        RetrievalModule,
        BoardsModule,
        MessagesModule,
        ExtractionJobsModule,
        TabularModule.forRoot(LooseFiles),
        TableQuestionsModule.forRoot(config),
      ],
      providers: [
        BoardCharts,
        DocumentLibrary,
        ExtractedRowsOfDocuments,
        ImportedTables,
        PublishedArtifacts,
        {
          provide: ReadableFiles,
          inject: [DataSource, FileStorage],
          useFactory: (database: DataSource, storage: FileStorage) => new ReadableFiles(database, storage),
        },
        {
          provide: WrittenFiles,
          inject: [DataSource, FileStorage, LooseFiles, StorageQuota],
          useFactory: (...parts: ConstructorParameters<typeof WrittenFiles>) => new WrittenFiles(...parts),
        },
        {
          provide: SpreadsheetFiles,
          inject: [ReadableFiles, FileStorage],
          useFactory: (files: ReadableFiles, storage: FileStorage) =>
            new SpreadsheetFiles(files, storage, SPREADSHEET_ENTRY),
        },
        {
          provide: MAIL,
          inject: [MailTransport, DataSource, Messages, ReadableFiles, FileStorage, LooseFiles],
          useFactory: (
            { available }: MailTransport,
            database: DataSource,
            messages: Messages,
            files: ReadableFiles,
            storage: FileStorage,
            loose: LooseFiles,
          ): MailPort | null =>
            available ? new QueuedMail(database, messages, files, storage, loose, { mailsPerDay }) : null,
        },
        {
          provide: TOOL_PORTS,
          inject: [
            SandboxPool,
            Retriever,
            AnswerService,
            ModelChoice,
            DocumentLibrary,
            ReadableFiles,
            WrittenFiles,
            SpreadsheetFiles,
            ImportedTables,
            ExtractedRowsOfDocuments,
            BoardCharts,
            PublishedArtifacts,
            MAIL,
            McpTools,
            RequestAnswers,
          ],
          useFactory: (
            sandbox: SandboxPool,
            retriever: Retriever,
            documentAnswers: AnswerService,
            chosen: ModelChoice,
            library: DocumentLibrary,
            readable: ReadableFiles,
            written: WrittenFiles,
            spreadsheets: SpreadsheetFiles,
            tables: ImportedTables,
            extractor: ExtractedRowsOfDocuments,
            dashboards: BoardCharts,
            artifacts: PublishedArtifacts,
            mail: MailPort | null,
            servers: McpTools,
            answers: RequestAnswers,
          ): ToolPorts => {
            const storage = toStorage(readable, written);
            const ports: ToolPorts = {
              sandbox,
              documents: new RetrievalDocuments(retriever, documentAnswers, chosen),
              library,
              storage,
              spreadsheets,
              tables,
              dashboards,
              artifacts,
              ...(config.extractor.kind === 'embedded' && { extractor }),
              callers: toCallers(answers),
              http: new GuardedFetch(new EgressGuard({ allowedHosts: hosts })),
              ...(mail && { mail }),
            };
            const mcp = new ConnectedServers(servers, storage);
            const withModels: ToolPorts = { ...ports, mcp };
            // The agent reaches the same ports that it is one of; a tool of its own it never is. Tools of connected
            // servers it has one by one, each with what it claims to be.
            const reached: ToolPorts = { ...ports };
            const tools = new CatalogueTools(toolCatalogue, reached, new SystemClock());
            const connected = new ServerTools(servers, ports.storage);
            const llm = new ConfiguredLanguageModel(chosen);
            const agent = new WorkflowAgents(chosen, tools, connected, toAgentSettings(config), ports.storage);
            // Whether there is a model changes while this process runs.
            const whileAvailable = <T>(port: T) => ({
              enumerable: true,
              get: () => (chosen.available ? port : undefined),
            });
            Object.defineProperty(reached, 'llm', whileAvailable(llm));
            return Object.defineProperties(withModels, { llm: whileAvailable(llm), agent: whileAvailable(agent) });
          },
        },
      ],
      exports: [
        BoardsModule,
        ImportedTables,
        SandboxModule,
        TOOL_PORTS,
        ReadableFiles,
        RetrievalModule,
        TableQuestionsModule,
      ],
    };
  }
}

function toStorage(readable: ReadableFiles, written: WrittenFiles): StoragePort {
  return {
    find: (viewer, file) => readable.find(viewer, file),
    findWritten: (viewer, key) => readable.findWrittenUnder(viewer, key),
    write: (viewer, file, signal) => written.write(viewer, file, signal),
  };
}

function toCallers(answers: RequestAnswers): CallersPort {
  return {
    answer: ({ body, ...rest }, { runId, key }) => answers.give(runId, key, { ...rest, body: Buffer.from(body) }),
  };
}
