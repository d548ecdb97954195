import { Antivirus, type ScanVerdict } from './antivirus.port.js';

/**
 * The embedded default: no scanner. What stands guard then are the checks that every upload passes anyway
 * (`inspectUpload` of libs/documents: content against name, archive limits, the EICAR test file).
 */
export class NoAntivirus extends Antivirus {
  readonly enabled = false;

  scan(): Promise<ScanVerdict> {
    return Promise.resolve({ clean: true });
  }

  health(): Promise<void> {
    return Promise.resolve();
  }
}
