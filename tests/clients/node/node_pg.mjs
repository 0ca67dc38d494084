// node-pg: the driver below most of what is written in JavaScript. It sends what it is given.
import pg from 'pg';
import Cursor from 'pg-cursor';
import { paid, repeated, serve, versionOf } from './client.mjs';

const client = new pg.Client();
await client.connect();
const ask = async (text, values) => (await client.query(text, values)).rows;

await serve({
  version: () => `${versionOf('pg')}, Node.js ${process.versions.node}`,
  tables: () => ask("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"),
  columns: () => ask(`SELECT column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_name = 'orders' ORDER BY ordinal_position`),
  choices: () => ask('SELECT DISTINCT status FROM orders ORDER BY 1'),
  probe: async () => (await client.query('SELECT status, count(*) AS n, avg(amount) FROM orders GROUP BY 1 LIMIT 0')).fields
    .map(({ name, dataTypeID }) => ({ name, dataTypeID })),
  explain: async () => [{ shown: (await ask('EXPLAIN SELECT status, count(*) FROM orders GROUP BY 1')).length > 0 }],
  count: () => ask('SELECT count(*) FROM orders'),
  by_category: () => ask('SELECT status, count(*), sum(amount) FROM orders GROUP BY status ORDER BY status'),
  by_month: () => ask("SELECT date_trunc('month', ordered_at) AS month, count(*)::int AS n FROM orders GROUP BY 1 ORDER BY 1"),
  average: () => ask('SELECT avg(amount), avg(quantity)::float FROM orders'),
  bins: () => ask('SELECT floor(amount / 100) * 100 AS bin, count(*) FROM orders GROUP BY 1 ORDER BY 1'),
  top: () => ask(`SELECT r.name, sum(o.amount) AS revenue FROM orders o JOIN customers c ON c.id = o.customer_id
    JOIN regions r ON r.id = c.region_id GROUP BY r.name ORDER BY revenue DESC LIMIT $1`, [3]),
  persons: () => ask('SELECT count(DISTINCT customer_id) FROM orders WHERE quantity > $1', [2]),
  parameters: () => repeated(12, () => ask({
    name: 'paid',
    text: 'SELECT count(*), sum(amount) FROM orders WHERE status = $1 AND amount >= $2 AND ordered_at >= $3 AND ordered_at < $4',
    values: paid,
  })),
  cursor: async () => {
    const cursor = client.query(new Cursor('SELECT status, quantity, count(*) FROM orders GROUP BY 1, 2 ORDER BY 1, 2'));
    const rows = [];
    for (let some = await cursor.read(3); some.length > 0; some = await cursor.read(3)) rows.push(...some);
    await cursor.close();
    return rows;
  },
  rows: () => ask('SELECT * FROM orders ORDER BY id LIMIT 10'),
});
