# Four tables as those that BI tools are pointed at, hidden but one, and the comparison of what an analyst gets for a plain
# statement with what the owner gets.
package PlainSql;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use Test::More;

our @EXPORT = qw(plain_tables protection answered refused difference);

# Persons with up to seven orders each, the regions that they live in, which everybody may know, and events, each of which is
# protected by itself. Each key of a domain has rows. protection() hides them.
sub plain_tables
{
	return <<'SQL';
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO regions VALUES (1, 'north'), (2, 'south'), (3, 'east'), (4, 'west');
CREATE TABLE customers (id int PRIMARY KEY, region_id int NOT NULL REFERENCES regions, name text, email text, born date NOT NULL, income numeric(10, 2), active boolean NOT NULL);
INSERT INTO customers SELECT i, 1 + i % 4, 'c' || i, 'c' || i || '@example.org', date '1950-01-01' + i * 37 % 20000, i * 7919 % 50000, i % 3 = 0 FROM generate_series(1, 2000) i;
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, status text NOT NULL, channel varchar(10) NOT NULL, day date NOT NULL, amount numeric(10, 2) NOT NULL, quantity int NOT NULL, discount float8);
INSERT INTO orders SELECT row_number() OVER (ORDER BY c, n), c, (ARRAY['new', 'paid', 'shipped', 'returned'])[1 + (c + n) % 4], (ARRAY['web', 'shop'])[1 + c % 2],
  date '2025-01-01' + c * n * 7 % 365, c * n * 131 % 2000 + 0.5, 1 + n % 5, n % 10 / 100.0 FROM generate_series(1, 2000) c, generate_series(1, 7) n WHERE n <= 1 + c % 7;
CREATE TABLE events (id int PRIMARY KEY, kind text NOT NULL, at timestamptz NOT NULL, day date NOT NULL, value int, score float8, price numeric(8, 2), ok boolean NOT NULL, note text);
INSERT INTO events SELECT i, (ARRAY['click', 'view', 'buy'])[1 + i % 3], timestamptz '2025-01-01 00:00 UTC' + i * interval '25 minutes', date '2025-01-01' + i % 90, i % 101, i % 200 / 10.0, i % 1000 / 4.0, i % 4 = 0,
  CASE WHEN i % 5 > 0 THEN 'n' || i % 50 END FROM generate_series(1, 5000) i;
CREATE VIEW sales AS SELECT o.*, c.region_id, c.active FROM orders o JOIN customers c ON c.id = o.customer_id;
CREATE VIEW by_kind AS SELECT kind, count(*) AS events, avg(price) AS price FROM events GROUP BY kind;
GRANT SELECT ON regions, customers, orders, events, sales, by_kind TO analyst;
RESET ROLE;
SQL
}

sub protection
{
	return <<'SQL';
SET ROLE owner;
SELECT idp.protect('customers', 1e12, unit => 'id', delta => 0.1), idp.protect('events', 1e12, delta => 0.1), idp.link('orders', 'customer_id', 'customers', max_rows => 7);
SELECT idp.set_domain('orders', 'status', ARRAY['new', 'paid', 'shipped', 'returned']), idp.set_domain('orders', 'channel', ARRAY['web', 'shop']), idp.set_domain('orders', 'day', '2025-01-01', '2025-12-31'),
  idp.set_domain('orders', 'amount', 0, 2000), idp.set_domain('orders', 'quantity', 0, 5), idp.set_domain('customers', 'region_id', 1, 4), idp.set_domain('customers', 'income', 0, 50000), idp.set_domain('customers', 'born', '1950-01-01', '2006-12-31'),
  idp.set_domain('events', 'kind', ARRAY['click', 'view', 'buy']), idp.set_domain('events', 'day', '2025-01-01', '2025-03-31'), idp.set_domain('events', 'value', 0, 100), idp.set_domain('events', 'price', 0, 250), idp.set_domain('events', 'at', '2025-01-01', '2025-04-01');
RESET ROLE;
SQL
}

my $number = qr/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;

# Rows as lists of cells, in an order that does not hang on numbers.
sub rows_of
{
	my ($printed) = @_;
	my @rows = map { [ split /\|/, $_, -1 ] } split /\n/, $printed;
	my $words = sub { join '|', map { /$number/ ? '' : $_ } @{ $_[0] } };
	my $key = sub { $words->($_[0]) . ' ' . join '|', map { /$number/ ? sprintf '%020d', $_ * 1000 : '' } $_[0][0] // '' };
	return sort { $key->($a) cmp $key->($b) } @rows;
}

# What differs between two results; empty if numbers are near one another and all else is equal.
sub difference
{
	my ($true, $private, $tolerance) = @_;
	my @true = rows_of($true);
	my @private = rows_of($private);
	return scalar(@true) . ' rows against ' . @private unless @true == @private;
	foreach my $i (0 .. $#true)
	{
		foreach my $j (0 .. $#{ $true[$i] })
		{
			my ($expected, $got) = ($true[$i][$j], $private[$i][$j] // 'nothing');
			next if $expected eq $got;
			return "$expected against $got" unless $expected =~ $number && $got =~ $number;
			my $size = abs $expected > 1 ? abs $expected : 1;
			return "$expected against $got" if abs($expected - $got) > $tolerance * $size;
		}
	}
	return '';
}

sub spent { return $_[0]->value('SELECT sum(spent) FROM idp.budget') }

# Passes if the analyst, at an epsilon that hides nothing, gets the columns that the owner gets, and values near his; if that
# was charged so many times epsilon; and if idp.cost said so before.
sub answered
{
	my ($s, $a, $epsilon, $name, $sql, $times, $tolerance) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$s->value('SET ROLE owner');
	my $columns = $s->value("$sql \\gdesc");
	my $true = $s->value($sql);
	$s->value('RESET ROLE');
	my $described = $a->run("$sql \\gdesc");
	is($described->{message} // $described->{out}, $columns, "$name: columns of $sql");
	my $before = spent($s);
	my $cost = $a->run(q{SELECT coalesce(sum(epsilon), 0) FROM idp.cost($query$} . $sql . q{$query$)});
	my $got = $a->run($sql);
	my $charged = (spent($s) - $before) / $epsilon;
	is($got->{message} // difference($true, $got->{out}, $tolerance // 0.02), '', "$name: near the truth");
	cmp_ok(abs($charged - $times), '<', 1e-6, "$name: costs $times times epsilon") or diag "charged $charged for $sql";
	cmp_ok(abs(($cost->{out} || 0) - $charged * $epsilon), '<', 1e-6, "$name: idp.cost says so");
	return;
}

# Passes if the analyst gets an error whose first line says this, and nothing is charged.
sub refused
{
	my ($s, $a, $name, $sql, $message) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $before = spent($s);
	my $got = $a->run($sql);
	like($got->{message} // "answered: $got->{out}", $message, "$name: refused: $sql");
	is($got->{out}, '', "$name: nothing was shown");
	is(spent($s), $before, "$name: nothing was charged");
	return;
}

1;
