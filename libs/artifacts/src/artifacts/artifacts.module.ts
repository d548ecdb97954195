import { Global, Module } from '@nestjs/common';
import { ArtifactQueriesModule } from '../queries/artifact-queries.module.js';
import { ArtifactAccess } from './artifact-access.js';
import { ArtifactChanges } from './artifact-changes.js';
import { ArtifactParts } from './artifact-parts.js';
import { ArtifactRemoval } from './artifact-removal.js';
import { Artifacts } from './artifacts.js';
import { ArtifactsOfWorkflow } from './artifacts-of-workflow.js';

const REMOVAL = [ArtifactAccess, ArtifactParts, ArtifactRemoval, ArtifactsOfWorkflow];
const SERVICES = [Artifacts, ArtifactChanges];

/**
 * What goes with an artifact, and with a workflow that made some: for every app that deletes. Global, so that domains above
 * register their parts. Needs a `DataSource`, `AuditModule` and `WorkflowsModule`.
 */
@Global()
@Module({ providers: REMOVAL, exports: REMOVAL })
export class ArtifactRemovalModule {}

/** Pages and their versions, and who may do what with them. */
@Global()
@Module({
  imports: [ArtifactRemovalModule, ArtifactQueriesModule],
  providers: SERVICES,
  exports: [...SERVICES, ArtifactRemovalModule],
})
export class ArtifactsModule {}
