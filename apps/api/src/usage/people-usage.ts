import { listMemberNames } from '@app/auth';
import { readMonths } from '@app/entities';
import { type PersonUse, type Period, UsageTotals } from '@app/models';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toMoney } from '../cost-tracker/costs.dto.js';
import type { PersonUsage } from './usage.dto.js';

interface Counted {
  runs: number;
  tokens: number | null;
}

/** Who of an organisation used what. Those who are members no longer are told of together, and not by name. */
@Injectable()
export class PeopleUsage {
  constructor(
    private readonly dataSource: DataSource,
    private readonly totals: UsageTotals,
  ) {}

  /** @param all what the organisation has used in the month: what no member used was used by others */
  async of(organizationId: number, month: string, period: Period, all: Counted): Promise<PersonUsage[]> {
    const members = await listMemberNames(this.dataSource, organizationId);
    const keys = members.map(({ id }) => `u${id}`);
    const countOf = (kind: 'workflow_runs' | 'model_tokens') =>
      readMonths(this.dataSource, { kind, keys, month, organizationId });
    const [runs, tokens, uses] = await Promise.all([
      countOf('workflow_runs'),
      countOf('model_tokens'),
      this.totals.isTracking ? this.totals.byPerson(organizationId, period) : [],
    ]);
    const used = new Map(uses.map((use) => [use.userId, use]));
    const people = members.map(({ id, username, displayName }) => {
      const counted = { runs: runs.get(`u${id}`) ?? 0, tokens: all.tokens && (tokens.get(`u${id}`) ?? 0) };
      const person = toPerson({ user_id: id, username, display_name: displayName }, counted, [used.get(id)]);
      used.delete(id);
      return person;
    });
    const rest = {
      runs: all.runs - sum(runs.values()),
      tokens: all.tokens && all.tokens - sum(tokens.values()),
    };
    const others = toPerson({ user_id: null, username: '', display_name: '' }, rest, [...used.values()]);
    const isUsed = others.workflow_runs > 0 || others.requests > 0 || (others.tokens ?? 0) > 0;
    return [...people.toSorted(dearestFirst), ...(isUsed ? [others] : [])];
  }
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

function toPerson(
  who: Pick<PersonUsage, 'user_id' | 'username' | 'display_name'>,
  { runs, tokens }: Counted,
  uses: readonly (PersonUse | undefined)[],
): PersonUsage {
  return {
    ...who,
    workflow_runs: Math.max(0, runs),
    tokens: tokens === null ? null : Math.max(0, tokens),
    spend: toMoney(sum(uses.map((use) => use?.spend ?? 0))),
    requests: sum(uses.map((use) => use?.requests ?? 0)),
    unpriced_requests: sum(uses.map((use) => use?.unpriced ?? 0)),
  };
}

function dearestFirst(a: PersonUsage, b: PersonUsage): number {
  return b.spend - a.spend || b.workflow_runs - a.workflow_runs || (a.user_id ?? 0) - (b.user_id ?? 0);
}
