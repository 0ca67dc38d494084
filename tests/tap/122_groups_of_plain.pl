# An answer has the groups that the plain statement has where every key has rows: what conditions and joins say of
# public tables holds of keys, too, however deep the rewritten rows lie, and keys that are computed are no more than
# those that can be. A second reading is free.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('groups_of_plain', 'jit = off', "shared_preload_libraries = 'idp'", "timezone = 'UTC'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE owner LOGIN;
CREATE ROLE analyst LOGIN;
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE countries (code text PRIMARY KEY, continent text NOT NULL);
INSERT INTO countries VALUES ('DE', 'Europe'), ('PL', 'Europe'), ('FR', 'Europe'), ('PE', 'America');
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL, country text NOT NULL REFERENCES countries);
INSERT INTO regions VALUES (1, 'north', 'DE'), (2, 'south', 'DE'), (3, 'east', 'PL'),
  (4, 'west', 'FR'), (5, 'coast', 'PE');
CREATE TABLE customers (id int PRIMARY KEY, region_id int NOT NULL REFERENCES regions,
  area int NOT NULL REFERENCES regions, segment text NOT NULL, born date NOT NULL, signed_up date NOT NULL);
INSERT INTO customers SELECT i, 1 + i % 5, 1 + i % 5, (ARRAY['home', 'office'])[1 + i / 5 % 2],
  date '1950-01-01' + i * 37 % 20000, date '2024-01-01' + i * 37 % 366 FROM generate_series(1, 2000) i;
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, status text NOT NULL, day
  date NOT NULL, shipped date NOT NULL, at timestamptz NOT NULL, amount numeric(10, 2) NOT NULL, quantity int NOT NULL);
INSERT INTO orders SELECT row_number() OVER (ORDER BY c, n), c, (ARRAY['new', 'paid'])[1 + (c / 10 + n) % 2], day,
  day + (c / 10 + n) % 7, day + interval '3 hours', (c * 131 + n * 7919) % 1000 + 0.5, 1 + (c / 20 + n) % 5
FROM (SELECT c, n, date '2025-01-01' + (c * 7 + n * 61) % 360 AS day
  FROM generate_series(1, 2000) c, generate_series(1, 5) n) x;
GRANT SELECT ON countries, regions, customers, orders TO analyst;
RESET ROLE;
SET ROLE owner;
SELECT idp.protect('customers', 1e12, unit => 'id', delta => 0.1, repeat => 'forever'),
  idp.link('orders', 'customer_id', 'customers', max_rows => 5);
SELECT idp.set_domain('customers', 'area', 1, 5), idp.set_domain('customers', 'segment', ARRAY['home', 'office']),
  idp.set_domain('customers', 'born', '1950-01-01', '2005-01-01'),
  idp.set_domain('customers', 'signed_up', '2024-01-01', '2024-12-31'),
  idp.set_domain('orders', 'status', ARRAY['new', 'paid']), idp.set_domain('orders', 'day', '2025-01-01', '2025-12-26'),
  idp.set_domain('orders', 'shipped', '2025-01-01', '2026-01-01'),
  idp.set_domain('orders', 'at', '2025-01-01', '2025-12-27', grain => '1 day', zone => 'UTC'),
  idp.set_domain('orders', 'amount', 0, 999.99), idp.set_domain('orders', 'quantity', 1, 5);
SQL
my $a = session($node);
$a->value('SET ROLE analyst; SET idp.epsilon = 1000');
$_->{quiet} = 1 foreach $s, $a;

my $joined = 'orders o JOIN customers c ON c.id = o.customer_id JOIN regions r ON r.id = c.region_id';
my $by_area = 'orders o JOIN customers c ON c.id = o.customer_id JOIN regions r ON r.id = c.area';
my $snowflake = "$joined JOIN countries k ON k.code = r.country";

sub spent { return $s->value('RESET ROLE; SELECT sum(spent) FROM idp.budget') }

# The first columns of rows, in an order of their own.
sub keys_of
{
	my ($printed, $keys) = @_;
	return join "\n", sort map { join '|', (split /\|/, $_, -1)[ 0 .. $keys - 1 ] } split /\n/, $printed;
}

sub has_groups_of_plain
{
	my ($keys, $sql) = @_;
	$s->value('SET ROLE owner');
	my $true = keys_of($s->value($sql), $keys);
	my $got = $a->run($sql);
	is($got->{message} // keys_of($got->{out}, $keys), $true, "groups of $sql");
	my $before = spent();
	is($a->run($sql)->{out}, $got->{out}, 'the same again');
	is(spent(), $before, '  for nothing');
	return;
}

# --- conditions on public tables, and on columns that refer to them ---

foreach my $answer ('sum(o.amount)', 'count(*)', 'count(DISTINCT c.id)',
	'percentile_cont(0.5) WITHIN GROUP (ORDER BY o.amount)')
{
	has_groups_of_plain(1, "SELECT r.name, $answer FROM $joined WHERE r.country = 'DE' GROUP BY r.name");
	has_groups_of_plain(1, "SELECT r.name, $answer FROM $joined WHERE c.region_id IN (1, 4) GROUP BY r.name");
	has_groups_of_plain(1, "SELECT r.name, $answer FROM $joined AND r.country = 'PL' GROUP BY r.name");
	has_groups_of_plain(2, "SELECT c.area, r.name, $answer FROM $by_area GROUP BY c.area, r.name");
	has_groups_of_plain(1, "SELECT r.name, $answer FROM $snowflake WHERE k.continent = 'America' GROUP BY r.name");
}
has_groups_of_plain(1, "SELECT r.country, sum(o.amount) FROM $joined WHERE c.region_id < 3 GROUP BY 1");
has_groups_of_plain(2,
	"SELECT r.name, o.status, sum(o.amount) FROM $joined WHERE r.country = 'DE' AND o.status = 'new' GROUP BY 1, 2");
has_groups_of_plain(2, "SELECT k.continent, r.name, count(*) FROM $snowflake WHERE r.id > 2 GROUP BY 1, 2");
has_groups_of_plain(1,
	"SELECT name, sum(amount) FROM (SELECT o.amount, r.* FROM $joined) v WHERE country = 'DE' GROUP BY name");
has_groups_of_plain(1,
	"SELECT v.name, sum(o.amount) FROM orders o JOIN (SELECT c.id, r.name, r.country FROM customers c "
	. "JOIN regions r ON r.id = c.region_id WHERE r.id <> 2) v ON v.id = o.customer_id WHERE v.country = 'DE' "
	. "GROUP BY v.name");
has_groups_of_plain(1,
	"WITH v AS MATERIALIZED (SELECT c.id, r.name FROM customers c JOIN regions r ON r.id = c.region_id "
	. "WHERE r.country = 'DE') SELECT v.name, sum(o.amount) FROM orders o JOIN v ON v.id = o.customer_id "
	. "GROUP BY 1");
has_groups_of_plain(2,
	"SELECT r.name, floor(o.amount / 500), count(*) FROM $joined WHERE r.country = 'DE' GROUP BY 1, 2");
has_groups_of_plain(1, "SELECT r.name, sum(o.amount) FROM orders o, customers c, regions r "
	  . "WHERE o.customer_id = c.id AND r.id = c.region_id AND r.country = ANY (ARRAY['PL', 'FR']) GROUP BY 1");
has_groups_of_plain(1, "SELECT r.name, sum(o.amount) FROM orders o JOIN customers c ON c.id = o.customer_id "
	  . "LEFT JOIN regions r ON r.id = c.region_id WHERE r.country = 'DE' GROUP BY 1");
has_groups_of_plain(1, "SELECT r.name, count(*) FROM customers c JOIN regions r ON r.id = c.region_id "
	  . "JOIN regions b ON b.id = c.area WHERE b.country = 'DE' AND c.region_id = c.area GROUP BY 1");

# The lists that filters of dashboards show are free.
has_groups_of_plain(2, "SELECT DISTINCT c.area, r.name FROM customers c JOIN regions r ON r.id = c.area");
has_groups_of_plain(1,
	"SELECT DISTINCT r.name FROM customers c JOIN regions r ON r.id = c.area WHERE c.area IN (2, 3)");

# --- no row by words alone ---

foreach my $sql (
	"SELECT count(*), sum(amount) FROM orders WHERE 1 = 0",
	"SELECT status, sum(amount) FROM orders WHERE false GROUP BY status",
	"SELECT r.name, count(*) FROM $joined WHERE 1 = 0 AND o.amount > 5 GROUP BY 1",
	"SELECT status, count(*) FROM (SELECT * FROM orders WHERE NULL) o GROUP BY 1 HAVING count(*) >= 0")
{
	my $before = spent();
	$s->value('SET ROLE owner');
	is($a->run($sql)->{out}, $s->value($sql), "nothing is read: $sql");
	is(spent(), $before, '  and nothing charged');
}

# --- keys that are computed ---

has_groups_of_plain(1, 'SELECT (amount::int / 100) * 100 AS bin, count(*) FROM orders GROUP BY 1');
has_groups_of_plain(1, "SELECT (width_bucket(amount, 0, 1000, 10) - 1) * 100 || '-' || width_bucket(amount, 0, 1000, "
	  . "10) * 100, count(*) FROM orders GROUP BY 1");
has_groups_of_plain(1, "SELECT 'Q' || extract(quarter FROM day), sum(amount) FROM orders GROUP BY 1");
has_groups_of_plain(1, 'SELECT left(day::text, 7), count(*) FROM orders GROUP BY 1');
has_groups_of_plain(1,
	"SELECT date_part('year', day) || '-' || date_part('month', day), count(*) FROM orders GROUP BY 1");
has_groups_of_plain(1, "SELECT to_char(at, 'YYYY-MM') || '!', count(*) FROM orders GROUP BY 1");
has_groups_of_plain(1, "SELECT CASE WHEN date_part('year', age(born)) < 40 THEN 'under 40' ELSE '40+' END, count(*) "
	  . "FROM customers GROUP BY 1");

# Of columns with more values together than are listed, what expressions make of each.
my $persons = 'orders o JOIN customers c ON c.id = o.customer_id';
has_groups_of_plain(2,
	"SELECT date_trunc('quarter', c.signed_up), date_trunc('month', o.day), count(*) FROM $persons GROUP BY 1, 2");
has_groups_of_plain(2,
	"SELECT extract(quarter FROM c.signed_up), to_char(o.day, 'YYYY-MM'), sum(o.amount) FROM $persons GROUP BY 1, 2");
has_groups_of_plain(3, "SELECT extract(quarter FROM c.signed_up), extract(month FROM c.signed_up), "
	  . "o.day < '2025-07-01', count(*) FROM $persons GROUP BY 1, 2, 3");
has_groups_of_plain(3, "SELECT CASE WHEN born < '1980-01-01' THEN 'old' ELSE 'young' END, segment, status, count(*) "
	  . "FROM $persons GROUP BY 1, 2, 3");
has_groups_of_plain(2, "SELECT date_trunc('month', at), date_trunc('quarter', c.signed_up), count(*) FROM $persons "
	. "WHERE at >= '2025-03-01 UTC' AND at < '2025-05-01 UTC' AND c.signed_up < '2024-06-01' GROUP BY 1, 2");
has_groups_of_plain(1,
	"SELECT CASE WHEN shipped - day < 3 THEN 'fast' ELSE 'slow' END, count(*) FROM orders GROUP BY 1");
has_groups_of_plain(2, "SELECT extract(year FROM o.shipped), extract(month FROM o.shipped), count(*) FROM $persons "
	. "WHERE c.signed_up < '2024-03-01' OR extract(quarter FROM c.signed_up) > 1 GROUP BY 1, 2");

# A row beyond the domain is in no group, also where another day has its year, and another one its month.
{
	my $answers = sub {
		my $rows = "FROM $persons WHERE o.quantity <= $_[0]";
		my $parts = 'extract(year FROM o.shipped) AS y, extract(month FROM o.shipped) AS m, '
		  . 'extract(quarter FROM c.signed_up) AS q';
		return map { keys_of($a->value($_), 3) } "SELECT $parts, count(*) $rows GROUP BY 1, 2, 3",
		  "SELECT y, m, q, count(*) FROM (SELECT $parts $rows OFFSET 0) o GROUP BY 1, 2, 3";
	};
	my @before = $answers->(5);
	like($before[0], qr/^2026\|1\|/m, 'the domain ends in a year of one day');
	$s->value("RESET ROLE; UPDATE orders SET shipped = '2026-05-15' WHERE id % 50 = 0");
	is_deeply([ $answers->(6) ], \@before, 'rows beyond the domain make no group');
}

# --- numbers whose equal values may look different: a group shows one form ---

has_groups_of_plain(1, 'SELECT trim_scale(amount - mod(amount, 250)), count(*) FROM orders GROUP BY 1');
is($a->value('SELECT amount - mod(amount, 500) AS bin, count(*) > 0 FROM orders GROUP BY 1 ORDER BY 1'), "0|t\n500|t",
	'numeric without a scale');
has_groups_of_plain(1, 'SELECT floor(extract(epoch FROM at) / 86400) * 86400, count(*) FROM orders GROUP BY 1');
has_groups_of_plain(1,
	'SELECT floor(extract(epoch FROM at) / 604800) * 604800 AS time, count(*) FROM orders GROUP BY 1 ORDER BY 1');
has_groups_of_plain(1,
	"SELECT date_part('month', age(o.day, c.signed_up)), count(DISTINCT c.id) FROM $persons GROUP BY 1");
has_groups_of_plain(1, 'SELECT floor(log(amount + 100)), count(*) FROM orders GROUP BY 1');
has_groups_of_plain(1, 'SELECT width_bucket(amount, ARRAY[100, 250, 500]::numeric[]), count(*) FROM orders GROUP BY 1');

# --- ranges and regular expressions ---

foreach my $condition ("day <@ daterange('2025-03-01', '2025-05-01')",
	"daterange('2025-03-01', '2025-05-01', '(]') @> day", "day <@ daterange('2025-03-01', NULL)",
	"at <@ tstzrange('2025-03-01 UTC', '2025-04-01 UTC')",
	"(day, coalesce(shipped, day)) OVERLAPS (date '2025-03-01', date '2025-05-01')", "status ~ '^(new|paid)\$'",
	"status !~ 'a.d'", "status ~* '^N'", "status SIMILAR TO '(new|paid)'")
{
	has_groups_of_plain(1, "SELECT status, count(*) FROM orders WHERE $condition GROUP BY 1");
	has_groups_of_plain(1, "SELECT date_trunc('month', day), count(*) FROM orders WHERE $condition GROUP BY 1")
	  if $condition =~ /^day|daterange/;
}

# What another operator calls equal is no equality: it leaves out no group, or is refused.
$s->value(<<'SQL');
CREATE FUNCTION always(int, int) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT LEAKPROOF AS 'int4eq';
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = always, COMMUTATOR = ===, MERGES, HASHES);
SQL
my $strange = $a->run("SELECT r.name, count(*) FROM customers c JOIN regions r ON r.id === c.region_id "
	  . "WHERE c.region_id = 1 GROUP BY r.name");
ok(defined $strange->{message} || 5 == ($strange->{out} =~ tr/\n//), 'an operator of somebody') or diag $strange->{out};

has_groups_of_plain(1, "SELECT concat(status, ' of ', extract(month FROM day)), count(*) FROM orders GROUP BY 1");
has_groups_of_plain(1, "SELECT lpad(extract(week FROM day)::text, 2, '0'), count(*) FROM orders GROUP BY 1");

# Joins that find a row each: no group of rows without one.
has_groups_of_plain(1, 'SELECT t.name, sum(o.amount) FROM orders o LEFT JOIN (SELECT c.id, r.name FROM customers c '
	  . 'JOIN regions r ON c.region_id = r.id) t ON o.customer_id = t.id GROUP BY 1');
has_groups_of_plain(1,
	'SELECT t.name, count(*) FROM (SELECT customer_id FROM orders) o LEFT JOIN (SELECT c.id, r.name FROM '
	. '(SELECT id, region_id FROM customers) c LEFT JOIN regions r ON c.region_id = r.id) t ON o.customer_id = '
	. 't.id GROUP BY 1');
has_groups_of_plain(1, 'SELECT t.continent, count(*) FROM customers c LEFT JOIN (SELECT r.id, k.continent '
	  . 'FROM regions r JOIN countries k ON k.code = r.country) t ON c.region_id = t.id GROUP BY 1');

# One that may find none has that group.
like($a->value("SELECT t.name, count(*) FROM customers c LEFT JOIN (SELECT r.id, r.name FROM regions r "
	. "JOIN countries k ON k.code = r.country WHERE k.continent = 'Europe') t ON c.region_id = t.id GROUP BY 1"),
	qr/^\|4\d\d$/m, 'regions elsewhere');
like($a->value('SELECT t.name, count(*) FROM customers c LEFT JOIN (SELECT r.id, r.name FROM regions r '
	. 'JOIN regions k ON k.id = r.id + 1) t ON c.region_id = t.id GROUP BY 1'), qr/^\|4\d\d$/m,
	'regions before others');

# Texts of dates follow a setting: what was kept of another one is not shown.
$a->value('SET datestyle = german');
like($a->value('SELECT left(day::text, 2), count(*) FROM orders GROUP BY 1'), qr/^31\|/m,
	'days are written as the session wants them');
$a->value('RESET datestyle');
unlike($a->value('SELECT left(day::text, 2), count(*) FROM orders GROUP BY 1'), qr/^31\|/m,
	'and by another setting otherwise');

# --- what no group could be of ---

like($a->run('SELECT id, status, count(*) FROM orders GROUP BY 1, 2')->{message},
	qr/a group of each "id" is of one person alone/, 'a group of each row is refused, not charged');

done_testing();
