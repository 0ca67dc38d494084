// TypeORM: entities and its query builder write the statements.
import 'reflect-metadata';
import { Between, DataSource, EntitySchema, In, MoreThanOrEqual } from 'typeorm';
import { paid, repeated, serve, versionOf } from './client.mjs';

const Region = new EntitySchema({
  name: 'Region', tableName: 'regions',
  columns: { id: { type: 'int', primary: true }, name: { type: 'text' } },
});
const Customer = new EntitySchema({
  name: 'Customer', tableName: 'customers',
  columns: { id: { type: 'int', primary: true }, name: { type: 'text' }, active: { type: 'boolean' } },
  relations: { region: { type: 'many-to-one', target: 'Region', joinColumn: { name: 'region_id' } } },
});
const Order = new EntitySchema({
  name: 'Order', tableName: 'orders',
  columns: {
    id: { type: 'int', primary: true }, status: { type: 'text' }, orderedAt: { type: 'timestamptz', name: 'ordered_at' },
    amount: { type: 'numeric' }, quantity: { type: 'int' },
  },
  relations: { customer: { type: 'many-to-one', target: 'Customer', joinColumn: { name: 'customer_id' } } },
});

const { PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD } = process.env;
const source = await new DataSource({
  type: 'postgres', host: PGHOST, port: Number(PGPORT), database: PGDATABASE, username: PGUSER, password: PGPASSWORD,
  entities: [Region, Customer, Order],
}).initialize();
const orders = source.getRepository(Order);
const built = () => orders.createQueryBuilder('o');

await serve({
  version: () => `${versionOf('typeorm')}, ${versionOf('pg')}`,
  tables: async () => (await source.createQueryRunner().getTables(['public.orders', 'public.regions'])).map(({ name }) => ({ name })),
  columns: async () => (await source.createQueryRunner().getTable('public.orders')).columns
    .map(({ name, type, isNullable }) => ({ name, type, isNullable })),
  choices: () => built().select('o.status', 'status').distinct(true).orderBy('o.status').getRawMany(),
  probe: async () => [{ rows: (await source.query(`${built().select('COUNT(*)', 'n').getQuery()} LIMIT 0`)).length }],
  explain: async () => [{ shown: (await source.query(`EXPLAIN ${built().select('o.status').addSelect('COUNT(*)').groupBy('o.status').getQuery()}`)).length > 0 }],
  count: async () => [{ n: await orders.count() }],
  by_category: () => built().select('o.status', 'status').addSelect('COUNT(o.id)', 'n').addSelect('SUM(o.amount)', 'revenue')
    .groupBy('o.status').orderBy('o.status').getRawMany(),
  by_month: () => built().select("DATE_TRUNC('month', o.ordered_at)", 'month').addSelect('COUNT(*)', 'n')
    .groupBy('month').orderBy('month').getRawMany(),
  average: async () => [{ mean: await orders.average('amount'), size: await orders.average('quantity', { status: 'paid' }) }],
  bins: () => built().select('FLOOR(o.amount / 100) * 100', 'bin').addSelect('COUNT(*)', 'n').groupBy('bin').orderBy('bin').getRawMany(),
  top: () => built().innerJoin('o.customer', 'c').innerJoin('c.region', 'r').select('r.name', 'name')
    .addSelect('SUM(o.amount)', 'revenue').groupBy('r.name').orderBy('revenue', 'DESC').limit(3).getRawMany(),
  persons: () => built().select('COUNT(DISTINCT o.customer_id)', 'n').where('o.quantity > :least', { least: 2 }).getRawMany(),
  parameters: () => repeated(8, async () => {
    const where = { status: In(['paid', 'shipped']), amount: Between(100, 900), orderedAt: MoreThanOrEqual(paid[2]) };
    return [{ n: await orders.countBy(where), revenue: await orders.sum('amount', where) }];
  }),
  cursor: async () => [
    { joined: await built().innerJoin('o.customer', 'c').where('c.active = true').getCount() },
  ],
  rows: () => orders.find({ take: 10 }),
});
