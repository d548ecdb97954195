import { type SpreadsheetsPort, ToolError, type ToolPorts } from '@app/workflow-definition';

const UNAVAILABLE = 'Spreadsheets cannot be read here.';

export function spreadsheetsUnavailable({ spreadsheets }: { readonly spreadsheets?: unknown }): string | null {
  return spreadsheets ? null : UNAVAILABLE;
}

export function requireSpreadsheets({ spreadsheets }: ToolPorts): SpreadsheetsPort {
  if (!spreadsheets) throw new ToolError('spreadsheets_unavailable', UNAVAILABLE, false);
  return spreadsheets;
}
