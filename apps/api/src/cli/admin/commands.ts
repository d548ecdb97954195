import { AuditChain, AuditLog, AuditReader } from '@app/audit';
import {
  AccountAdministration,
  OrganizationAdministration,
  PromoCodeAdministration,
  ScimTokens,
  SsoCredentials,
  SsoSetupTokens,
} from '@app/auth';
import { NotFoundError } from '@app/common';
import { Erasures } from '@app/erasure';
import { KeyRotation } from '@app/secrets';
import { Command } from 'commander';
import { DataSource } from 'typeorm';
import { addAgents } from './agent-commands.js';
import { addSubscriptions } from './billing-commands.js';
import { type Open, type Show, type Terminal, wholeNumber } from './command-parts.js';
import { printed } from './output.js';
import { buildVectorIndexes, dropVectorIndexes, listVectorIndexes } from './vector-indexes.js';
import { addWork } from './work-commands.js';

const seats = (raw: string) => (raw === 'any' ? null : wholeNumber(raw, 'Seats', 0, 1_000_000));

/**
 * `admin ...`: every command in one place. Where commander would end the process, it throws.
 * @param open starts the application when a command needs it
 */
export function buildCommands(open: Open, terminal: Terminal): Command {
  const program = new Command('admin').description('Runs an Atrium deployment from a terminal.');
  program.option('--json', 'print JSON').showHelpAfterError('(--help lists the commands)');
  program.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  const show: Show = async (result, limit) => {
    const rows = await result;
    terminal.out(printed(rows, program.opts<{ json?: boolean }>().json ?? false));
    if (Array.isArray(rows) && rows.length === limit)
      terminal.err(`These are ${limit}, there may be more: --limit <n>\n`);
  };
  // They come from standard input, so that they stand in no history and no list of processes.
  const secret = async () => (await terminal.input()).replace(/\r?\n$/, '');

  const users = program.command('users').description('accounts; LOGIN is a user name, an address or a number');
  const accounts = async () => (await open()).get(AccountAdministration);
  users
    .command('list [search]')
    .option('--limit <n>', 'at most so many', '50')
    .action(async (search: string | undefined, options: { limit: string }) => {
      const limit = wholeNumber(options.limit, '--limit', 1, 10_000);
      await show((await accounts()).list(search ?? '', limit), limit);
    });
  users.command('show <login>').action(async (login: string) => show((await accounts()).get(login)));
  users
    .command('create <username> <email>')
    .description('approved; the password comes from standard input')
    .action(async (username: string, email: string) =>
      show((await accounts()).create(username, email, await secret())),
    );
  users
    .command('set-password <login>')
    .description('from standard input; ends every session')
    .action(async (login: string) => show((await accounts()).setPassword(login, await secret())));
  users.command('approve <login>').action(async (login: string) => show((await accounts()).approve(login)));
  users
    .command('disable <login>')
    .description('ends sessions, API tokens and open sockets too')
    .action(async (login: string) => show((await accounts()).disable(login)));
  users.command('enable <login>').action(async (login: string) => show((await accounts()).enable(login)));
  users.command('make-staff <login>').action(async (login: string) => show((await accounts()).setStaff(login, true)));
  users
    .command('revoke-staff <login>')
    .action(async (login: string) => show((await accounts()).setStaff(login, false)));
  users.command('end-sessions <login>').action(async (login: string) => show((await accounts()).endSessions(login)));

  const promo = program.command('promo-codes').description('codes that approve one registration each');
  promo
    .command('create')
    .option('--count <n>', 'how many', '1')
    .option('--days <n>', 'end after so many days')
    .action(async ({ count, days }: { count: string; days?: string }) =>
      show(
        (await open())
          .get(PromoCodeAdministration)
          .create(
            wholeNumber(count, '--count', 1, 1000),
            days === undefined ? null : wholeNumber(days, '--days', 1, 3650),
          ),
      ),
    );
  promo
    .command('list')
    .description('the newest first')
    .option('--limit <n>', 'at most so many', '1000')
    .action(async (options: { limit: string }) => {
      const limit = wholeNumber(options.limit, '--limit', 1, 100_000);
      await show((await open()).get(PromoCodeAdministration).list(limit), limit);
    });

  addOrganizations(program, open, show, secret);
  addMaintenance(program, open, show, terminal);
  addWork(program, open, show);
  addAgents(program, open, show);
  addSubscriptions(program, open, show);
  return program;
}

function addOrganizations(program: Command, open: Open, show: Show, secret: () => Promise<string>): void {
  const group = program.command('organizations').description('ORG is a domain or a number');
  const organizations = async () => (await open()).get(OrganizationAdministration);
  group
    .command('list [search]')
    .description('the shared ones, by name')
    .option('--limit <n>', 'at most so many', '1000')
    .action(async (search: string | undefined, options: { limit: string }) => {
      const limit = wholeNumber(options.limit, '--limit', 1, 100_000);
      await show((await organizations()).list(search ?? '', limit), limit);
    });
  group
    .command('create <name>')
    .option('--domain <domain>', 'whose addresses belong to it')
    .option('--seats <n>', 'active members at most', 'any')
    .action(async (name: string, options: { domain?: string; seats: string }) =>
      show((await organizations()).create(name, options.domain ?? null, seats(options.seats))),
    );
  group
    .command('set-seats <org> <n>')
    .description('n, or "any"')
    .action(async (key: string, limit: string) => show((await organizations()).setSeats(key, seats(limit))));
  group
    .command('owner <org> <login>')
    .description('makes a member of the organization an owner of it; others stay what they are')
    .action(async (key: string, login: string) => show((await organizations()).addOwner(key, login)));
  group
    .command('verify-domain <org>')
    .description('you vouch that the domain is theirs')
    .action(async (key: string) => show((await organizations()).verifyDomain(key)));
  group
    .command('set-issuer <org> <issuer>')
    .description('of their single sign-on; "default" for the deployment\'s')
    .action(async (key: string, issuer: string) =>
      show((await organizations()).setIssuer(key, issuer === 'default' ? null : issuer)),
    );
  const sso = program.command('sso').description('single sign-on of organizations');
  sso
    .command('set-credentials <domain> <client-id>')
    .description('in place of those it has; the client secret comes from standard input')
    .action(async (domain: string, clientId: string) =>
      show((await open()).get(SsoCredentials).replace(domain, clientId, await secret())),
    );
  sso
    .command('setup-token <domain>')
    .description(
      'shows a token once, with which the domain sets its sign-in up once; you vouch that the domain is theirs',
    )
    .option('--hours <n>', 'how long it is good', '24')
    .action(async (domain: string, { hours }: { hours: string }) =>
      show((await open()).get(SsoSetupTokens).create(domain, wholeNumber(hours, '--hours', 1, 720), 'terminal')),
    );
  const tokens = group.command('scim-token').description('bearer tokens of directories');
  const scim = async () => (await open()).get(ScimTokens);
  tokens
    .command('create <org> <name>')
    .description('shows the token once')
    .action(async (key: string, name: string) => {
      const { id } = await (await organizations()).get(key);
      await show((await scim()).create(id, name, 'terminal'));
    });
  tokens.command('list <org>').action(async (key: string) => {
    const { id } = await (await organizations()).get(key);
    await show((await scim()).list(id));
  });
  tokens.command('revoke <id>').action(async (id: string) => {
    await (await scim()).revoke(id, 'terminal');
    await show(Promise.resolve({ id, revoked: true }));
  });
}

function addMaintenance(program: Command, open: Open, show: Show, terminal: Terminal): void {
  const erasures = program.command('erasures').description('accounts that were deleted');
  erasures.command('list').action(async () => show((await open()).get(Erasures).list()));

  const keys = program.command('keys').description('the master key of sealed secrets');
  keys.command('status').action(async () => show((await open()).get(KeyRotation).status()));
  keys
    .command('rewrap')
    .description('bring everything under SECRETS_KEY; may be stopped and begun again')
    .action(async () => {
      const app = await open();
      const rotation = app.get(KeyRotation);
      const results = await rotation.rewrap(({ name, rewrapped, stale }) =>
        terminal.err(`${name}: ${rewrapped} done, ${stale} left\n`),
      );
      const details = { kid: rotation.currentKid, by: 'terminal' };
      await app.get(AuditLog).record({ action: 'keys.rotated', actor: null, target: 'keys', details });
      await show(Promise.resolve(results));
      if (results.some(({ stale }) => stale > 0))
        throw new NotFoundError('Some values are under a key that is not in SECRETS_PREVIOUS_KEYS.');
    });

  const vectors = program.command('vector-index').description('faster search of very many vectors, with pgvector');
  const source = async () => (await open()).get(DataSource);
  vectors.command('status').action(async () => show(listVectorIndexes(await source())));
  vectors
    .command('build')
    .description('for each length of vector; nobody has to wait meanwhile')
    .action(async () => show(buildVectorIndexes(await source())));
  vectors.command('drop').action(async () => show(dropVectorIndexes(await source())));

  const audit = program.command('audit').description('the audit log');
  audit.command('verify').action(async () => {
    const chain = (await open()).get(AuditChain);
    await chain.extend();
    const result = await chain.verify();
    await show(Promise.resolve(result));
    if (result.broken !== null) throw new NotFoundError(`Entry ${result.broken} was changed.`);
  });
  audit
    .command('tail')
    .option('--limit <n>', 'at most so many', '20')
    .action(async (options: { limit: string }) => {
      const limit = wholeNumber(options.limit, '--limit', 1, 500);
      const reader = (await open()).get(AuditReader);
      const { events } = await reader.listForStaff({}, null, limit);
      const rows = events.map(({ seq, at, actor, action, target, outcome, ip }) => ({
        seq,
        at,
        actor,
        action,
        target,
        outcome,
        ip,
      }));
      await show(Promise.resolve(rows), limit);
    });
}
