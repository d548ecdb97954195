import { StorageQuota } from '@app/entitlements';
import { SoleTasks } from '@app/queues';
import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { StorageController } from './storage.controller.js';

const SWEEP_SECONDS = 600;

@Module({ controllers: [StorageController] })
export class StorageModule implements OnApplicationBootstrap {
  constructor(
    private readonly quota: StorageQuota,
    private readonly tasks: SoleTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('expired reservations', SWEEP_SECONDS, async () => void (await this.quota.removeExpired()));
  }
}
