# Plans of hidden tables are made ready when the query is planned, and kept: what a role or an
# execution changes must not stay in them.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('kept', "session_preload_libraries = 'idp'", 'jit = off', 'max_parallel_workers_per_gather = 2');
my $s = session($node);
$s->value('CREATE ROLE keeper; CREATE ROLE deputy; GRANT CREATE ON SCHEMA public TO keeper; SET ROLE keeper');
$s->value('CREATE TABLE staff AS SELECT i AS id, 38 + i % 20 AS age FROM generate_series(1, 20000) i; '
	  . 'UPDATE staff SET age = 37 WHERE id = 7777; GRANT SELECT ON staff TO deputy');
$s->value("RESET ROLE; ANALYZE staff; SELECT idp.protect('staff', 1e9)");
my $zero = qr/^division by zero/;

sub outcome { my ($session, $sql) = @_; my $r = $session->run($sql); return $r->{message} // $r->{out} }

# A kept plan has the twins of the role that it was planned for. Who may read the rows no more gets them when
# it is executed.
foreach my $mode (qw(force_generic_plan auto))
{
	my $deputy = session($node);
	$deputy->value("SET ROLE deputy; SET plan_cache_mode = $mode");
	$s->value('GRANT keeper TO deputy');
	$deputy->value('PREPARE q AS SELECT dp_count(1000.0) FROM staff WHERE 1 / (age - 37) >= 0');
	like(outcome($deputy, 'EXECUTE q'), $zero, "$mode: a plan of an exempt role has the functions of the server");
	$s->value('REVOKE keeper FROM deputy');
	is(outcome($deputy, 'EXECUTE q'), 19999, 'the role is exempt no more: with twins') foreach 1 .. 3;
	# another role's plan is made anew
	my $keeper = session($node);
	$keeper->value("SET plan_cache_mode = $mode; SET ROLE deputy; PREPARE q AS SELECT dp_count(1000.0) FROM staff "
		  . "WHERE 1 / (age - 37) >= 0");
	foreach (1 .. 2)
	{
		is(outcome($keeper, 'SET ROLE deputy; EXECUTE q'), 19999, "$mode: twins for one");
		like(outcome($keeper, 'SET ROLE keeper; EXECUTE q'), $zero, 'and none for the owner');
	}
	$_->quit foreach $deputy, $keeper;
}

# A plan that was made before the library was there has neither gates of its own nor twins; the policy's gate loads it.
my $early = do { local $ENV{PGOPTIONS} = '-c session_preload_libraries='; session($node) };
$early->value("SET ROLE deputy; SET plan_cache_mode = force_generic_plan; PREPARE q AS SELECT count(*) FROM staff "
	  . "WHERE 1 / (age - 37) >= 0");
like(outcome($early, 'EXECUTE q'), qr/^rows of table "staff" are hidden/,
	'rows by a plan that is older than the library');
$early->quit;

# What no row changes is the value of each execution, not of the plan.
foreach my $parallel ('',
	'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; ')
{
	foreach my $condition ("1 / (age - 37) >= 0 AND id <= current_setting('x.most')::int",
		"id / (age - 37) * 0 + id <= current_setting('x.most')::int", 'id <= $1 * 1 AND 1 / (age - 37) >= 0',
		'id <= $1 / 1 AND age / (age - 37) > -1000000')
	{
		my $b = session($node);
		$b->value("SET ROLE deputy; SET plan_cache_mode = force_generic_plan; "
			  . "${parallel}PREPARE q (int) AS SELECT dp_count(1000.0) FROM staff WHERE $condition");
		is(outcome($b, "SET x.most = $_; EXECUTE q ($_)"), $_, "as many as there are to $_: $condition")
		  foreach 100, 5000, 7;
		is($b->value('SELECT generic_plans FROM pg_prepared_statements'), 3, 'by one plan');
		$b->quit;
	}
}

# Nothing is put into plans that are kept, by executing them: as often as one likes, with the same answer.
my $b = session($node);
$b->value('SET ROLE deputy');
$b->value(q{CREATE FUNCTION pg_temp.asked() RETURNS numeric LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(1000.0) }
	  . q{FROM staff WHERE 1 / (age - 37) >= 0 AND id / 2 >= 0); END'});
is($b->value("SELECT pg_temp.asked()"), 19999, "execution $_ of a plan in a function") foreach 1 .. 8;
$b->quit;
$s->quit;
$node->stop;
done_testing();
