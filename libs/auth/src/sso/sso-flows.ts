import { hash, randomBytes } from 'node:crypto';
import { InvalidRequestError, newId } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { FlowChecks } from './oidc/oidc-client.js';
import type { SsoClient } from './sso-clients.js';
import type { SsoProvider } from './sso-settings.js';

export const FLOW_SECONDS = 600;

export interface ClaimedFlow {
  checks: FlowChecks;
  organizationId: number | null;
  redirectPath: string | null;
}

type Row = { id: string; organization_id: number | null; checks_sealed: Buffer; redirect_path: string | null };

const random = () => randomBytes(32).toString('base64url');
const sha256 = (text: string) => hash('sha256', text, 'buffer');
const placeOf = (id: string) => ({ table: 'sso_flows', column: 'checks_sealed', row: id });

/** Sign-ins between the way to the provider and the way back: ten minutes, one browser, one use. */
@Injectable()
export class SsoFlows {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
  ) {}

  /** What the provider is asked with. */
  newChecks(): FlowChecks {
    return { state: random(), nonce: random(), codeVerifier: random() };
  }

  /** What a browser is known by that has no sign-in open yet. */
  newBrowser(): string {
    return random();
  }

  /** Keeps the flow for `FLOW_SECONDS`. @param browser its one value for all the sign-ins that it has open */
  async begin(
    { provider, organization }: SsoClient,
    checks: FlowChecks,
    redirectPath: string | null,
    browser: string,
  ): Promise<void> {
    const id = newId();
    const { state, ...others } = checks;
    const sealed = this.sealing.seal(JSON.stringify(others), placeOf(id));
    await this.dataSource.query(
      `INSERT INTO sso_flows (id, state_hash, browser_hash, provider, organization_id, checks_sealed, redirect_path, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))`,
      [id, sha256(state), sha256(browser), provider, organization?.id ?? null, sealed, redirectPath, FLOW_SECONDS],
    );
  }

  /**
   * Uses the state up, before anything is done with it. Another browser's state is left to its owner.
   * @param browser null for one that brings no value
   * @throws InvalidRequestError `invalid_state`: unknown, used, expired, another browser's or another provider's
   */
  async claim(provider: SsoProvider, state: string, browser: string | null): Promise<ClaimedFlow> {
    const [rows] = await this.dataSource.query<[Row[], number]>(
      `DELETE FROM sso_flows
       WHERE state_hash = $1 AND browser_hash = $2 AND provider = $3 AND expires_at > now()
       RETURNING id, organization_id, checks_sealed, redirect_path`,
      [sha256(state), sha256(browser ?? ''), provider],
    );
    const [row] = rows;
    if (!browser || !row)
      throw new InvalidRequestError('The sign-in has expired, was used, or began elsewhere. Start it again.', {
        code: 'invalid_state',
      });
    const others = JSON.parse(this.sealing.openText(row.checks_sealed, placeOf(row.id))) as Omit<FlowChecks, 'state'>;
    return {
      checks: { state, ...others },
      organizationId: row.organization_id,
      redirectPath: row.redirect_path,
    };
  }

  async purge(): Promise<void> {
    await this.dataSource.query('DELETE FROM sso_flows WHERE expires_at < now()');
  }
}
