import {
  type ArtifactChatRecord,
  ArtifactChats,
  type DraftCall,
  type PageDraft,
  ToolCallError,
  type TurnAtPage,
} from '@app/agents';
import { Artifacts, ArtifactAccess, type ArtifactVersionRecord } from '@app/artifacts';
import { Injectable } from '@nestjs/common';
import { type PageCheck, PageChecks } from './headless/page-checks.js';
import {
  digestOf,
  editedPage,
  type Page,
  type PageEdit,
  requireSources,
  requireWhole,
  type WrittenPage,
} from './page-edits.js';

/** Checks of a turn that may fail: after these the user is told what does not work. */
export const MOST_FAILED_CHECKS = 5;

/** For whom, in which turn. */
export interface PageCaller {
  userId: number;
  turnId: string;
  sessionId: number;
}

/** What a conversation is about, as it is at this moment. */
export interface Subject {
  chat: ArtifactChatRecord;
  /** The latest version; null for a page that was never published. */
  latest: ArtifactVersionRecord | null;
  /** What queries may read: what the conversation was begun with, and what the page reads. */
  refs: string[];
}

export interface DeskPage extends Page {
  base: number | null;
  isDraft: boolean;
  /** Another version was published since the draft was begun. */
  isBehind: boolean;
}

export interface Published {
  artifact_id: string;
  version: number;
  title: string;
}

/** Where an agent works at one page: a draft that nobody sees, until it is checked and published. */
@Injectable()
export class PageDesk {
  constructor(
    private readonly chats: ArtifactChats,
    private readonly artifacts: Artifacts,
    private readonly access: ArtifactAccess,
    private readonly checks: PageChecks,
  ) {}

  /** @throws NotFoundError, ForbiddenError for an artifact that is not the person's any more */
  async subject({ userId, sessionId }: PageCaller): Promise<Subject> {
    const chat = (await this.chats.find(sessionId)) ?? { artifactId: null, sources: [], draft: null, turn: null };
    if (chat.artifactId === null) return { chat, latest: null, refs: chat.sources };
    await this.access.requireOwner(userId, chat.artifactId);
    const latest = await this.artifacts.readVersion(chat.artifactId, null);
    return { chat, latest, refs: [...new Set([...chat.sources, ...Object.keys(latest.sources)])] };
  }

  /** Null while there is none. */
  page({ chat: { draft }, latest }: Subject): DeskPage | null {
    const isBehind = draft !== null && latest !== null && draft.base !== latest.version;
    if (draft) return { ...draft, isDraft: true, isBehind };
    return latest && { ...toPage(latest), base: latest.version, isDraft: false, isBehind: false };
  }

  /** A draft in the place of whatever there was. */
  async write(caller: PageCaller, key: string, written: WrittenPage): Promise<object> {
    const { refs, latest } = await this.subject(caller);
    const page = requireWhole(written);
    requireSources(page.queries, refs);
    return this.change(caller, key, () => ({ page, base: latest?.version ?? null }));
  }

  /** @throws ToolCallError */
  async edit(caller: PageCaller, key: string, edit: PageEdit): Promise<object> {
    const { refs, latest } = await this.subject(caller);
    return this.change(caller, key, (draft) => {
      const before = draft ?? (latest && { ...toPage(latest), base: latest.version });
      if (!before) throw new ToolCallError('no_page', 'There is no page yet: write it with write_page.', true);
      const page = editedPage(before, edit);
      requireSources(page.queries, refs);
      return { page, base: before.base };
    });
  }

  /** Away with the draft: the latest version is what there is. */
  async discard({ sessionId, turnId }: PageCaller, key: string): Promise<object> {
    return this.chats.change({ sessionId, key }, ({ turn }) => ({
      draft: null,
      turn: { ...turnOf(turn, turnId), problems: [] },
      output: { discarded: true },
    }));
  }

  /** Opens the draft, or the version there is, and keeps what came of it. @throws ToolCallError `no_page`, `no_more_checks` */
  async check(
    caller: PageCaller,
    key: string,
    { mayBeEmpty, signal }: { mayBeEmpty: readonly string[]; signal: AbortSignal },
  ): Promise<PageCheck> {
    const call = { sessionId: caller.sessionId, key };
    const known = await this.chats.outputOf<PageCheck>(call);
    if (known) return known;
    const subject = await this.subject(caller);
    const page = this.page(subject);
    if (!page) throw new ToolCallError('no_page', 'There is no page yet: write it with write_page.', true);
    requireChecksLeft(turnOf(subject.chat.turn, caller.turnId));
    return this.checkPage(caller, call, page, { mayBeEmpty, signal });
  }

  /**
   * The draft as the next version, once it passes its check.
   * @throws ToolCallError `nothing_to_publish`, `check_failed`, `no_more_checks`, `version_conflict`; what
   *   `Artifacts.publish` throws
   */
  async publish(
    caller: PageCaller,
    key: string,
    { changeNote, mayBeEmpty, signal }: { changeNote: string; mayBeEmpty: readonly string[]; signal: AbortSignal },
  ): Promise<Published> {
    const call = { sessionId: caller.sessionId, key };
    // The draft is gone where a worker was lost behind this.
    const known = await this.chats.outputOf<Published>(call);
    if (known) return known;
    const subject = await this.subject(caller);
    const { draft } = subject.chat;
    if (!draft)
      throw new ToolCallError(
        'nothing_to_publish',
        'Nothing was changed since the last version: there is nothing to publish.',
        true,
      );
    await this.requireWorking(caller, key, { ...subject.chat, draft }, { mayBeEmpty, signal });
    const { artifactId } = subject.chat;
    const { title, kind, html, queries } = draft;
    const version = await this.artifacts.publish(
      caller.userId,
      { title, kind, html, queries, changeNote },
      {
        publishKey: `artifact-chat:${key}`,
        ...(artifactId !== null && { artifactId, expectedVersion: draft.base ?? 0 }),
        signal,
      },
    );
    const output = { artifact_id: version.artifactId, version: version.version, title: version.title };
    return this.chats.published(call, { id: version.artifactId, title: version.title }, ({ turn }) => ({
      turn: { ...turnOf(turn, caller.turnId), problems: [], published: version.version },
      output,
    }));
  }

  private async requireWorking(
    caller: PageCaller,
    key: string,
    { draft, turn }: { draft: PageDraft; turn: TurnAtPage | null },
    options: { mayBeEmpty: readonly string[]; signal: AbortSignal },
  ): Promise<void> {
    let problems = knownProblems(draft, options.mayBeEmpty);
    if (problems === null) {
      requireChecksLeft(turnOf(turn, caller.turnId));
      const call = { sessionId: caller.sessionId, key: `${key}:check` };
      ({ problems } = await this.checkPage(caller, call, draft, options));
    }
    if (problems.length === 0) return;
    throw new ToolCallError(
      'check_failed',
      `Nothing was published: the page does not work as it is. ${problems.join('\n')}`,
      true,
    );
  }

  private async checkPage(
    caller: PageCaller,
    call: DraftCall,
    page: Page,
    { mayBeEmpty, signal }: { mayBeEmpty: readonly string[]; signal: AbortSignal },
  ): Promise<PageCheck> {
    const { title, html, queries } = page;
    const digest = digestOf(page);
    const found = await this.checks.check(caller.userId, { title, html, queries, mayBeEmpty }, signal);
    return this.chats.change(call, ({ draft, turn: known }) => {
      const { turnId } = caller;
      const { problems } = found;
      const before = turnOf(known, turnId);
      const turn = { ...before, failedChecks: before.failedChecks + (problems.length > 0 ? 1 : 0) };
      if (!draft || digestOf(draft) !== digest) return { draft, turn, output: found };
      const check = { digest, problems, mayBeEmpty: [...mayBeEmpty] };
      return { draft: { ...draft, check, turnId }, turn: { ...turn, problems }, output: found };
    });
  }

  private change(
    { sessionId, turnId }: PageCaller,
    key: string,
    change: (draft: PageDraft | null) => { page: Page; base: number | null },
  ): Promise<object> {
    return this.chats.change({ sessionId, key }, ({ draft }) => {
      const { page, base } = change(draft);
      const { title, kind, html, queries } = page;
      return {
        draft: { base, title, kind, html, queries, check: null, turnId },
        output: { saved: true, title, kind, characters: html.length, queries: queries.map(({ name }) => name) },
      };
    });
  }
}

/** What a turn has come to so far. */
export function turnOf(known: TurnAtPage | null, id: string): TurnAtPage {
  return known?.id === id ? known : { id, failedChecks: 0, problems: [], published: null };
}

/** What the last check of this very page has found; null where another one may find something else. */
function knownProblems(draft: PageDraft, mayBeEmpty: readonly string[]): string[] | null {
  const { check } = draft;
  if (check?.digest !== digestOf(draft)) return null;
  const isAsStrict = mayBeEmpty.every((name) => check.mayBeEmpty?.includes(name));
  return check.problems.length === 0 || isAsStrict ? check.problems : null;
}

function requireChecksLeft({ failedChecks }: TurnAtPage): void {
  if (failedChecks < MOST_FAILED_CHECKS) return;
  throw new ToolCallError(
    'no_more_checks',
    `${MOST_FAILED_CHECKS} checks have failed in this turn: stop repairing. Tell the user plainly what does not work, and that the draft was not published.`,
  );
}

const toPage = ({ title, kind, html, queries }: ArtifactVersionRecord): Page => ({ title, kind, html, queries });
