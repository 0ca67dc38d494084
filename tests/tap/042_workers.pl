# What functions of indexes ask while tables are maintained, by autovacuum or in somebody else's session:
# hidden rows are shown to nobody there, and no limit of a role is passed.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest qw(spent);
use Test::More;

my $node = new_node('workers', 'jit = off', "shared_preload_libraries = 'idp'", 'autovacuum = on',
	'autovacuum_naptime = 1s');
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE own; CREATE ROLE analysts; CREATE ROLE mallory LOGIN IN ROLE analysts;
CREATE SCHEMA mallory AUTHORIZATION mallory; GRANT ALL ON SCHEMA mallory TO analysts;
CREATE SCHEMA own AUTHORIZATION own; GRANT USAGE ON SCHEMA own TO analysts;
SQL
my $own = session($node);
unlike($own->run(<<'SQL')->{err}, qr/WARNING/, 'no warning where every process has the library');
SET SESSION AUTHORIZATION own;
CREATE TABLE own.staff AS SELECT i AS id, 30000 + i AS salary FROM generate_series(1, 100) i;
SELECT idp.protect('own.staff', 1000), idp.limit_role('own.staff', 'mallory', 2);
CREATE VIEW own.of_staff AS SELECT * FROM own.staff;
GRANT SELECT ON own.staff, own.of_staff TO analysts;
CREATE MATERIALIZED VIEW own.kept AS SELECT dp_count(0.25) FROM own.staff;
SQL

# Tables of mallory's and of her group's, with functions in their indexes that tell what became of a query.
my $m = session($node);
$m->value(<<'SQL');
SET SESSION AUTHORIZATION mallory;
CREATE TABLE mallory.loot (bait text, worker boolean, what text);
GRANT ALL ON mallory.loot TO analysts;
CREATE FUNCTION mallory.try(bait text, query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  what text;
BEGIN
  IF session_user = 'mallory' OR EXISTS (SELECT FROM mallory.loot l WHERE l.bait = try.bait AND l.worker
    = (pg_catalog.inet_client_port() IS NULL AND current_setting('application_name') = '')) THEN RETURN 1; END IF;
  BEGIN
    EXECUTE query INTO what;
  EXCEPTION WHEN OTHERS THEN what := SQLSTATE || ' ' || SQLERRM;
  END;
  INSERT INTO mallory.loot VALUES (bait, current_setting('application_name') = '', what);
  RETURN 1;
END
$$;
CREATE FUNCTION mallory.rows(x int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN RETURN x + mallory.try('rows', 'SELECT v::text FROM own.of_staff v LIMIT 1'); END $$;
CREATE FUNCTION mallory.answer(x int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN RETURN x + mallory.try('answer', 'SELECT public.dp_count(50) FROM own.staff'); END $$;
CREATE TABLE mallory.for_rows (x int); CREATE INDEX ON mallory.for_rows (mallory.rows(x));
INSERT INTO mallory.for_rows SELECT generate_series(1, 1000);
SET ROLE analysts;
CREATE TABLE mallory.for_answer (x int); CREATE INDEX ON mallory.for_answer (mallory.answer(x));
INSERT INTO mallory.for_answer SELECT generate_series(1, 1000);
SQL
is($m->run('SELECT dp_count(5) FROM own.staff')->{sqlstate}, 'IDP01', 'a limit');

# by autovacuum
my $done = $node->poll_query_until('postgres',
	"SELECT count(*) = 2 FROM pg_stat_user_tables WHERE schemaname = 'mallory' AND relname LIKE 'for%' "
	  . "AND last_autoanalyze IS NOT NULL");
ok($done, 'autovacuum has analyzed both tables');
is($s->value("SELECT what FROM mallory.loot WHERE bait = 'rows' AND worker"),
	'42501 private answers are not given to workers of the server', 'no rows, by a view, in a worker')
  or diag($s->value('TABLE mallory.loot'));
is($s->value("SELECT what FROM mallory.loot WHERE bait = 'answer' AND worker"),
	'42501 private answers are not given to workers of the server', 'no answer in a worker');
is($s->value("SELECT string_agg(role, ' ') FROM idp.ledger"), 'own', 'nothing was charged');

# in the session of a superuser
foreach my $command ('ANALYZE mallory.for_answer', 'REINDEX TABLE mallory.for_answer', 'VACUUM FULL mallory.for_answer',
	'CLUSTER mallory.for_answer USING for_answer_answer_idx')
{
	$s->value("TRUNCATE mallory.loot");
	$s->value("$command");
	is($s->value("SELECT what FROM mallory.loot WHERE bait = 'answer'"),
		'42501 private answers are not given while a table of role "analysts" is maintained',
		"$command: no answer that passes the limit");
}
is($s->value('SELECT count(*) FROM idp.ledger'), 1, 'nothing was charged there either');

# what is refreshed counts
is($s->run('REFRESH MATERIALIZED VIEW own.kept')->{sqlstate}, undef, "a superuser refreshes a view of the owner's");
is($m->run('CREATE MATERIALIZED VIEW mallory.kept AS SELECT dp_count(1.5) FROM own.staff')->{sqlstate}, undef,
	'a member of the group makes one, within her limit');
is($m->run('REFRESH MATERIALIZED VIEW mallory.kept')->{sqlstate}, 'IDP01', 'and refreshes it no further');
is($s->run('REFRESH MATERIALIZED VIEW mallory.kept')->{sqlstate}, '42501', 'nor does a superuser for her');
is(spent($s, 'own.staff'), 2, 'which is all that was charged');

$_->quit foreach $s, $own, $m;
$node->stop;
done_testing();
