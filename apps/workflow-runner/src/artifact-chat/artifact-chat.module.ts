import { ArtifactChats } from '@app/agents';
import { type DynamicModule, Module } from '@nestjs/common';
import { PageChecks } from './headless/page-checks.js';
import { PageDesk } from './page-desk.js';
import { PageTools } from './page-tools.js';
import { SourceLooks } from './source-looks.js';

/** What turns at pages rest on. Stands on the app's ArtifactsModule. */
@Module({})
export class ArtifactChatModule {
  /** @param ports the module with the app's `QueryRunner` */
  static forRoot(ports: DynamicModule): DynamicModule {
    return {
      module: ArtifactChatModule,
      imports: [ports],
      providers: [ArtifactChats, PageChecks, PageDesk, PageTools, SourceLooks],
      exports: [PageDesk, PageTools, SourceLooks],
    };
  }
}
