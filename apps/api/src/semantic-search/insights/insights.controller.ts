import { CurrentUser, type Principal } from '@app/auth';
import { Summaries } from '@app/retrieval';
import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { untilGone } from '../../http/until-gone.js';
import { InsightsService } from './insights.service.js';
import {
  DocumentQuestionsResponse,
  GenerateSummaryRequest,
  QuestionsRequest,
  QuestionsResponse,
  RewriteSummaryRequest,
  RewrittenSummaryResponse,
  SummariesRequest,
  SummariesResponse,
  SummaryRequestedResponse,
  SummaryResponse,
  toListedSummary,
  toSummaryResponse,
} from './insights.dto.js';

/** Summaries and questions (docs/contract/documents.md#summaries-and-questions). */
@PartOf('core')
@Controller('semantic-search')
export class InsightsController {
  constructor(
    private readonly summaries: Summaries,
    private readonly insights: InsightsService,
  ) {}

  @Post('questions/')
  @Route({
    summary: 'Have questions written that documents answer',
    description: 'Costs a call of the language model. Documents that are not finished are refused.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    response: QuestionsResponse,
  })
  async askAll(
    @CurrentUser() user: Principal,
    @Body() { uids, count, language }: QuestionsRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<QuestionsResponse> {
    const wanted = { uids, count, language: language ?? null };
    const { questions, notFound } = await this.insights.questions(user.userId, wanted, untilGone(response));
    return { questions, not_found: notFound };
  }

  @Post('summaries/')
  @Route({
    summary: 'Look up the summaries of documents',
    description: 'Those that are written already; nothing is started.',
    errors: 'fields',
    scope: 'documents:read',
    response: SummariesResponse,
  })
  async list(@CurrentUser() user: Principal, @Body() { uids }: SummariesRequest): Promise<SummariesResponse> {
    const { found, notFound } = await this.insights.list(user.userId, uids);
    return { summaries: found.map(toListedSummary), not_found: notFound };
  }

  @Post('rewrite-summary/')
  @Route({
    summary: 'Have a summary rewritten',
    description: 'As it is asked for. Costs a call of the language model; what is stored does not change.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    response: RewrittenSummaryResponse,
  })
  async rewrite(
    @CurrentUser() user: Principal,
    @Body() body: RewriteSummaryRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RewrittenSummaryResponse> {
    return { uid: body.uid, ...(await this.insights.rewrite(user.userId, body, untilGone(response))) };
  }

  @Get(':uid/summary/')
  @Route({
    summary: 'Get the summary of a document',
    description: 'As it was written when the document was indexed; nothing is started.',
    scope: 'documents:read',
    response: SummaryResponse,
  })
  async get(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<SummaryResponse> {
    return toSummaryResponse(await this.summaries.get(user, uid));
  }

  @Post(':uid/summary/generate/')
  @Route({
    bodyOptional: true,
    summary: 'Have a document summarised',
    description: 'In the background: poll the summary. 200 when there is one already.',
    errors: 'fields',
    scope: 'chats:write',
    response: SummaryRequestedResponse,
    status: 202,
    alsoAnswers: { 200: SummaryRequestedResponse },
    startsSomething: true,
  })
  async generate(
    @CurrentUser() user: Principal,
    @UuidParam('uid') uid: string,
    @Body() { force, language }: GenerateSummaryRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SummaryRequestedResponse> {
    const { ready } = await this.summaries.request(user, uid, { force, language: language ?? null });
    if (!ready) return { uid, status: 'pending', detail: 'The summary is being written.' };
    response.status(200);
    return { uid, status: 'ready', detail: 'The document has a summary already.' };
  }

  @Get(':uid/questions/')
  @Route({
    summary: 'Get questions that a document answers',
    description: 'Those that were written when it was indexed; nothing is started.',
    scope: 'documents:read',
    response: DocumentQuestionsResponse,
  })
  async questions(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<DocumentQuestionsResponse> {
    const { status, questions, generatedAt } = await this.summaries.get(user, uid);
    return { uid, status, questions, generated_at: generatedAt };
  }
}
