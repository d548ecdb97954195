import {
  type AgentBudgetView,
  BUDGET_SCOPES,
  type Caps,
  MAX_COST,
  MAX_TOKENS,
  type ScopeBudget,
  type StoredCaps,
} from '@app/dedicated-agent';
import {
  BooleanField,
  DateTimeField,
  IntegerField,
  NestedField,
  NumberField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { Exact } from '../http/fields/field.js';

const COST = 'In the currency of the deployment; null: none.';
const TOKENS = 'Read and written; null: none.';

export const WIRE_CAPS: Readonly<Record<keyof Caps, keyof CapsResponse>> = {
  softCost: 'soft_cost',
  hardCost: 'hard_cost',
  softTokens: 'soft_tokens',
  hardTokens: 'hard_tokens',
};

@Exact()
export class CapsRequest {
  @NumberField({ optional: true, nullable: true, max: MAX_COST, description: COST })
  soft_cost?: number | null;

  @NumberField({ optional: true, nullable: true, max: MAX_COST, description: COST })
  hard_cost?: number | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_TOKENS, description: TOKENS })
  soft_tokens?: number | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_TOKENS, description: TOKENS })
  hard_tokens?: number | null;
}

@Exact()
export class AgentBudgetRequest {
  @NestedField(() => CapsRequest, { optional: true, nullable: true })
  run?: CapsRequest | null;

  @NestedField(() => CapsRequest, { optional: true, nullable: true, description: 'All runs of one job in a month.' })
  job?: CapsRequest | null;

  @NestedField(() => CapsRequest, { optional: true, nullable: true })
  day?: CapsRequest | null;

  @NestedField(() => CapsRequest, { optional: true, nullable: true })
  month?: CapsRequest | null;
}

export class CapsResponse {
  @NumberField({ nullable: true })
  soft_cost: number | null;

  @NumberField({ nullable: true })
  hard_cost: number | null;

  @NumberField({ nullable: true })
  soft_tokens: number | null;

  @NumberField({ nullable: true })
  hard_tokens: number | null;
}

class AmountResponse {
  @NumberField()
  cost: number;

  @NumberField()
  tokens: number;
}

class ScopeBudgetResponse {
  @NestedField(() => CapsResponse, { description: "The owner's." })
  caps: CapsResponse;

  @NestedField(() => CapsResponse, { description: "The operator's, beyond which no owner goes." })
  limits: CapsResponse;

  @NestedField(() => CapsResponse, { description: 'What holds of the two.' })
  effective: CapsResponse;

  @NestedField(() => AmountResponse, {
    nullable: true,
    description: 'Null where each run or job is counted by itself.',
  })
  spent: AmountResponse | null;

  @NestedField(() => AmountResponse, { nullable: true, description: 'The most that calls under way can take.' })
  reserved: AmountResponse | null;

  @BooleanField({ description: 'Nothing more begins until it is counted anew, or the cap is raised.' })
  exhausted: boolean;

  @DateTimeField({ nullable: true })
  resets_at: Date | string | null;
}

export class AgentBudgetResponse {
  @UuidField()
  agent_id: string;

  @StringField()
  currency: string;

  @IntegerField({ description: 'Of this month, of models without a price: no cap of money binds them.' })
  unpriced_calls: number;

  @NestedField(() => ScopeBudgetResponse)
  run: ScopeBudgetResponse;

  @NestedField(() => ScopeBudgetResponse)
  job: ScopeBudgetResponse;

  @NestedField(() => ScopeBudgetResponse)
  day: ScopeBudgetResponse;

  @NestedField(() => ScopeBudgetResponse)
  month: ScopeBudgetResponse;
}

export function toCaps({ soft_cost, hard_cost, soft_tokens, hard_tokens }: CapsRequest): Partial<Caps> {
  return {
    softCost: soft_cost ?? null,
    hardCost: hard_cost ?? null,
    softTokens: soft_tokens ?? null,
    hardTokens: hard_tokens ?? null,
  };
}

export function toStoredCaps(body: AgentBudgetRequest): StoredCaps {
  return Object.fromEntries(
    BUDGET_SCOPES.flatMap((scope) => (body[scope] ? [[scope, toCaps(body[scope])] as const] : [])),
  );
}

export function toCapsResponse(caps: Partial<Caps>): CapsResponse {
  const { softCost = null, hardCost = null, softTokens = null, hardTokens = null } = caps;
  return { soft_cost: softCost, hard_cost: hardCost, soft_tokens: softTokens, hard_tokens: hardTokens };
}

export function toAgentBudgetResponse({
  agentId,
  currency,
  unpricedCalls,
  scopes,
}: AgentBudgetView): AgentBudgetResponse {
  return {
    agent_id: agentId,
    currency,
    unpriced_calls: unpricedCalls,
    run: toScope(scopes.run),
    job: toScope(scopes.job),
    day: toScope(scopes.day),
    month: toScope(scopes.month),
  };
}

function toScope({ own, limits, effective, spent, reserved, isExhausted, resetsAt }: ScopeBudget): ScopeBudgetResponse {
  return {
    caps: toCapsResponse(own),
    limits: toCapsResponse(limits),
    effective: toCapsResponse(effective),
    spent,
    reserved,
    exhausted: isExhausted,
    resets_at: resetsAt,
  };
}
