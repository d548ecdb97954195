import { ErasureRegistry, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

@Injectable()
export class OwnedReservations implements OwnedData, OnModuleInit {
  readonly name = 'storage reservations';
  readonly tables = ['storage_reservations'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM storage_reservations WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>('DELETE FROM storage_reservations WHERE user_id = $1', [
      userId,
    ]);
    return count;
  }
}
