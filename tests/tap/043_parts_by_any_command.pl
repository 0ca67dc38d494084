# What becomes a part of a hidden table, or takes the name of one that was dropped, is locked by the time
# that the command ends, whatever command it is.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('parts_by_any_command', 'jit = off');
my $s = session($node);
my $make_rows = 'AS SELECT generate_series(1, 9) AS x';
sub locked
{
	my ($table) = @_;
	return $s->value("SELECT relrowsecurity AND EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid "
		  . "AND polname = 'idp_hidden' AND NOT polpermissive) FROM pg_class c WHERE oid = '$table'::regclass");
}

# parts
$s->value("CREATE TABLE orders (x int) PARTITION BY LIST (x); SELECT idp.protect('orders', 10, per => 'partition'); "
	  . "CREATE TABLE base (x int); SELECT idp.protect('base', 10)");
$s->value('CREATE SCHEMA one CREATE TABLE p PARTITION OF public.orders '
	  . 'FOR VALUES IN (1) CREATE TABLE c () INHERITS (public.base)');
is(locked('one.p'), 't', 'CREATE SCHEMA … CREATE TABLE … PARTITION OF');
is(locked('one.c'), 't', 'CREATE SCHEMA … CREATE TABLE … INHERITS');
is($s->value("SELECT rows || ' ' || total || ' ' || partition_of FROM idp.protection WHERE table_name = 'one.p'"),
	'hidden 10 orders', 'which has a share of its own');

# names
foreach my $case (
	[ 'ALTER SCHEMA … RENAME', 'CREATE SCHEMA other; CREATE TABLE other.t ' . $make_rows,
		'ALTER SCHEMA other RENAME TO kept' ],
	[ 'ALTER INDEX … RENAME', "CREATE SCHEMA kept; CREATE TABLE kept.other $make_rows",
		'ALTER INDEX kept.other RENAME TO t' ],
	[ 'CREATE SCHEMA', '', 'CREATE SCHEMA kept CREATE TABLE t (x int)' ],
	[ 'ALTER TABLE … SET SCHEMA', "CREATE SCHEMA kept; CREATE TABLE t $make_rows", 'ALTER TABLE t SET SCHEMA kept' ],)
{
	my ($name, $before, $command) = @$case;
	$s->value("CREATE SCHEMA kept; CREATE TABLE kept.t $make_rows; SELECT idp.protect('kept.t', 1); "
		  . "DROP SCHEMA kept CASCADE");
	$s->value($before) if $before;
	$s->value($command);
	is(locked('kept.t'), 't', "$name gives a table the name of a hidden one");
	$s->value('DROP SCHEMA kept CASCADE');
}

# what cannot be hidden
$s->value('CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing; '
	  . 'CREATE FOREIGN TABLE apart (x int) SERVER nowhere');
my $refused = qr/^rows of foreign table "[\w.]+" cannot be hidden/;
like($s->run($_)->{message} // 'made', $refused, $_)
  foreach 'CREATE FOREIGN TABLE f PARTITION OF orders FOR VALUES IN (2) SERVER nowhere',
  'CREATE FOREIGN TABLE f () INHERITS (base) SERVER nowhere', 'ALTER FOREIGN TABLE apart INHERIT base',
  'ALTER TABLE orders ATTACH PARTITION apart FOR VALUES IN (2)';
is($s->run('CREATE SCHEMA kept; CREATE FOREIGN TABLE kept.t (x int) SERVER nowhere')->{message}, undef,
	'a name is nobody\'s: a foreign table may have it');

# what is said about a table changes nothing: a dump, which makes the policies last, can be restored
$s->value("DROP POLICY idp_hidden ON base; COMMENT ON TABLE base IS 'said'; COMMENT ON SCHEMA public IS 'said'");
is(locked('base'), 'f', 'COMMENT makes no policy');
$s->value("SELECT idp.protect('base', 10); CREATE INDEX ON base (x); COMMENT ON INDEX base_x_idx IS 'said'");
my $dump = $node->basedir . '/dump.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('restored') ],
	'and its restore');
my $rows = "SELECT string_agg(table_name || ' ' || rows, ', ' ORDER BY table_name) FROM idp.protection "
  . "WHERE former_owner IS NULL";
is($node->safe_psql('restored', $rows), $s->value($rows), 'which is locked as it was');
is($s->value($rows), 'base hidden, one.p hidden, orders hidden', 'wholly');

# who owns the domain of a column can read it: the owner of the table is told, and how to end that
$s->value(<<'SQL');
CREATE ROLE keeper; CREATE ROLE other; CREATE ROLE exempt BYPASSRLS;
GRANT CREATE ON SCHEMA public TO keeper, other, exempt;
SET ROLE other; CREATE DOMAIN amount AS int; CREATE DOMAIN more AS int;
SET ROLE exempt; CREATE DOMAIN seen AS int;
SET ROLE keeper; CREATE DOMAIN of_more AS more;
CREATE TABLE pay (id int, a amount, b of_more, c seen, d of_more) PARTITION BY LIST (id);
CREATE TABLE pay_1 PARTITION OF pay DEFAULT;
SQL
my $warned = $s->run("SELECT idp.protect('pay', 1)")->{err};
is(join(', ',
	sort $warned =~ /WARNING: .*?(role "\w+" can read column "\w+" of table "[\w.]+" by its domain "[\w.]+")/g),
	join(', ', sort map {
		my $table = $_;
		map { qq[role "other" can read column "$$_[0]" of table "public.$table" by its domain "public.$$_[1]"] }
		  [ 'a', 'amount' ], [ 'b', 'more' ], [ 'd', 'more' ]
	} 'pay', 'pay_1'),
	'domains of others, also below a domain: warnings');
$s->value('RESET ROLE');
$s->value($_) foreach $warned =~ /HINT: *(ALTER DOMAIN .*)/g;
unlike($s->run("SET ROLE keeper; SELECT idp.protect('pay', 1)")->{err}, qr/by its domain/, '... which the hints end');
$s->value('RESET ROLE');

$s->quit;
$node->stop;
done_testing();
