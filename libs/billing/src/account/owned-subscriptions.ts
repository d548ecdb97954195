import { ErasureRegistry, type ExportedColumns, exportedRow, type ExportedFile, type OwnedData } from '@app/erasure';
import { Subscriptions } from '@app/integrations';
import {
  countSubscriptionsOf,
  forgetReasons,
  listCustomersOf,
  listExportedSubscriptions,
  listForgettableCustomers,
  SUBSCRIPTION_COLUMNS,
} from '@app/entitlements';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { forgetTestCustomers } from '../test-processor/test-customers.js';

const INVOICES: ExportedColumns = {
  table: 'billing_test_invoices',
  exported: [
    'number',
    'status',
    'description',
    'plan_code',
    'period',
    'seats',
    'amount',
    'currency',
    'coupon_code',
    'period_start',
    'period_end',
    'created_at',
    'paid_at',
  ],
  withheld: { id: 'opens its page', subscription_id: 'of the processor alone' },
};

/**
 * What is paid for ends first, before there is anything missing that it could be paid for. Rows and invoices stay, as
 * books have to, without the person: the account's number goes with the account, the address here.
 */
@Injectable()
export class OwnedSubscriptions implements OwnedData, OnModuleInit {
  readonly name = 'subscription';
  readonly tables = [
    'subscriptions',
    'billing_test_customers',
    'billing_test_checkouts',
    'billing_test_subscriptions',
    'billing_test_invoices',
    'billing_test_portals',
  ];
  readonly columns = [SUBSCRIPTION_COLUMNS, INVOICES];
  readonly order = 10;

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
    private readonly subscriptions: Subscriptions,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  countFor(userId: number): Promise<number> {
    return countSubscriptionsOf(this.dataSource, userId);
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    await this.subscriptions.endFor(userId);
    await forgetReasons(tx, userId);
    // Also where another processor takes the payments by now.
    const customers = await listForgettableCustomers(tx, userId);
    await forgetTestCustomers(
      tx,
      customers.map(({ customer }) => customer),
    );
    return 0;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const subscriptions = await listExportedSubscriptions(this.dataSource, userId);
    if (subscriptions.length === 0) return;
    yield { path: 'subscriptions.json', content: JSON.stringify(subscriptions, null, 2) };
    const customers = await listCustomersOf(this.dataSource, userId);
    const invoices = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(INVOICES, 'i')} AS row FROM billing_test_invoices i
       JOIN billing_test_subscriptions s ON s.id = i.subscription_id WHERE s.customer_id = ANY($1) ORDER BY i.created_at, i.id`,
      [customers],
    );
    if (invoices.length === 0) return;
    const rows = invoices.map(({ row }) => row);
    yield { path: 'invoices.json', content: JSON.stringify(rows, null, 2) };
  }
}
