import { Artifacts, type PublishOptions } from '@app/artifacts';
import { Gates } from '@app/entitlements';
import type { ArtifactsPort, PublishedArtifact, Viewer } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { asToolError } from './as-tool-error.js';
import { keyOfNode } from './key-of-node.js';

/** Pages that workflows and agents publish for their person. */
@Injectable()
export class PublishedArtifacts implements ArtifactsPort {
  constructor(
    private readonly artifacts: Artifacts,
    private readonly gates: Gates,
  ) {}

  async publish(
    { userId, workflowId }: Viewer,
    artifact: PublishedArtifact,
    { signal, idempotencyKey, runId }: { signal: AbortSignal; idempotencyKey: string; runId: string },
  ): Promise<{ artifactId: string; version: number }> {
    await asToolError(this.gates.requireFeature(userId, 'dashboards'));
    const options: PublishOptions = { publishKey: idempotencyKey, signal };
    if (workflowId !== undefined) {
      options.workflowId = workflowId;
      // A workflow that runs each day has one page, not one for each day.
      options.artifactKey = keyOfNode(workflowId, runId, idempotencyKey);
    }
    const queries = artifact.queries.map((query) => ({
      ...query,
      params: query.params.map(({ default: value, ...param }) =>
        value === undefined ? param : { ...param, default: value },
      ),
    }));
    return asToolError(this.artifacts.publish(userId, { ...artifact, queries }, options));
  }
}
