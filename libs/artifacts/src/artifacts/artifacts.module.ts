import { Global, Module } from '@nestjs/common';
import { SourceQueries } from '../queries/source-queries.js';
import { UnavailableQueries } from '../queries/unavailable-queries.js';
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
  imports: [ArtifactRemovalModule],
  providers: [...SERVICES, { provide: SourceQueries, useClass: UnavailableQueries }],
  exports: [...SERVICES, ArtifactRemovalModule],
})
export class ArtifactsModule {}
