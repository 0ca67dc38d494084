// Cube: a model of cubes, from which queries are compiled to SQL. Its planner in JavaScript: the other one is a binary
// that is not on npm.
import compilers from '@cubejs-backend/schema-compiler';
import { PostgresDriver } from '@cubejs-backend/postgres-driver';
import { repeated, serve, versionOf } from './client.mjs';

const model = `
  cube('regions', {
    sql_table: 'public.regions',
    dimensions: { id: { sql: 'id', type: 'number', primary_key: true }, name: { sql: 'name', type: 'string' } },
  });
  cube('customers', {
    sql_table: 'public.customers',
    joins: { regions: { relationship: 'many_to_one', sql: \`\${CUBE}.region_id = \${regions.id}\` } },
    dimensions: { id: { sql: 'id', type: 'number', primary_key: true } },
  });
  cube('orders', {
    sql_table: 'public.orders',
    joins: { customers: { relationship: 'many_to_one', sql: \`\${CUBE}.customer_id = \${customers.id}\` } },
    measures: {
      count: { type: 'count' },
      revenue: { sql: 'amount', type: 'sum' },
      mean: { sql: 'amount', type: 'avg' },
      customers: { sql: 'customer_id', type: 'count_distinct' },
      paid: { type: 'count', filters: [{ sql: \`\${CUBE}.status = 'paid'\` }] },
      paid_share: { sql: \`100.0 * \${paid} / \${count}\`, type: 'number' },
    },
    dimensions: {
      id: { sql: 'id', type: 'number', primary_key: true },
      status: { sql: 'status', type: 'string' },
      quantity: { sql: 'quantity', type: 'number' },
      amount: { sql: 'amount', type: 'number' },
      bin: { sql: 'floor(amount / 100) * 100', type: 'number' },
      ordered_at: { sql: 'ordered_at', type: 'time' },
    },
  });`;
const files = { localPath: () => '', dataSchemaFiles: async () => [{ fileName: 'model.js', content: model }] };
const { compiler, joinGraph, cubeEvaluator } = compilers.prepareCompiler(files, {
  adapter: 'postgres', nativeInstance: { newJinjaEngine: () => ({}) }, // no templates in the model
});
await compiler.compile();

const { PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD } = process.env;
const driver = new PostgresDriver({
  host: PGHOST, port: Number(PGPORT), database: PGDATABASE, user: PGUSER, password: PGPASSWORD, ssl: undefined,
});

function compiled(query) {
  const options = { timezone: 'UTC', useNativeSqlPlanner: false, ...query };
  return new compilers.PostgresQuery({ joinGraph, cubeEvaluator, compiler }, options).buildSqlAndParams();
}
const ask = (query) => driver.query(...compiled(query));
const by = (id) => [{ id, desc: false }];
const byStatus = { measures: ['orders.count', 'orders.revenue'], dimensions: ['orders.status'], order: by('orders.status') };

await serve({
  version: () => `${versionOf('@cubejs-backend/schema-compiler')}, ${versionOf('pg')}`,
  tables: async () => Object.keys((await driver.tablesSchema()).public).sort().map((name) => ({ name })),
  columns: async () => (await driver.tablesSchema()).public.orders.map(({ name, type }) => ({ name, type })),
  choices: () => ask({ dimensions: ['orders.status'], order: by('orders.status') }),
  probe: async () => [await driver.testConnection()].map(() => ({ connected: true })),
  explain: async () => {
    const [sql, parameters] = compiled(byStatus);
    return [{ shown: (await driver.query(`EXPLAIN ${sql}`, parameters)).length > 0 }];
  },
  count: () => ask({ measures: ['orders.count'] }),
  by_category: () => ask(byStatus),
  by_month: () => ask({
    measures: ['orders.count'],
    timeDimensions: [{ dimension: 'orders.ordered_at', granularity: 'month', dateRange: ['2025-01-01', '2025-12-31'] }],
    order: by('orders.ordered_at'),
  }),
  average: () => ask({ measures: ['orders.mean', 'orders.paid_share'] }),
  bins: () => ask({ measures: ['orders.count'], dimensions: ['orders.bin'], order: by('orders.bin') }),
  top: () => ask({ measures: ['orders.revenue'], dimensions: ['regions.name'], order: [{ id: 'orders.revenue', desc: true }], rowLimit: 3 }),
  persons: () => ask({ measures: ['orders.customers'], filters: [{ member: 'orders.quantity', operator: 'gt', values: ['2'] }] }),
  parameters: () => repeated(8, () => ask({
    measures: ['orders.count', 'orders.revenue'],
    timeDimensions: [{ dimension: 'orders.ordered_at', dateRange: ['2025-03-01', '2025-08-31'] }],
    filters: [{ member: 'orders.status', operator: 'equals', values: ['paid', 'shipped'] }, { member: 'orders.amount', operator: 'gte', values: ['100'] }],
  })),
  cursor: async () => {
    const [sql, parameters] = compiled({ ...byStatus, dimensions: ['orders.status', 'orders.quantity'], order: [...by('orders.status'), ...by('orders.quantity')] });
    const { rowStream, release } = await driver.stream(sql, parameters, { highWaterMark: 3 });
    try {
      const rows = [];
      for await (const row of rowStream) rows.push(row);
      return rows;
    } finally {
      await release();
    }
  },
  rows: () => ask({ dimensions: ['orders.id', 'orders.amount', 'orders.status'], ungrouped: true, rowLimit: 10 }),
});
