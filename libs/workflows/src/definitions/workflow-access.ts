import { decideWorkflowAccess, findWorkflowRole, type WorkflowRole } from '@app/access';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** The gate that every use of a workflow by a signed-in user goes through. */
@Injectable()
export class WorkflowAccess {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * @param trashed looks in the trash instead of outside it.
   * @returns the user's role. @throws NotFoundError without access, ForbiddenError with too little of it.
   */
  async require(
    userId: number,
    workflowId: string,
    needed: WorkflowRole,
    options: { trashed?: boolean } = {},
  ): Promise<WorkflowRole> {
    const role = await findWorkflowRole(this.dataSource, userId, workflowId, options);
    decideWorkflowAccess(role, needed);
    return role;
  }
}
