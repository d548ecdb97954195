import {
  defineRegistered,
  type ModelDefinition,
  type ModelPatience,
  type RegisteredModel as WrittenDefinition,
} from '@app/config';
import type { SealingService } from '@app/secrets';
import type { OwnerColumns } from './model-owner.js';

/** What stands of a model beside its name and value. */
export type StoredDefinition = Omit<WrittenDefinition, 'name' | 'value'>;

/** A registered model as whoever may change it sees it: without its secrets. */
export interface RegisteredRecord extends OwnerColumns {
  id: number;
  name: string;
  value: string;
  definition: StoredDefinition;
  hasKey: boolean;
  headerNames: string[];
  enabled: boolean;
  isDefault: boolean;
  position: number;
  version: number;
  testedAt: Date | null;
  testStatus: 'untested' | 'ok' | 'failed';
  testCode: string | null;
  testReason: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export type RegisteredRow = RegisteredRecord & { secretSealed: Buffer | null };

export const RECORD_COLUMNS = `m.id, m.user_id AS "userId", m.organization_id AS "organizationId", m.name, m.value, m.definition,
  m.has_key AS "hasKey", m.header_names AS "headerNames", m.enabled, m.is_default AS "isDefault", m.position, m.version,
  m.tested_at AS "testedAt", m.test_status AS "testStatus", m.test_code AS "testCode", m.test_reason AS "testReason",
  m.created_at AS "createdAt", m.updated_at AS "updatedAt"`;

export const ROW_COLUMNS = `${RECORD_COLUMNS}, m.secret_sealed AS "secretSealed"`;

export interface ModelSecrets {
  apiKey: string | null;
  headers: Readonly<Record<string, string>>;
}

export const NO_SECRETS: ModelSecrets = { apiKey: null, headers: {} };

const placeOf = (id: number) => ({ table: 'registered_models', column: 'secret_sealed', row: id });

/** Null where there is nothing to keep. */
export function sealSecrets(sealing: SealingService, id: number, secrets: ModelSecrets): Buffer | null {
  const isEmpty = secrets.apiKey === null && Object.keys(secrets.headers).length === 0;
  return isEmpty ? null : sealing.seal(JSON.stringify(secrets), placeOf(id));
}

/** Without its key a model is asked all the same, and says that it wants one. */
export function openSecrets(sealing: SealingService, { id, secretSealed }: RegisteredRow): ModelSecrets {
  const text = secretSealed && sealing.openTextOrNull(secretSealed, placeOf(id));
  return text === null ? NO_SECRETS : (JSON.parse(text) as ModelSecrets);
}

/** Calls at a time to a model that nobody said anything else of, and calls that are tried again. */
const OWN_CONCURRENCY = 8;
const OWN_RETRIES = 2;

/** How a registered model is asked; one of a person never for longer, or more often, than the deployment's own. */
export function toDefinition(row: RegisteredRow, sealing: SealingService, patience: ModelPatience): ModelDefinition {
  const { id, name, value, definition, userId, organizationId } = row;
  const defined = defineRegistered(id, { ...definition, name, value }, openSecrets(sealing, row), patience);
  if (userId === null && organizationId === null) return defined;
  const { timeouts, maxRetries, maxConcurrency } = defined;
  return {
    ...defined,
    // As the address says: what stays in the house is the deployment's to say.
    onPremises: null,
    fallback: null,
    maxConcurrency: Math.min(maxConcurrency ?? OWN_CONCURRENCY, 32),
    maxRetries: Math.min(maxRetries, OWN_RETRIES),
    timeouts: {
      firstTokenSeconds: Math.min(timeouts.firstTokenSeconds, patience.firstTokenSeconds),
      silenceSeconds: Math.min(timeouts.silenceSeconds, patience.silenceSeconds),
      totalSeconds: Math.min(timeouts.totalSeconds, patience.timeoutSeconds),
      answerSeconds: Math.min(timeouts.answerSeconds, Math.max(patience.answerSeconds, patience.timeoutSeconds)),
    },
  };
}
