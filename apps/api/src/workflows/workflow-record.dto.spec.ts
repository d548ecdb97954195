import type { NodeRow, WorkflowDetail } from '@app/workflows';
import { toNodeRowResponse } from './node-row.dto.js';
import { toWorkflowDetailResponse } from './workflow-record.dto.js';

const row = {
  kind: 'batch',
  batchTotal: null,
  batchCompleted: 0,
  actsAsWithin: [] as NodeRow['actsAsWithin'],
} as NodeRow;
const detail = {
  role: 'runner',
  owner: { username: 'u' },
  nodes: [],
  collaborators: null,
  sharees: null,
  isAsking: null,
};

describe('what goes out of a workflow', () => {
  it('tells batch nodes from others before they have run', () => {
    expect(toNodeRowResponse(row)).toMatchObject({ is_batch_processor: true, progress_percentage: null });
    expect(toNodeRowResponse({ ...row, kind: 'template' })).toMatchObject({ is_batch_processor: false });
  });

  it('lists nobody to the owner of a received app, and nothing to collaborators', () => {
    const owned = toWorkflowDetailResponse(detail as unknown as WorkflowDetail, null);
    expect(owned).toMatchObject({ is_owner: true, can_edit: false, collaborators: [], sharees: [] });
    const seen = toWorkflowDetailResponse({ ...detail, role: 'editor' } as unknown as WorkflowDetail, null);
    expect(seen.is_owner).toBe(false);
    expect(seen).not.toHaveProperty('collaborators');
    expect(seen).not.toHaveProperty('sharees');
  });
});
