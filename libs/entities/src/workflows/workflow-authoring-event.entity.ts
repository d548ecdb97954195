import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WorkflowAuthoringTurn } from './workflow-authoring-turn.entity.js';

/** What was told while a turn was under way, for those who connect again. */
@Entity('workflow_authoring_events')
export class WorkflowAuthoringEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_authoring_events_pkey' })
  @ForeignKey(() => WorkflowAuthoringTurn, { name: 'workflow_authoring_events_turn_id_fkey', onDelete: 'CASCADE' })
  turnId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'workflow_authoring_events_pkey' })
  seq: number;

  @Column('text')
  event: string;

  @Column('jsonb')
  data: Record<string, unknown>;
}
