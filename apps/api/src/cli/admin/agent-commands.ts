import { AccountAdministration } from '@app/auth';
import { NotFoundError } from '@app/common';
import { AgentLife, AgentRuns, BudgetCaps } from '@app/dedicated-agent';
import type { Command } from 'commander';
import { budgetRows, readCaps } from './budget-command.js';
import { type Open, type Show, wholeNumber } from './command-parts.js';

/** `admin agent ...`: dedicated agents. */
export function addAgents(program: Command, open: Open, show: Show): void {
  const group = program.command('agent').description('dedicated agents; LOGIN is a user name, an address or a number');
  group
    .command('grant <login>')
    .description('the account may have one, which runs at once')
    .action(async (login: string) => {
      const app = await open();
      const { id, username } = await app.get(AccountAdministration).get(login);
      const agent = await app.get(AgentLife).grant(id, 'terminal');
      await app.get(AccountAdministration).setDedicatedAgent(String(id), true);
      await show(Promise.resolve({ username, ...agent }));
    });
  group
    .command('revoke <login>')
    .description('it begins nothing more, and what it does is stopped')
    .action(async (login: string) => {
      const app = await open();
      const { id, username } = await app.get(AccountAdministration).setDedicatedAgent(login, false);
      const agent = await app.get(AgentLife).revoke(id, 'terminal');
      await show(Promise.resolve({ username, ...agent, stopped_runs: await app.get(AgentRuns).stopAll(id) }));
    });
  group
    .command('pause <login>')
    .description('until it is resumed; what it does is stopped')
    .action(async (login: string) => {
      const app = await open();
      const { id, username } = await app.get(AccountAdministration).get(login);
      const agent = await app.get(AgentLife).pause(id, 'terminal', 'Paused by an operator.');
      if (!agent) throw new NotFoundError(`"${login}" has no agent that could be paused.`);
      await show(Promise.resolve({ username, ...agent, stopped_runs: await app.get(AgentRuns).stopAll(id) }));
    });
  group.command('resume <login>').action(async (login: string) => {
    const app = await open();
    const { id, username } = await app.get(AccountAdministration).get(login);
    await show(Promise.resolve({ username, ...(await app.get(AgentLife).resume(id, 'terminal')) }));
  });
  group
    .command('budget <login>')
    .description('what it may spend and has spent; its owner may only go below what is set here')
    .option(
      '--set <cap...>',
      'such as month.hard_cost=50 day.hard_tokens=2000000; 0: no cap, default: that of the settings',
      [],
    )
    .action(async (login: string, { set }: { set: string[] }) => {
      const app = await open();
      const { id, username } = await app.get(AccountAdministration).get(login);
      const caps = app.get(BudgetCaps);
      const view = await (set.length > 0 ? caps.setOperators(id, readCaps(set), 'terminal') : caps.find(id));
      if (!view) throw new NotFoundError(`"${username}" has no agent.`);
      await show(Promise.resolve(budgetRows(view)));
    });
  group
    .command('list')
    .option('--limit <n>', 'at most so many', '50')
    .action(async (options: { limit: string }) => {
      const limit = wholeNumber(options.limit, '--limit', 1, 10_000);
      await show((await open()).get(AgentLife).list(limit), limit);
    });
}
