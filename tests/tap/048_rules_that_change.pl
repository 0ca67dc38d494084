# Rules that change: what was spent before counts at what it means afterwards, or is forgotten where the
# owner says so. For each change answers are given under the old rule. Then everything that two data sets
# may differ in under the new rule is tried, with native counts over a copy of the tables: noise is
# discrete Laplace of a known epsilon, so a count that moves by k changes the odds by e^(k epsilon),
# and what was lost is the sum over all answers. The budget must show at least that.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use List::Util qw(max sum0);
use Test::More;

my $node = new_node('rules', 'jit = off', 'max_connections = 20');
my $s = session($node);
my $copy = session($node);
$copy->value('CREATE SCHEMA plain; SET search_path = plain');

# --- what was lost, by brute force ----------------------------------------------------------------

my %made = (
	staff => 'CREATE TABLE staff (id int, g int, p int); INSERT INTO staff SELECT i, i % 3, i % 2 '
	  . 'FROM generate_series(1, 8) i',
	parts => 'CREATE TABLE parts (id int, g int, p int) PARTITION BY LIST (p); '
	  . join('', map { "CREATE TABLE parts_$_ PARTITION OF parts FOR VALUES IN ($_);" } 0 .. 2)
	  . 'INSERT INTO parts SELECT i, i % 3, i % 3 FROM generate_series(1, 9) i',
	whole => 'DROP TABLE IF EXISTS part, below; CREATE TABLE whole (id int, g int, p int); '
	  . 'CREATE TABLE part () INHERITS (whole); CREATE TABLE below () INHERITS (part); '
	  . 'INSERT INTO whole SELECT i, i % 3, 0 FROM generate_series(1, 3) i; INSERT INTO part SELECT i, i % 3, 1 '
	  . 'FROM generate_series(4, 6) i; '
	  . 'INSERT INTO below SELECT i, i % 3, 1 FROM generate_series(7, 9) i',
	customers => 'CREATE TABLE customers (id int PRIMARY KEY, g int); INSERT INTO customers SELECT i, i % 2 '
	  . 'FROM generate_series(1, 6) i',
	orders => 'CREATE TABLE orders (id int, customer int NOT NULL, g int); '
	  . 'INSERT INTO orders SELECT i, CASE WHEN i <= 5 THEN 1 ELSE i - 4 END, i % 2 FROM generate_series(1, 9) i');

# Everything that neighbours may differ in, each as statements that make one of the other.
my %neighbours = (
	add_remove => sub {
		my ($table, $values) = @_;
		my @values = split /;/, $values;
		return map { ("DELETE FROM $table WHERE id = $_", map { "INSERT INTO $table VALUES (100, $_)" } @values) }
		  1 .. 9;
	},
	substitute => sub {
		my ($table, $values, $columns) = @_;
		my @values = split /;/, $values;
		return map { my $id = $_; map { "UPDATE $table SET ($columns) = ($_) WHERE id = $id" } @values } 1 .. 9;
	});

# What an answer counts: a query for keys and counts. Answers are those to the queries at their epsilons.
sub counted { my ($query) = @_; return { map { split /\|/ } split /\n/, $copy->value($query) } }

sub lost
{
	my ($answers, @changes) = @_;
	my %seen;
	my @before = map { counted($_->[0]) } @$answers;
	my $most = 0;
	foreach my $change (grep { !$seen{$_}++ } @changes)
	{
		$copy->value("BEGIN; $change");
		my $lost = 0;
		foreach my $i (0 .. $#$answers)
		{
			my ($was, $is) = ($before[$i], counted($answers->[$i][0]));
			my %keys = (%$was, %$is);
			$lost += $answers->[$i][1] * sum0(map { abs(($was->{$_} // 0) - ($is->{$_} // 0)) } keys %keys);
		}
		$copy->value('ROLLBACK');
		$most = max($most, $lost);
	}
	return $most;
}

my %values = (
	staff => [ '0, 0;1, 0;2, 0;0, 1', 'g, p' ],
	parts => [ '0, 0;1, 0;0, 1;1, 1;0, 2;2, 2', 'g, p' ],
	orders => [ '1, 0;2, 0;3, 1;6, 1', 'customer, g' ],);
$values{$_} = $values{staff} foreach qw(whole part below);
sub rows { my ($kind, $table) = @_; return $neighbours{$kind}->($table, @{ $values{$table} }) }

# --- one change -----------------------------------------------------------------------------------

sub begin
{
	my (@tables) = @_;
	foreach my $session ($s, $copy)
	{
		$session->value("DROP TABLE IF EXISTS $_, parts_1 CASCADE; $made{$_}") foreach @tables;
	}
	$s->value('TRUNCATE idp.account, idp.charge, idp.link, idp.chain, idp.chain_level');
	return;
}

sub spent_now
{
	my ($table) = @_;
	return $s->value("SELECT trim_scale(sum(spent)) FROM idp.protection "
		  . "WHERE table_name = '$table' AND active AND partition_of IS NULL");
}

# Passes if the account has what was lost or more, and this much.
sub has_spent
{
	my ($table, $spent, $lost, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $shown = spent_now($table);
	is($shown, $spent, "$name: the budget shows $spent");
	cmp_ok($shown, '>=', $lost, "$name: which is no less than was lost");
	return;
}

sub refused
{
	my ($sql, $why, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = $s->run($sql);
	like(($r->{sqlstate} // 'done') . ' ' . ($r->{message} // ''), $why, "$name: refused");
	like($r->{hint} // '', qr/./, "$name: with a way out");
	return;
}

my @by_group = ([ 'SELECT g, count(*) FROM staff GROUP BY g', 1 ]);
my $rules = "rows => 'visible'";

# --- neighbours -----------------------------------------------------------------------------------

begin('staff');
$s->value("SELECT idp.protect('staff', 100, 'add_remove', $rules); SELECT g, dp_count(1) FROM staff GROUP BY g");
has_spent('staff', 1, lost(\@by_group, rows('add_remove', 'staff')), 'before');
$s->value("SELECT idp.protect('staff', 100, 'substitute')");
is(lost(\@by_group, rows('substitute', 'staff')), 2, 'add_remove to substitute, groups: a row leaves one for another');
has_spent('staff', 2, 2, 'add_remove to substitute, groups');
is($s->value("SELECT aggregate, trim_scale(epsilon) FROM idp.ledger ORDER BY at DESC LIMIT 1"), 'idp.protect|1',
	'and the ledger says so');
$s->value("SELECT idp.protect('staff', 100, 'substitute'), idp.protect('staff', 50)");
has_spent('staff', 2, 2, 'the same rules once more');
$s->value("SELECT idp.protect('staff', 100, 'add_remove')");
has_spent('staff', 2, lost(\@by_group, rows('add_remove', 'staff')), 'substitute to add_remove');

begin('staff');
$s->value("SELECT idp.protect('staff', 100, 'add_remove', $rules); SELECT dp_count(1) FROM staff WHERE g = 0; "
	  . "SELECT dp_count(1) FROM staff WHERE g = 1");
$s->value("SELECT idp.unprotect('staff'); SELECT idp.protect('staff', 100, $rules)");
has_spent('staff', 4,
	lost([ map { [ "SELECT 0, count(*) FROM staff WHERE g = $_", 1 ] } 0, 1 ], rows('substitute', 'staff')),
	'unprotected, and protected with other neighbours for want of any');

begin('staff');
$s->value("SELECT idp.protect('staff', 100, 'add_remove', $rules); SELECT g, dp_count(1) FROM staff GROUP BY g; "
	  . "DROP TABLE staff; $made{staff}");
$s->value("SELECT idp.protect('staff', 100, 'substitute')");
has_spent('staff', 2, lost(\@by_group, rows('substitute', 'staff')),
	'dropped, made again, and protected with other neighbours');

begin('staff');
$s->value("SELECT idp.protect('staff', 3, 'add_remove', $rules); SELECT g, dp_count(2) FROM staff GROUP BY g");
$s->value("SELECT idp.protect('staff', 3, 'substitute')");
is(spent_now('staff'), 4, 'more may have been spent than the budget is');
is($s->run('SELECT dp_count(0.1) FROM staff')->{sqlstate}, 'IDP01', 'and nothing is answered then');

# Named releases that are refined afterwards cost what all of them means.
begin('staff');
$s->value("SELECT idp.protect('staff', 100, 'add_remove', $rules); SELECT g, dp_count(0.5, 'group ' || g) "
	  . "FROM staff GROUP BY g");
$s->value("SELECT idp.protect('staff', 100, 'substitute'); SELECT idp.relax('group 1', 1.5)");
has_spent('staff', 3, lost([ [ $by_group[0][0], 1.5 ] ], rows('substitute', 'staff')), 'a family of groups, refined');

begin('staff');
$s->value("SELECT idp.protect('staff', 100, 'add_remove', $rules); "
	  . "SELECT dp_histogram(g, 0.5, 0, 3, 3, 'old') FROM staff");
$s->value("SELECT idp.protect('staff', 100, 'substitute'); SELECT dp_count(1, 'new') FROM staff; "
	  . "SELECT idp.relax('old', 1.5)");
has_spent('staff', 4, 1 + 2 * 1.5, 'a release without groups, refined: as when it began');
is($s->value("SELECT trim_scale(epsilon) FROM idp.cost('SELECT dp_count(2, ''new'') FROM staff')"), '0',
	'one that began later');
$s->value("SELECT idp.relax('new', 2)");
has_spent('staff', 5, 5, 'one that began later, refined');
is($s->value(q[SELECT trim_scale(reserved) FROM idp.cost('SELECT dp_histogram(g, 2, 0, 3, 3, ''old'') FROM staff')]),
	'1', 'idp.cost knows that, too');

# --- delta ----------------------------------------------------------------------------------------

# A group of n rows is kept with probability pi(n). What is left of the odds beyond e^(2 epsilon) where
# a row goes from one group to another, the greatest over their sizes:
my ($epsilon, $delta) = (0.5, 0.01);
my @pi = (0);
push @pi, List::Util::min(exp($epsilon) * $pi[-1] + $delta, 1 - exp(-$epsilon) * (1 - $pi[-1] - $delta), 1)
  foreach 1 .. 40;
my $beyond = 0;
foreach my $n (1 .. 39)
{
	foreach my $m (0 .. 38)
	{
		my $left = 0;
		foreach my $kept (0 .. 3)
		{
			my $odds = sub {
				my ($a, $b) = @_;
				($kept & 1 ? $pi[$a] : 1 - $pi[$a]) * ($kept & 2 ? $pi[$b] : 1 - $pi[$b])
			};
			$left += max(0, $odds->($n, $m) - exp(2 * $epsilon) * $odds->($n - 1, $m + 1));
		}
		$beyond = max($beyond, $left);
	}
}
begin('staff');
$s->value("SELECT idp.protect('staff', 100, 'add_remove', $rules, delta => 0.5); SELECT g FROM staff GROUP BY g "
	  . "HAVING dp_keep_group($epsilon, $delta)");
$s->value("SELECT idp.protect('staff', 100, 'substitute')");
cmp_ok($beyond, '>', $delta * 1.1, 'delta: more is lost than one group loses');
my ($e, $d) = split /\|/,
  $s->value("SELECT trim_scale(spent), trim_scale(delta_spent) FROM idp.protection WHERE table_name = 'staff'");
is("$e $d", '1 0.02', 'delta: that of both groups counts');
cmp_ok($d, '>=', $beyond, 'delta: which is no less than was lost');

# --- partitions -----------------------------------------------------------------------------------

my @of_parts = ([ 'SELECT g, count(*) FROM parts WHERE p = 0 GROUP BY g', 2 ],
	[ 'SELECT g, count(*) FROM parts WHERE p = 1 GROUP BY g', 3 ]);
my $ask_parts = 'SELECT g, dp_count(2) FROM parts WHERE p = 0 GROUP BY g; SELECT g, dp_count(3) FROM parts '
  . 'WHERE p = 1 GROUP BY g';
foreach my $case (
	[ 'add_remove', 'add_remove', 3 ],
	[ 'add_remove', 'substitute', 6 ],
	[ 'substitute', 'substitute', 6 ],
	[ 'substitute', 'add_remove', 6 ],)
{
	my ($before, $now, $spent) = @$case;
	foreach my $gone ('', 'DROP TABLE parts_1', 'ALTER TABLE parts DETACH PARTITION parts_1',
		'ALTER TABLE parts DETACH PARTITION parts_1; DROP TABLE parts_1')
	{
		my $name = "partitions, $before, to one budget, $now" . ($gone ? ", after $gone" : '');
		begin('parts');
		$s->value("SELECT idp.protect('parts', 100, '$before', $rules, per => 'partition'); $ask_parts; $gone");
		$s->value("SELECT idp.protect('parts', 100, '$now', per => 'table')");
		has_spent('parts', $spent, lost(\@of_parts, rows($now, 'parts')), $name);
		$s->value('DROP TABLE IF EXISTS parts_1');
	}
}
begin('parts');
$s->value("SELECT idp.protect('parts', 100, 'add_remove', $rules, per => 'partition'); $ask_parts; "
	  . "SELECT idp.protect('parts', 100, 'substitute')");
my $shares = "SELECT string_agg(trim_scale(spent)::text, ' ' ORDER BY table_name) FROM idp.protection "
  . "WHERE partition_of = 'parts'";
is($s->value($shares), '4 6 0', 'partitions, other neighbours: each counts again');
# a row that moves loses half of what both have spent
cmp_ok((4 + 6) / 2, '>=', lost(\@of_parts, map { "UPDATE parts SET p = 1 WHERE id = $_" } 3, 6, 9),
	'partitions: a row that moves has lost half of both');
begin('parts');
$s->value("SELECT idp.protect('parts', 100, 'add_remove', $rules, per => 'partition'); $ask_parts; "
	  . "ALTER TABLE parts DETACH PARTITION parts_1");
$s->value("SELECT idp.protect('parts', 100, 'substitute'); ALTER TABLE parts ATTACH PARTITION parts_1 "
	  . "FOR VALUES IN (1)");
is($s->value($shares), '4 6 0', 'partitions: one that is attached again has the rules of the others');
is($s->value("SELECT trim_scale(epsilon) FROM idp.cost('SELECT dp_count(1) FROM parts WHERE p = 1')"), '2',
	'and is charged by them');
begin('parts');
$s->value("SELECT idp.protect('parts', 100, 'add_remove', $rules); SELECT g, dp_count(1) FROM parts GROUP BY g");
$s->value("SELECT idp.protect('parts', 100, 'substitute', per => 'partition')");
is($s->value($shares), '2 2 2', 'one budget to that of each partition: each has what the table has');
cmp_ok((2 + 2) / 2, '>=', lost([ [ 'SELECT g, count(*) FROM parts GROUP BY g', 1 ] ], rows('substitute', 'parts')),
	'which is no less than was lost');

# --- parts ----------------------------------------------------------------------------------------

my $all = [ 'SELECT g, count(*) FROM parts GROUP BY g', 1 ];
my $of_1 = [ 'SELECT g, count(*) FROM parts WHERE p = 1 GROUP BY g', 3 ];
my $attach = 'ALTER TABLE parts ATTACH PARTITION parts_1 FOR VALUES IN (1)';
foreach my $case ([ 'add_remove', 'add_remove', 1 ], [ 'add_remove', 'substitute', 2 ],
	[ 'substitute', 'substitute', 2 ])
{
	my ($before, $now, $spent) = @$case;
	my $protect_all = "SELECT idp.protect('parts', 100, '$before', $rules); "
	  . "SELECT g, dp_count(1) FROM parts GROUP BY g";
	foreach my $how ('DETACH PARTITION parts_1', 'DETACH PARTITION parts_1 CONCURRENTLY', 'nothing')
	{
		my $name = "a part of what was protected, $before, $how, $now";
		begin('parts');
		$s->value($protect_all);
		$s->value($how eq 'nothing' ? "SELECT idp.unprotect('parts')" : "ALTER TABLE parts $how");
		$s->value("SELECT idp.protect('parts_1', 100, '$now', $rules)");
		has_spent('parts_1', $spent, lost([$all], rows($now, 'parts')), $name);
		next if $how eq 'nothing';
		$s->value("SELECT idp.unprotect('parts_1'); $attach");
		is(spent_now('parts'), $before eq 'add_remove' ? 1 : 2, "$name, and back: nothing else was lost");
	}
	my $protect_1 = "SELECT idp.protect('parts_1', 100, '$before', $rules); SELECT g, dp_count(3) FROM parts_1 "
	  . "GROUP BY g; SELECT idp.unprotect('parts_1')";
	my $name = "a part that was protected alone, $before, then all, $now";
	begin('parts');
	$s->value("$protect_1; SELECT idp.protect('parts', 100, '$now', $rules)");
	has_spent('parts', 3 * $spent, lost([$of_1], rows($now, 'parts')), $name);

	# attached to what was asked without it
	begin('parts');
	$s->value("ALTER TABLE parts DETACH PARTITION parts_1; $protect_1; "
		  . "SELECT idp.protect('parts', 100, '$now', $rules); SELECT g, dp_count(1) FROM parts GROUP BY g; $attach");
	has_spent('parts', $now eq 'add_remove' ? 3 : 2 + 3 * $spent,
		lost([ [ 'SELECT g, count(*) FROM parts WHERE p <> 1 GROUP BY g', 1 ], $of_1 ], rows($now, 'parts')),
		"$name, and attached");
	$s->value("ALTER TABLE parts DETACH PARTITION parts_1; $attach; "
		  . "ALTER TABLE parts DETACH PARTITION parts_1; $attach");
	is(spent_now('parts'), $now eq 'add_remove' ? 3 + 1 : 2 + 3 * $spent,
		"$name, and attached again and again: no more than both");
}
begin('customers', 'parts');
$s->value('ALTER TABLE parts ALTER id SET NOT NULL; UPDATE parts SET id = 1 + id % 6; '
	  . 'ALTER TABLE parts ADD FOREIGN KEY (id) REFERENCES customers');
$s->value("SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id'); "
	  . "SELECT idp.link('parts', 'id', 'customers'); ALTER TABLE parts DETACH PARTITION parts_1");
$s->value("SELECT idp.protect('parts_1', 100, $rules); SELECT dp_count(1) FROM parts_1; "
	  . "SELECT idp.unprotect('parts_1')");
refused($attach, qr/^55000 what was spent about rows of table "parts_1" has no bound for a unit/,
	'a part of rows of persons');
$s->value("SELECT idp.unlink('parts'); $attach; SELECT idp.link('parts', 'id', 'customers', forget => true)");
begin('customers', 'parts');
$s->value('ALTER TABLE parts ALTER id SET NOT NULL; UPDATE parts SET id = 1 + id % 6; '
	  . 'ALTER TABLE parts ADD FOREIGN KEY (id) REFERENCES customers');
$s->value("SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id'); "
	. "SELECT idp.link('parts', 'id', 'customers'); SELECT dp_count(1) "
	. "FROM customers; ALTER TABLE parts DETACH PARTITION parts_1");
$s->value("SELECT idp.protect('parts_1', 100, 'substitute', $rules)");
is(spent_now('parts_1'), 4, 'a part of rows of persons, detached: as a table that is unlinked');

# --- tables that inherit --------------------------------------------------------------------------

# As partitions are: what the whole was asked was asked about each, also of those that inherit in turn.
my $of_whole = [ 'SELECT g, count(*) FROM whole GROUP BY g', 1 ];
foreach my $case ([ 'add_remove', 'add_remove', 1 ], [ 'add_remove', 'substitute', 2 ],
	[ 'substitute', 'substitute', 2 ])
{
	my ($before, $now, $spent) = @$case;
	foreach my $asked ('part', 'below')
	{
		my $name = "NO INHERIT, $asked, $before to $now";
		begin('whole');
		$s->value("SELECT idp.protect('whole', 100, '$before', $rules); SELECT g, dp_count(1) FROM whole GROUP BY g; "
			  . "ALTER TABLE part NO INHERIT whole");
		$s->value("SELECT idp.protect('$asked', 100, '$now', $rules)");
		has_spent($asked, $spent, lost([$of_whole], rows($now, $asked)), $name);
		$s->value("SELECT idp.unprotect('$asked'); ALTER TABLE part INHERIT whole");
		# what went to a table by way of another comes back beside what the whole has: twice, which is safe
		my $once = $before eq 'add_remove' ? 1 : 2;
		cmp_ok(spent_now('whole'), '>=', $once, "$name, and back: no less than was lost");
		cmp_ok(spent_now('whole'), '<=', $asked eq 'part' ? $once : 2 * $once,
			"$name, and back: " . ($asked eq 'part' ? 'nothing else was lost' : 'twice at most'));

		$name = "INHERIT, $asked, $before to $now";
		my $of_asked = [ "SELECT g, count(*) FROM $asked GROUP BY g", 3 ];
		my $protect_alone = "ALTER TABLE part NO INHERIT whole; SELECT idp.protect('$asked', 100, '$before', $rules); "
		  . "SELECT g, dp_count(3) FROM $asked GROUP BY g; SELECT idp.unprotect('$asked')";
		begin('whole');
		$s->value("$protect_alone; ALTER TABLE part INHERIT whole; SELECT idp.protect('whole', 100, '$now', $rules)");
		has_spent('whole', 3 * $spent, lost([$of_asked], rows($now, 'whole'), rows($now, $asked)),
			"$name, before the whole is protected");
		begin('whole');
		$s->value("$protect_alone; SELECT idp.protect('whole', 100, '$now', $rules); SELECT g, dp_count(1) FROM whole "
			  . "GROUP BY g; ALTER TABLE part INHERIT whole");
		has_spent('whole', $now eq 'add_remove' ? 3 : 2 + 3 * $spent,
			lost([ [ 'SELECT g, count(*) FROM ONLY whole GROUP BY g', 1 ], $of_asked ], rows($now, 'whole'),
				rows($now, $asked)), "$name, after it was asked");
		$s->value('ALTER TABLE part NO INHERIT whole; ALTER TABLE part INHERIT whole; '
			  . 'ALTER TABLE part NO INHERIT whole; ALTER TABLE part INHERIT whole');
		is(spent_now('whole'), $now ne 'add_remove' ? 2 + 3 * $spent : $asked eq 'part' ? 3 + 1 : 3,
			"$name, again and again: no more than both");
	}
}
begin('whole');
$s->value("SELECT idp.protect('whole', 100, 'add_remove', $rules); SELECT dp_count(1) FROM whole; "
	  . "ALTER TABLE part NO INHERIT whole; SELECT dp_count(2) FROM whole");
$s->value("SELECT idp.protect('part', 100, 'add_remove', $rules)");
is(spent_now('part'), 1, 'NO INHERIT: what the whole is asked later is not about it');
is($s->value("SELECT trim_scale(epsilon) FROM idp.cost('SELECT dp_count(1) FROM part')"), '1',
	'NO INHERIT: it is charged by itself');

# --- rows become those of persons -----------------------------------------------------------------

my $key = 'ALTER TABLE orders ADD FOREIGN KEY (customer) REFERENCES customers';
my @orders = ([ 'SELECT 0, count(*) FROM orders', 1 ]);
my @persons = map { "DELETE FROM orders WHERE customer = $_; DELETE FROM customers WHERE id = $_" } 1 .. 6;
begin('customers', 'orders');
$s->value("$key; SELECT idp.protect('orders', 100, 'add_remove', $rules); SELECT dp_count(1) FROM orders; "
	  . "SELECT idp.unprotect('orders')");
$s->value("SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id')");
is(lost(\@orders, @persons), 5, 'rows to persons: one has lost five times what a row has');
my $link = "idp.link('orders', 'customer', 'customers'";
refused("SELECT $link)", qr/^55000 what was spent about rows of table "orders" has no bound for a unit/,
	'rows to persons');
is($s->value('SELECT count(*) FROM idp.link'), 0, 'rows to persons: not linked');
$s->value("SELECT $link, forget => true)");
is($s->value("SELECT aggregate, trim_scale(epsilon) FROM idp.ledger WHERE table_name = 'customers'"),
	'idp.link(forget => true)|0', 'forgotten: the ledger says so');
is(spent_now('customers'), 0, 'forgotten');
is($s->value("SELECT count(*), trim_scale(sum(c.epsilon)) FROM idp.charge c JOIN idp.account a ON a.id = c.account "
	. "WHERE a.name = 'public.orders'"), '1|1', 'forgotten: what was charged stays in the ledger');

begin('customers', 'orders');
$s->value("$key; DELETE FROM orders WHERE id < 5; ALTER TABLE orders ADD UNIQUE (customer); "
	. "SELECT idp.protect('orders', 100, 'add_remove', $rules); SELECT dp_count(1) FROM orders; "
	. "SELECT idp.unprotect('orders')");
$s->value("SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id')");
refused("SELECT $link)", qr/^55000 what was spent/, 'rows to persons, of which each has one now');
begin('customers', 'orders');
$s->value("$key; SELECT idp.protect('orders', 100, 'add_remove', $rules); SELECT dp_count(1) FROM orders; "
	  . "SELECT idp.unprotect('orders'); DROP TABLE orders; $made{orders}; $key");
$s->value("SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id')");
refused("SELECT $link)", qr/^55000 what was spent/, 'rows to persons, of a table that was dropped and made again');

foreach my $asked ('parts_1', 'parts')
{
	begin('customers', 'parts');
	my $linked = $asked eq 'parts' ? 'parts_1' : 'parts';
	$s->value('ALTER TABLE parts ALTER id SET NOT NULL; UPDATE parts SET id = 1 + id % 6; '
		  . 'ALTER TABLE parts ADD FOREIGN KEY (id) REFERENCES customers');
	$s->value("SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id'), "
		  . "idp.protect('$asked', 100, $rules); SELECT dp_count(1) FROM $asked; SELECT idp.unprotect('$asked')");
	refused("SELECT idp.link('$linked', 'id', 'customers')", qr/^55000 what was spent/,
		"rows to persons, of $asked where $linked is linked");
}

begin('customers');
$s->value("SELECT idp.protect('customers', 100, 'add_remove', $rules); "
	  . "SELECT g, dp_count(1) FROM customers GROUP BY g");
$s->value("SELECT idp.protect('customers', 100, unit => 'id')");
has_spent('customers', 1,
	lost([ [ 'SELECT g, count(*) FROM customers GROUP BY g', 1 ] ],
		map { "DELETE FROM customers WHERE id = $_" } 1 .. 6),
	'a unit is declared: each row was one');

# --- persons become rows --------------------------------------------------------------------------

my $sizes = 'SELECT n, %s FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) c GROUP BY n';
foreach my $case (
	[ 'add_remove', 'add_remove', 2 ],
	[ 'add_remove', 'substitute', 4 ],
	[ 'substitute', 'add_remove', 2 ],
	[ 'substitute', 'substitute', 4 ],)
{
	my ($before, $now, $spent) = @$case;
	my $name = "persons, $before, to rows, $now";
	begin('customers', 'orders');
	$s->value("$key; SELECT idp.protect('customers', 100, '$before', $rules, unit => 'id'); SELECT $link); "
		  . sprintf($sizes, 'dp_count(1)'));
	$s->value("SELECT idp.unlink('orders'); SELECT idp.protect('orders', 100, '$now', $rules)");
	my @changes = rows($now, 'orders');
	has_spent('orders', $spent, lost([ [ sprintf($sizes, 'count(*)'), 1 ] ], @changes), $name);
	is(spent_now('customers'), $before eq 'add_remove' ? 1 : 2, "$name: that of the persons stays");
	$s->value("SELECT idp.protect('orders', 100)");
	is(spent_now('orders'), $spent, "$name: once");

	# and back
	$s->value("SELECT idp.unprotect('orders')");
	refused("SELECT $link)", qr/^55000 what was spent/, "$name, and back");
	$s->value("SELECT $link, forget => true)");
	is(spent_now('customers'), $before eq 'add_remove' ? 1 : 2, "$name, and back, forgotten");
}

# linked again by another column: what was spent is about the rows of other persons
my $two = 'ALTER TABLE orders ADD seller int NOT NULL DEFAULT 1 REFERENCES customers';
begin('customers', 'orders');
$s->value("$key; $two; SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id'); "
	. "SELECT $link), idp.unlink('orders'); SELECT idp.link('orders', 'seller', 'customers'), "
	. "idp.unlink('orders'); SELECT $link); SELECT dp_count(1) FROM (SELECT customer FROM orders "
	. "GROUP BY customer) q; SELECT idp.unlink('orders')");
is(lost([ [ 'SELECT 0, count(DISTINCT customer) FROM orders', 1 ] ], 'DELETE FROM orders'), 5,
	'by another column: one seller has the rows of five buyers');
refused("SELECT idp.link('orders', 'seller', 'customers')",
	qr/^55000 what was spent about rows of table "orders" has no bound/, 'linked again by another column');
$s->value("SELECT idp.link('orders', 'seller', 'customers', forget => true)");
is($s->value("SELECT count(*) FROM idp.ledger WHERE aggregate = 'idp.link(forget => true)'"), 1,
	'linked again by another column, forgotten');

# parts that were linked by another column than the whole
sub begin_parts
{
	begin('customers', 'parts');
	$s->value('ALTER TABLE parts ALTER id SET NOT NULL; UPDATE parts '
		. 'SET id = 1 + id % 6; ALTER TABLE parts ADD FOREIGN KEY (id) REFERENCES customers, ADD seller int NOT '
		. 'NULL DEFAULT 1 REFERENCES customers');
	$s->value("SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id')");
	return;
}
my $asked = 'SELECT dp_count(1) FROM (SELECT id FROM parts_1 GROUP BY id) q';
begin_parts();
$s->value("ALTER TABLE parts DETACH PARTITION parts_1; "
	  . "SELECT idp.link('parts_1', 'id', 'customers'), idp.link('parts', 'seller', 'customers'); $asked");
refused($attach, qr/^55000 table "parts_1" is linked already/, 'a part that is linked by another column is attached');
$s->value("SELECT idp.unlink('parts'); $attach");
refused("SELECT idp.link('parts', 'seller', 'customers')", qr/^55000 table "parts_1" is linked already/,
	'a whole is linked that has such a part');
$s->value("SELECT idp.unlink('parts_1')");
refused("SELECT idp.link('parts', 'seller', 'customers')", qr/^55000 what was spent/,
	'a whole is linked, a part of which was, by another column');
begin_parts();
$s->value("SELECT idp.link('parts', 'id', 'customers'); $asked; ALTER TABLE parts DETACH PARTITION parts_1; "
	  . "SELECT idp.unlink('parts'), idp.link('parts', 'seller', 'customers', forget => true)");
refused($attach, qr/^55000 what was spent about rows of table "parts_1" has no bound for a unit/,
	'a part of rows of other persons is attached');
$s->value('DROP TABLE parts_1, parts CASCADE');

# --- a promise about some rows ends, and another about them goes on -----------------------------------------

my $part = 'SELECT g, dp_count(1) FROM parts_1 GROUP BY g';
foreach my $case ([ 'attached',
	"ALTER TABLE parts DETACH PARTITION parts_1; SELECT idp.protect('parts_1', 100, 'add_remove', $rules), "
	. "idp.protect('parts', 100, 'add_remove', $rules); $part; $attach" ],
	[ 'protected before the whole', "SELECT idp.protect('parts_1', 100, 'add_remove', $rules); $part; "
		  . "SELECT idp.protect('parts', 100, 'add_remove', $rules)" ])
{
	my ($name, $setup) = @$case;
	begin('parts');
	$s->value("$setup; SELECT idp.unprotect('parts_1')");
	has_spent('parts', 1, lost([ [ 'SELECT g, count(*) FROM parts WHERE p = 1 GROUP BY g', 1 ] ],
		rows('add_remove', 'parts')), "a part, $name, is not protected any more by itself");
}
begin_parts();
$s->value("SELECT idp.link('parts', 'seller', 'customers'); ALTER TABLE parts DETACH PARTITION parts_1; "
	. "SELECT idp.protect('parts_1', 100, 'add_remove', $rules); SELECT dp_count(1) FROM parts_1; $attach");
refused("SELECT idp.unprotect('parts_1')",
	qr/^55000 what was spent about rows of table "parts_1" has no bound for a unit/,
	'a part of rows of persons, asked row by row, is not protected any more by itself');
begin('parts');
$s->value("SELECT idp.protect('parts', 100, 'add_remove', $rules); SELECT g, dp_count(1) FROM parts GROUP BY g; "
	  . "SELECT idp.protect('parts_1', 100, 'add_remove', $rules)");
is(spent_now('parts_1'), 0, 'a part is protected by itself beside the whole: both promises hold');
$s->value("SELECT idp.unprotect('parts')");
is(spent_now('parts_1'), 1, 'the whole is not protected any more: the part has lost that as well');
foreach my $end ("idp.unlink('parts')", "idp.unprotect('customers')")
{
	begin_parts();
	$s->value("SELECT idp.link('parts', 'id', 'customers'); ALTER TABLE parts DETACH PARTITION parts_1; "
		. "SELECT idp.protect('parts_1', 100, 'add_remove', $rules); $attach; SELECT dp_count(1) FROM customers; "
		. "SELECT $end");
	is(spent_now('parts_1'), 2, "$end: a part that is protected by itself has lost what two persons have");
}
begin_parts();
$s->value("ALTER TABLE parts DETACH PARTITION parts_1; SELECT idp.link('parts_1', 'id', 'customers'), "
	  . "idp.protect('parts', 100, 'add_remove', $rules); $asked; $attach; SELECT idp.unlink('parts_1')");
is(spent_now('parts'), 2, 'a link of a part ends: the whole, protected row by row, has lost what two persons have');
begin_parts();
$s->value("SELECT idp.link('parts', 'id', 'customers'); ALTER TABLE parts DETACH PARTITION parts_1; "
	. "SELECT idp.protect('parts_1', 100, 'substitute', $rules); $attach; SELECT idp_median(id, 1) "
	. "FROM customers");
refused("SELECT idp.unlink('parts')", qr/^55000 what answers about units tell of rows of table "parts_1"/,
	'idp_ answers about persons, of which a part that is protected by itself has rows');
$s->value('DROP TABLE parts_1, parts CASCADE');

# an answer that hides one person, and no two
begin('customers', 'orders');
$s->value("$key; SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id'); SELECT $link); "
	. "SELECT idp_median(n, 1) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) c; "
	. "SELECT idp.unlink('orders')");
refused("SELECT idp.protect('orders', 100, $rules)",
	qr/^55000 what answers about units tell of rows of table "orders" that are substituted is not bounded/,
	'idp_ answers about persons');
$s->value("SELECT idp.protect('orders', 100, 'add_remove', $rules)");
is(spent_now('orders'), 2, 'idp_ answers about persons: of rows that come or go they tell twice as much');
refused("SELECT idp.protect('orders', 100, 'substitute')", qr/^55000 what answers about units/,
	'idp_ answers about persons, later');
$s->value("SELECT idp.protect('orders', 100, 'substitute', forget => true)");
is(spent_now('orders'), 2, 'forgotten');
is($s->value("SELECT aggregate, trim_scale(epsilon) FROM idp.ledger WHERE table_name = 'orders' "
	  . "ORDER BY at DESC LIMIT 1"), 'idp.protect(forget => true)|0', 'the ledger says so');

begin('customers', 'orders');
$s->value("$key; SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id'); SELECT $link); "
	  . "SELECT idp.unprotect('customers')");
refused("SELECT idp.protect('customers', 100, $rules)", qr/^2BP01 table "customers" cannot be protected row by row/,
	'linked tables');
$s->value("SELECT idp.unlink('orders'), idp.protect('customers', 100, $rules)");

# two accounts that become one: those of persons are rows for what they are linked to
begin('customers', 'orders');
$s->value("$key; CREATE TABLE homes (id int PRIMARY KEY); INSERT INTO homes SELECT generate_series(0, 1); "
	  . "ALTER TABLE customers ALTER g SET NOT NULL, ADD FOREIGN KEY (g) REFERENCES homes");
$s->value("SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id'), idp.protect('homes', 100, "
	  . "'add_remove', $rules, unit => 'id'); SELECT $link); SELECT dp_count(1) FROM customers");
$s->value("SELECT idp.unlink('orders'), idp.unprotect('customers')");
refused("SELECT idp.link('customers', 'g', 'homes')", qr/^55000 what was spent about rows of table "customers"/,
	'persons of a home');
$s->value("SELECT idp.link('customers', 'g', 'homes', forget => true)");
refused("SELECT $link)", qr/^55000 what was spent about rows of table "orders"/, 'and what belongs to them');
$s->value('DROP TABLE homes CASCADE');

# --- what is kept ---------------------------------------------------------------------------------

begin('staff');
$s->value("SELECT idp.protect('staff', 100, 'add_remove', $rules, renew => '1 month'); SELECT dp_count(1) FROM staff");
$s->value("UPDATE idp.charge SET at = at - interval '2 months'; SELECT dp_count(0.5) FROM staff");
is(spent_now('staff'), '0.5', 'a month');
$s->value("SELECT idp.protect('staff', 100, renew => 'never')");
is(spent_now('staff'), '1.5', 'for ever: all months');
$s->value("SELECT idp.protect('staff', 100, renew => '1 month'); SELECT idp.protect('staff', 100, 'substitute')");
cmp_ok(spent_now('staff'), '>=', 1, 'other neighbours: the month counts twice');
$s->value("SELECT idp.protect('staff', 100, renew => 'never')");
is(spent_now('staff'), 3, 'and so do all months');
$s->value("SELECT idp.protect('staff', 7, min_epsilon => 0.1, floor => 1, delta => 0.1)");
is(spent_now('staff'), 3, 'budget, floor, least epsilon, delta');
$s->value("SELECT idp.protect('staff', 7, rows => 'hidden')");
is(spent_now('staff'), 3, 'hidden rows');
# --- rules that a rollback takes back ---------------------------------------------------------------

# Charges stay, so there are none under rules that may go.
my $changed = qr/^this transaction has changed rules of privacy: ask after COMMIT/;
begin('staff');
$s->value("SELECT idp.protect('staff', 100, 'substitute', $rules); SELECT dp_count(1) FROM staff");
foreach my $case (
	[ 'other neighbours', "SELECT idp.protect('staff', 100, 'add_remove')", 1 ],
	[ 'no account', "SELECT idp.unprotect('staff'), idp.protect('staff', 100)", 1 ],
	[ 'a savepoint that was taken back', "SAVEPOINT a; SELECT idp.protect('staff', 100, 'add_remove'); ROLLBACK TO a",
		1 ],
	[ 'another budget', "SELECT idp.protect('staff', 200)", 0 ],
	[ 'the same', "SELECT idp.protect('staff', 100, 'substitute')", 0 ],)
{
	my ($name, $change, $is_refused) = @$case;
	my $before = spent_now('staff');
	$s->value("BEGIN; $change");
	my $asked = $s->run('SELECT dp_count(1) FROM staff');
	like($asked->{message} // '', $is_refused ? $changed : qr/^\z/,
		"$name, in a transaction: " . ($is_refused ? 'refused' : 'answered'));
	$s->value('ROLLBACK');
	is(spent_now('staff') - $before, $is_refused ? 0 : 1, '... and charged as that');
}
is($s->run('SELECT dp_count(1) FROM staff')->{sqlstate}, undef, 'answered in the next one');
begin('staff');
is($s->run("BEGIN; SELECT idp.protect('staff', 100, $rules); SELECT dp_count(1) FROM staff; COMMIT")->{sqlstate}, undef,
	'a first promise');

begin('customers', 'orders');
$s->value("$key; SELECT idp.protect('customers', 100, 'add_remove', $rules, unit => 'id'); SELECT $link)");
$s->value("BEGIN; SELECT idp.unlink('orders'); SELECT idp.protect('orders', 100, 'add_remove', $rules)");
like($s->run('SELECT dp_count(1) FROM orders')->{message}, $changed, 'a link that comes back: rows of persons');
$s->value('ROLLBACK');
$s->value("BEGIN; SELECT idp.unlink('orders'), $link)");
like($s->run('SELECT dp_count(1) FROM (SELECT customer FROM orders GROUP BY 1) q')->{message}, $changed,
	'a link that is made anew');
$s->value('ROLLBACK');
is(spent_now('customers'), 0, '... nothing is charged');
is($s->run('SELECT dp_count(1) FROM (SELECT customer FROM orders GROUP BY 1) q')->{sqlstate}, undef,
	'... and persons are asked about as before');

LedgerTest::sound($s, 'after all changes');

$node->stop;
done_testing();
