import type { TurnContext, TurnHandler, TurnOutcome } from '@app/agents';
import type { SeenCharts } from '@app/artifacts';
import { Injectable } from '@nestjs/common';
import { DeskTurns } from '../agent/desk-turns.js';
import { type ChartCaller, ChartDesk } from './chart-desk.js';
import { CHART_PROMPT, chartInWords, chartOpening, headInWords } from './chart-prompt.js';
import { ChartTools } from './chart-tools.js';
import { dashboardChatRequest } from './dashboard-chat-request.js';
import { watchedResults } from './watched-results.js';

/** Charts whose first rows stand before a question; of the others their columns do. */
const MOST_SHOWN = 20;

/** Turns of an agent that answers from charts, and has nothing else (docs/contract/dashboard-chat.md). */
@Injectable()
export class DashboardChatTurnHandler implements TurnHandler {
  readonly name = 'dashboard-chat';

  constructor(
    private readonly turns: DeskTurns,
    private readonly desk: ChartDesk,
    private readonly tools: ChartTools,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { userId, id: turnId, question, request } = context.turn;
    const { subject, filters, language = null, llmModelId } = dashboardChatRequest.parse(request);
    const caller: ChartCaller = { userId, subject, filters };
    // Earlier turns hold what stood in the charts: whoever may not read them any more gets nothing of them.
    const seen = await this.desk.look(caller);
    const { board } = seen;
    const mgids = seen.charts.map(({ mgid }) => mgid);
    const end = await this.turns.run(context, {
      llmModelId,
      system: CHART_PROMPT,
      opening: async (now) =>
        chartOpening({
          charts: await this.inWords(caller, seen, context.signal),
          board,
          filters,
          question,
          language,
          now,
        }),
      tools: this.tools.list(caller),
      results: watchedResults(turnId, () => this.desk.sees(caller, mgids)),
      // The answer is a stream of text: nobody could reply to a question in it.
      asksUser: false,
    });
    if ('wait' in end) return end;
    context.sources([]);
    return { usage: end.usage, model: end.model, extras: end.extras };
  }

  /** One after the other: each may hold some megabytes, of which a few rows are shown. */
  private async inWords(caller: ChartCaller, { charts }: SeenCharts, signal: AbortSignal): Promise<string[]> {
    const words: string[] = [];
    for (const { mgid } of charts.slice(0, MOST_SHOWN))
      words.push(await this.desk.with(caller, mgid, signal, chartInWords));
    return [...words, ...charts.slice(MOST_SHOWN).map((chart) => headInWords(chart))];
  }
}
