// Drizzle: tables in TypeScript's terms, and statements close to SQL.
import { and, asc, avg, between, count, countDistinct, desc, eq, gt, gte, inArray, sql, sum } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { boolean, integer, numeric, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { paid, repeated, serve, versionOf } from './client.mjs';

const regions = pgTable('regions', { id: integer('id').primaryKey(), name: text('name').notNull() });
const customers = pgTable('customers', {
  id: integer('id').primaryKey(), regionId: integer('region_id').notNull(), active: boolean('active').notNull(),
});
const orders = pgTable('orders', {
  id: integer('id').primaryKey(), customerId: integer('customer_id').notNull(), status: text('status').notNull(),
  orderedAt: timestamp('ordered_at', { withTimezone: true }).notNull(), amount: numeric('amount').notNull(),
  quantity: integer('quantity').notNull(),
});
const db = drizzle({ client: new pg.Pool({ max: 1 }), schema: { regions, customers, orders } });

const month = sql`date_trunc('month', ${orders.orderedAt})`.mapWith(orders.orderedAt).as('month');
const bin = sql`floor(${orders.amount} / 100) * 100`.as('bin');
const revenue = sum(orders.amount).as('revenue');
const byCategory = () => db.select({ status: orders.status, n: count(), revenue }).from(orders).groupBy(orders.status);
const prepared = db.select({ n: count(), revenue: sum(orders.amount).mapWith(Number) }).from(orders)
  .where(and(eq(orders.status, sql.placeholder('status')), gte(orders.amount, sql.placeholder('least')), gte(orders.orderedAt, paid[2])))
  .prepare('paid');

await serve({
  version: () => `${versionOf('drizzle-orm')}, ${versionOf('pg')}`,
  tables: async () => (await db.execute(sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)).rows,
  columns: async () => (await db.execute(sql`SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = 'orders'::regclass AND attnum > 0 ORDER BY attnum`)).rows,
  choices: () => db.selectDistinct({ status: orders.status }).from(orders).orderBy(orders.status),
  probe: async () => (await db.execute(sql`${byCategory()} LIMIT 0`)).fields.map(({ name, dataTypeID }) => ({ name, dataTypeID })),
  explain: async () => [{ shown: (await db.execute(sql`EXPLAIN ${byCategory()}`)).rows.length > 0 }],
  count: async () => [{ n: await db.$count(orders) }],
  by_category: () => byCategory().orderBy(asc(orders.status)),
  by_month: () => db.select({ month, n: count() }).from(orders).groupBy(month).orderBy(month),
  average: () => db.select({ mean: avg(orders.amount), size: avg(orders.quantity).mapWith(Number) }).from(orders),
  bins: () => db.select({ bin, n: count() }).from(orders).groupBy(bin).orderBy(bin),
  top: () => db.select({ name: regions.name, revenue }).from(orders).innerJoin(customers, eq(customers.id, orders.customerId))
    .innerJoin(regions, eq(regions.id, customers.regionId)).groupBy(regions.name).orderBy(desc(revenue)).limit(3),
  persons: () => db.select({ n: countDistinct(orders.customerId) }).from(orders).where(gt(orders.quantity, 2)),
  parameters: () => repeated(12, () => prepared.execute({ status: 'paid', least: '100' })),
  cursor: () => {
    const bought = db.$with('bought').as(db.select({ status: orders.status, n: count().as('n') }).from(orders)
      .where(and(inArray(orders.status, ['paid', 'shipped', 'new']), between(orders.amount, '0', '500'))).groupBy(orders.status));
    return db.with(bought).select({ status: bought.status, share: sql`${bought.n} / sum(${bought.n}) OVER ()` }).from(bought).orderBy(bought.status);
  },
  rows: () => db.query.orders.findMany({ limit: 10 }),
});
