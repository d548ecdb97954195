import {
  type Author,
  AuthoredSaves,
  type AuthoringTask,
  AuthorsThings,
  type SavedBase,
  WorkflowAuthor,
} from '@app/agents';
import {
  ConflictError,
  DomainError,
  ForbiddenError,
  newTimeOrderedId,
  UnauthenticatedError,
  UnavailableError,
  ValidationError,
} from '@app/common';
import type { LanguageModel } from '@app/integrations';
import { ModelChoice } from '@app/models';
import {
  type AuthoringEvent,
  type AuthoringMode,
  type AuthoringResult,
  AuthoringTurns,
  failedResult,
  NO_THINGS,
  RevisionCache,
  StaleRevisionError,
  WorkflowAccess,
  WorkflowReader,
} from '@app/workflows';
import { Injectable, Logger } from '@nestjs/common';
import { OpenCalls } from '../http/open-calls.js';

/** All calls of one turn together. */
const LONGEST_TURN_MS = 280_000;

export interface AuthoringRequest {
  prompt: string;
  mode: AuthoringMode | undefined;
  workflowId: string | null;
  contentRevision: number | null;
  jsonSpec: Record<string, unknown> | null;
  conversationId: string | null;
  answers: Record<string, unknown>;
  save: boolean;
  modelId: number | null;
  language: string | null;
}

/** What a turn works on, and how it is saved. */
interface Begun extends SavedBase {
  task: AuthoringTask;
  /** The revision that the work begins from: a save made while the model writes must not be overwritten. */
  contentRevision: number | null;
}

/** One request to build, change or explain a workflow, from the checks to the saved definition. */
@Injectable()
export class AuthoringService {
  private readonly logger = new Logger(AuthoringService.name);

  constructor(
    private readonly choice: ModelChoice,
    private readonly access: WorkflowAccess,
    private readonly revisions: RevisionCache,
    private readonly reader: WorkflowReader,
    private readonly author: WorkflowAuthor,
    private readonly saves: AuthoredSaves,
    private readonly things: AuthorsThings,
    private readonly turns: AuthoringTurns,
    private readonly open: OpenCalls,
  ) {}

  /**
   * Checks and begins. The turn goes on when the caller leaves.
   * @returns the turn, and its failure (null when it has a result), which never rejects.
   * @throws UnavailableError `model_not_configured`, before anything is kept; NotFoundError, ForbiddenError,
   * ValidationError, StaleRevisionError, RateLimitedError.
   */
  async begin(user: Author, request: AuthoringRequest): Promise<{ turnId: string; failure: Promise<unknown> }> {
    if (!this.choice.available)
      throw new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
    if (request.modelId && !(await this.choice.find(user.userId, request.modelId)))
      throw new ValidationError({ llm_model_id: [`Invalid pk "${request.modelId}" - object does not exist.`] });
    const begun = await this.toTask(user, request);
    const model = await this.choice.choose(user.userId, request.modelId);
    if (!model.available)
      throw new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
    const turnId = newTimeOrderedId();
    const { workflowId, conversationId, prompt } = request;
    await this.turns.begin({ id: turnId, userId: user.userId, workflowId, conversationId, prompt });
    return {
      turnId,
      failure: this.run(turnId, user, { ...request, contentRevision: begun.contentRevision }, begun, model),
    };
  }

  private async toTask(user: Author, request: AuthoringRequest): Promise<Begun> {
    const { workflowId, prompt, answers, language } = request;
    let { contentRevision } = request;
    const mode = request.mode ?? (workflowId || request.jsonSpec ? 'edit' : 'build');
    let base = mode === 'build' ? null : request.jsonSpec;
    let name = '';
    let mayRebase = false;
    if (workflowId) {
      await this.access.require(user.userId, workflowId, mode === 'explain' && !request.save ? 'viewer' : 'editor');
      const workflow = await this.reader.get(user.userId, workflowId);
      mayRebase = contentRevision === null && base === null && mode === 'edit';
      contentRevision ??= workflow.contentRevision;
      if (request.save && contentRevision !== workflow.contentRevision) throw new StaleRevisionError(workflow);
      const revision = await this.revisions.get(workflowId, workflow.contentRevision);
      if (mode !== 'build') base ??= revision.jsonSpec as Record<string, unknown>;
      name = workflow.name;
    }
    if (mode !== 'build' && !base)
      throw new ValidationError({ json_spec: ['Give workflow_id or json_spec to work on.'] });
    const [history, things] = await Promise.all([
      this.turns.history(user.userId, request.conversationId),
      mode === 'explain' ? NO_THINGS : this.things.of(user.userId, workflowId),
    ]);
    const task = { prompt, mode, base, workflowId, history, answers, language, things };
    return { task, contentRevision, mayRebase, name };
  }

  private async run(
    turnId: string,
    user: Author,
    request: AuthoringRequest,
    begun: Begun,
    model: LanguageModel,
  ): Promise<unknown> {
    const started = performance.now();
    const usage = { promptTokens: 0, completionTokens: 0 };
    const account = {
      userId: user.userId,
      purpose: 'authoring',
      turnId,
      ...(request.workflowId !== null && { workflowId: request.workflowId }),
    };
    const stop = this.turns.keepAlive(turnId);
    const lost = new AbortController();
    // The work outlives the caller, not the account.
    const watched = this.open.watch(user.userId);
    const signal = AbortSignal.any([AbortSignal.timeout(LONGEST_TURN_MS), lost.signal, watched.signal]);
    const emit = async (event: AuthoringEvent) => {
      if (await this.turns.append(turnId, [event])) return;
      await this.open.look();
      watched.signal.throwIfAborted();
      // Somebody was told that it was interrupted: nothing may be saved any more.
      lost.abort();
      throw lost.signal.reason;
    };
    const finish = (result: AuthoringResult, last: AuthoringEvent[]) => {
      const done = {
        status: result.status,
        ...(result.workflow_id && { workflow_id: result.workflow_id }),
        ...(result.content_revision !== null && { content_revision: result.content_revision }),
        usage: { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens },
        duration_ms: Math.round(performance.now() - started),
      };
      return this.turns.append(turnId, [...last, { event: 'done', data: done }], result);
    };
    try {
      const { authored, draft } = await this.author.author(begun.task, { emit, signal, usage, model, account });
      const saved = await this.saves.save(user, request, { ...begun, authored, draft, emit });
      const result = { turn_id: turnId, ...authored, ...saved };
      await finish(result, lastEvents(result));
      return null;
    } catch (thrown) {
      const error: unknown = watched.signal.aborted ? watched.signal.reason : thrown;
      const told = toTold(error);
      if (!(error instanceof DomainError)) this.logger.error(error);
      await finish(failedResult(turnId, told, request), [{ event: 'error', data: told }]).catch((late: unknown) =>
        this.logger.warn(`The end of turn ${turnId} was not kept: ${String(late)}`),
      );
      return error;
    } finally {
      watched.end();
      stop();
    }
  }
}

/** What stands before `done`. */
function lastEvents(result: AuthoringResult): AuthoringEvent[] {
  if (result.error) return [{ event: 'error', data: { ...result.error, retryable: true } }];
  if (result.route === 'explain') return [];
  const { json_spec, workflow_id, content_revision, summary, questions, suggestions, warnings, route } = result;
  const workflow = {
    phase: 'final',
    json_spec,
    ...(workflow_id && { workflow_id }),
    ...(content_revision !== null && { content_revision }),
    summary,
    questions,
    suggestions,
    warnings,
    route,
    valid: result.status === 'completed',
  };
  const message = { role: 'assistant', text: result.message, delta: false };
  return [
    ...(result.message === '' ? [] : [{ event: 'message' as const, data: message }]),
    { event: 'workflow', data: workflow },
  ];
}

function toTold(error: unknown): { code: string; detail: string; retryable: boolean } {
  if (!(error instanceof DomainError))
    return { code: 'internal_error', detail: 'The workflow could not be written.', retryable: true };
  const isFinal = [ConflictError, ForbiddenError, UnauthenticatedError, ValidationError].some(
    (type) => error instanceof type,
  );
  return { code: error.code, detail: error.message, retryable: !isFinal };
}
