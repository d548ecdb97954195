import { Module } from '@nestjs/common';
import { AnswerService } from './answering/answer.service.js';
import { DocumentTerms } from './answering/document-terms.js';
import { ChunkIndex } from './chunk-index/chunk-index.js';
import { QueryPlanner } from './queries/query-planner.js';
import { KeywordSearch } from './search/keyword-search.js';
import { NameSearch } from './search/name-search.js';
import { Neighbours } from './search/neighbours.js';
import { Retriever } from './search/retriever.js';
import { VectorSearch } from './search/vector-search.js';

/** Stands on the app's DatabaseModule, IntegrationsModule and ModelsModule. */
@Module({
  providers: [
    ChunkIndex,
    KeywordSearch,
    VectorSearch,
    NameSearch,
    Retriever,
    Neighbours,
    DocumentTerms,
    QueryPlanner,
    AnswerService,
  ],
  exports: [ChunkIndex, NameSearch, Retriever, AnswerService],
})
export class RetrievalModule {}
