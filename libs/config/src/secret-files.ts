import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';

const MOST_BYTES = 1024 * 1024;

/** The variable that names a file with the value of a secret, as Docker's and others' secrets are handed over. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * A secret, given as the variable itself or as a file that `<NAME>_FILE` names; of the file the last line end is no part.
 * @param complain gets a sentence when both are given, or the file cannot be used; then nothing is returned
 * @returns undefined when neither is set, or set empty
 */
export function readSecret(
  name: string,
  env: NodeJS.ProcessEnv,
  complain: (mistake: string) => void,
): string | undefined {
  const file = env[fileVariable(name)];
  if (!file) return env[name] || undefined;
  if (env[name]) {
    complain(`${name} and ${fileVariable(name)} are both set: set one of them`);
    return undefined;
  }
  const { text, problem } = read(file);
  if (text === undefined) complain(`${fileVariable(name)} names a file that cannot be used (${problem}): ${file}`);
  return text;
}

/** The reason never holds any of the content. */
function read(file: string): { text: string; problem?: never } | { text?: never; problem: string } {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return { problem: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
  if (bytes.length > MOST_BYTES) return { problem: 'it is larger than 1 MB' };
  if (!isUtf8(bytes)) return { problem: 'it is no UTF-8 text' };
  const text = bytes.toString('utf8').replace(/\r?\n$/, '');
  return text === '' ? { problem: 'it is empty' } : { text };
}
