import { ValidationError } from '@app/common';
import { isSecretName } from '@app/workflow-definition';

/** Shorter ones could not be taken out of outputs without blotting out ordinary text. */
export const MIN_SECRET_LENGTH = 6;
/** In UTF-8: a PEM key with its chain fits. */
export const MAX_SECRET_BYTES = 16 * 1024;

/** @throws ValidationError */
export function requireSecretName(name: string): void {
  if (!isSecretName(name))
    throw new ValidationError({ name: ['Enter a letter, then up to 63 letters, digits and underscores.'] });
}

/** @throws ValidationError */
export function requireUsableValue(value: string): void {
  if (value.length < MIN_SECRET_LENGTH) refuse(`Ensure this field has at least ${MIN_SECRET_LENGTH} characters.`);
  if (Buffer.byteLength(value) > MAX_SECRET_BYTES) refuse(`Ensure this field has at most ${MAX_SECRET_BYTES} bytes.`);
  // Lone halves of surrogate pairs would come back as another text.
  if (/[\uD800-\uDFFF]/u.test(value) || value.includes('\0')) refuse('Not a valid string.');
}

function refuse(message: string): never {
  throw new ValidationError({ value: [message] });
}
