import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A Chromium on this machine: ATRIUM_CHROMIUM, or the first known name on the PATH. Null when there is none. */
export function findChromium(): string | null {
  const { ATRIUM_CHROMIUM: given, PATH = '' } = process.env;
  if (given) return given;
  const candidates = NAMES.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)));
  return candidates.find(isExecutable) ?? null;
}

export function launchChromium(executablePath: string): Promise<Browser> {
  // The sandbox needs rights that containers and root do not have; the pages are the test's own.
  return chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
}

/** In a context of its own. A stalled machine takes its time; Jest ends what hangs. */
export async function newPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(400_000);
  return page;
}

export interface StoredCredential {
  credentialId: string;
  isResidentCredential: boolean;
  rpId?: string;
  privateKey: string;
  userHandle?: string;
  signCount: number;
}

/** An authenticator inside the browser, driven over the DevTools protocol: present, and the user verified. */
export class VirtualAuthenticator {
  private constructor(
    private readonly cdp: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  /** @param synchronised whether its new passkeys are shared between devices, as those of phones are */
  static async plugInto(page: Page, { synchronised = false } = {}): Promise<VirtualAuthenticator> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable', { enableUI: false });
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        defaultBackupEligibility: synchronised,
        defaultBackupState: synchronised,
      },
    });
    return new VirtualAuthenticator(cdp, authenticatorId);
  }

  async credentials(): Promise<StoredCredential[]> {
    const { authenticatorId } = this;
    return (await this.cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  }

  async put(credential: StoredCredential): Promise<void> {
    const { authenticatorId } = this;
    await this.cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
  }

  async remove(credentialId: string): Promise<void> {
    const { authenticatorId } = this;
    await this.cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
  }

  async unplug(): Promise<void> {
    const { authenticatorId } = this;
    await this.cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    await this.cdp.detach();
  }
}
