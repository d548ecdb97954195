import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A periodic task of the deployment and the process that does it for now. */
@Entity('task_leases')
export class TaskLease {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'task_leases_pkey' })
  name: string;

  /** Drawn by each process at its start. */
  @Column('uuid')
  holder: string;

  @Column('timestamptz')
  leasedUntil: Date;
}
