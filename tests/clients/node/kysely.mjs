// Kysely builds the statements.
import { Kysely, PostgresDialect, sql } from 'kysely';
import Cursor from 'pg-cursor';
import pg from 'pg';
import { paid, repeated, serve, versionOf } from './client.mjs';

const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ max: 1 }), cursor: Cursor }) });
const orders = () => db.selectFrom('orders');
const month = sql`date_trunc('month', ordered_at)`.as('month');
const bin = sql`floor(amount / ${100}) * ${100}`.as('bin');
const { countAll, sum, avg, count } = db.fn;
const byCategory = () => orders().select(['status', countAll().as('n'), sum('amount').as('revenue')]).groupBy('status');

await serve({
  version: () => `${versionOf('kysely')}, ${versionOf('pg')}`,
  tables: async () => (await db.introspection.getTables()).filter(({ schema }) => schema === 'public').map(({ name }) => ({ name })),
  columns: async () => (await db.introspection.getTables()).find(({ name }) => name === 'orders').columns
    .map(({ name, dataType, isNullable }) => ({ name, dataType, isNullable })),
  choices: () => orders().select('status').distinct().orderBy('status').execute(),
  probe: async () => [{ rows: (await db.selectFrom(byCategory().as('q')).selectAll().limit(0).execute()).length }],
  explain: async () => [{ shown: (await byCategory().explain()).length > 0 }],
  count: () => orders().select(countAll().as('n')).execute(),
  by_category: () => byCategory().orderBy('status').execute(),
  by_month: () => orders().select([month, countAll().as('n')]).groupBy('month').orderBy('month').execute(),
  average: () => orders().select([avg('amount').as('mean'), avg('quantity').as('size')]).execute(),
  bins: () => orders().select([bin, countAll().as('n')]).groupBy('bin').orderBy('bin').execute(),
  top: () => db.selectFrom('orders as o').innerJoin('customers as c', 'c.id', 'o.customer_id').innerJoin('regions as r', 'r.id', 'c.region_id')
    .select(['r.name', sum('o.amount').as('revenue')]).groupBy('r.name').orderBy('revenue', 'desc').limit(3).execute(),
  persons: () => orders().select(count('customer_id').distinct().as('n')).where('quantity', '>', 2).execute(),
  parameters: () => repeated(8, () => orders().select([countAll().as('n'), sum('amount').filterWhere('quantity', '>', 2).as('revenue')])
    .where('status', 'in', ['paid', 'shipped']).where('amount', '>=', 100).where('ordered_at', '>=', paid[2]).execute()),
  cursor: async () => {
    const rows = [];
    for await (const row of orders().select(['status', 'quantity', countAll().as('n')]).groupBy(['status', 'quantity'])
      .orderBy('status').orderBy('quantity').stream(3)) rows.push(row);
    return rows;
  },
  rows: () => orders().selectAll().limit(10).execute(),
});
