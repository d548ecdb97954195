import { Logger } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { RelyingParty } from './relying-party.js';

/** Ed25519, ES256, RS256: what authenticators offer today, best first. */
const ALGORITHMS = [-8, -7, -257];
/** COSE; the largest sensible RSA key takes half of it, and a larger one would only burn the server. */
const LONGEST_KEY = 1024;
const LONGEST_ID_BYTES = 1023;
/** Parsers of certificates, some megabytes of each process: for those that meet a passkey. */
const loadLibrary = () => import('@simplewebauthn/server');
const loadHelpers = () => import('@simplewebauthn/server/helpers');
type Helpers = Awaited<ReturnType<typeof loadHelpers>>;

/** The browser hands the client what the authenticator derives from it; the server never sees the result. */
const PRF = { prf: {} };

export interface NewCredential {
  /** base64url. */
  credentialId: string;
  /** COSE. */
  publicKey: Buffer;
  counter: number;
  aaguid: string;
  transports: string[];
  deviceType: 'singleDevice' | 'multiDevice';
  backedUp: boolean;
}

export interface Registrant {
  handle: Buffer;
  username: string;
  displayName: string;
  known: { id: string; transports: string[] }[];
}

export interface Assertion {
  counter: number;
  backedUp: boolean;
}

/** The protocol: what browsers are asked, and whether what comes back is true (W3C WebAuthn, sections 7.1 and 7.2). */
export class Webauthn {
  private readonly logger = new Logger(Webauthn.name);
  private readonly expected: { expectedOrigin: string[]; expectedRPID: string; requireUserVerification: true };

  constructor(
    private readonly relyingParty: RelyingParty,
    private readonly timeoutMs: number,
  ) {
    const { id, origins } = relyingParty;
    this.expected = { expectedOrigin: [...origins], expectedRPID: id, requireUserVerification: true };
  }

  async registrationOptions(challenge: Buffer, who: Registrant): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { generateRegistrationOptions } = await loadLibrary();
    const { hints: _, ...options } = await generateRegistrationOptions({
      rpName: this.relyingParty.name,
      rpID: this.relyingParty.id,
      challenge: Uint8Array.from(challenge),
      userID: Uint8Array.from(who.handle),
      userName: who.username,
      userDisplayName: who.displayName,
      timeout: this.timeoutMs,
      attestationType: 'none',
      excludeCredentials: who.known,
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
      extensions: PRF,
    });
    return options;
  }

  async signInOptions(challenge: Buffer): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await loadLibrary();
    return generateAuthenticationOptions({
      rpID: this.relyingParty.id,
      challenge: Uint8Array.from(challenge),
      timeout: this.timeoutMs,
      userVerification: 'required',
      allowCredentials: [],
      extensions: PRF,
    });
  }

  /** @returns null for anything that a genuine browser on one of our pages would not send */
  async verifyRegistration(response: RegistrationResponseJSON, challenge: string): Promise<NewCredential | null> {
    return this.truthOf(async () => {
      const [{ verifyRegistrationResponse }, helpers] = await Promise.all([loadLibrary(), loadHelpers()]);
      refuseForeignFrame(response, helpers);
      const verified = await verifyRegistrationResponse({
        ...this.expected,
        response: withoutAttestation(response, helpers),
        expectedChallenge: challenge,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (!verified.verified) throw new Error('The attestation does not verify.');
      const { credential, aaguid, credentialDeviceType, credentialBackedUp } = verified.registrationInfo;
      const idBytes = helpers.isoBase64URL.toBuffer(credential.id).length;
      if (idBytes === 0 || idBytes > LONGEST_ID_BYTES) throw new Error('The credential id has no usable length.');
      if (credential.publicKey.length > LONGEST_KEY) throw new Error('The public key is too long.');
      return {
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey),
        counter: credential.counter,
        aaguid,
        transports: response.response.transports ?? [],
        deviceType: credentialDeviceType,
        backedUp: credentialBackedUp,
      };
    });
  }

  /**
   * The counter is not judged here: only what is signed may put a passkey under suspicion, and the library looks at the
   * counter before the signature.
   * @returns null for anything that the passkey did not sign, for this challenge, on one of our pages
   */
  async verifyAssertion(
    response: AuthenticationResponseJSON,
    challenge: string,
    publicKey: Buffer,
  ): Promise<Assertion | null> {
    return this.truthOf(async () => {
      const [{ verifyAuthenticationResponse }, helpers] = await Promise.all([loadLibrary(), loadHelpers()]);
      refuseForeignFrame(response, helpers);
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        ...this.expected,
        response,
        expectedChallenge: challenge,
        credential: { id: response.id, publicKey: Uint8Array.from(publicKey), counter: 0 },
      });
      if (!verified) throw new Error('The signature does not verify.');
      return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
    });
  }

  /** The library throws for whatever is wrong, and so do the parsers and ciphers beneath it. */
  private async truthOf<T>(verify: () => Promise<T>): Promise<T | null> {
    try {
      return await verify();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.logger.debug(`A passkey's answer is refused: ${reason.slice(0, 300)}`);
      return null;
    }
  }
}

/** Our page inside a foreign one, which may lie over it: the library takes it where the browser does not name that page. */
function refuseForeignFrame(
  { response }: { response: { clientDataJSON: string } },
  { decodeClientDataJSON }: Helpers,
): void {
  if (decodeClientDataJSON(response.clientDataJSON).crossOrigin) throw new Error('The page was framed by another.');
}

/**
 * Attestation is not asked for. A client that sends one all the same is not believed more for it, and its certificates
 * would have the server fetch revocation lists from addresses of the client's choice.
 */
function withoutAttestation(
  response: RegistrationResponseJSON,
  { decodeAttestationObject, isoBase64URL, isoCBOR }: Helpers,
): RegistrationResponseJSON {
  const sent = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
  const plain = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', sent.get('authData')],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(plain as Parameters<typeof isoCBOR.encode>[0]));
  return { ...response, response: { ...response.response, attestationObject } };
}
