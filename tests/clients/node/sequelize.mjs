// Sequelize: models write the statements.
import { DataTypes, Op, Sequelize, col, fn, literal } from 'sequelize';
import { paid, repeated, serve, versionOf } from './client.mjs';

const { PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD } = process.env;
const sequelize = new Sequelize(PGDATABASE, PGUSER, PGPASSWORD, {
  dialect: 'postgres', host: PGHOST, port: Number(PGPORT), logging: false, define: { timestamps: false, underscored: true },
});
const Region = sequelize.define('region', { name: DataTypes.TEXT });
const Customer = sequelize.define('customer', { regionId: DataTypes.INTEGER, active: DataTypes.BOOLEAN });
const Order = sequelize.define('order', {
  customerId: DataTypes.INTEGER, status: DataTypes.TEXT, orderedAt: DataTypes.DATE, amount: DataTypes.DECIMAL, quantity: DataTypes.INTEGER,
});
Order.belongsTo(Customer);
Customer.belongsTo(Region);

const month = fn('date_trunc', 'month', col('ordered_at'));
const all = (options) => Order.findAll({ raw: true, ...options });

await serve({
  version: () => `${versionOf('sequelize')}, ${versionOf('pg')}`,
  tables: async () => (await sequelize.getQueryInterface().showAllTables()).map((table) => table.tableName ?? table)
    .filter((name) => ['regions', 'customers', 'orders'].includes(name)).sort().map((name) => ({ name })),
  columns: async () => Object.entries(await sequelize.getQueryInterface().describeTable('orders'))
    .map(([name, { type, allowNull, primaryKey }]) => ({ name, type, allowNull, primaryKey })),
  choices: () => all({ attributes: [[fn('DISTINCT', col('status')), 'status']], order: ['status'] }),
  probe: async () => [await sequelize.authenticate()].map(() => ({ connected: true })),
  explain: async () => [{ shown: (await sequelize.query('EXPLAIN SELECT "status", count("id") FROM "orders" AS "order" GROUP BY "status"'))[0].length > 0 }],
  count: async () => [{ n: await Order.count() }],
  by_category: () => all({ attributes: ['status', [fn('COUNT', col('id')), 'n'], [fn('SUM', col('amount')), 'revenue']], group: 'status', order: ['status'] }),
  by_month: () => all({ attributes: [[month, 'month'], [fn('COUNT', '*'), 'n']], group: [month], order: [[month, 'ASC']] }),
  average: async () => [{ mean: await Order.aggregate('amount', 'avg', { dataType: 'float' }), size: await Order.aggregate('quantity', 'avg', { dataType: 'float' }) }],
  bins: () => all({ attributes: [[literal('floor("amount" / 100) * 100'), 'bin'], [fn('COUNT', '*'), 'n']], group: 'bin', order: [literal('bin')] }),
  top: () => all({
    attributes: [[col('customer.region.name'), 'name'], [fn('SUM', col('amount')), 'revenue']],
    include: [{ model: Customer, attributes: [], required: true, include: [{ model: Region, attributes: [], required: true }] }],
    group: [col('customer.region.name')], order: [[literal('revenue'), 'DESC']], limit: 3, subQuery: false,
  }),
  persons: async () => [{ n: await Order.count({ distinct: true, col: 'customer_id', where: { quantity: { [Op.gt]: 2 } } }) }],
  parameters: () => repeated(8, async () => {
    const where = { status: ['paid', 'shipped'], amount: { [Op.between]: [100, 900] }, orderedAt: { [Op.gte]: paid[2] } };
    return [{ n: await Order.count({ where }), revenue: await Order.sum('amount', { where }) }];
  }),
  // SUM and COUNT of what is joined
  cursor: () => all({
    attributes: ['status', [fn('COUNT', fn('DISTINCT', col('order.customer_id'))), 'n']],
    include: [{ model: Customer, attributes: [], where: { active: true } }], group: ['status'], order: ['status'],
  }),
  rows: () => Order.findAll({ limit: 10 }),
});
