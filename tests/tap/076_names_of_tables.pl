# Names of releases are those of a table, or of a role where there is no one table: nobody takes a name
# away from others, learns from a name what others have, or slows down what others do by what she stores.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;
use Time::HiRes qw(time);

my $node = new_node('names', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE anna; CREATE ROLE berta; CREATE ROLE carla;
GRANT CREATE ON SCHEMA public TO anna, berta;
SET ROLE anna; CREATE TABLE of_anna AS SELECT generate_series(1, 9) AS x;
SET ROLE berta; CREATE TABLE of_berta AS SELECT generate_series(1, 8) AS x, 5 AS y;
CREATE TABLE more_of_berta AS SELECT generate_series(1, 7) AS x;
SELECT idp.protect('of_berta', 1e301);
GRANT SELECT ON of_berta TO carla;
RESET ROLE;
SQL
my ($anna, $berta, $carla) = map { my $session = session($node); $session->value("SET ROLE $_"); $session } qw(anna
	berta carla);
sub error { my ($r) = @_; return join ' | ', map { $_ // '' } @$r{qw(sqlstate message detail hint)} }

# --- Whose a name is -----------------------------------------------------------------------------

is($anna->value("SELECT dp_count(1e300, 'median salary') FROM of_anna"), 9, 'anna is first to use a name');
is($anna->value("SELECT dp_count(1e300, 'of none') FROM (VALUES (1), (2)) v"), 2, '... and one over no table');
is($berta->run("SELECT dp_count(1e300, 'median salary') FROM of_berta")->{out}, 8, 'berta has it for her own table');
is($berta->run("SELECT dp_count(1e300, 'median salary') FROM more_of_berta")->{out}, 7, '... and for another one');
is($berta->run("SELECT dp_count(1e300, 'of none') FROM (VALUES (1), (2), (3)) v")->{out}, 3, '... and over no table');
is($carla->run("SELECT dp_count(1e300, 'median salary') FROM of_berta")->{out}, 8,
	'readers of a table share its names');
is($berta->run("SELECT dp_count(1e300, 'median salary') FROM of_berta WHERE x < 3")->{sqlstate}, '22023',
	'... and hers stands for one question');
is($s->value("SELECT count(DISTINCT id) || ' ' || count(DISTINCT (relation::oid, name, "
	  . "CASE WHEN relation IS NULL THEN role END)) FROM idp.chain"), '5 5', 'five releases');

# --- Which one a name stands for where no table is told ------------------------------------------

is($carla->run("SELECT idp.relax('median salary', 1e300)")->{out}, 8, 'the only one that the role may read');
is($anna->run("SELECT idp.relax('median salary', 1e300)")->{out}, 9, '... each her own');
is($anna->run("SELECT idp.relax('of none', 1e300)")->{out}, 2, '... also over no table');
is($berta->run("SELECT idp.relax('of none', '1e300', '-')")->{out}, 3, '... which can be said');
is(error($berta->run("SELECT idp.relax('median salary', 1)")),
	q[42P08 | several tables have a release "median salary" | Tables: "public.more_of_berta", ]
	  . q["public.of_berta". | Say which one, as in relation => 'public.more_of_berta'.],
	'several: an error that names those the role may read');
foreach my $call ("relax('median salary', 1e300, 'of_berta')", "relax('median salary', 1e300, relation => 'of_berta')",
	"relax('median salary', '1e300', 'of_berta')", "release_answer('median salary', 'of_berta')")
{
	is($berta->run("SELECT idp.$call")->{out}, 8, $call);
}
$s->value("CREATE ROLE driver; GRANT SELECT ON of_berta TO driver");
is($berta->run("PREPARE p AS SELECT idp.relax(\$1, \$2, 'of_berta'); EXECUTE p('median salary', 1e300)")->{out}, 8,
	'parameters without a type');

# an error tells of nothing that one may not read, whether there is something or not
foreach my $call ("relax('%s', 1)", "relax('%s', 1, 'of_anna')", "release_answer('%s')", "refresh('%s')",
	"drop_release('%s', 'of_anna')", "refresh('%s', '-')", "drop_release('%s')")
{
	my @errors = map { my $name = $_; error($carla->run('SELECT idp.' . sprintf $call, $name)) =~ s/\Q$name\E/NAME/r }
	  'of none', 'nothing';
	is($errors[0], $errors[1], "$call tells nothing of others");
	like($errors[0], qr/^42704/, '... but that there is none');
}
is($carla->run("SELECT idp.refresh('median salary')")->{sqlstate}, '42501',
	'who may read it is told that she does not own it');
is($carla->run("SELECT count(*) FROM idp.releases")->{out}, 1, 'the view shows the same');
is($berta->value("SELECT string_agg(concat_ws(' ', name, table_name, answer), ', ' ORDER BY table_name) "
	  . "FROM idp.releases"),
	'median salary more_of_berta 7, median salary of_berta 8, of none 3', '... to each her own');
is($s->value("SELECT count(*) FROM idp.releases"), 5, '... and all to a superuser');

# the owner's commands are about one
$berta->value("SELECT idp.refresh('median salary', 'of_berta'); DELETE FROM of_berta WHERE x > 4");
is($berta->value("SELECT dp_count(1e300, 'median salary') FROM more_of_berta"), 7, 'refresh leaves the others alone');
is($berta->value("SELECT dp_count(1e300, 'median salary') FROM of_berta"), 4, '... and begins this one anew');
is($s->value("SELECT string_agg(role || ' ' || answer, ', ' ORDER BY role, answer) FROM idp.releases "
	  . "WHERE name = 'median salary'"), 'anna 9, berta 4, berta 7', '... once in the view');
$berta->value("SELECT idp.drop_release('median salary', relation => 'of_berta')");
is($berta->run("SELECT idp.relax('median salary', 1e300)")->{out}, 7, 'drop_release forgets one');
is($anna->run("SELECT idp.relax('median salary', 1e300)")->{out}, 9, '... of hers');

# a table that is dropped and made again has names of its own
$anna->value("DROP TABLE of_anna; CREATE TABLE of_anna AS SELECT generate_series(1, 6) AS x");
is($anna->run("SELECT idp.relax('median salary', 1e300)")->{out}, 9,
	'the release of a dropped table is there for who began it');
is($anna->run("SELECT dp_count(1e300, 'median salary') FROM of_anna")->{out}, 6,
	'the next table of the name begins its own');
is($anna->run("SELECT idp.relax('median salary', 1e300)")->{out}, 6, '... which comes first');
is($anna->value("SELECT string_agg(table_name || ' ' || answer, ', ' ORDER BY answer) FROM idp.releases "
	  . "WHERE name = 'median salary'"), 'of_anna 6, public.of_anna 9', 'the view shows both');
$anna->value("SELECT idp.drop_release('median salary')");
is($anna->run("SELECT idp.relax('median salary', 1e300)")->{out}, 9, 'without it the dropped one is found');

# sessions that begin a name at once, each over its own table
$s->value("CREATE TABLE many$_ AS SELECT generate_series(1, $_) AS x; GRANT SELECT ON many$_ TO carla") foreach 1 .. 4;
my @sessions = map { session($node) } 1 .. 4;
start_query($sessions[$_ - 1], "SELECT dp_count(1e300, 'at once') FROM many$_") foreach 1 .. 4;
is(join(' ', map { finish_query($_)->{out} } @sessions), '1 2 3 4', 'at once');
start_query($_, "SELECT dp_count(1e-15, 'together') FROM many4") foreach @sessions;
my %answers = map { finish_query($_)->{out} => 1 } @sessions;
is(scalar(keys %answers), 1, 'over one table they share it');
$_->quit foreach @sessions;

# --- Floods --------------------------------------------------------------------------------------

# What somebody stores under one name, over one table, or none, is no burden on others.
$s->value(<<'SQL');
INSERT INTO idp.chain (id, name, name_hash, family, grouped, accounts, relation, table_name, tables, aggregate,
  "column", result, born, role)
SELECT gen_random_uuid(), name, hashtextextended(name, 0), gen_random_uuid(), false, '{}', relation, 'public.of_anna',
  '{}', 'dp_count', '', 'bigint', now(), 'anna'
FROM (SELECT i, CASE WHEN i % 2 = 0 THEN 'headcount' ELSE 'n' || i END AS name,
  CASE WHEN i % 3 > 0 THEN 'of_anna'::regclass::oid END AS relation FROM generate_series(1, 100000) i) s;
ANALYZE idp.chain;
SQL
$berta->value('CREATE TABLE passing AS SELECT 1 AS x');
foreach my $case (
	[ 'a view', 'SELECT count(*) FROM idp.releases' ],
	[ 'a release that begins', "SELECT dp_count(1e300, 'headcount') FROM of_berta" ],
	[ 'a release over no table', "SELECT dp_count(1e300, 'headcount') FROM (VALUES (1)) v" ],
	[ 'its name', "SELECT idp.relax('headcount', 1e300, 'of_berta')" ],
	[ 'DROP TABLE', 'DROP TABLE passing' ],)
{
	my ($name, $sql) = @$case;
	my ($r, $read) = split /\|/, $berta->run(
		"BEGIN; $sql; SELECT '|' || sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid)) "
		  . "FROM pg_class WHERE relnamespace = 'idp'::regnamespace AND relname = 'chain'; COMMIT")->{out};
	cmp_ok($read, '<', 1000, "flood: $name reads few of the stored releases");
	note "$name: $read";
}
$s->value('DELETE FROM idp.chain WHERE record IS NULL');

# --- A library of another version ----------------------------------------------------------------

foreach my $case (
	[ 'chain', "SELECT dp_count(1e300, 'new') FROM more_of_berta" ],
	[ 'chain_level', "SELECT dp_count(1e300, 'new') FROM more_of_berta" ],
	[ 'charge', 'SELECT dp_count(1) FROM of_berta' ], [ 'account', 'SELECT dp_count(1) FROM of_berta' ],)
{
	my ($table, $sql) = @$case;
	$s->value("ALTER TABLE idp.$table ADD COLUMN of_a_later_version int");
	is(error($berta->run($sql)), '55000 | extension idp and its library are of different versions |  | Connect again.',
		"a column of idp.$table that the library does not know");
	$berta->alive("idp.$table");
	$s->value("DELETE FROM pg_attribute WHERE attrelid = 'idp.$table'::regclass AND attname = 'of_a_later_version'; "
		  . "UPDATE pg_class SET relnatts = relnatts - 1 WHERE oid = 'idp.$table'::regclass");
}
is($berta->run("SELECT dp_count(1e300, 'new') FROM more_of_berta")->{out}, 7, 'and all is well again');

sound($s, 'after all');
$_->alive('at the end') foreach $s, $anna, $berta, $carla;
$_->quit foreach $s, $anna, $berta, $carla;
$node->stop;
done_testing();
