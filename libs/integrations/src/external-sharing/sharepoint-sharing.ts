import { sharepointSource } from '../sources/sharepoint/sharepoint-source.js';
import { readPermissions, type Permission } from '../sources/sharepoint/graph-answers.js';
import { GraphClient } from '../sources/sharepoint/graph-client.js';
import type { SourceAccess } from '../sources/source-connectors.js';
import { SourceError } from '../sources/source-error.js';
import type { SourceSettings } from '../sources/source-definition.js';
import { GuardedFetch } from '../guarded-fetch/guarded-fetch.js';
import { ExternalSharing, type ExternalReader } from './external-sharing.port.js';

const MAX_PAGES = 20;

/**
 * Sharing of SharePoint items by invitation, without a mail of Microsoft's own: the person gets one from us. The
 * application needs `Files.ReadWrite.All`, or write rights on the site.
 */
export class SharepointSharing extends ExternalSharing {
  constructor(private readonly settings: Pick<SourceSettings, 'guard' | 'graphUrl' | 'loginUrl'>) {
    super();
  }

  supports(source: SourceAccess | null): boolean {
    return source?.type === 'sharepoint';
  }

  async share(reader: ExternalReader, signal?: AbortSignal): Promise<string | null> {
    const { graph, item } = this.open(reader);
    if (await this.findOwnGrant(graph, item, reader.email, signal)) return null;
    const invitation = {
      recipients: [{ email: reader.email }],
      roles: ['read'],
      requireSignIn: true,
      sendInvitation: false,
    };
    const answer = await graph.json(`${item}/invite`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(invitation),
      ...(signal ? { signal } : {}),
    });
    return readPermissions(answer).value[0]?.id ?? null;
  }

  async unshare(reader: ExternalReader, handle: string | null, signal?: AbortSignal): Promise<void> {
    const { graph, item } = this.open(reader);
    const id = handle ?? (await this.findReadGrant(graph, item, reader.email, signal));
    if (id === null) return;
    try {
      const path = `${item}/permissions/${encodeURIComponent(id)}`;
      const response = await graph.send(path, { method: 'DELETE', ...(signal ? { signal } : {}) });
      response.body.destroy();
    } catch (error) {
      // The grant is gone, or the item with all of its grants.
      if (error instanceof SourceError && error.failure === 'not_found') return;
      throw error;
    }
  }

  private open({ source, itemId }: ExternalReader): { graph: GraphClient; item: string } {
    const config = sharepointSource.config.safeParse(source?.config);
    if (!source || !config.success) throw new SourceError('refused', 'This is no source in SharePoint.');
    const { tenant_id: tenantId, client_id: clientId, drive_id } = config.data;
    const { guard, graphUrl, loginUrl } = this.settings;
    const application = { tenantId, clientId, clientSecret: source.secret, graphUrl, loginUrl };
    const graph = new GraphClient(application, new GuardedFetch(guard));
    return { graph, item: `/drives/${encodeURIComponent(drive_id)}/items/${encodeURIComponent(itemId)}` };
  }

  /** Only a grant such as ours: a right to write that somebody else gave is not ours to take. */
  private async findReadGrant(
    graph: GraphClient,
    item: string,
    email: string,
    signal: AbortSignal | undefined,
  ): Promise<string | null> {
    const grant = await this.findOwnGrant(graph, item, email, signal);
    return grant && grant.roles.length === 1 && grant.roles[0] === 'read' ? grant.id : null;
  }

  /** The person's own grant on the item itself: not by a link, a group or a folder above. */
  private async findOwnGrant(
    graph: GraphClient,
    item: string,
    email: string,
    signal: AbortSignal | undefined,
  ): Promise<Permission | null> {
    if (email === '') return null;
    let link: string | undefined = `${item}/permissions`;
    for (let pages = 0; link !== undefined && pages < MAX_PAGES; pages += 1) {
      const page = readPermissions(await graph.json(link, signal ? { signal } : {}));
      const own = page.value.find((permission) => isGrantOf(permission, email));
      if (own) return own;
      link = page['@odata.nextLink'];
    }
    return null;
  }
}

function isGrantOf({ inheritedFrom, link, grantedToV2, invitation }: Permission, email: string): boolean {
  if (inheritedFrom?.id !== undefined || link) return false;
  const known = [grantedToV2?.user?.email, grantedToV2?.siteUser?.email, invitation?.email];
  return known.some((address) => address?.toLowerCase() === email.toLowerCase());
}
