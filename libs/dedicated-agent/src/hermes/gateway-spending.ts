import type { AppConfig } from '@app/config';
import { UsageLedger } from '@app/models';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BudgetBook } from '../budget/budget-book.js';
import { AgentGateway } from '../gateway/agent-gateway.js';
import type { AgentRunRecord } from '../runs/agent-run.js';

export const PRICED_MODELS = Symbol('PRICED_MODELS');
export type PricedModels = AppConfig['models']['list'];

/**
 * What runs of a foreign gateway used, which tells of it when they end: counted in the transaction that ends the run.
 * A `RunEndedListener`. Calls of our own loop are counted one by one, before they are made.
 */
@Injectable()
export class GatewaySpending {
  constructor(
    private readonly gateway: AgentGateway,
    private readonly book: BudgetBook,
    private readonly ledger: UsageLedger,
    @Inject(PRICED_MODELS) private readonly models: PricedModels,
  ) {}

  async ended(tx: EntityManager, { id, model, usage }: AgentRunRecord): Promise<void> {
    if (this.gateway.name === 'embedded' || usage === null) return;
    const promptTokens = countOf(usage.input_tokens);
    const completionTokens = countOf(usage.output_tokens);
    if (promptTokens + completionTokens === 0) return;
    // Where it is one of ours; who else answers there, and at which price, nobody knows here.
    const known = this.models.find(({ value, name }) => model !== '' && (value === model || name === model));
    const cost = known ? this.ledger.prices.costOf(known, { promptTokens, completionTokens }) : null;
    await this.book.add(tx, id, { cost, tokens: promptTokens + completionTokens });
  }
}

/** What a foreign server says is believed within reason. */
const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, 1_000_000_000) : 0;
