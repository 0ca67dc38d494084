// postgres.js: statements are templates, whose values are parameters of prepared statements.
import postgres from 'postgres';
import { paid, repeated, serve, versionOf } from './client.mjs';

const { PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD, PGAPPNAME } = process.env;
const sql = postgres({
  host: `${PGHOST}/.s.PGSQL.${PGPORT}`, port: Number(PGPORT), path: `${PGHOST}/.s.PGSQL.${PGPORT}`, database: PGDATABASE,
  username: PGUSER, password: PGPASSWORD, max: 1, connection: { application_name: PGAPPNAME }, onnotice: () => {},
});
const revenue = sql`sum(o.amount) AS revenue`;

await serve({
  version: () => `${versionOf('postgres')}, Node.js ${process.versions.node}`,
  tables: () => sql`SELECT table_name FROM information_schema.tables WHERE table_schema = ${'public'} ORDER BY 1`,
  columns: () => sql`SELECT column_name, udt_name FROM information_schema.columns WHERE table_name = ${'orders'}
    ORDER BY ordinal_position`,
  choices: () => sql`SELECT DISTINCT status FROM orders ORDER BY 1`,
  // asks the server for the columns of a statement, and runs nothing
  probe: async () => (await sql`SELECT status, count(*) AS n, avg(amount) FROM orders GROUP BY 1`.describe()).columns
    .map(({ name, type }) => ({ name, type })),
  explain: async () => [{ shown: (await sql`EXPLAIN SELECT status, count(*) FROM orders GROUP BY 1`).length > 0 }],
  count: () => sql`SELECT count(*) FROM orders`,
  by_category: () => sql`SELECT status, count(*), sum(amount) FROM orders GROUP BY status ORDER BY status`,
  by_month: () => sql`SELECT date_trunc('month', ordered_at) AS month, count(*)::int FROM orders GROUP BY 1 ORDER BY 1`,
  average: () => sql`SELECT avg(amount), avg(quantity)::float FROM orders`,
  bins: () => sql`SELECT floor(amount / ${100}) * 100 AS bin, count(*) FROM orders GROUP BY 1 ORDER BY 1`,
  top: () => sql`SELECT r.name, ${revenue} FROM orders o JOIN customers c ON c.id = o.customer_id
    JOIN regions r ON r.id = c.region_id GROUP BY r.name ORDER BY revenue DESC LIMIT ${3}`,
  persons: () => sql`SELECT count(DISTINCT customer_id) FROM orders WHERE quantity > ${2}`,
  parameters: () => repeated(12, () => sql`SELECT count(*), sum(amount) FROM orders
    WHERE status IN ${sql(['paid', 'shipped'])} AND amount >= ${paid[1]} AND ordered_at >= ${paid[2]} AND ordered_at < ${paid[3]}`),
  cursor: async () => {
    const rows = [];
    await sql`SELECT status, quantity, count(*) FROM orders GROUP BY 1, 2 ORDER BY 1, 2`.cursor(3, (some) => rows.push(...some));
    return rows;
  },
  rows: () => sql`SELECT * FROM ${sql('orders')} ORDER BY id LIMIT 10`,
});
