import { type AgentTool, type ClaimedTurn, type TurnContext, type TurnOutcome, Turns } from '@app/agents';
import { ConflictError } from '@app/common';
import { AgentBudget, RunSteers } from '@app/dedicated-agent';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AgentTurnHandler, type AgentWays } from '../agent/agent-turn.js';
import type { TurnCaller } from '../agent/catalogue-tools.js';
import { BuildWorkflowTool } from './build-workflow-tool.js';
import { JobTools } from './job-tools.js';

const runRequest = z.object({ instructions: z.string().default(''), haltsOnExpiry: z.boolean().default(false) });

/** Runs of dedicated agents: the agent's turns, with the instructions of the run, and nobody there to be asked for words. */
@Injectable()
export class DedicatedAgentTurnHandler extends AgentTurnHandler {
  override readonly name = 'dedicated-agent';
  @Inject() private readonly steers: RunSteers;
  @Inject() private readonly budget: AgentBudget;
  @Inject() private readonly turns: Turns;
  @Inject() private readonly jobs: JobTools;
  @Inject() private readonly building: BuildWorkflowTool;

  override async run(context: TurnContext): Promise<TurnOutcome> {
    const { turn, resume } = context;
    const isExpired = resume?.question.kind === 'approval' && resume.reply === null;
    if (isExpired && runRequest.parse(turn.request).haltsOnExpiry) await this.halt(context);
    return super.run(context);
  }

  protected override waysOf({ id, request }: ClaimedTurn, context: Pick<TurnContext, 'stage'>): AgentWays {
    const { instructions } = runRequest.parse(request);
    return {
      instructions: instructions.trim() === '' ? null : instructions,
      asksUser: false,
      saidMeanwhile: async (heard) => {
        for (const warning of await this.budget.takeWarnings(id)) context.stage('stage:budget', { ...warning });
        return this.steers.after(id, heard);
      },
    };
  }

  protected override moreTools(caller: TurnCaller): AgentTool[] {
    return [...this.jobs.list(caller), this.building.of(caller)];
  }

  /** As its person does who stops it; whoever works on it learns of that as always. @throws the reason of the signal */
  private async halt({ turn, signal }: TurnContext): Promise<void> {
    try {
      await this.turns.stop(turn.userId, { turnId: turn.id });
    } catch (error) {
      // Somebody was quicker.
      if (!(error instanceof ConflictError)) throw error;
    }
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    signal.throwIfAborted();
  }
}
