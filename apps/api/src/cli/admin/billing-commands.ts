import { AccountAdministration } from '@app/auth';
import { SubscriptionSync } from '@app/billing';
import { findSubscriptionRow, listUnendedOf } from '@app/entitlements';
import type { Command } from 'commander';
import { DataSource } from 'typeorm';
import type { Open, Show } from './command-parts.js';

/** `admin subscriptions ...`: what accounts pay for. */
export function addSubscriptions(program: Command, open: Open, show: Show): void {
  const group = program.command('subscriptions').description('what accounts pay for');
  group
    .command('list <login>')
    .description('what has not ended; LOGIN is a user name, an address or a number')
    .action(async (login: string) => {
      const app = await open();
      const { id } = await app.get(AccountAdministration).get(login);
      const db = app.get(DataSource);
      const rows = await Promise.all((await listUnendedOf(db, id)).map((each) => findSubscriptionRow(db, each)));
      await show(
        Promise.resolve(
          rows
            .filter((row) => row !== null)
            .map(({ id: subscription, status, plan, seats, organizationId, processor, processorSubscriptionId }) => {
              return {
                id: subscription,
                status,
                plan: plan.code,
                seats,
                organization: organizationId,
                processor,
                there: processorSubscriptionId,
              };
            }),
        ),
      );
    });
  group
    .command('end-unknown <id>')
    .description('ends here what its processor does not know any more; it is asked once more before')
    .action(async (id: string) => {
      const app = await open();
      await app.get(SubscriptionSync).endUnknown(id, 'terminal');
      const row = await findSubscriptionRow(app.get(DataSource), id);
      await show(Promise.resolve({ id, status: row?.status ?? 'canceled' }));
    });
}
