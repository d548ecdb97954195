import { randomInt } from 'node:crypto';
import { AuditLog } from '@app/audit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface PromoCodeSummary {
  code: string;
  createdAt: Date;
  expiresAt: Date | null;
  redeemedAt: Date | null;
  redeemedBy: string | null;
}

/** Without letters and digits that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 3;
const GROUP = 4;

/** Codes that approve whoever registers with them. */
@Injectable()
export class PromoCodeAdministration {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** @param days after which they end; null for never */
  async create(count: number, days: number | null): Promise<PromoCodeSummary[]> {
    const codes = Array.from({ length: count }, newCode);
    return this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<PromoCodeSummary[]>(
        `INSERT INTO promo_codes (code, expires_at) SELECT code, now() + make_interval(days => $2)
         FROM unnest($1::text[]) AS code ON CONFLICT DO NOTHING
         RETURNING code, created_at AS "createdAt", expires_at AS "expiresAt", NULL::timestamptz AS "redeemedAt", NULL AS "redeemedBy"`,
        [codes, days],
      );
      const details = { count: rows.length, days, by: 'terminal' };
      await this.audit.record({ action: 'promo_code.created', actor: null, target: 'promo_codes', details }, tx);
      return rows;
    });
  }

  /** Newest first. */
  async list(limit: number): Promise<PromoCodeSummary[]> {
    return this.dataSource.query<PromoCodeSummary[]>(
      `SELECT p.code, p.created_at AS "createdAt", p.expires_at AS "expiresAt", p.redeemed_at AS "redeemedAt",
              u.username AS "redeemedBy"
       FROM promo_codes p LEFT JOIN users u ON u.id = p.redeemed_by_id ORDER BY p.created_at DESC, p.code LIMIT $1`,
      [limit],
    );
  }
}

function newCode(): string {
  return Array.from({ length: GROUPS }, newGroup).join('-');
}

function newGroup(): string {
  return Array.from({ length: GROUP }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
