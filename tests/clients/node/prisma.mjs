// Prisma: a client that is made of a schema; its query compiler writes the statements.
import { PrismaPg } from '@prisma/adapter-pg';
import prisma from '@prisma/client';
import { paid, repeated, serve, versionOf } from './client.mjs';

const { PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD } = process.env;
const adapter = new PrismaPg({ host: PGHOST, port: Number(PGPORT), database: PGDATABASE, user: PGUSER, password: PGPASSWORD });
const client = new prisma.PrismaClient({ adapter, errorFormat: 'minimal' });
const { orders } = client;

// { _sum: { amount } } as a row with amount; its decimals are objects.
function flat(found) {
  return Object.fromEntries(Object.entries(found).flatMap(([name, value]) => {
    if (prisma.Prisma.Decimal.isDecimal(value)) return [[`${name} decimal`, value.toString()]];
    return value !== null && value.constructor === Object ? Object.entries(flat(value)) : [[name, value]];
  }));
}
const raw = async (...template) => (await client.$queryRaw(...template)).map(flat);
const grouped = async (options) => (await orders.groupBy(options)).map(flat);

await serve({
  version: () => `${versionOf('prisma')}, ${versionOf('pg')}`,
  tables: () => raw`SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`,
  columns: () => raw`SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'orders' ORDER BY ordinal_position`,
  choices: () => grouped({ by: ['status'], orderBy: { status: 'asc' } }),
  probe: async () => [{ rows: (await raw`SELECT status, count(*) FROM orders GROUP BY 1 LIMIT 0`).length }],
  explain: async () => [{ shown: (await raw`EXPLAIN SELECT status, count(*) FROM orders GROUP BY 1`).length > 0 }],
  count: async () => [{ n: await orders.count() }],
  by_category: () => grouped({ by: ['status'], _count: { _all: true }, _sum: { amount: true }, orderBy: { status: 'asc' } }),
  by_month: () => raw`SELECT date_trunc('month', ordered_at) AS month, count(*) AS n FROM orders GROUP BY 1 ORDER BY 1`,
  average: async () => [flat((await orders.aggregate({ _avg: { amount: true, quantity: true } }))._avg)],
  bins: () => raw`SELECT floor(amount / 100) * 100 AS bin, count(*) AS n FROM orders GROUP BY 1 ORDER BY 1`,
  top: () => raw`SELECT r.name, sum(o.amount) AS revenue FROM orders o JOIN customers c ON c.id = o.customer_id
    JOIN regions r ON r.id = c.region_id GROUP BY r.name ORDER BY revenue DESC LIMIT ${3}`,
  persons: () => raw`SELECT count(DISTINCT customer_id) AS n FROM orders WHERE quantity > ${2}`,
  parameters: () => repeated(8, async () => [flat(await orders.aggregate({
    where: { status: { in: ['paid', 'shipped'] }, amount: { gte: 100, lte: 900 }, ordered_at: { gte: paid[2] } },
    _count: { _all: true }, _sum: { amount: true },
  }))]),
  cursor: () => grouped({
    by: ['status', 'quantity'], _count: { _all: true }, having: { amount: { _avg: { gt: 10 } } }, orderBy: [{ status: 'asc' }, { quantity: 'asc' }],
  }),
  rows: () => orders.findMany({ take: 10 }),
});
