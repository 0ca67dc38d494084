# Plain SQL that puts other answers beside groups: tops that choose among them, with the others together, shares of
# totals, lists and calendars that rows are joined to. Random statements of that kind are answered near the truth, with
# the columns of the plain statement, and free the second time; or refused with a way out. None fails inside the server.
#
#   IDP_BESIDE        how many random statements (250)
#   IDP_BESIDE_SEED   of the random choices
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $tried = $ENV{IDP_BESIDE} // 250;
my $seed = $ENV{IDP_BESIDE_SEED} // 1;
srand $seed;
note "IDP_BESIDE_SEED=$seed";

my ($node, $s) = shop_server('answers_beside_groups', 'fsync = off');
my $a = session($node);
$a->value('SET ROLE analyst; SET idp.epsilon = 1e5');
my $owner = session($node);
$owner->value('SET ROLE owner');
$_->{quiet} = 1 foreach $s, $a, $owner;

sub total_spent { return $s->value('SELECT sum(spent) FROM idp.budget') }

# What is wrong with an answer; empty if nothing is.
sub fault
{
	my ($sql, $got, $tolerance) = @_;
	my ($true, $columns) = ($owner->value($sql), $owner->value("$sql \\gdesc"));
	my $described = $a->run("$sql \\gdesc");
	return "columns: " . ($described->{message} // $described->{out}) . " for $columns"
	  if $described->{out} ne $columns;
	my $difference = difference_but_empty($true, $got->{out}, $tolerance);
	return $difference if $difference;
	my $before = total_spent();
	my $again = $a->run($sql);
	return 'refused the second time' if defined $again->{message};
	return 'charged again' if total_spent() != $before;
	return $sql =~ /LIMIT|OVER/ || $again->{out} eq $got->{out} ? '' : 'another answer the second time';
}

# --- by name: how often each is charged, once it was not asked before ---

my $top = '(SELECT status FROM orders GROUP BY status ORDER BY sum(amount) DESC LIMIT 2)';
# From PostgreSQL 18 on keys stand by themselves in a query: what they ask is refused first.
my $once = qr/: compute \w+ once, in a subquery with GROUP BY, and join that$/;
my @answered = (
	[ 'the others', "SELECT status, count(*) FROM orders WHERE status NOT IN $top GROUP BY status", 4 ],
	[ 'the others in one', "SELECT count(*), avg(amount) FROM orders WHERE status NOT IN $top AND quantity > 1", 4 ],
	[ 'a top by USING', 'SELECT status, max(amount) FROM orders JOIN (SELECT status, sum(amount) AS s FROM orders '
		  . 'GROUP BY 1 ORDER BY 2 DESC LIMIT 3) t USING (status) GROUP BY status', 14 ],
	[ 'a rank over a top',
		"SELECT status, rank() OVER (ORDER BY sum(quantity)) FROM orders WHERE status IN $top GROUP BY status", 2 ],
	[ 'the top and others',
		"SELECT CASE WHEN status IN $top THEN status ELSE 'Other' END, sum(amount), count(DISTINCT 1) "
		. "FROM orders GROUP BY 1", undef, qr/apply it to the answers, or declare the domain of its column$|$once/ ],
	[ 'the top and others, by channel',
		"SELECT channel, CASE WHEN status IN $top THEN status ELSE 'Other' END, count(*) FROM orders GROUP BY 1, 2",
		2 ],
	# by status they were asked before
	[ 'the top and others by LEFT JOIN', "SELECT coalesce(t.status, 'Other') AS s, avg(quantity) FROM orders o "
		  . "LEFT JOIN $top t ON t.status = o.status GROUP BY 1", 0 ],
	[ 'a share', 'SELECT segment, count(*) * 100.0 / t.n FROM customers '
		  . 'CROSS JOIN (SELECT count(*) AS n FROM customers) t GROUP BY segment, t.n', 3 ],
	# as before
	[ 'a share of the largest', 'SELECT segment, count(*) * 100.0 / max(t.n) '
		  . 'FROM customers, (SELECT count(*) AS n FROM customers) t GROUP BY segment', 0 ],
	[ 'the share of a top',
		"SELECT sum(amount) FILTER (WHERE status IN $top) / sum(amount) FROM orders WHERE channel = 'web'", 2 ],
	[ 'a total in a CTE', 'WITH t AS (SELECT count(*) AS n FROM orders WHERE quantity > 1) '
		  . 'SELECT channel, count(*) * 1.0 / (SELECT n FROM t) FROM orders WHERE quantity > 1 GROUP BY channel', 3 ],
	# by status it was asked before
	[ 'a list of names', "SELECT m.label, sum(quantity) FROM orders JOIN (VALUES ('new', 'open'), ('paid', 'open'), "
		  . "('shipped', 'done')) m(k, label) ON m.k = status GROUP BY 1", 0 ],
	[ 'rows twice', "SELECT g, CASE WHEN g = 1 THEN channel END AS c, count(*) FROM orders "
		  . "CROSS JOIN generate_series(0, 1) g WHERE quantity = 2 GROUP BY 1, 2", 2 ],
	[ 'a calendar', "SELECT d, count(o.id), coalesce(sum(o.quantity), 0) FROM generate_series(timestamp '2025-03-01', "
		. "'2025-03-31', '1 day') d LEFT JOIN orders o ON date_trunc('day', o.ordered_at) = d "
		. "AND o.status = 'paid' GROUP BY d", 4 ],
	[ 'a calendar of months',
		"WITH months AS (SELECT generate_series(date '2025-01-01', '2025-12-01', '1 month')::date AS m) "
		. "SELECT m, sum(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) FROM months "
		. "LEFT JOIN orders ON date_trunc('month', ordered_at) = m GROUP BY m", 2 ],
	[ 'a calendar, and a further table',
		"SELECT d, count(o.id) FROM generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d "
		. "LEFT JOIN orders o ON date_trunc('day', o.ordered_at) = d LEFT JOIN customers c ON c.id = o.customer_id "
		. "GROUP BY d", 2 ],
	[ '... in a FILTER', "SELECT d, count(c.id) FILTER (WHERE c.segment = 'home') "
		. "FROM generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d "
		. "LEFT JOIN orders o ON date_trunc('day', o.ordered_at) = d LEFT JOIN customers c ON c.id = o.customer_id "
		. "GROUP BY d", 2 ],
	[ '... in a condition and a key',
		"SELECT d, c.segment, sum(o.quantity) FROM generate_series(timestamp '2025-03-01', '2025-03-09', '1 "
		. "day') d LEFT JOIN orders o ON date_trunc('day', o.ordered_at) = d "
		. "LEFT JOIN customers c ON c.id = o.customer_id LEFT JOIN regions r ON r.id = c.region_id "
		. "WHERE r.name = 'north' GROUP BY d, c.segment", 2 ],
	[ '... by an inner join, so that there are no days without rows',
		"SELECT d, count(*) FROM generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d "
		. "LEFT JOIN orders o ON date_trunc('day', o.ordered_at) = d JOIN customers c ON c.id = o.customer_id "
		. "AND c.age > 30 GROUP BY d", 2 ],
	[ '... nor with a condition',
		"SELECT d, count(*) FROM generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d "
		. "LEFT JOIN orders o ON date_trunc('day', o.ordered_at) = d WHERE o.amount > 300 GROUP BY d", 2 ],
	[ '... on the right', "SELECT d, sum(o.quantity) FROM orders o JOIN customers c ON c.id = o.customer_id "
		. "RIGHT JOIN generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d ON date_trunc('day', "
		. "o.ordered_at) = d AND c.age > 40 GROUP BY d", 2 ],
	[ '... that is joined to the calendar',
		"SELECT d, count(o.id) FROM generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d "
		. "LEFT JOIN orders o ON date_trunc('day', o.ordered_at) = d LEFT JOIN customers c ON c.id = o.customer_id "
		. "AND d > '2025-03-04' GROUP BY d", undef, qr/aggregate them in a subquery with GROUP BY, and join that$/ ],
	[ '... that a day without rows may find',
		"SELECT d, count(o.id) FROM generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d "
		. "LEFT JOIN orders o ON date_trunc('day', o.ordered_at) = d "
		. "LEFT JOIN regions r ON r.id = coalesce(o.quantity, 2) GROUP BY d", undef,
		qr/aggregate them in a subquery with GROUP BY, and join that$/ ],
	[ 'a constant in a CTE', "WITH p AS (SELECT timestamp '2025-03-01' AS since) SELECT count(*) FROM orders "
		  . "WHERE ordered_at >= (SELECT since FROM p)", 1 ],
	[ '... by ends', "SELECT d, count(o.id) FROM generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d "
		. "LEFT JOIN orders o ON o.ordered_at >= d AND o.ordered_at < d + interval '1 day' AND o.quantity > 3 "
		. "GROUP BY d", 2 ],
	[ '... with a last day that only its midnight belongs to',
		"SELECT d, count(o.id) FROM generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d "
		. "LEFT JOIN orders o ON o.ordered_at BETWEEN d AND d + interval '1 day' GROUP BY d", 31 ],
	[ '... of weeks, in an inner join',
		"SELECT d, count(*) FROM generate_series(timestamp '2025-03-01', '2025-03-31', '7 days') d, orders o "
		. "WHERE o.ordered_at >= d AND d + interval '7 days' > o.ordered_at AND o.quantity > 2 GROUP BY d", 2 ],
	[ '... of a recursive query', "WITH RECURSIVE d(day) AS (SELECT date '2025-03-01' UNION ALL SELECT day + 1 FROM d "
		. "WHERE day < '2025-03-20') SELECT day, sum(o.amount) FROM d "
		. "LEFT JOIN orders o ON o.ordered_at::date = day AND o.quantity > 1 GROUP BY day", 2 ],
	[ '... for each region', "SELECT r.id, d, count(o.id), count(DISTINCT o.customer_id) FROM regions r "
		. "CROSS JOIN generate_series(timestamp '2025-03-01', '2025-03-03', '1 day') d "
		. "LEFT JOIN customers c ON c.region_id = r.id LEFT JOIN orders o ON o.customer_id = c.id "
		. "AND date_trunc('day', o.ordered_at) = d GROUP BY 1, 2", 4 ],
	[ '... for each region with customers as well', "SELECT r.name, d, count(o.id), count(c.id) FROM regions r "
		. "CROSS JOIN generate_series(timestamp '2025-03-01', '2025-03-03', '1 day') d "
		. "LEFT JOIN customers c ON c.region_id = r.id LEFT JOIN orders o ON o.customer_id = c.id "
		. "AND date_trunc('day', o.ordered_at) = d GROUP BY 1, 2", 12 ],    # of each day by itself
	[ 'a public table on the left',
		"SELECT r.name, count(o.id), sum(o.amount) FROM regions r LEFT JOIN customers c ON c.region_id = r.id "
		. "LEFT JOIN orders o ON o.customer_id = c.id AND o.quantity > 2 GROUP BY r.name", 4 ],
	[ '... by keys of both sides', "SELECT r.name, c.segment, count(o.id), avg(o.quantity) FROM regions r "
		. "LEFT JOIN customers c ON c.region_id = r.id LEFT JOIN orders o ON o.customer_id = c.id WHERE r.id > 1 "
		. "GROUP BY 1, 2", 6 ],
	[ 'what one group of a calendar has', "SELECT d, count(DISTINCT o.customer_id), min(o.quantity) "
		. "FROM generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d "
		. "LEFT JOIN orders o ON date_trunc('day', o.ordered_at) = d GROUP BY d", undef, undef ],
	[ 'what several groups of a calendar have',
		"SELECT d, count(DISTINCT o.customer_id) FROM generate_series(timestamp '2025-03-01', '2025-03-31', '7 "
		. "days') d LEFT JOIN orders o ON o.ordered_at >= d AND o.ordered_at < d + interval '7 days' GROUP BY d", 5 ],
	[ 'days without rows as 1',
		"SELECT d, count(*) FROM generate_series(timestamp '2025-03-01', '2025-03-31', '1 day') d "
		. "LEFT JOIN orders o ON date_trunc('day', o.ordered_at) = d GROUP BY d", undef,
		qr/ask for an aggregate of a column of theirs, as count\(id\)/ ],
	[ 'a calendar of hours', "SELECT d, count(o.id) FROM generate_series(timestamp '2025-03-01', '2025-03-02', "
		  . "'1 hour') d LEFT JOIN orders o ON date_trunc('hour', o.ordered_at) = d GROUP BY d", 25 ],
	[ 'others of keys that nobody declared', "SELECT CASE WHEN email IN (SELECT email FROM customers GROUP BY 1 "
		. "ORDER BY count(*) LIMIT 2) THEN email ELSE 'Other' END, count(*) FROM customers GROUP BY 1", undef,
		qr/: (?:ask|apply|aggregate|group) |apply it|$once/ ]);
foreach my $case (@answered)
{
	my ($name, $sql, $times, $message) = @$case;
	my $before = total_spent();
	my $got = $a->run($sql);
	my $charged = (total_spent() - $before) / 1e5;
	if (defined $message)
	{
		like($got->{message} // "answered: $got->{out}", $message, "$name: refused");
		is($charged, 0, "$name: not charged");
		next;
	}
	is($got->{message} // fault($sql, $got, 0.01), '', "$name: near the truth, and free the second time");
	next if !defined $times;
	cmp_ok(abs($charged - $times), '<', 0.01, "$name: costs $times times epsilon") or diag $charged;
}

# --- at random ---

sub one { return $_[ rand @_ ] }
sub maybe { return rand() < $_[0] ? $_[1] : '' }

my %values = (status => q{('new', 'n'), ('paid', 'p'), ('paid', 'q')}, channel => q{('web', 'w'), ('none', 'n')});

sub beside
{
	my ($key) = @_;
	my $order = one('sum(amount)', 'sum(quantity)', 'max(id)') =~ s/max\(id\)/sum(quantity)/r;
	return "(SELECT $key FROM orders" . maybe(0.3, ' WHERE quantity > 2') . " GROUP BY $key ORDER BY $order"
	  . one('', ' DESC') . ' LIMIT ' . one(1, 2) . ')';
}

# Days that rows are joined to by a key or between two ends, alone or with regions; and what one group of days at most
# is asked for.
sub of_calendar
{
	my ($with, $days) = one([ '', "generate_series(timestamp '2025-03-01', '2025-03-09', '1 day') AS d(day)" ],
		[ '', "(SELECT generate_series(date '2025-03-01', '2025-03-09', '1 day')::date AS day) d" ],
		[ "WITH RECURSIVE d(day) AS (SELECT date '2025-03-01' UNION ALL SELECT day + 1 FROM d "
			  . "WHERE day < '2025-03-09') ", 'd' ])->@*;
	my $is_range = rand() < 0.5;
	my $ends = one('1 day', '1 day', '7 days');
	my $joined = $is_range ? "o.ordered_at >= d.day AND o.ordered_at < d.day + interval '$ends'"
	  : "date_trunc('day', o.ordered_at) = d.day";
	my @groups = one([ 'd.day' ], [ 'd.day' ], ["to_char(d.day, 'MM-DD')"], [ 'd.day', 'o.status' ])->@*;
	my @aggregates = map { one('count(o.id)', 'sum(o.amount)', 'coalesce(sum(o.quantity), 0)', 'avg(o.quantity)',
		"count(o.id) FILTER (WHERE o.status = 'paid')", 'count(DISTINCT o.customer_id)',
		'max(o.quantity)') } 1 .. 1 + int rand 2;
	my $from = "$days LEFT JOIN orders o ON $joined";
	if (rand() < 0.4)
	{
		@groups = (one('r.name', 'r.id'), 'd.day');
		$from = "regions r CROSS JOIN $days LEFT JOIN customers c ON c.region_id = r.id "
		  . "LEFT JOIN orders o ON o.customer_id = c.id AND $joined" . maybe(0.2, " AND r.name <> 'north'");
		push @aggregates, one('count(c.id)', 'count(DISTINCT c.id)', 'count(*)') if rand() < 0.15;
	}
	my $list = join ', ', @groups, @aggregates;
	if (rand() < 0.2)
	{
		($with, $from) = ('', 'regions r LEFT JOIN customers c ON c.region_id = r.id '
			  . 'LEFT JOIN orders o ON o.customer_id = c.id' . maybe(0.3, ' AND o.quantity > 2'));
		@groups = one([ 'r.name' ], [ 'r.id', 'r.name' ], [ 'r.name', 'o.status' ], [ 'r.id % 2' ],
			[ 'r.id', 'c.segment' ])->@*;
		$list = join ', ', @groups, @aggregates;
	}
	return "${with}SELECT $list FROM $from GROUP BY " . join(', ', @groups) . maybe(0.3, ' ORDER BY 1, 2');
}

sub random_statement
{
	my $key = one('status', 'channel');
	my ($with, $from, @where) = ('',
		one('orders o', 'orders o', 'orders o JOIN customers c ON c.id = o.customer_id', '(SELECT * FROM orders) o'));
	my @keys = one([], ["o.$key"], ["o.$key"], [ 'o.status', 'o.channel' ], ["date_trunc('month', o.ordered_at)"]);
	my @groups = @{ $keys[0] };
	push @where, "o.quantity > 1" if rand() < 0.2;
	my @aggregates = map { one('count(*)', 'count(*)', 'sum(o.amount)', 'sum(o.quantity)', 'avg(o.amount)',
		"count(*) FILTER (WHERE o.quantity > 2)", "sum(CASE WHEN o.status = 'paid' THEN o.quantity ELSE 0 END)",
		'count(o.id)') } 1 .. 1 + int rand 2;
	my $kind = int rand 10;
	if ($kind == 0) { push @where, "o.$key" . one(' IN ', ' NOT IN ') . beside($key) }
	elsif ($kind == 1)
	{
		$with = 'WITH t AS ' . one('', 'MATERIALIZED ') . beside($key) . ' ';
		push @where, "o.$key" . one(' IN ', ' NOT IN ') . "(SELECT $key FROM t)";
	}
	elsif ($kind == 2)
	{
		$from .= one(' JOIN ', ' LEFT JOIN ') . beside($key) . " t ON t.$key = o.$key";
		push @groups, "t.$key" if rand() < 0.5;
	}
	elsif ($kind == 3) { push @groups, "CASE WHEN o.$key IN " . beside($key) . " THEN o.$key ELSE '-' END" }
	elsif ($kind == 4)
	{
		$from .= ' CROSS JOIN (SELECT count(*) AS n FROM orders) t';
		push @aggregates, one('count(*) * 1.0 / max(t.n)', 'max(t.n)', 'sum(o.quantity) * 1.0 / min(t.n)');
	}
	elsif ($kind == 5)
	{
		$from .= one(' JOIN ', ' LEFT JOIN ') . "(VALUES $values{$key}) m(k, v) ON m.k = o.$key"
		  . maybe(0.3, ' AND o.quantity > 1');
		push @groups, 'm.v' if rand() < 0.7;
	}
	elsif ($kind == 6)
	{
		$from .= ' CROSS JOIN generate_series(1, 2) g';
		push @groups, one('g', "CASE WHEN g = 1 THEN o.$key END", "g, CASE WHEN g = 2 THEN o.$key END");
	}
	elsif ($kind == 7)
	{
		push @aggregates, "sum(o.quantity) FILTER (WHERE o.$key IN " . beside($key) . ')', "count(CASE WHEN o.$key IN "
		  . beside($key) . ' THEN 1 END)';
	}
	elsif ($kind == 8) { return of_calendar() }
	else
	{
		$from = one("(VALUES $values{$key}) m(k, v)", "(SELECT DISTINCT $key AS k FROM orders) m")
		  . " LEFT JOIN orders o ON o.$key = m.k" . maybe(0.5, " AND o.status <> 'new'");
		@groups = ('m.k', rand() < 0.3 ? "o.channel" : ());
		@aggregates = ('count(o.id)', 'coalesce(sum(o.amount), 0)', 'sum(CASE WHEN o.quantity > 2 THEN 1 ELSE 0 END)');
		@where = ();
		if (rand() < 0.4)
		{
			$from .= one(' LEFT JOIN ', ' LEFT JOIN ', ' JOIN ') . 'customers c ON c.id = o.customer_id'
			  . maybe(0.3, ' AND o.quantity > 1') . maybe(0.4, ' LEFT JOIN regions r ON r.id = c.region_id');
			push @where, one("c.segment = 'home'", 'c.age > 30 OR o.quantity > 3', 'c.id IS NOT NULL') if rand() < 0.5;
		}
		push @where, 'o.amount > 500' if rand() < 0.2;
	}
	my $over = rand() < 0.2 ? ', sum(count(o.id)) OVER ()' : rand() < 0.1 ? ', rank() OVER (ORDER BY sum(o.amount))'
	  : '';
	my $list = join ', ', @groups, @aggregates;
	return $with . "SELECT $list$over FROM $from" . (@where ? ' WHERE ' . join ' AND ',
		@where : '') . (@groups ? ' GROUP BY ' . join ', ', @groups : '') . maybe(0.2,
		' HAVING count(o.id) > 5') . (@groups ? maybe(0.3, ' ORDER BY 1, 2') : '');
}

my %seen = (answered => 0, refused => 0, failed => 0);
my @wrong;
foreach (1 .. $tried)
{
	my $sql = random_statement();
	my $got = $a->run($sql);
	if (defined $got->{message})
	{
		my $true = $owner->run($sql);
		next if defined $true->{message};
		$seen{refused}++;
		push @wrong, "$got->{message}: $sql"
		  unless $got->{message} =~
		  /(?:: |, | and )(?:ask|apply|group|write|choose|compute|use|join|give|compare|select|aggregate)\b/;
		next;
	}
	$seen{answered}++;
	my $fault = fault($sql, $got, 0.02);
	push @wrong, "$fault: $sql" if $fault;
}
note join ', ', map { "$_ $seen{$_}" } sort keys %seen;
is(join("\n", @wrong), '', 'random statements are answered near the truth, or refused with a way out');
cmp_ok($seen{answered}, '>=', $tried * 0.7, 'most are answered');

done_testing();
