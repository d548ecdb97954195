import { CurrentUser, type Principal } from '@app/auth';
import { AgentMessages, OpenQuestions, WorkflowAccess } from '@app/workflows';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import {
  AgentMessageRequest,
  AgentMessageResponse,
  QuestionResponse,
  toQuestionResponse,
} from './agent-message.dto.js';

@ApiTags('Workflow runs')
@PartOf('flowapps')
@Controller('microservices/workflow')
export class ConversationController {
  constructor(
    private readonly messages: AgentMessages,
    private readonly questions: OpenQuestions,
    private readonly access: WorkflowAccess,
  ) {}

  @Post('agent-message/')
  @Route({
    summary: "Answer a node's question",
    description:
      'Only the first answer to a question is taken: 409 `node_not_waiting` with `node_status` for the others, and after the deadline.',
    errors: { 400: 'fields+error', 404: 'detail', 409: 'detail' },
    scope: 'workflows:run',
    response: AgentMessageResponse,
  })
  async answer(@CurrentUser() viewer: Principal, @Body() body: AgentMessageRequest): Promise<AgentMessageResponse> {
    const { workflow_id, node_id } = body;
    const nodeStatus = await this.messages.send(viewer, {
      workflowId: workflow_id,
      executionId: node_id,
      message: body.message,
      answers: body.answers ?? null,
      attachedFiles: body.attached_files ?? [],
      clientMessageId: body.client_message_id ?? null,
      questionId: body.question_id ?? null,
    });
    return { status: 'accepted', workflow_id, node_id, node_status: nodeStatus };
  }

  @Get(':id/questions/')
  @Route({
    summary: 'List the questions that wait for an answer',
    description: 'Of every active run of the workflow, those that other runs started included.',
    scope: 'workflows:read',
    response: [QuestionResponse],
  })
  async list(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<QuestionResponse[]> {
    await this.access.require(viewer.userId, id, 'see');
    return (await this.questions.list(id)).map(toQuestionResponse);
  }
}
