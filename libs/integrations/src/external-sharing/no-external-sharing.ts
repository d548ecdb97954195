import { ExternalSharing } from './external-sharing.port.js';

/** Documents are shared here alone. */
export class NoExternalSharing extends ExternalSharing {
  supports(): boolean {
    return false;
  }

  share(): Promise<null> {
    return Promise.resolve(null);
  }

  async unshare(): Promise<void> {}
}
