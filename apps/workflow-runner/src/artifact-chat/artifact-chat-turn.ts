import { ResultRows, type TurnContext, type TurnHandler, type TurnOutcome } from '@app/agents';
import { ClaimLostError } from '@app/work';
import { Inject, Injectable } from '@nestjs/common';
import { AGENT_SETTINGS, type AgentSettings } from '../agent/agent-settings.js';
import { DeskTurns } from '../agent/desk-turns.js';
import { artifactChatRequest, type ArtifactChatRequest } from './artifact-chat-request.js';
import { type PageCaller, PageDesk, turnOf } from './page-desk.js';
import { PAGE_PROMPTS, pageOpening } from './page-prompt.js';
import { PageTools } from './page-tools.js';
import { SourceLooks } from './source-looks.js';
import { unpublishedNote } from './unpublished-note.js';

/** Turns of an agent that makes one page, or is asked about it (docs/contract/artifact-chat.md). */
@Injectable()
export class ArtifactChatTurnHandler implements TurnHandler {
  readonly name = 'artifact-chat';

  constructor(
    private readonly turns: DeskTurns,
    private readonly results: ResultRows,
    private readonly desk: PageDesk,
    private readonly looks: SourceLooks,
    private readonly tools: PageTools,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { userId, id: turnId, sessionId, question, request: asked } = context.turn;
    const request = artifactChatRequest.parse(asked);
    const { mode, llmModelId, reasoningEffort } = request;
    const caller: PageCaller = { userId, turnId, sessionId };
    const end = await this.turns
      .run(context, {
        llmModelId,
        reasoningEffort,
        system: PAGE_PROMPTS[mode],
        opening: (now) => this.opening(caller, request, { question, now }),
        tools: this.tools.list(caller, mode),
        results: this.results.of({ userId, turnId, sessionId, hours: this.settings.resultHours }),
        asksUser: true,
      })
      .catch(async (error: unknown) => {
        if (mode === 'build' && !(error instanceof ClaimLostError))
          await this.tellUnpublished(context, caller).catch(() => undefined);
        throw error;
      });
    if ('wait' in end) return end;
    if (mode === 'build') await this.tellUnpublished(context, caller);
    context.sources([]);
    return { usage: end.usage, model: end.model, extras: end.extras };
  }

  /** @throws NotFoundError, ForbiddenError for an artifact that is not the person's any more */
  private async opening(
    caller: PageCaller,
    request: ArtifactChatRequest,
    { question, now }: { question: string; now: Date },
  ): Promise<string> {
    const subject = await this.desk.subject(caller);
    const sources = await this.looks.describe(caller.userId, subject.refs);
    const gone = subject.refs.filter((ref) => !sources.some((source) => source.ref === ref));
    return pageOpening({ page: this.desk.page(subject), sources, gone, request, question, now });
  }

  /** Behind the answer, whole or broken off; a worker that was lost may have told the beginning of it. */
  private async tellUnpublished(context: TurnContext, caller: PageCaller): Promise<void> {
    const { draft, turn } = (await this.desk.subject(caller)).chat;
    if (draft?.turnId !== caller.turnId) return;
    const note = unpublishedNote(draft, turnOf(turn, caller.turnId), context.turn.question);
    const { text } = context.published;
    let told = note.length;
    while (!text.endsWith(note.slice(0, told))) told -= 1;
    context.text(note.slice(told));
  }
}
