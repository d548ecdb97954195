import { isSessionLive, type Principal } from '@app/auth';
import { ForbiddenError, hashToken, NotFoundError, UnauthenticatedError } from '@app/common';
import { PermanentLinks, publicPagePath } from '@app/documents';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ArtifactAccess } from '../artifacts/artifact-access.js';
import type { ArtifactKind, ArtifactRecord, ArtifactVersionRecord } from '../artifacts/artifact-shapes.js';
import { Artifacts, versionNotFound } from '../artifacts/artifacts.js';
import type { KeptResult } from '../results/result-rows.js';
import { type AskedResult, PageResults } from '../results/page-results.js';
import { pageDocument } from './page-document.js';
import { listShownVersions } from './shown-versions.js';
import { type IssuedToken, type View, type Viewer, ViewerTokens } from './viewer-tokens.js';

/** A version that somebody may look at now. */
export interface OpenedView {
  artifactId: string;
  version: number;
  title: string;
  kind: ArtifactKind;
  token: string;
}

/** What the shell is made of. */
export interface ShownPage extends IssuedToken {
  title: string;
  /** The document of the inner frame. */
  page: string;
}

export interface AskedView {
  /** The latest one that the viewer is shown, unless told. */
  version?: number;
  state?: Record<string, unknown>;
}

/**
 * Who looks at which page, and what they get (docs/concepts/pages.md). A token says who asks; whether they may is looked at in
 * each call.
 */
@Injectable()
export class PageViews {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: ArtifactAccess,
    private readonly artifacts: Artifacts,
    private readonly results: PageResults,
    private readonly tokens: ViewerTokens,
    private readonly links: PermanentLinks,
  ) {}

  /** @throws NotFoundError `artifact_not_found`, `version_not_found` */
  async open({ userId, sessionId }: Principal, artifactId: string, { version, state }: AskedView): Promise<OpenedView> {
    const record = await this.access.requireViewer(userId, artifactId);
    const wanted = version ?? (await this.shownTo(userId, record));
    if (!(await this.isShown(userId, record, wanted, 'now'))) throw versionNotFound();
    const { title, kind } = await this.artifacts.describeVersion(record.id, wanted);
    const viewer = { userId, sessionId };
    const { token } = this.tokens.issue({ artifactId: record.id, version: wanted, viewer, ...(state && { state }) });
    return { artifactId: record.id, version: wanted, title, kind, token };
  }

  /**
   * What is shown has a token of its own, so it is shown while the session lasts, as if it were renewed.
   * @throws UnauthenticatedError, ForbiddenError, NotFoundError `version_not_found`
   */
  async show(view: View): Promise<ShownPage> {
    await this.requireView(view);
    await this.requireSession(view.viewer);
    const version = await this.artifacts.readVersion(view.artifactId, view.version);
    return this.toShownPage(version, view.viewer, view.state, view.begunAt);
  }

  /** The latest version, for whoever has a permanent link. @throws NotFoundError */
  async showPublicly(artifactId: string, link: unknown, isVisit = true): Promise<ShownPage> {
    const linkHash = typeof link === 'string' ? hashToken(link) : null;
    if (!linkHash || !(await this.links.isLinked(publicPagePath(artifactId), linkHash))) throw pageNotFound();
    const version = await this.artifacts.readVersion(artifactId, null);
    if (isVisit) await this.links.countVisit(linkHash);
    return this.toShownPage(version, { linkHash: linkHash.toString('hex') }, {});
  }

  /** What a viewer's page asks for; strangers get what was shown last. @throws UnauthenticatedError, ForbiddenError */
  async ask(view: View, asked: readonly AskedResult[]): Promise<KeptResult[]> {
    const record = await this.requireView(view);
    return this.askOf(record, view, asked).catch(endedIfGone);
  }

  private async askOf(record: ArtifactRecord | null, view: View, asked: readonly AskedResult[]): Promise<KeptResult[]> {
    const version = await this.artifacts.describeVersion(view.artifactId, view.version);
    const of = {
      artifactId: view.artifactId,
      version: view.version,
      ownerId: version.ownerId,
      refreshes: record?.refreshes ?? 0,
      queries: version.queries,
    };
    return record ? this.results.read(of, asked) : this.results.readLast(of, asked);
  }

  /** The next token for a page that is open. @throws UnauthenticatedError, ForbiddenError */
  async renew(view: View): Promise<IssuedToken> {
    await this.requireView(view);
    await this.requireSession(view.viewer);
    const { artifactId, version, viewer, begunAt } = view;
    return this.tokens.issue({ artifactId, version, viewer, begunAt });
  }

  /** Who came by a link has none. @throws UnauthenticatedError `view_ended` */
  private async requireSession(viewer: Viewer): Promise<void> {
    if ('linkHash' in viewer || (await isSessionLive(this.dataSource, viewer.userId, viewer.sessionId))) return;
    throw new UnauthenticatedError('The session in which the page was opened has ended.', { code: 'view_ended' });
  }

  /**
   * Whether the viewer may see it at this moment.
   * @returns null for whoever came by a link
   * @throws ForbiddenError `view_ended`
   */
  private async requireView({ artifactId, version, viewer }: View): Promise<ArtifactRecord | null> {
    if ('linkHash' in viewer) {
      if (!(await this.links.isLinked(publicPagePath(artifactId), Buffer.from(viewer.linkHash, 'hex'))))
        throw viewEnded();
      return null;
    }
    const record = await this.access.requireViewer(viewer.userId, artifactId).catch(endedIfGone);
    if (!(await this.isShown(viewer.userId, record, version, 'still'))) throw viewEnded();
    return record;
  }

  /** The creator may look at any version; others at those that boards show them. */
  private async isShown(
    userId: number,
    record: ArtifactRecord,
    version: number,
    when: 'now' | 'still',
  ): Promise<boolean> {
    if (record.ownerId === userId) return true;
    const { latest, pinned } = await listShownVersions(this.dataSource, userId, record.id);
    // A page that is open goes on when the next version comes out.
    return pinned.includes(version) || (latest && (when === 'still' || version === record.version));
  }

  private async shownTo(userId: number, record: ArtifactRecord): Promise<number> {
    if (record.ownerId === userId) return record.version;
    const { latest, pinned } = await listShownVersions(this.dataSource, userId, record.id);
    return latest ? record.version : (pinned[0] ?? record.version);
  }

  private toShownPage(
    { artifactId, version, title, html }: ArtifactVersionRecord,
    viewer: Viewer,
    state: Record<string, unknown>,
    begunAt?: number,
  ): ShownPage {
    return {
      title,
      page: pageDocument(html, { artifact: { id: artifactId, version, title }, state }),
      // Another one than stands in the address.
      ...this.tokens.issue({ artifactId, version, viewer, ...(begunAt !== undefined && { begunAt }) }),
    };
  }
}

const viewEnded = () => new ForbiddenError('You may not see this page any more.', { code: 'view_ended' });

/** Whoever looks at a page hears that it has ended, not that it never was. */
function endedIfGone(error: unknown): never {
  throw error instanceof NotFoundError ? viewEnded() : error;
}

const pageNotFound = () => new NotFoundError('There is no such page.', { code: 'artifact_not_found' });
