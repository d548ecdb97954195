import { ForbiddenError } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { countMembers } from './plan-buyer.js';

/** How many active members an organisation may have. */
@Injectable()
export class Seats {
  /**
   * Keeps a seat for whoever is made or moved in this transaction: others who want one wait for its end.
   * @throws ForbiddenError (`no_free_seats`)
   */
  async claim(organizationId: number, tx: EntityManager): Promise<void> {
    if (!(await this.lockFree(organizationId, tx)))
      throw new ForbiddenError('Your organization has no free seats. Ask its administrator.', {
        code: 'no_free_seats',
      });
  }

  /** The same as an answer. */
  async lockFree(organizationId: number, tx: EntityManager): Promise<boolean> {
    const [organization] = await tx.query<{ seats: number | null }[]>(
      // The smaller one, of those that are set.
      'SELECT least(seat_limit, plan_seats) AS seats FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
      [organizationId],
    );
    if (!organization) return false;
    if (organization.seats === null) return true;
    // A statement of its own: it sees those who took a seat while this one waited for the lock.
    const [{ taken }] = await tx.query<[{ taken: number }]>(
      'SELECT count(*)::int AS taken FROM users WHERE organization_id = $1 AND is_active',
      [organizationId],
    );
    return taken < organization.seats;
  }
}

/**
 * Holds the organisation to so many seats before they are asked for at the processor: nobody comes in beyond them while it
 * answers, and who is in it already is counted under the same lock as who comes in.
 * @param allow called with how many members there are; what it throws leaves everything as it is
 */
export async function narrowPlanSeats(
  tx: EntityManager,
  organizationId: number,
  seats: number,
  allow: (members: number) => void,
): Promise<void> {
  await tx.query('SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE', [organizationId]);
  allow(await countMembers(tx, organizationId));
  await tx.query('UPDATE organizations SET plan_seats = least(plan_seats, $2) WHERE id = $1', [organizationId, seats]);
}

/**
 * What the organisation has paid for, in the transaction that writes its subscription; null without one. Those above it
 * stay, nobody else comes in.
 */
export async function setPlanSeats(tx: EntityManager, organizationId: number, seats: number | null): Promise<void> {
  await tx.query('UPDATE organizations SET plan_seats = $2 WHERE id = $1', [organizationId, seats]);
}
