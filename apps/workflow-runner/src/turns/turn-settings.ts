import type { AppConfig } from '@app/config';

export const TURN_SETTINGS = Symbol('TURN_SETTINGS');

export interface TurnSettings {
  leaseSeconds: number;
  heartbeatSeconds: number;
  sweepSeconds: number;
  timeoutSeconds: number;
  eventHours: number;
  sealedSeconds: number;
}

export function toTurnSettings({ leases, turns }: AppConfig): TurnSettings {
  const { leaseSeconds, heartbeatSeconds, sweepSeconds } = leases;
  const { timeoutSeconds, eventHours, sealedSeconds } = turns;
  return { leaseSeconds, heartbeatSeconds, sweepSeconds, timeoutSeconds, eventHours, sealedSeconds };
}
