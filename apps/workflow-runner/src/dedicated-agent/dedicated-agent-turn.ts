import type { ClaimedTurn, TurnContext } from '@app/agents';
import { AgentBudget, RunSteers } from '@app/dedicated-agent';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AgentTurnHandler, type AgentWays } from '../agent/agent-turn.js';

const runRequest = z.object({ instructions: z.string().default('') });

/** Runs of dedicated agents: the agent's turns, with the instructions of the run, and nobody there to be asked for words. */
@Injectable()
export class DedicatedAgentTurnHandler extends AgentTurnHandler {
  override readonly name = 'dedicated-agent';
  @Inject() private readonly steers: RunSteers;
  @Inject() private readonly budget: AgentBudget;

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
}
