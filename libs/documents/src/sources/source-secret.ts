import { type SealedPlace, SealingService } from '@app/secrets';
import type { SourceAccess, SourceType } from '@app/integrations';

/** As a row of `external_sources` has it. */
export interface StoredSource {
  id: string;
  type: SourceType;
  config: Record<string, unknown>;
  secretSealed: Buffer | null;
}

const placeOf = (id: string): SealedPlace => ({ table: 'external_sources', column: 'secret_sealed', row: id });

/** Null for no secret. */
export function sealSourceSecret(sealing: SealingService, id: string, secret: string): Buffer | null {
  return secret === '' ? null : sealing.seal(secret, placeOf(id));
}

/** What a connector is opened with; null when the secret cannot be opened any more and has to be given anew. */
export function findSourceAccess(sealing: SealingService, source: StoredSource): SourceAccess | null {
  const { id, type, config, secretSealed } = source;
  const secret = secretSealed ? sealing.openTextOrNull(secretSealed, placeOf(id)) : '';
  return secret === null ? null : { type, config, secret };
}
