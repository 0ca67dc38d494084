-- What the owner says. An epsilon that hides nothing shows whether the right question was answered.
CREATE EXTENSION idp;
SELECT idp.protect('customers', 1e12, unit => 'id', delta => 1e-9, repeat => 'forever');
SELECT idp.link('orders', 'customer_id', 'customers', max_rows => 5);
SELECT idp.set_domain('orders', 'status', ARRAY['new', 'paid', 'shipped', 'returned']);
SELECT idp.set_domain('orders', 'ordered_at', '2025-01-01', '2026-01-01', grain => '1 day', zone => 'UTC');
SELECT idp.set_domain('orders', 'amount', 0, 1000);
SELECT idp.set_domain('orders', 'quantity', 1, 5);
ALTER ROLE analyst SET idp.epsilon = 1000;
