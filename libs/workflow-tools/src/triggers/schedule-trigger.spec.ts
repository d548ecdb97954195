import type { ToolContext } from '@app/workflow-definition';
import { scheduleTriggerTool } from './schedule-trigger.tool.js';

const slot = {
  id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  name: 'Nightly',
  slot_time: '2026-10-25T00:30:00.000Z',
  timezone: 'Europe/Berlin',
  source: 'due',
};

const now = () => Date.parse('2026-06-01T12:00:00Z');

async function outputOf(payload: Record<string, unknown> | null, params: Record<string, unknown> = {}) {
  const result = await scheduleTriggerTool.run(params, { payload, now } as ToolContext);
  return 'output' in result ? result.output : null;
}

describe('the schedule trigger', () => {
  it('hands on the slot and the payload', async () => {
    expect(await outputOf({ report: 'sales', _schedule: slot })).toEqual({
      slot_time: '2026-10-25T00:30:00.000Z',
      local_time: '2026-10-25T02:30:00+02:00',
      timezone: 'Europe/Berlin',
      schedule_id: slot.id,
      schedule_name: 'Nightly',
      payload: { report: 'sales' },
    });
    const later = { ...slot, slot_time: '2026-10-25T01:30:00.000Z' };
    expect(await outputOf({ _schedule: later })).toMatchObject({ local_time: '2026-10-25T02:30:00+01:00' });
    expect(await outputOf({ _schedule: { ...slot, timezone: 'UTC' } })).toMatchObject({
      local_time: '2026-10-25T00:30:00+00:00',
    });
  });

  it('stands in with the present time and the sample when the run was started by hand', async () => {
    expect(await outputOf(null, { sample: { report: 'test' } })).toEqual({
      slot_time: '2026-06-01T12:00:00.000Z',
      local_time: '2026-06-01T12:00:00+00:00',
      timezone: 'UTC',
      schedule_id: null,
      schedule_name: null,
      payload: { report: 'test' },
    });
  });

  it('believes nothing that only looks like a slot', async () => {
    for (const forged of [{ ...slot, timezone: 'Mars/Base' }, { ...slot, slot_time: 'soon' }, 'x', null])
      expect(await outputOf({ _schedule: forged })).toMatchObject({ schedule_id: null, timezone: 'UTC' });
  });
});
