import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { McpServer } from './mcp-server.entity.js';

/** A tool as its server last listed it. It is offered to the agent while `acceptedHash` is `definitionHash`. */
@Entity('mcp_tools')
@Index('mcp_tools_server_id_offered_name_key', ['serverId', 'offeredName'], { unique: true })
export class McpTool {
  @PrimaryColumn('int', { primaryKeyConstraintName: 'mcp_tools_pkey' })
  @ForeignKey(() => McpServer, { name: 'mcp_tools_server_id_fkey', onDelete: 'CASCADE' })
  serverId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'mcp_tools_pkey' })
  name: string;

  /** `<slug>__<tool>`, fit for a model: at most 64 letters, digits, `_` and `-`. */
  @Column('text')
  offeredName: string;

  @Column('text', { default: '' })
  title: string;

  @Column('text', { default: '' })
  description: string;

  @Column('jsonb')
  inputSchema: Record<string, unknown>;

  @Column('jsonb', { nullable: true })
  outputSchema: Record<string, unknown> | null;

  @Column('jsonb', { default: {} })
  annotations: Record<string, unknown>;

  /** SHA-256, hexadecimal, of everything above that the server told. */
  @Column('text')
  definitionHash: string;

  /** Null: its owner never saw it. */
  @Column('text', { nullable: true })
  acceptedHash: string | null;

  /** What was accepted, kept while the server tells something else. */
  @Column('jsonb', { nullable: true })
  acceptedDefinition: Record<string, unknown> | null;

  /** The owner's own switch. */
  @Column('boolean', { default: true })
  enabled: boolean;

  /** In the server's order, from 0. */
  @Column('int')
  position: number;

  /** Since when it is as it is. */
  @Column('timestamptz', { default: () => 'now()' })
  changedAt: Date;
}
