// knex builds the statements.
import knexOf from 'knex';
import { paid, repeated, serve, versionOf } from './client.mjs';

const { PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD } = process.env;
const knex = knexOf({
  client: 'pg',
  connection: { host: PGHOST, port: Number(PGPORT), database: PGDATABASE, user: PGUSER, password: PGPASSWORD },
  pool: { min: 1, max: 2 },
});
const month = knex.raw("date_trunc('month', ??)", ['ordered_at']);
const bin = knex.raw('floor(?? / ?) * ?', ['amount', 100, 100]);

await serve({
  version: () => `${versionOf('knex')}, ${versionOf('pg')}`,
  tables: async () => [
    { regions: await knex.schema.hasTable('regions'), orders: await knex.schema.hasTable('orders') },
    { nothing: await knex.schema.hasTable('nothing') },
  ],
  columns: async () => Object.entries(await knex('orders').columnInfo()).map(([name, { type, nullable }]) => ({ name, type, nullable })),
  choices: () => knex('orders').distinct('status').orderBy('status'),
  probe: async () => (await knex.raw('? LIMIT 0', [knex('orders').select('status').count('* as n').groupBy('status')])).fields
    .map(({ name, dataTypeID }) => ({ name, dataTypeID })),
  explain: async () => [{ shown: (await knex.raw('EXPLAIN ?', [knex('orders').select('status').count().groupBy('status')])).rows.length > 0 }],
  count: () => knex('orders').count('id as n'),
  by_category: () => knex('orders').select('status').count().sum('amount').groupBy('status').orderBy('status'),
  by_month: () => knex('orders').select({ month }).count('* as n').groupByRaw('1').orderBy('month'),
  average: () => knex('orders').avg({ mean: 'amount', size: 'quantity' }),
  bins: () => knex('orders').select({ bin }).count('* as n').groupBy('bin').orderBy('bin'),
  top: () => knex('orders as o').join('customers as c', 'c.id', 'o.customer_id').join('regions as r', 'r.id', 'c.region_id')
    .select('r.name').sum('o.amount as revenue').groupBy('r.name').orderBy('revenue', 'desc').limit(3),
  persons: () => knex('orders').where('quantity', '>', 2).countDistinct('customer_id as n'),
  parameters: () => repeated(8, () => knex('orders').whereIn('status', ['paid', 'shipped']).andWhereBetween('amount', [100, 900])
    .andWhere('ordered_at', '>=', paid[2]).count('* as n').sum('amount as revenue')),
  // what is shown is counted, page by page
  cursor: async () => {
    const answers = knex('orders').select('status', 'quantity').count('* as n').groupBy('status', 'quantity').as('answers');
    const [{ pages }] = await knex.count('* as pages').from(answers);
    const rows = await knex.select('*').from(answers).orderBy(['status', 'quantity']).limit(7).offset(5);
    return [{ pages }, ...rows];
  },
  rows: () => knex('orders').limit(10),
});
