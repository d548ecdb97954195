import { secretUses } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { RevisionCache } from '../revisions/revision-cache.js';
import { OrganizationSecrets } from './organization-secrets.js';
import { WorkflowSecrets } from './workflow-secrets.js';

/** The names of secrets that somebody may write into a workflow. For callers who have checked access. */
@Injectable()
export class KnownSecretNames {
  constructor(
    private readonly secrets: WorkflowSecrets,
    private readonly organizations: OrganizationSecrets,
    private readonly revisions: RevisionCache,
  ) {}

  /**
   * Those of the workflow and of its owner's organisation. An editor of elsewhere gets to know of the latter only what the
   * definition names already, so that they can save it; nodes that they change do not get the values.
   */
  async of(workflowId: string, userId: number): Promise<ReadonlySet<string>> {
    const [own, shared] = await Promise.all([
      this.secrets.namesOf(workflowId),
      this.organizations.namesFor(workflowId, userId),
    ]);
    return new Set([...own, ...(shared ?? (await this.namedIn(workflowId)))]);
  }

  private async namedIn(workflowId: string): Promise<string[]> {
    return [...secretUses((await this.revisions.getNewest(workflowId)).nodes).keys()];
  }
}
