import { StartupError } from '@app/common';

/** @throws StartupError in words when the connection that is awaited cannot be made */
export async function reachable<T>(connecting: Promise<T>): Promise<T> {
  try {
    return await connecting;
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    throw new StartupError(`The Postgres of DATABASE_URL cannot be used: ${message || code || 'no answer'}.`);
  }
}
