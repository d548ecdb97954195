import { StartupError } from '@app/common';

/** @throws StartupError naming the setting when the port that is awaited cannot be listened on */
export async function listening<T>(setting: string, port: number, attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'another program has it' : message;
    throw new StartupError(`Port ${port} (${setting}) cannot be listened on: ${reason}.`);
  }
}
