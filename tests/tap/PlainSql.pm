# Four tables as those that BI tools are pointed at, hidden but one, and the comparison of what an analyst gets for a
# plain statement with what the owner gets.
package PlainSql;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Basename;
use IdpTest qw(new_node session);
use List::Util qw(first none);
use Test::More;
use Time::Local;

our @EXPORT = qw(plain_tables protection shop_tables shop_protection shop_server statements_of_tools
	difference_but_empty difference answer_and_cost answered refused);

# Persons with up to seven orders each, the regions that they live in, which everybody may know, and events, each of
# which is protected by itself. Each key of a domain has rows. protection() hides them.
sub plain_tables
{
	return <<'SQL';
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO regions VALUES (1, 'north'), (2, 'south'), (3, 'east'), (4, 'west');
CREATE TABLE customers (id int PRIMARY KEY, region_id int NOT NULL REFERENCES regions, name text, email text,
  born date NOT NULL, income numeric(10, 2), active boolean NOT NULL);
INSERT INTO customers SELECT i, 1 + i % 4, 'c' || i, 'c' || i || '@example.org', date '1950-01-01' + i * 37 % 20000,
  i * 7919 % 50000, i % 3 = 0 FROM generate_series(1, 2000) i;
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, status text NOT NULL, channel
  varchar(10) NOT NULL, day date NOT NULL, amount numeric(10, 2) NOT NULL, quantity int NOT NULL, discount float8);
INSERT INTO orders SELECT row_number() OVER (ORDER BY c, n), c,
  (ARRAY['new', 'paid', 'shipped', 'returned'])[1 + (c + n) % 4], (ARRAY['web', 'shop'])[1 + c % 2],
  date '2025-01-01' + c * n * 7 % 365, c * n * 131 % 2000 + 0.5, 1 + n % 5, n % 10 / 100.0
  FROM generate_series(1, 2000) c, generate_series(1, 7) n WHERE n <= 1 + c % 7;
CREATE TABLE events (id int PRIMARY KEY, kind text NOT NULL, at timestamptz NOT NULL, day date NOT NULL, value int,
  score float8, price numeric(8, 2), ok boolean NOT NULL, note text);
INSERT INTO events SELECT i, (ARRAY['click', 'view', 'buy'])[1 + i % 3], timestamptz '2025-01-01 00:00 UTC' + i
  * interval '25 minutes', date '2025-01-01' + i % 90, i % 101, i % 200 / 10.0, i % 1000 / 4.0, i % 4 = 0,
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
SELECT idp.protect('customers', 1e12, unit => 'id', delta => 0.1), idp.protect('events', 1e12, delta => 0.1),
  idp.link('orders', 'customer_id', 'customers', max_rows => 7);
SELECT idp.set_domain('orders', 'status', ARRAY['new', 'paid', 'shipped', 'returned']), idp.set_domain('orders',
  'channel', ARRAY['web', 'shop']), idp.set_domain('orders', 'day', '2025-01-01', '2025-12-31'),
  idp.set_domain('orders', 'amount', 0, 2000), idp.set_domain('orders', 'quantity', 0, 5),
  idp.set_domain('customers', 'region_id', 1, 4), idp.set_domain('customers', 'income', 0, 50000),
  idp.set_domain('customers', 'born', '1950-01-01', '2006-12-31'),
  idp.set_domain('events', 'kind', ARRAY['click', 'view', 'buy']),
  idp.set_domain('events', 'day', '2025-01-01', '2025-03-31'), idp.set_domain('events', 'value', 0, 100),
  idp.set_domain('events', 'price', 0, 250), idp.set_domain('events', 'at', '2025-01-01', '2025-04-01');
RESET ROLE;
SQL
}

# A shop over time: customers with up to seven orders each, at instants of every day of a year, which were touched in
# the last weeks; and a table of the days of that year.
sub shop_tables
{
	return <<'SQL';
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO regions VALUES (1, 'north'), (2, 'south'), (3, 'east'), (4, 'west');
CREATE TABLE customers (id int PRIMARY KEY, region_id int NOT NULL REFERENCES regions, name text NOT NULL,
  email text NOT NULL, segment text NOT NULL, age int NOT NULL, signup_date date NOT NULL);
INSERT INTO customers SELECT i, 1 + i % 4, 'c' || i, 'c' || i || '@example.org',
  (ARRAY['home', 'office', 'school'])[1 + i % 3], 18 + i * 7 % 73, date '2020-01-01' + i * 37 % 1827
FROM generate_series(1, 3000) i;
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, status text NOT NULL,
  channel text NOT NULL, ordered_at timestamp NOT NULL, amount numeric(10, 2) NOT NULL, quantity int NOT NULL,
  touched_at timestamptz NOT NULL);
INSERT INTO orders SELECT row_number() OVER (ORDER BY c, n), c, (ARRAY['new', 'paid', 'shipped',
  'returned'])[1 + (c / 3 + n) % 4], (ARRAY['web', 'shop', 'phone'])[1 + (c / 5 + n) % 3],
  timestamp '2025-01-01' + (c * 17 + n * 61) % 365 * interval '1 day' + c * n % 86400 * interval '1.25 seconds',
  c * n * 131 % 2000 + 0.5, 1 + (c + n) % 5,
  current_date - (c + n) % 60 * interval '1 day' + c % 1000 * interval '1 millisecond'
  FROM generate_series(1, 3000) c, generate_series(1, 7) n WHERE n <= 1 + c % 7;
CREATE TABLE days (day date PRIMARY KEY, month text NOT NULL, is_weekend boolean NOT NULL);
INSERT INTO days SELECT d, to_char(d, 'FMMonth'), extract(isodow FROM d) > 5
  FROM generate_series(date '2025-01-01', date '2025-12-31', interval '1 day') d;
GRANT SELECT ON regions, customers, orders, days TO analyst;
RESET ROLE;
SQL
}

sub shop_protection
{
	return <<'SQL';
SET ROLE owner;
SELECT idp.protect('customers', 1e12, unit => 'id', delta => 0.1),
  idp.link('orders', 'customer_id', 'customers', max_rows => 7);
SELECT idp.set_domain('orders', 'status', ARRAY['new', 'paid', 'shipped', 'returned']),
  idp.set_domain('orders', 'channel', ARRAY['web', 'shop', 'phone']),
  idp.set_domain('orders', 'ordered_at', '2025-01-01', '2026-01-01', grain => '1 day'),
  idp.set_domain('orders', 'touched_at', (current_date - 59)::text, (current_date + 1)::text, grain => '1 day',
    zone => 'UTC'), idp.set_domain('orders', 'amount', 0, 2000), idp.set_domain('orders', 'quantity', 1, 5),
  idp.set_domain('customers', 'region_id', 1, 4),
  idp.set_domain('customers', 'segment', ARRAY['home', 'office', 'school']), idp.set_domain('customers', 'age', 18, 90),
  idp.set_domain('customers', 'signup_date', '2020-01-01', '2024-12-31');
RESET ROLE;
SQL
}

# A server with the shop, hidden from all but its owner, whose answers repeat forever; and a session of its superuser.
sub shop_server
{
	my ($name, @settings) = @_;
	my $node = new_node($name, 'jit = off', "shared_preload_libraries = 'idp'", "timezone = 'UTC'", @settings);
	my $s = session($node);
	$s->value('CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN');
	$s->value(shop_tables() . shop_protection() =~ s/delta => 0.1\)/delta => 0.1, repeat => 'forever')/r);
	return ($node, $s);
}

# What data/plain_statements.txt lists: tool, how it behaves, tolerance, statement.
sub statements_of_tools
{
	my $name = dirname(__FILE__) . '/data/plain_statements.txt';
	open my $file, '<', $name or die "$name: $!";
	my ($tool, @statements);
	while (<$file>)
	{
		$tool = $1 if /^# (.*)/;
		push @statements, [ $tool, $1, $2 // 0.02, $3 ] if /^(answered|same|kept|free|refused)(?: ~(\S+))?: (.*)/;
		die "$name:$.: not known what is expected\n"
		  if defined $tool && !/^(?:#|\s*$|(?:answered|same|kept|free|refused)(?: ~\S+)?: )/;
	}
	return @statements;
}

my $number = qr/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;

# Rows as lists of cells, in an order that does not hang on numbers.
sub rows_of
{
	my ($printed) = @_;
	my @rows = map { [ split /\|/, $_, -1 ] } split /\n/, $printed;
	my $words = sub { join '|', map { /$number/ ? '' : $_ } @{ $_[0] } };
	my $key =
	  sub { $words->($_[0]) . ' ' . join '|', map { /$number/ ? sprintf '%020d', $_ * 1000 : '' } $_[0][0] // '' };
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

sub is_near
{
	my ($expected, $got, $tolerance) = @_;
	return 1 if $expected eq $got;
	if ($tolerance >= 1 && $expected =~ /^\d{4}-/ && $got =~ /^\d{4}-/)
	{
		my @days = map { my ($y, $m, $d) = /^(\d+)-(\d+)-(\d+)/; timegm(0, 0, 0, $d, $m - 1, $y) / 86400 }
		  $expected, $got;
		return abs($days[0] - $days[1]) <= $tolerance;
	}
	return 0 unless $expected =~ $number && $got =~ $number;
	return abs($expected - $got) <= $tolerance * (abs $expected > 1 ? abs $expected : 1);
}

# The same, but that the private answer may have further rows, of keys without rows: with next to 0 or nothing in one of
# their cells. Of no values it may have a number where there is none.
sub difference_but_empty
{
	my ($true, $private, $tolerance) = @_;
	my @left = map { [ split /\|/, $_, -1 ] } split /\n/, $private;
	my %places;    # of rows by their first cell, which is mostly the key
	push @{ $places{ $left[$_][0] // '' } }, $_ foreach 0 .. $#left;
	foreach my $row (map { [ split /\|/, $_, -1 ] } split /\n/, $true)
	{
		my $fits = sub {
			my ($true, $got) = @_;
			return is_near($true, $got, $tolerance) || $true eq '' && $got =~ $number && abs $got < 10
		};
		my $is_it = sub {
			my ($i) = @_;
			return $left[$i] && none { !$fits->($row->[$_], $left[$i][$_] // 'nothing') } 0 .. $#$row;
		};
		my $place = first { $is_it->($_) } @{ $places{ $row->[0] // '' } // [] };
		$place = first { $is_it->($_) } 0 .. $#left unless defined $place;
		return 'no row ' . join('|', @$row) . ' in ' . substr $private, 0, 300 unless defined $place;
		$left[$place] = undef;
	}
	my ($more) = grep { !grep { $_ eq '' || /$number/ && abs $_ < 10 } @$_ } grep { defined } @left;
	return defined $more ? 'also ' . join '|', @$more : '';
}

sub spent { return $_[0]->value('SELECT sum(spent) FROM idp.budget') }

# What the analyst gets for a statement, or how it is refused, and what it costs.
sub answer_and_cost
{
	my ($s, $a, $sql) = @_;
	my $before = spent($s);
	my $got = $a->run($sql);
	return ($got->{message} // $got->{out}, spent($s) - $before);
}

# Passes if the analyst, at an epsilon that hides nothing, gets the columns that the owner gets, and values near his; if
# that was charged so many times epsilon; and if idp.cost said so before.
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
