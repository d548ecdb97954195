import { AccountAdministration } from '@app/auth';
import { NotFoundError } from '@app/common';
import { AgentLife, AgentRuns } from '@app/dedicated-agent';
import type { Command } from 'commander';
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
    .command('list')
    .option('--limit <n>', 'at most so many', '50')
    .action(async ({ limit }: { limit: string }) =>
      show((await open()).get(AgentLife).list(wholeNumber(limit, '--limit', 1, 10_000))),
    );
}
