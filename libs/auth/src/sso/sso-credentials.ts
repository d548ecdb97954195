import { AuditLog } from '@app/audit';
import { InvalidRequestError, NotFoundError } from '@app/common';
import { type SealedPlace, SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { parseDomain } from './domains.js';

/** RFC 6749, appendix A.1 and A.2. */
const CREDENTIAL = /^[ -~]{1,2000}$/;

/** Where the client secret of an organisation lies. */
export const secretOf = (organizationId: number): SealedPlace => ({
  table: 'organization_sso',
  column: 'client_secret_sealed',
  row: organizationId,
});

/** The applications that organisations registered at their providers, as an operator changes them. */
@Injectable()
export class SsoCredentials {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Puts other credentials in the place of those that a domain has: providers let secrets end, and nobody of the organisation
   * could sign in to send new ones. Who is linked stays so.
   * @throws InvalidRequestError `invalid_credentials` for those that are none; NotFoundError where nothing is set up
   */
  async replace(text: string, clientId: string, clientSecret: string): Promise<{ domain: string; clientId: string }> {
    if (!CREDENTIAL.test(clientId) || !CREDENTIAL.test(clientSecret))
      throw new InvalidRequestError('A client id and its secret are one line of 1 to 2,000 characters each.', {
        code: 'invalid_credentials',
      });
    const domain = parseDomain(text) ?? '';
    await this.dataSource.transaction(async (tx) => {
      const [known] = await tx.query<{ id: number }[]>(
        `SELECT o.id FROM organizations o JOIN organization_sso s ON s.organization_id = o.id
         WHERE o.domain = $1 FOR NO KEY UPDATE OF s`,
        [domain],
      );
      if (!known) throw new NotFoundError(`Single sign-on is not set up for "${text}".`);
      await tx.query(
        `UPDATE organization_sso SET client_id = $2, client_secret_sealed = $3, updated_at = now()
         WHERE organization_id = $1`,
        [known.id, clientId, this.sealing.seal(clientSecret, secretOf(known.id))],
      );
      const details = { client_id: clientId, by: 'terminal' };
      await this.audit.record({ action: 'sso.configured', actor: null, target: `organization:${domain}`, details }, tx);
    });
    return { domain, clientId };
  }
}
