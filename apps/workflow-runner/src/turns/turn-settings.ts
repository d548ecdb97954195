import type { AppConfig } from '@app/config';

export const TURN_SETTINGS = Symbol('TURN_SETTINGS');

export interface TurnSettings {
  sweepSeconds: number;
  timeoutSeconds: number;
  eventHours: number;
  sealedSeconds: number;
  traceDays: number;
}

export function toTurnSettings({ leases, turns }: AppConfig): TurnSettings {
  const { sweepSeconds } = leases;
  const { timeoutSeconds, eventHours, sealedSeconds, traceDays } = turns;
  return { sweepSeconds, timeoutSeconds, eventHours, sealedSeconds, traceDays };
}
