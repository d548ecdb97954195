import { KeyRotation } from '@app/secrets';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';

/** Tells at the start, rather than at the first use of a secret, that the master key is not the one that sealed it. */
@Injectable()
export class MasterKeyCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger(MasterKeyCheck.name);

  constructor(private readonly rotation: KeyRotation) {}

  onApplicationBootstrap(): void {
    void this.check().catch((error: unknown) => this.logger.warn(`Sealed values were not checked: ${String(error)}`));
  }

  private async check(): Promise<void> {
    const rows = await this.rotation.status();
    const unreadable = rows.reduce((sum, row) => sum + row.unreadable, 0);
    if (unreadable > 0)
      this.logger.error(
        `${unreadable} sealed values cannot be opened: the key that sealed them is neither SECRETS_KEY nor one of ` +
          'SECRETS_PREVIOUS_KEYS. Was the database restored without its key? "admin keys status" lists them.',
      );
  }
}
