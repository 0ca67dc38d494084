// Malloy: a model of sources, from which queries are compiled to SQL, in stages.
import { SingleConnectionRuntime } from '@malloydata/malloy';
import { PostgresConnection } from '@malloydata/db-postgres';
import { repeated, serve, versionOf } from './client.mjs';

const { PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD } = process.env;
const connection = new PostgresConnection({
  name: 'postgres', host: PGHOST, port: Number(PGPORT), databaseName: PGDATABASE, username: PGUSER, password: PGPASSWORD,
});
const runtime = new SingleConnectionRuntime({ connection });
const model = runtime.loadModel(`
  source: regions is postgres.table('public.regions') extend { primary_key: id }
  source: customers is postgres.table('public.customers') extend {
    primary_key: id
    join_one: regions with region_id
    measure: customer_count is count()
  }
  source: orders is postgres.table('public.orders') extend {
    primary_key: id
    join_one: customers with customer_id
    dimension: bin is floor(amount / 100) * 100
    measure: order_count is count(), revenue is amount.sum(), mean is amount.avg()
    measure: paid_count is count() { where: status = 'paid' }
    view: by_status is { group_by: status aggregate: order_count, revenue order_by: status }
  }
`);
const ask = async (query) => (await model.loadQuery(`run: ${query}`).run()).data.toObject();

await serve({
  version: () => `${versionOf('@malloydata/malloy')}, ${versionOf('pg')}`,
  tables: async () => ['regions', 'customers', 'orders'].map((name) => ({ name })),
  columns: async () => (await model.getModel()).getExploreByName('orders').intrinsicFields
    .filter((field) => field.isAtomicField()).map(({ name, type }) => ({ name, type })),
  choices: () => ask('orders -> { group_by: status order_by: status }'),
  probe: async () => [{ sql: (await model.loadQuery('run: orders -> by_status').getSQL()).length > 0 }],
  explain: async () => [{ shown: (await connection.runSQL(`EXPLAIN ${await model.loadQuery('run: orders -> by_status').getSQL()}`)).rows.length > 0 }],
  count: () => ask('orders -> { aggregate: order_count }'),
  by_category: () => ask('orders -> by_status'),
  by_month: () => ask('orders -> { group_by: start is ordered_at.month aggregate: order_count order_by: start }'),
  average: () => ask('orders -> { aggregate: mean, size is quantity.avg() }'),
  bins: () => ask('orders -> { group_by: bin aggregate: order_count order_by: bin }'),
  top: () => ask('orders -> { group_by: customers.regions.name aggregate: revenue order_by: revenue desc limit: 3 }'),
  persons: () => ask('orders -> { aggregate: n is count(customer_id) where: quantity > 2 }'),
  parameters: () => repeated(8, () => ask(`orders -> {
    aggregate: order_count, revenue
    where: status = 'paid' | 'shipped', amount >= 100 and amount <= 900, ordered_at >= @2025-03-01 }`)),
  // a second stage, and a share of the whole
  cursor: () => ask(`orders -> { group_by: status aggregate: order_count, paid_count }
    -> { group_by: status aggregate: n is order_count.sum() calculate: first is rank() order_by: status }`),
  rows: () => ask('orders -> { select: * limit: 10 }'),
});
