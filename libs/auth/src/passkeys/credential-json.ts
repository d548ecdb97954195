import { isDictionary } from '@app/common';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** What a client sent as a credential, once it has the shape of one, with the challenge that it says it answers. */
export interface Received<C> {
  credential: C;
  challenge: string;
}

/** 1023 bytes, the most that WebAuthn allows, in base64url. */
const LONGEST_ID = 1364;
/** Room for a large attestation, which is not looked at. */
const LONGEST_PART = 65_536;
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

function bytes(value: unknown, longest = LONGEST_PART): string | null {
  return typeof value === 'string' && value.length <= longest && BASE64URL.test(value) ? value : null;
}

function challengeIn(clientDataJSON: string): string | null {
  try {
    const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as unknown;
    return isDictionary(data) ? bytes(data['challenge'], 200) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function envelope(raw: unknown) {
  if (!isDictionary(raw) || !isDictionary(raw['response']) || raw['type'] !== 'public-key') return null;
  const { response } = raw;
  const [id, clientDataJSON] = [bytes(raw['id'], LONGEST_ID), bytes(response['clientDataJSON'])];
  const challenge = clientDataJSON && challengeIn(clientDataJSON);
  if (!id || raw['rawId'] !== id || !clientDataJSON || !challenge) return null;
  const common = { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
  return { response, clientDataJSON, challenge, common };
}

/** The answer of `navigator.credentials.create()` as JSON; null when it is none. Unknown parts are dropped. */
export function readRegistration(raw: unknown): Received<RegistrationResponseJSON> | null {
  const parts = envelope(raw);
  const attestationObject = bytes(parts?.response['attestationObject']);
  if (!parts || !attestationObject) return null;
  const given: unknown[] = Array.isArray(parts.response['transports']) ? parts.response['transports'] : [];
  const transports = TRANSPORTS.filter((transport) => given.includes(transport));
  const response = { clientDataJSON: parts.clientDataJSON, attestationObject, transports };
  return { credential: { ...parts.common, response }, challenge: parts.challenge };
}

/** The answer of `navigator.credentials.get()` as JSON; null when it is none. */
export function readAssertion(raw: unknown): Received<AuthenticationResponseJSON> | null {
  const parts = envelope(raw);
  const authenticatorData = bytes(parts?.response['authenticatorData']);
  const signature = bytes(parts?.response['signature']);
  // Nobody has said who they are, so a key that does not say it either answers somebody else's question.
  const userHandle = bytes(parts?.response['userHandle'], 200);
  if (!parts || !authenticatorData || !signature || !userHandle) return null;
  const response = { clientDataJSON: parts.clientDataJSON, authenticatorData, signature, userHandle };
  return { credential: { ...parts.common, response }, challenge: parts.challenge };
}
