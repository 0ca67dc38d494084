-- The picture of the README: what a month's bar of a dashboard shows, plain, private at epsilon 0.1, and refined to 1.
-- scripts/picture.sh runs it and keeps what it prints, an SVG.
CREATE EXTENSION idp;
CREATE TABLE orders (id int PRIMARY KEY, day date NOT NULL);
INSERT INTO orders
SELECT i, date '2025-01-01' + (365 * ((i * 0.618034) % 1) ^ 0.8)::int % 365 FROM generate_series(1, 1200) i;

CREATE TEMP TABLE bar AS
SELECT month, count(*)::int AS plain, dp_count(0.1, 'orders of month ' || month)::int AS coarse
FROM (SELECT extract(month FROM day)::int AS month FROM orders) o GROUP BY month;
ALTER TABLE bar ADD fine int;
UPDATE bar SET fine = idp.relax('orders of month ' || month, 1)::int;

-- Three bars a month, 200 units of the picture high for 160 orders.
WITH shape (place, color, label) AS
  (VALUES (0, '#8a8f98', 'plain count(*)'), (1, '#e0a458', 'private at epsilon 0.1'), (2, '#2f6f9f', 'the same answer, refined to 1')),
value AS
  (SELECT month, place, color, greatest(CASE place WHEN 0 THEN plain WHEN 1 THEN coarse ELSE fine END, 0) * 1.25 AS height
   FROM bar CROSS JOIN shape)
SELECT '<svg xmlns="http://www.w3.org/2000/svg" width="760" height="290" viewBox="0 0 760 290" font-family="sans-serif" font-size="13">'
UNION ALL SELECT '<title>Orders of each month: plain, private at epsilon 0.1, and refined to epsilon 1</title>'
UNION ALL SELECT '<rect width="760" height="290" fill="#ffffff"/>'
UNION ALL
SELECT format('<path d="M40 %s H750" stroke="#dddddd"/><text x="34" y="%s" text-anchor="end" fill="#555555">%s</text>',
              250 - n * 1.25, 254 - n * 1.25, n)
FROM generate_series(0, 150, 50) n
UNION ALL
(SELECT format('<rect x="%s" y="%s" width="15" height="%s" fill="%s"/>', 50 + (month - 1) * 59 + place * 16, 250 - height, height, color)
 FROM value ORDER BY month, place)
UNION ALL
(SELECT format('<text x="%s" y="268" text-anchor="middle" fill="#555555">%s</text>',
               73 + (month - 1) * 59, to_char(make_date(2025, month, 1), 'Mon'))
 FROM bar ORDER BY month)
UNION ALL
(SELECT format('<rect x="%s" y="10" width="12" height="12" fill="%s"/><text x="%s" y="21" fill="#333333">%s</text>',
               50 + place * 190, color, 68 + place * 190, label)
 FROM shape ORDER BY place)
UNION ALL SELECT '</svg>';
