# The statements of data/plain_statements.txt, as more than thirty tools write them, by a role that is not exempt:
# answered near the truth with the columns and types of the plain statement, and charged; free; or refused, and the
# first line says what to ask instead.
#
#   IDP_PLAIN_TOOL   of this tool alone
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $epsilon = 100000;    # hides nothing
my $node = new_node('plain_statements', 'jit = off', "shared_preload_libraries = 'idp'", "timezone = 'UTC'");
my $s = session($node);
$s->value('CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN');
on_one_day($s, 30);
$s->value(shop_tables() . shop_protection());
my $a = session($node);
$a->value("SET ROLE analyst; SET idp.epsilon = $epsilon; SET idp.delta = 1e-9");
$_->{quiet} = 1 foreach $s, $a;

# What a message says to do instead.
my $verbs = 'add|ask|apply|group|write|choose|compute|use|join|give|compare|select|name|partition';
my $way_out = qr/(?:: |, | and )(?:$verbs)\b/;

sub spent { return $s->value('SELECT sum(spent) FROM idp.budget') }

# What is wrong with an outcome; empty if nothing is.
my %problem;
%problem = (
	answered => sub {
		my ($sql, $got, $charged, $tolerance) = @_;
		return "refused: $got->{message}" if defined $got->{message};
		$s->value('SET ROLE owner');
		my ($columns, $true) = ($s->value("$sql \\gdesc"), $s->value($sql));
		$s->value('RESET ROLE');
		my $described = $a->run("$sql \\gdesc");
		return 'columns: ' . ($described->{message} // $described->{out}) . " for $columns"
		  if $described->{out} ne $columns;
		my $difference = difference_but_empty($true, $got->{out}, $tolerance);
		return $difference if $difference;
		# From PostgreSQL 17 on the planner knows that a key is never NULL: no row is read for that.
		return $charged == 0 ? '' : "charged $charged for no rows"
		  if $major >= 17 && $sql =~ /\bfrom orders where id is null\b/;
		return $charged > 0 ? '' : 'not charged';
	},
	same => sub {
		my ($sql, $got, $charged, $tolerance) = @_;
		my $rows = $s->value("SET ROLE owner; SELECT count(*) FROM ($sql) x; RESET ROLE");
		my $shown = () = ($got->{out} // '') =~ /\n/g;
		return "$shown rows for $rows" if !defined $got->{message} && $shown + 1 != $rows;
		return $problem{answered}->(@_);
	},
	kept => sub {
		my ($sql, $got, $charged) = @_;
		return "refused: $got->{message}" if defined $got->{message};
		$s->value('SET ROLE owner');
		my ($columns, $true) = ($s->value("$sql \\gdesc"), $s->value($sql));
		$s->value('RESET ROLE');
		return 'columns differ' if $a->run("$sql \\gdesc")->{out} ne $columns;
		return 'more groups than there are' if ($got->{out} =~ tr/\n//) > ($true =~ tr/\n//);
		return $charged > 0 ? '' : 'not charged';
	},
	free => sub {
		my ($sql, $got, $charged) = @_;
		return "refused: $got->{message}" if defined $got->{message};
		return "charged $charged" if $charged != 0;
		return '' if $sql =~ /^EXPLAIN/;
		$s->value('SET ROLE owner');
		my $true = $s->value($sql);
		$s->value('RESET ROLE');
		my $sorted = sub { join "\n", sort split /\n/, $_[0] };
		return $sorted->($got->{out}) eq $sorted->($true) ? '' : "$got->{out} for $true";
	},
	refused => sub {
		my ($sql, $got, $charged) = @_;
		return "answered: $got->{out}" unless defined $got->{message};
		return "charged $charged" if $charged != 0;
		return "shown: $got->{out}" if $got->{out} ne '';
		return $got->{message} =~ $way_out ? '' : "no way out: $got->{message}";
	});

my (%seen, %tools);
foreach my $statement (statements_of_tools())
{
	my ($tool, $class, $tolerance, $sql) = @$statement;
	next if defined $ENV{IDP_PLAIN_TOOL} && $tool ne $ENV{IDP_PLAIN_TOOL};
	on_one_day($a, 30) if $sql =~ /now\(\)|current_|localtime/i;
	my $before = spent();
	my $got = $a->run($sql);
	my $charged = (spent() - $before) / $epsilon;
	my $problem = $problem{$class}->($sql, $got, $charged, $tolerance);
	is($problem, '', "$tool: $class: $sql");
	$tools{$tool}++;
	$seen{$class}{all}++;
	$seen{$class}{right}++ if $problem eq '';
}

# A number that a statement shows twice is drawn once, and paid for once.
{
	$a->value('SET idp.epsilon = 0.01');
	my $each = 'FROM regions r CROSS JOIN LATERAL (SELECT count(*) AS n, count(*) AS m FROM customers c '
	  . 'WHERE c.region_id = r.id) a';
	my $cost = sub { my $before = spent(); $a->value($_[0]); return spent() - $before };
	my $once = $cost->("SELECT a.n $each");
	is_deeply([ grep {
		my ($n, $m, $more) = split /\|/;
		$n != $m || $more != $n + 1
	} split /\n/, $a->value("SELECT a.n, a.m, a.n + 1 $each") ], [], 'a number of LATERAL, twice: the same');
	is($cost->("SELECT a.n, a.m, a.n + 1, a.n > 740 $each"), $once, 'a number of LATERAL, twice: the cost of one');
	# What has bounds by its form costs as a column that has bounds, not so often as a person may have rows.
	my $bounded = $cost->('SELECT sum(amount + 1) FROM orders');
	is(sprintf('%.4f', $cost->("SELECT sum($_) FROM orders")), sprintf('%.4f', $bounded), "bounds of $_")
	  foreach 'greatest(amount - 100, 0)', 'least(amount, 50)', 'abs(amount - 100)', 'nullif(amount, 7)',
	  'greatest(quantity, 2, 3) - least(5, quantity)', "ordered_at::date - date '2024-01-01'";
	$a->value("SET idp.epsilon = $epsilon");
}

# What a function of the owner plans while her query is asked about as others see it does not stay.
$s->value(<<'SQL');
SET ROLE owner;
CREATE FUNCTION all_orders() RETURNS bigint IMMUTABLE
  LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM orders); END';
SET idp.epsilon = 0.0001;
SQL
like($s->run("SELECT count(*) FROM idp.cost('SELECT all_orders()', true)")->{message},
	qr/^rows that are hidden from others cannot be read by a function/, 'it may not read them meanwhile');
is($s->value('SELECT all_orders() = (SELECT count(*) FROM orders)'), 't', 'the owner sees all rows again');
$s->value('DROP FUNCTION all_orders(); RESET idp.epsilon; RESET ROLE');

# Where answers repeat, no number is paid for again: unless it hangs on a CTE that is to be read apart.
$s->value("SET ROLE owner; SELECT idp.protect('customers', 1e12, unit => 'id', delta => 0.1, "
	  . "repeat => 'forever'); RESET ROLE");
foreach my $statement (statements_of_tools())
{
	my ($tool, $class, undef, $sql) = @$statement;
	next if $class ne 'answered' && $class ne 'kept' || $sql =~ /AS MATERIALIZED/ || defined $ENV{IDP_PLAIN_TOOL}
	  && $tool ne $ENV{IDP_PLAIN_TOOL};
	on_one_day($a, 30) if $sql =~ /now\(\)|current_|localtime/i;
	$a->run($sql);
	my $before = spent();
	my $again = $a->run($sql);
	is($again->{message} // spent() - $before, 0, "$tool: again: $sql");
}

note sprintf '%-8s %3d of %3d', $_, $seen{$_}{right} // 0, $seen{$_}{all} foreach sort keys %seen;
unless (defined $ENV{IDP_PLAIN_TOOL})
{
	cmp_ok(scalar keys %tools, '>=', 30, 'tools');
	cmp_ok($seen{answered}{all}, '>=', 200, 'statements that want an answer');
}

done_testing();
