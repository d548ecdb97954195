import { KnownSecrets } from '@app/dedicated-agent';
import { StoredSources } from '@app/data-sources';
import { StoredServers } from '@app/mcp';
import { OrganizationSecrets, WorkflowSecrets } from '@app/workflows';
import { Inject, Injectable } from '@nestjs/common';

export const DEPLOYMENT_SECRETS = Symbol('DEPLOYMENT_SECRETS');

/** What the deployment and a person keep secret: of workflows, the organisation, tool servers and data sources. */
@Injectable()
export class SecretsAtWork extends KnownSecrets {
  constructor(
    @Inject(DEPLOYMENT_SECRETS) private readonly own: readonly string[],
    private readonly workflows: WorkflowSecrets,
    private readonly organizations: OrganizationSecrets,
    private readonly servers: StoredServers,
    private readonly sources: StoredSources,
  ) {
    super();
  }

  async of(userId: number): Promise<string[]> {
    const stored = await Promise.all([
      this.workflows.listValuesOf(userId),
      this.organizations.listValuesOf(userId),
      this.servers.listSecrets(userId),
      this.sources.listSecrets(userId),
    ]);
    return [...this.own, ...stored.flat()];
  }
}
